"""The command `notify`: findings that a destination was not told of yet, sent to it, a message a cluster and run."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from jobs.engine.run.outcome import report_problem
from jobs.notify.alert_forms import LASTING, Payload, as_alerts, as_events, as_findings
from jobs.notify.arguments import notify_parser
from jobs.notify.chat_forms import CHATS, plain_lines
from jobs.notify.destination import ROUTING_KEY, VARIABLE
from jobs.notify.message import SHOWN, Entry, Message, command_to_paste, compose_message, key_of, new_entry
from jobs.notify.remembered import (
    News,
    Numbered,
    Remembered,
    Taken,
    news_of,
    read_remembered,
    remember_taken,
    write_remembered,
)
from jobs.notify.request import NotifyRequest, parse_notify_request
from jobs.notify.sending import Reply, send_with_retries
from jobs.questions.ask import all_answers, require_tables
from jobs.questions.finding_lines import group_alike, worst_finding
from jobs.questions.status import cluster_status
from jobs.questions.unpublished import backfill_text, parts_to_come
from jobs.terminal import print_lines
from jobs.text import format_count, printable_line
from pipeline.core.conditions import column_equals
from pipeline.core.errors import (
    EnvironmentProblem,
    InputProblem,
    PipelineError,
    WarehouseDamaged,
)
from pipeline.store.readers.readable_warehouse import DirectWarehouse, readable_directly
from pipeline.store.readers.small_file import SmallFile
from pipeline.store.runs.published import NOTIFIED
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Place, Row

FINDING = "gold.finding"
REPEATED = "alertmanager"


class EndpointFailed(PipelineError):
    """The endpoint took nothing; with --fail the exit code says so. is_passing: it may go by itself, and other messages
    fare no better now."""

    exit_code = EnvironmentProblem.exit_code

    def __init__(self, asked: NotifyRequest, cluster: str, reply: Reply) -> None:
        self.is_passing = reply.is_passing
        other = ROUTING_KEY if asked.routing_key else VARIABLE
        todo = "look after it" if reply.is_passing else f"correct --url or {other}, or what takes it there"
        super().__init__(
            expected=f"{asked.shown} to take the findings of cluster {cluster}",
            found=reply.problem or "",
            todo=f"{todo}; they are kept for the next run of notify",
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES; 0 also where the endpoint takes nothing, without --fail."""
    given = notify_parser().parse_args(argv)
    try:
        asked = parse_notify_request(given)
        clusters = all_answers(given.warehouse, given.cluster, None)
        is_taken = notify_all_clusters(clusters, file_of(given.warehouse, given.state), asked)
    except PipelineError as problem:
        return report_problem("notify", problem)
    return EndpointFailed.exit_code if given.fail and not is_taken else 0


def file_of(warehouse: str, state: str | None) -> Callable[[str], SmallFile]:
    """By cluster the file that remembers. EnvironmentProblem: only Spark reads the warehouse, and none is given."""
    if state is not None:
        given = SmallFile.at(state)
        return lambda _: given
    at = readable_directly(warehouse)
    if at is None:
        raise EnvironmentProblem(
            expected="--state FILE, as nothing is remembered in a warehouse that only Spark reads",
            found="none",
            todo="give a file of this machine that every run of notify finds",
        )
    found: DirectWarehouse = at
    return lambda cluster: SmallFile.beside(found, cluster, NOTIFIED)


def notify_all_clusters(
    clusters: Sequence[Answers], of: Callable[[str], SmallFile], asked: NotifyRequest
) -> bool:
    """One after the other. True: the endpoint took all that there was. InputProblem, WarehouseDamaged: no cluster has
    findings that can be read."""
    problems: list[PipelineError] = []
    is_taken = True
    for place, one in enumerate(clusters):
        try:
            notify_cluster(one, of(one.cluster_id), asked)
        except EndpointFailed as problem:
            report_problem("notify", problem)
            is_taken = False
            if problem.is_passing and clusters[place + 1 :]:
                rest = format_count(len(clusters) - place - 1, "more cluster")
                print(f"notify: {asked.shown} was not tried for {rest}", file=sys.stderr)
                return False
        except (InputProblem, WarehouseDamaged) as problem:
            problems.append(problem)
            if len(problems) == len(clusters):
                raise
            report_problem("notify", problem)
    return is_taken


