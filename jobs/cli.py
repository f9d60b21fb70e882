"""The command `kafka-controller-audit`: the jobs, and the questions to ask of what they published."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from itertools import pairwise

from jobs.engine.run.late_warehouse import is_of_warehouse, missing_reader
from jobs.engine.run.outcome import Ending
from jobs.parser import Parser
from jobs.questions.catalog import QUESTIONS
from jobs.terminal import NO_PAGER, discard_stdout, report_interrupt
from pipeline.core.errors import EnvironmentProblem
from pipeline.core.product import product_version
from schemas.namespace import full_module_name

Command = Callable[[list[str]], int]
WAREHOUSE, DEFAULT_WAREHOUSE = "--warehouse", "warehouse"
# Commands that write one, and so need Spark.
WRITING = ("nightly", "ingest", "replay", "imbalance", "maintain", "repair", "migrate", "forget")
OF_SPARK = ("pyspark", "py4j", "delta", "great_expectations")

ASKING = "jobs.questions.asking"
# Questions of the catalog that are commands, too.
QUESTION_COMMANDS = {
    name: (ASKING, "ask_by_command", f"{one.usage}: {one.words}" if one.usage else one.words)
    for name, one in QUESTIONS.items()
    if one.is_command
}
# Where a command stands is written out, so that only its own modules are loaded: explain needs few of them.
COMMANDS: dict[str, tuple[str, str, str]] = {
    "incident": (
        "jobs.incident.command",
        "main",
        "PATH...: what happened, from logs alone, in seconds; no warehouse, no Java",
    ),
    "nightly": ("jobs.nightly", "main", "read what is new, build every table, print the first screen"),
    "ingest": ("jobs.ingest", "main", "read what is new and no more"),
    "replay": ("jobs.replay", "main", "ingest, then judge every state change"),
    "imbalance": ("jobs.imbalance", "main", "ingest, then leader imbalance over time"),
    "findings": (
        "jobs.questions.findings",
        "main",
        "[--format json|jsonl|csv|prometheus]: what is to be looked at",
    ),
    "notify": (
        "jobs.notify.command",
        "main",
        "[--url URL] [--dry-run]: what is new among the findings, sent to a webhook or chat",
    ),
    "report": ("jobs.report.command", "main", "--output audit.html: what was found, as one file to hand on"),
    "status": ("jobs.questions.status", "main", "all clusters, a line each, those first that need somebody"),
    "ask": (
        ASKING,
        "main",
        "QUESTION: what people ask, by name; without a question: which there are",
    ),
    "mcp": (
        "jobs.assistants.command",
        "main",
        "[--logs PATH]: the same questions for assistants (Model Context Protocol)",
    ),
    "playbook": (
        "jobs.questions.playbook",
        "main",
        "RULE: what to do about findings of a rule, and what not to; without one: which there are",
    ),
    "verify": (
        "jobs.questions.verify_findings",
        "main",
        "proves every finding again from the bytes of its lines alone",
    ),
    **QUESTION_COMMANDS,
    "views": (
        "jobs.questions.views",
        "main",
        "SQL of DuckDB: one view a table over all clusters, as published",
    ),
    "doctor": (
        "jobs.questions.doctor",
        "main",
        "whether the warehouse holds what its runs stated, and what mends it; writes nothing",
    ),
    "maintain": ("jobs.maintain", "main", "fewer and smaller files; --retain 400d deletes what is older"),
    "repair": (
        "jobs.repair",
        "main",
        "[--logs PATH]: mends a warehouse that doctor or a run found damaged",
    ),
    "migrate": ("jobs.migrate", "main", "a warehouse of an older release, which every run does by itself"),
    "forget": ("jobs.forget", "main", "--cluster NAME: erases it whole"),
    "explain": (
        "jobs.explain.command",
        "main",
        "'LINE': what a log line means; needs neither tables nor Spark",
    ),
    "metadata": (
        "jobs.metadata.command",
        "main",
        "[PATH]: the records of KRaft's metadata log (__cluster_metadata-0, or a dump of it) in plain words",
    ),
    "completion": ("jobs.completion", "main", "bash|zsh|fish: a script that completes in that shell"),
}

# Commands as people look for them; each stands in one group.
GROUPS: dict[str, tuple[str, ...]] = {
    "in an incident": ("incident", "explain", "playbook"),
    "every night": ("nightly", "findings", "status", "notify", "report", "verify"),
    "ask": ("ask", *QUESTION_COMMANDS, "mcp", "metadata", "views"),
    "upkeep": ("doctor", "repair", "maintain", "migrate", "forget"),
    "build": ("ingest", "replay", "imbalance", "completion"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command with the arguments after it; exit code as in pipeline.core.errors.EXIT_CODES."""
    given = list(sys.argv[1:] if argv is None else argv)
    if NO_PAGER in given:
        given = [one for one in given if one != NO_PAGER]
        os.environ["PAGER"] = ""
    if given[:1] == ["help"]:
        given = [*given[1:2], "--help"]
    command = cli_parser().parse_args(given[:1]).command
    try:
        with Ending(command, named_warehouse(given), became=lambda: "nothing was answered") as end:
            return command_of(command)(given[1:])
    except BrokenPipeError:
        return discard_stdout()
    except KeyboardInterrupt:
        return report_interrupt(command, "nothing was changed")
    return end.code


def named_warehouse(given: Sequence[str]) -> str:
    """As a failure names it."""
    named = (after for one, after in pairwise(given) if one == WAREHOUSE)
    return next(named, DEFAULT_WAREHOUSE)


def command_of(name: str) -> Command:
    """EnvironmentProblem: it writes a warehouse, and what does is not installed."""
    module, function, _ = COMMANDS[name]
    try:
        found: Callable[..., int] = getattr(import_module(full_module_name(module)), function)
    except ModuleNotFoundError as problem:
        if is_of_warehouse(problem) and name not in WRITING:
            raise missing_reader(problem) from problem
        if not is_of_warehouse(problem) and (problem.name or "").partition(".")[0] not in OF_SPARK:
            raise
        raise EnvironmentProblem(
            expected=f"pyspark and Delta, as {name} writes a warehouse",
            found=f"no module {problem.name}",
            todo="install kafka-controller-audit[spark]; incident, explain and the questions do without",
        ) from problem
    return partial(found, name) if name in QUESTION_COMMANDS else found


def cli_parser() -> argparse.ArgumentParser:
    listed = "\n\n".join(
        "\n".join([f"{group}:", *(f"  {name:<10} {COMMANDS[name][2]}" for name in names)])
        for group, names in GROUPS.items()
    )
    arguments = Parser(
        prog="kafka-controller-audit",
        usage="kafka-controller-audit COMMAND ... (COMMAND --help says more)",
        description="Audit of Apache Kafka's controllers from their logs.",
        epilog=listed,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    arguments.add_argument(
        NO_PAGER,
        action="store_true",
        help="prints at once what is longer than the terminal (PAGER names a pager)",
    )
    arguments.add_argument("--version", action="version", version=f"%(prog)s {product_version()}")
    arguments.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of those below")
    return arguments
