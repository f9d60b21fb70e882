"""The command `notify`: findings that a destination was not told of yet, sent to it, a message a cluster and run."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jobs.notify.arguments import arguments
from jobs.notify.destination import VARIABLE, Destination, destination_of
from jobs.notify.message import SHOWN, as_findings, as_slack, key_of, slack_text
from jobs.notify.remembered import News, Remembered, news_of, read, written
from jobs.notify.sending import Reply, send
from jobs.questions.answers import Answers
from jobs.questions.ask import all_answers, require
from jobs.questions.finding_lines import alike, worst
from jobs.questions.rows import Place, Row
from jobs.questions.status import status_of
from jobs.run.outcome import said
from jobs.terminal import say
from jobs.text import counted, printable
from pipeline.core.conditions import equals
from pipeline.core.errors import (
    EnvironmentProblem,
    InputProblem,
    PipelineError,
    SettingsError,
    WarehouseDamaged,
)
from pipeline.store.published import NOTIFIED
from pipeline.store.readable_warehouse import DirectWarehouse, readable_directly
from pipeline.store.small_file import SmallFile

FOR_NOBODY = "dry-run"  # what it would be for one that was never told anything
FINDING = "gold.finding"


@dataclass(frozen=True)
class Asked:
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

    def __init__(self, asked: Asked, cluster: str, reply: Reply) -> None:
        self.is_passing = reply.is_passing
        todo = "look after it" if reply.is_passing else f"correct --url or {VARIABLE}, or what takes it there"
        super().__init__(
            expected=f"{asked.shown} to take the findings of cluster {cluster}",
            found=reply.problem or "",
            todo=f"{todo}; they are kept for the next run of notify",
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES; 0 also where the endpoint takes nothing."""
    given = arguments().parse_args(argv)
    try:
        destination = destination_of(given.url)
        if destination is None and not given.dry_run:
            raise SettingsError(
                expected=f"--url, or {VARIABLE} in the environment",
                found="neither",
                todo="give the URL of a webhook, or --dry-run to see what would be sent",
            )
        asked = Asked(
            given.warehouse, destination, given.format, given.severity, given.timeout, given.dry_run
        )
        clusters = all_answers(given.warehouse, given.cluster, None)
        told_all(clusters, file_of(given.warehouse, given.state), asked)
    except PipelineError as problem:
        return said("notify", problem)
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


def told_all(clusters: Sequence[Answers], of: Callable[[str], SmallFile], asked: Asked) -> None:
    """One after the other. InputProblem, WarehouseDamaged: no cluster has findings that can be read."""
    problems: list[PipelineError] = []
    for place, one in enumerate(clusters):
        try:
            told(one, of(one.cluster_id), asked)
        except EndpointFailed as problem:
            said("notify", problem)
            if problem.is_passing and clusters[place + 1 :]:
                rest = counted(len(clusters) - place - 1, "more cluster")
                print(f"notify: {asked.shown} was not tried for {rest}", file=sys.stderr)
                return
        except (InputProblem, WarehouseDamaged) as problem:
            problems.append(problem)
            if len(problems) == len(clusters):
                raise
            said("notify", problem)


def told(answers: Answers, file: SmallFile, asked: Asked) -> None:
    """At least once: it is remembered after it was taken. EndpointFailed: it was not."""
    require(answers, FINDING)
    cluster = answers.cluster_id
    if asked.is_dry:
        news = news_since(answers, before(file.text(), file, cluster, asked), asked)
        shown = f"{cluster}  DRY RUN: {summary(news)} for {asked.shown}, nothing was sent"
        say([shown, *(preview(answers, news, asked) if news.told() else [])])
        return
    with file.held(asked.timeout):
        text = file.text()
        remembered = before(text, file, cluster, asked)
        news = news_since(answers, remembered, asked)
        if news.told():
            # A file that cannot be written is seen before anything is sent: else it were sent every night.
            file.write(written(text, cluster, asked.key, remembered))
            sent(answers, news, asked)
        if news.after != remembered:
            file.write(written(text, cluster, asked.key, news.after))
    say(
        [
            f"{cluster}  {'SENT ' if news.told() else ''}{summary(news)} {'to' if news.told() else 'for'} {asked.shown}"
        ]
    )


def before(text: str | None, file: SmallFile, cluster: str, asked: Asked) -> Remembered:
    found = read(text, cluster, asked.key)
    if found is None:
        words = f"notify: {file.uri} is not what notify writes: what stands is told again"
        print(printable(words), file=sys.stderr)
    return found or Remembered()


def news_since(answers: Answers, remembered: Remembered, asked: Asked) -> News:
    retracted = answers.rows(FINDING, equals("status", "retracted")).sort("finding_id").to_dicts()
    every = [*answers.findings(), *retracted]
    return news_of(every, remembered, asked.severity, answers.last_at())


def sent(answers: Answers, news: News, asked: Asked) -> None:
    if asked.destination is None:
        return
    key = key_of(news, answers.cluster_id)
    reply = send(asked.destination, payload(answers, news, asked), key, asked.timeout)
    if reply.problem is not None:
        raise EndpointFailed(asked, answers.cluster_id, reply)


def payload(answers: Answers, news: News, asked: Asked) -> bytes:
    if asked.form == "json":
        return as_findings(
            news, lines_of(answers, [place for _, one in news.told() for place in one["evidence"]])
        )
    return as_slack(text_of(answers, news, asked))


def preview(answers: Answers, news: News, asked: Asked) -> list[str]:
    text = payload(answers, news, asked).decode() if asked.form == "json" else text_of(answers, news, asked)
    return text.splitlines()


def text_of(answers: Answers, news: News, asked: Asked) -> str:
    shown = (worst(group)["evidence"] for group in alike(news.new)[:SHOWN])
    first = [evidence[0] for evidence in shown if evidence]
    return slack_text(news, status_of(answers), lines_of(answers, first), asked.warehouse)


def lines_of(answers: Answers, places: Sequence[Row]) -> dict[Place, Row]:
    return answers.lines(places, shown=())


def summary(news: News) -> str:
    over = f", {counted(len(news.over), 'finding')} no longer so" if news.over else ""
    passed = f", {counted(news.passed, 'finding')} of the time before passed over" if news.passed else ""
    return f"{counted(len(news.new), 'new finding')}{over}{passed}"


if __name__ == "__main__":
    sys.exit(main())
