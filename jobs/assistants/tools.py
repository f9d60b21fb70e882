"""What an assistant may call: status, findings, show, playbook, explain, and each question of the catalog."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from inspect import Parameter, Signature
from typing import Annotated, Any

from pydantic import Field

from jobs.assistants.asked import AskedClusters, only_cluster
from jobs.bounded_answers import (
    MOST,
    TEXT_WIDTH,
    answer_page,
    answer_pages,
    bounded_row,
    bounded_value,
)
from jobs.explain.text import as_data
from jobs.questions.ask import choose_finding
from jobs.questions.ask import show_finding as shown
from jobs.questions.asking import answered_rows
from jobs.questions.brief_findings import FindingFilter, brief_findings
from jobs.questions.catalog import QUESTIONS, Question
from jobs.questions.findings import clusters_by_need, findings_of_cluster
from jobs.questions.given_names import FINDING
from jobs.questions.playbook import playbook_lines, rule_named
from jobs.questions.status import cluster_status, status_rows
from jobs.questions.taken import TAKES
from jobs.text import shorten_line
from pipeline.core.errors import InputProblem
from pipeline.kafka.explaining.explanation import explain_record
from pipeline.kafka.reading.pasted import read_pasted_text

# What is asked is no longer: a paste of more is for the command `explain`.
PASTED_CHARACTERS = 100_000
# By which of the tool's arguments those of a question are given, where they are named otherwise.
GIVEN_BY = {"partition": ("topic", "partition"), "number": ("partition",), "node": ("broker",)}
APART = {"topic": str, "partition": int, "broker": int}
# A question that is a tool of its own already.
OWN = ("show",)
Tool = Callable[..., str]


def assistant_tools(asked: AskedClusters) -> list[Tool]:
    """Docstrings and types are what the assistant is told of them."""

    def status(cursor: int | None = None) -> str:
        """All clusters, those first that need somebody: verdict, findings by severity, partitions without a leader,
        controller, brokers over their limit of leader imbalance, age of the data."""
        found = asked.answers(None, is_on=cursor is not None)
        rows = status_rows(map(cluster_status, found), datetime.now(UTC))
        return answer_page([*map(bounded_row, rows)], cursor)

    def findings(
        cluster: str | None = None,
        severity: str | None = None,
        rule: str | None = None,
        topic: str | None = None,
        broker: int | None = None,
        since: str | None = None,
        cursor: int | None = None,
    ) -> str:
        """What a person should look at, the worst cluster and the worst finding first: number, sentence, severity,
        certainty, and path and line of the first records that prove it. severity: critical, warning or info, and
        all that is worse; since: what still was so then. `show` has all records of one."""
        told = clusters_by_need(map(findings_of_cluster, asked.answers(cluster, is_on=cursor is not None)))
        wanted = FindingFilter(severity, rule, topic, broker, since)
        return answer_page([row for one in told for row in brief_findings(one, wanted)], cursor)

    def show(finding: str, cluster: str | None = None, cursor: int | None = None) -> str:
        """One finding (F1, or its finding_id) with the text of every log line that proves it."""
        lines = shown(finding, only_cluster(asked.answers(cluster, is_on=cursor is not None)))
        return answer_page([{"line": shorten_line(one, TEXT_WIDTH)} for one in lines], cursor)

    def playbook(rule: str, cluster: str | None = None) -> str:
        """What findings of a rule mean, what to do about them and what not to, and how sure they are. rule: its name,
        or a finding such as F1."""
        name = rule
        if FINDING.fullmatch(rule):
            found = only_cluster(asked.answers(cluster, is_on=True)).findings()
            name = str(choose_finding(rule, found)[1]["rule"])
        return "\n".join(playbook_lines(rule_named(name)))[:MOST]

    questions = [
        question_tool(name, one, asked)
        for name, one in QUESTIONS.items()
        if name not in (*OWN, *asked.left_out)
    ]
    return [status, findings, show, playbook, explain, *questions]


def explain(line: str, cursor: int | None = None) -> str:
    """What a line of Kafka's controller.log, state-change.log or server.log means."""
    if len(line) > PASTED_CHARACTERS:
        raise InputProblem(
            expected=f"at most {PASTED_CHARACTERS:,} characters",
            found=f"{len(line):,}",
            todo="give the lines that matter",
        )
    found = read_pasted_text(line.encode(), None)
    rows = (as_data(explain_record(one), found, None) for one in found.records)
    return answer_page([bounded_row(bounded_value(one)) for one in rows], cursor)


def question_tool(name: str, question: Question, asked: AskedClusters) -> Tool:
    """A question of the catalog as a tool with the arguments that it takes."""

    def ask(cluster: str | None = None, cursor: int | None = None, **given: object) -> str:
        answers = asked.answers(cluster, is_on=cursor is not None)
        return answer_pages(answered_rows(question_words(name, given), answers), cursor)

    ask.__name__ = name.replace("-", "_")
    ask.__doc__ = f"{question.words[:1].upper()}{question.words[1:]}."
    vars(ask)["__signature__"] = question_signature(question)
    return ask


def question_signature(question: Question) -> Signature:
    """What the question takes, with what each argument means, and which cluster and page; files are the assistant's
    own, and are not read here."""
    taken: dict[str, Parameter] = {}
    for name in question.takes:
        one = TAKES[name]
        if one.is_file:
            continue
        is_needed = not one.flag.startswith("-")
        for given in GIVEN_BY.get(name, (name,)):
            kind: Any = APART.get(given, one.program)
            told: Any = Annotated[kind if is_needed else kind | None, Field(description=one.help)]
            default = Parameter.empty if is_needed else None
            taken[given] = Parameter(given, Parameter.KEYWORD_ONLY, default=default, annotation=told)
    shared = {"cluster": str | None, "cursor": int | None}
    taken |= {
        one: Parameter(one, Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for one, kind in shared.items()
    }
    return Signature([*taken.values()], return_annotation=str)


def question_words(name: str, given: Mapping[str, object]) -> list[str]:
    """The question as on a command line."""
    options, places = [name], []
    for one in QUESTIONS[name].takes:
        parts = [given.get(part) for part in GIVEN_BY.get(one, (one,))]
        value, taken = None if None in parts else "-".join(map(str, parts)), TAKES[one]
        if taken.is_file or value is None:
            continue
        if not taken.metavar:
            options += [taken.flag] if value == "True" else []
        elif taken.flag.startswith("-"):
            options.append(f"{taken.flag}={value}")
        else:
            places = ["--", value]
    return [*options, *places]
