"""The command `ask`: the questions by name, with what each takes."""

import argparse
import io
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass, replace
from datetime import datetime, time
from functools import partial

from jobs.argument_types import on_format
from jobs.layout import wrap_text
from jobs.parser import HINT, Parser
from jobs.questions.answers import Answers
from jobs.questions.ask import all_answers, question_parser, require_tables
from jobs.questions.named.answer import (
    Answer,
    Answered,
    answer_lines,
    answer_row,
    answers_json,
    with_evidence_lines,
)
from jobs.questions.named.controllers import who_was_controller
from jobs.questions.named.doubt import doubt_answer
from jobs.questions.named.given import Given, at_of, of_run, since_of, until_of
from jobs.questions.named.happened import About, what_happened
from jobs.questions.named.missing import missing_evidence
from jobs.questions.named.nights import compare_nights
from jobs.questions.named.partitions import why_leaderless
from jobs.questions.named.requests import answer_changes
from jobs.questions.named.restart import is_safe_to_restart
from jobs.questions.named.standing import answer_flapping, answer_stuck, answer_unclean, imbalance_now
from jobs.questions.named.taken import TAKES, format_taken_value
from jobs.questions.rows import Row
from jobs.questions.unpublished import missing_table_notes
from jobs.run.outcome import report_problem
from jobs.text import printable_line
from pipeline.core.errors import InputProblem, PipelineError


@dataclass(frozen=True)
class Question:
    """words: what it answers. takes: the names of TAKES that it has. needs: tables without which it has no answer.
    rests_on: what must be told for it to be whole, a name of Untold; None: it says itself what it lacks."""

    words: str
    answer: Callable[[Answers, Given], Answer]
    takes: tuple[str, ...] = ()
    is_of_findings: bool = False
    needs: tuple[str, ...] = ()
    rests_on: str | None = None


