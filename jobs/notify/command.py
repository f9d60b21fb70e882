"""The command `notify`: findings that a destination was not told of yet, sent to it, a message a cluster and run."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jobs.engine.run.outcome import report_problem
from jobs.notify.arguments import notify_parser
from jobs.notify.destination import VARIABLE, Destination, destination_of
from jobs.notify.message import SHOWN, as_findings, as_slack, key_of, slack_text
from jobs.notify.remembered import News, Remembered, news_of, read_remembered, write_remembered
from jobs.notify.sending import Reply, send_with_retries
from jobs.questions.ask import all_answers, require_tables
from jobs.questions.finding_lines import group_alike, worst_finding
from jobs.questions.status import cluster_status
from jobs.terminal import print_lines
from jobs.text import format_count, printable_line
from pipeline.core.conditions import column_equals
from pipeline.core.errors import (
    EnvironmentProblem,
    InputProblem,
    PipelineError,
    SettingsError,
    WarehouseDamaged,
)
from pipeline.store.readers.readable_warehouse import DirectWarehouse, readable_directly
from pipeline.store.readers.small_file import SmallFile
from pipeline.store.runs.published import NOTIFIED
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Place, Row

FOR_NOBODY = "dry-run"  # what it would be for one that was never told anything
FINDING = "gold.finding"


@dataclass(frozen=True)
class NotifyRequest:
    """What was asked for, for all clusters. destination: None in a dry run for nobody."""

    warehouse: str
    destination: Destination | None
    form: str
    severity: str
    timeout: float
    is_dry: bool

    @property
    def key(self) -> str:
        return self.destination.key if self.destination else FOR_NOBODY

    @property
    def shown(self) -> str:
        return self.destination.shown if self.destination else "nobody (no --url)"


class EndpointFailed(PipelineError):
    """The endpoint took nothing. is_passing: it may go by itself, and other messages fare no better now."""

    def __init__(self, asked: NotifyRequest, cluster: str, reply: Reply) -> None:
        self.is_passing = reply.is_passing
        todo = "look after it" if reply.is_passing else f"correct --url or {VARIABLE}, or what takes it there"
        super().__init__(
            expected=f"{asked.shown} to take the findings of cluster {cluster}",
            found=reply.problem or "",
            todo=f"{todo}; they are kept for the next run of notify",
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES; 0 also where the endpoint takes nothing."""
    given = notify_parser().parse_args(argv)
    try:
        destination = destination_of(given.url)
        if destination is None and not given.dry_run:
            raise SettingsError(
                expected=f"--url, or {VARIABLE} in the environment",
                found="neither",
                todo="give the URL of a webhook, or --dry-run to see what would be sent",
            )
        asked = NotifyRequest(
            given.warehouse, destination, given.format, given.severity, given.timeout, given.dry_run
        )
        clusters = all_answers(given.warehouse, given.cluster, None)
        notify_all_clusters(clusters, file_of(given.warehouse, given.state), asked)
    except PipelineError as problem:
        return report_problem("notify", problem)
    return 0


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
) -> None:
    """One after the other. InputProblem, WarehouseDamaged: no cluster has findings that can be read."""
    problems: list[PipelineError] = []
    for place, one in enumerate(clusters):
        try:
            notify_cluster(one, of(one.cluster_id), asked)
        except EndpointFailed as problem:
            report_problem("notify", problem)
            if problem.is_passing and clusters[place + 1 :]:
                rest = format_count(len(clusters) - place - 1, "more cluster")
                print(f"notify: {asked.shown} was not tried for {rest}", file=sys.stderr)
                return
        except (InputProblem, WarehouseDamaged) as problem:
            problems.append(problem)
            if len(problems) == len(clusters):
                raise
            report_problem("notify", problem)


def notify_cluster(answers: Answers, file: SmallFile, asked: NotifyRequest) -> None:
    """At least once: it is remembered after it was taken. EndpointFailed: it was not."""
    require_tables(answers, FINDING)
    cluster = answers.cluster_id
    if asked.is_dry:
        news = news_since(answers, remembered_before(file.text(), file, cluster, asked), asked)
        shown = f"{cluster}  DRY RUN: {news_summary(news)} for {asked.shown}, nothing was sent"
        print_lines([shown, *(preview_lines(answers, news, asked) if news.told() else [])])
        return
    with file.held(asked.timeout):
        text = file.text()
        remembered = remembered_before(text, file, cluster, asked)
        news = news_since(answers, remembered, asked)
        if news.told():
            # A file that cannot be written is seen before anything is sent: else it were sent every night.
            file.write(write_remembered(text, cluster, asked.key, remembered))
            send_news(answers, news, asked)
        if news.after != remembered:
            file.write(write_remembered(text, cluster, asked.key, news.after))
    print_lines(
        [
            f"{cluster}  {'SENT ' if news.told() else ''}{news_summary(news)} "
            f"{'to' if news.told() else 'for'} {asked.shown}"
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


def send_news(answers: Answers, news: News, asked: NotifyRequest) -> None:
    if asked.destination is None:
        return
    key = key_of(news, answers.cluster_id)
    reply = send_with_retries(asked.destination, news_payload(answers, news, asked), key, asked.timeout)
    if reply.problem is not None:
        raise EndpointFailed(asked, answers.cluster_id, reply)


def news_payload(answers: Answers, news: News, asked: NotifyRequest) -> bytes:
    if asked.form == "json":
        return as_findings(
            news, evidence_log_lines(answers, [place for _, one in news.told() for place in one["evidence"]])
        )
    return as_slack(news_text(answers, news, asked))


def preview_lines(answers: Answers, news: News, asked: NotifyRequest) -> list[str]:
    text = (
        news_payload(answers, news, asked).decode()
        if asked.form == "json"
        else news_text(answers, news, asked)
    )
    return text.splitlines()


def news_text(answers: Answers, news: News, asked: NotifyRequest) -> str:
    shown = (worst_finding(group)["evidence"] for group in group_alike(news.new)[:SHOWN])
    first = [evidence[0] for evidence in shown if evidence]
    return slack_text(news, cluster_status(answers), evidence_log_lines(answers, first), asked.warehouse)


def evidence_log_lines(answers: Answers, places: Sequence[Row]) -> dict[Place, Row]:
    return answers.lines(places, shown=())


def news_summary(news: News) -> str:
    over = f", {format_count(len(news.over), 'finding')} no longer so" if news.over else ""
    passed = f", {format_count(news.passed, 'finding')} of the time before passed over" if news.passed else ""
    return f"{format_count(len(news.new), 'new finding')}{over}{passed}"


if __name__ == "__main__":
    sys.exit(main())