def notify_cluster(answers: Answers, file: SmallFile, asked: NotifyRequest) -> None:
    """At least once: it is remembered after it was taken. EndpointFailed: it was not, or not all of it."""
    require_tables(answers, FINDING)
    cluster = answers.cluster_id
    if left := parts_to_come(answers.tables):
        print_lines(
            [f"{cluster}  {backfill_text(left)}, nothing is sent to {asked.shown} until they are read"]
        )
        return
    if asked.is_dry:
        news = news_since(answers, remembered_before(file.text(), file, cluster, asked), asked)
        shown = f"{cluster}  DRY RUN: {news_summary(news, asked)} for {asked.shown}, nothing was sent"
        print_lines([shown, *(preview_lines(answers, news, asked) if is_to_be_sent(news, asked) else [])])
        return
    with file.held(asked.timeout):
        text = file.text()
        remembered = remembered_before(text, file, cluster, asked)
        news = news_since(answers, remembered, asked)
        if is_to_be_sent(news, asked):
            # A file that cannot be written is seen before anything is sent: else it were sent every night.
            file.write(write_remembered(text, cluster, asked.key, remembered))
            taken: list[Taken] = []
            try:
                send_news(answers, news, asked, taken)
            except EndpointFailed:
                if taken:
                    own = remember_taken(news, remembered, taken)
                    file.write(write_remembered(text, cluster, asked.key, own))
                raise
        if news.after != remembered:
            file.write(write_remembered(text, cluster, asked.key, news.after))
    print_lines(
        [
            f"{cluster}  {'SENT ' if is_to_be_sent(news, asked) else ''}{news_summary(news, asked)} "
            f"{'to' if is_to_be_sent(news, asked) else 'for'} {asked.shown}"
        ]
    )


def remembered_before(text: str | None, file: SmallFile, cluster: str, asked: NotifyRequest) -> Remembered:
    found = read_remembered(text, cluster, asked.key)
    if found is None:
        words = f"notify: {file.uri} is not what notify writes: what stands is told again"
        print(printable_line(words), file=sys.stderr)
    return found or Remembered()


def news_since(answers: Answers, remembered: Remembered, asked: NotifyRequest) -> News:
    retracted = answers.rows(FINDING, column_equals("status", "retracted")).sort("finding_id").to_dicts()
    every = [*answers.findings(), *retracted]
    return news_of(every, remembered, asked.severity, answers.last_at())


def is_to_be_sent(news: News, asked: NotifyRequest) -> bool:
    """Alertmanager forgets what nobody repeats."""
    return bool(news.told() or (asked.form == REPEATED and news.standing))


def send_news(answers: Answers, news: News, asked: NotifyRequest, taken: list[Taken]) -> None:
    """taken: is told what the endpoint took of single findings, also where EndpointFailed is raised."""
    if asked.destination is None:
        return
    now = datetime.now(UTC)
    key = key_of(news, answers.cluster_id, now + LASTING if asked.form == REPEATED else None)
    payloads = news_payloads(answers, news, asked, now)
    for place, one in enumerate(payloads):
        own = key if len(payloads) == 1 else f"{key}-{place}"
        reply = send_with_retries(asked.destination, one.document, own, asked.timeout)
        if reply.problem is not None:
            raise EndpointFailed(asked, answers.cluster_id, reply)
        taken += [one.taken] if one.taken else []


def news_payloads(answers: Answers, news: News, asked: NotifyRequest, now: datetime) -> list[Payload]:
    """To be sent one after the other."""
    if asked.form in CHATS:
        return [Payload(CHATS[asked.form](news_message(answers, news, asked)))]
    every = [*news.told(), *news.standing]
    lines_of = evidence_log_lines(answers, [place for _, one in every for place in one["evidence"]])
    if asked.form == "json":
        return [Payload(as_findings(news, lines_of))]
    command_of = partial(command_to_paste, warehouse=asked.warehouse, cluster=answers.cluster_id)

    def entry_of(one: Numbered) -> Entry:
        return new_entry([one], lines_of, command_of, set())

    if asked.form == "pagerduty":
        return as_events(news, entry_of, asked.routing_key)
    return [Payload(as_alerts(news, entry_of, now))]


def preview_lines(answers: Answers, news: News, asked: NotifyRequest) -> list[str]:
    if asked.form in CHATS:
        return plain_lines(news_message(answers, news, asked))
    payloads = news_payloads(answers, news, replace(asked, routing_key="(the key)"), datetime.now(UTC))
    documents = [json.loads(one.document) for one in payloads]
    return [line for one in documents for line in json.dumps(one, indent=2).splitlines()]


def news_message(answers: Answers, news: News, asked: NotifyRequest) -> Message:
    shown = (worst_finding(group)["evidence"] for group in group_alike(news.new)[:SHOWN])
    first = [evidence[0] for evidence in shown if evidence]
    return compose_message(news, cluster_status(answers), evidence_log_lines(answers, first), asked.warehouse)


def evidence_log_lines(answers: Answers, places: Sequence[Row]) -> dict[Place, Row]:
    return answers.lines(places, shown=())


def news_summary(news: News, asked: NotifyRequest) -> str:
    over = f", {format_count(len(news.over), 'finding')} no longer so" if news.over else ""
    passed = f", {format_count(news.passed, 'finding')} of the time before passed over" if news.passed else ""
    still = f", {len(news.standing)} still so" if asked.form == REPEATED and news.standing else ""
    return f"{format_count(len(news.new), 'new finding')}{over}{still}{passed}"


if __name__ == "__main__":
    sys.exit(main())