QUESTIONS: dict[str, Question] = {
    "who-was-controller": Question(
        "which node was controller at a time",
        lambda answers, given: who_was_controller(answers, at_of(answers, given)),
        ("at",),
        needs=("gold.controller_term",),
    ),
    "why-leaderless": Question(
        "why a partition had no leader, and what was tried",
        lambda answers, given: why_leaderless(answers, given.partition, at_of(answers, given)),
        ("partition", "at"),
        needs=("gold.partition_timeline", "gold.partition_outage"),
        rests_on="leaders",
    ),
    "what-happened": Question(
        "everything that was decided around a time, in order",
        lambda answers, given: what_happened(
            answers, at_of(answers, given), given.around, About(given.topic, given.number, given.broker)
        ),
        ("at", "around", "topic", "number", "broker"),
        needs=("gold.controller_term",),
        rests_on="any",
    ),
    "changes": Question(
        "what people and tools asked of the cluster, and what became of it",
        lambda answers, given: answer_changes(
            answers, since_of(answers, given), until_of(answers, given), given.topic
        ),
        ("since", "until", "topic"),
        needs=("gold.controller_term",),
        rests_on="controllers",
    ),
    "unclean": Question(
        "unclean elections, and of how many nothing tells",
        lambda answers, given: answer_unclean(answers, since_of(answers, given)),
        ("since",),
        is_of_findings=True,
        rests_on="any",
    ),
    "stuck": Question(
        "what waits and should have ended: outages, deletions, reassignments, elections of controllers",
        lambda answers, given: answer_stuck(answers, since_of(answers, given)),
        ("since",),
        is_of_findings=True,
        rests_on="any",
    ),
    "flapping": Question(
        "brokers and quorums that come and go",
        lambda answers, given: answer_flapping(answers, since_of(answers, given)),
        ("since",),
        is_of_findings=True,
        rests_on="controllers",
    ),
    "imbalance-now": Question(
        "each broker's leader imbalance and limit",
        lambda answers, _: imbalance_now(answers),
        needs=("gold.leader_imbalance",),
    ),
    "is-it-safe-to-restart": Question(
        "which partitions would lose their last in-sync replica with a broker",
        lambda answers, given: is_safe_to_restart(answers, given.node),
        ("node",),
        needs=("gold.partition_timeline", "gold.broker_session"),
        rests_on="leaders",
    ),
    "compare-nights": Question(
        "findings of the last run beside those of the run before",
        lambda answers, given: compare_nights(answers, partial(of_run, answers, given)),
        needs=("gold.finding",),
    ),
    "missing-evidence": Question(
        "where lines are missing, so that answers cannot know",
        lambda answers, given: missing_evidence(answers, since_of(answers, given)),
        ("since",),
        needs=("silver.log_gap",),
    ),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    words = list(sys.argv[1:] if argv is None else argv)
    shared = argparse.Namespace()
    if words and words[0].startswith("-") and not {"-h", "--help"} & {*words}:
        shared, words = question_parser("ask", "").parse_known_args(words)
    if not words:
        print("\n".join(question_list_lines()), flush=True)
        return 0
    given = named_question_parser().parse_args(words)
    vars(given).update(vars(shared))
    try:
        found = answer_question(given)
    except PipelineError as problem:
        return report_problem("ask", problem)
    if given.format == "json":
        print(answers_json(found), flush=True)
    else:
        print("\n\n".join("\n".join(map(printable_line, answer_lines(one))) for one in found), flush=True)
    return 0


def answer_question(given: Given) -> list[Answered]:
    """Of the cluster that is named, else of all. A question that fits not all of several clusters, as they have not the
    same topics and brokers, is answered by those that it fits. InputProblem: it fits none."""
    found: list[Answered] = []
    problems: list[InputProblem] = []
    for one in all_answers(given.warehouse, given.cluster, given.run_id):
        try:
            found.append(answer_to(given, one))
        except InputProblem as problem:
            problems.append(problem)
            found.append(with_evidence_lines(one, asked_text(given), Answer(f"Not answered. {problem}")))
    if len(problems) == len(found):
        raise problems[0]
    return found


def answer_to(given: Given, answers: Answers) -> Answered:
    """InputProblem: the question does not fit the cluster."""
    question = QUESTIONS[given.question]
    require_built(answers, question)
    found = question.answer(answers, given)
    found = doubt_answer(found, answers, given, question.rests_on)
    unknown = [*found.not_known, *missing_table_notes(answers.tables)]
    return with_evidence_lines(answers, asked_text(given), replace(found, not_known=unknown))


def require_built(answers: Answers, question: Question) -> None:
    """InputProblem: no run has looked for findings, which the question asks of; an older run knew not what it needs."""
    if question.is_of_findings:
        require_tables(answers, "gold.finding")
    versions = getattr(answers.tables, "versions", None)
    require_tables(answers, *(one for one in question.needs if versions is not None and one not in versions))


def answered_rows(words: Sequence[str]) -> list[Row]:
    """The answers to a question as it stands on a command line, for programs. InputProblem: it does not stand so."""
    return [answer_row(one) for one in answer_question(parse_question(words))]


def parse_question(words: Sequence[str]) -> Given:
    """A question as it stands on a command line. InputProblem: it does not stand so."""
    complaint = io.StringIO()
    try:
        with redirect_stderr(complaint):
            return named_question_parser().parse_args(words)
    except SystemExit as problem:
        found = complaint.getvalue().strip().rpartition("error: ")[2].removesuffix(HINT)
        raise InputProblem(
            expected="a question with the arguments that it takes",
            found=found or " ".join(words),
            todo="'kafka-controller-audit ask' lists them",
        ) from problem


def question_list_lines() -> list[str]:
    """Every question with what it takes."""
    wide = max(map(len, QUESTIONS))
    lines = [
        line
        for name, one in QUESTIONS.items()
        for line in wrap_text(f"  {name:<{wide}}  {one.words}{takes_text(one)}", wide + 4)
    ]
    usage = "kafka-controller-audit ask QUESTION [--warehouse URI] [--cluster NAME] [--format json]"
    return [*wrap_text(usage), *lines]


def takes_text(question: Question) -> str:
    shown = ", ".join(str(TAKES[name]) for name in question.takes)
    return f"  ({shown})" if shown else ""


def asked_text(given: Given) -> str:
    """The question with what was given to it, as it can be asked again."""
    parts = [given.question]
    for taken in (TAKES[name] for name in QUESTIONS[given.question].takes):
        value = getattr(given, taken.dest or taken.flag)
        if value is not None and value != taken.default:
            text = (
                value.isoformat().removesuffix("+00:00")
                if isinstance(value, datetime | time)
                else format_taken_value(value)
            )
            parts.append(f"{taken.flag} {text}" if taken.flag.startswith("-") else text)
    return " ".join(parts)


def named_question_parser() -> argparse.ArgumentParser:
    arguments = Parser(
        prog="kafka-controller-audit ask",
        description="Questions by name, asked of what was published.",
        epilog="\n".join(question_list_lines()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    questions = arguments.add_subparsers(dest="question", metavar="QUESTION", required=True)
    for name, one in QUESTIONS.items():
        own = questions.add_parser(
            name,
            parents=[question_parser("ask", "")],
            add_help=False,
            description=one.words,
            conflict_handler="resolve",
        )
        own.prog = f"kafka-controller-audit ask {name}"
        on_format(own)
        for taken in one.takes:
            TAKES[taken].add_to(own)
    return arguments


if __name__ == "__main__":
    sys.exit(main())
