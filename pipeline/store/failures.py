"""What a store, Spark or this machine fails with, by its cause: what was expected, what was found, what to do."""

import errno
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from pipeline.core.errors import EnvironmentProblem, Locked, PipelineError, WarehouseDamaged
from pipeline.core.tsv import Column, parse_tsv_rows
from schemas.namespace import full_module_name

# A line that names what was thrown, of Java and of Python.
THROWN = re.compile(
    r"^\s*(?:Caused by: |Suppressed: |: )?(?:[\w.$]*\.)?(\w*(?:Exception|Error|Failure)): ?(.*)$",
    re.MULTILINE,
)
PATH = re.compile(r"(?<![\w.])/[^\s'\"]+")
# Before a cause, as delta-rs prints a chain of them.
ARROW = re.compile(r"\s*\n\s*(?:\x1b\[\d+m)?↳(?:\x1b\[\d+m)?\s*")
LONGEST_CHAIN = 20
LONGEST_FOUND = 300


@dataclass(frozen=True)
class Cause:
    """What a failure is called, expected and to be mended by; {warehouse} and {cluster} stand for the names."""

    problem: type[PipelineError]
    expected: str
    todo: str


MEND = "'kafka-controller-audit doctor --warehouse {warehouse}{cluster}' says what is damaged, and 'repair' mends it"
# By the name that signs_of_failures.tsv has for it. The first of which a sign is met counts.
CAUSES: dict[str, Cause] = {
    "no_room": Cause(
        EnvironmentProblem,
        "room for what is written",
        "make room, or raise the quota, for the warehouse and for the temporary folder (spark.local.dir); run it again",
    ),
    "no_right": Cause(
        EnvironmentProblem,
        "the right to read and write the warehouse",
        "give the user that the job runs as that right, and run it again",
    ),
    "no_credentials": Cause(
        EnvironmentProblem,
        "credentials that the store takes",
        "give the job its credentials (docs/operate/cluster.md), and run it again",
    ),
    "no_memory": Cause(
        EnvironmentProblem,
        "memory for the run",
        "give it more (spark.driver.memory, spark.executor.memory), and run it again",
    ),
    "too_many_open": Cause(
        EnvironmentProblem,
        "files that may be open at once",
        "raise the limit (ulimit -n), and run it again",
    ),
    "spark_gone": Cause(
        EnvironmentProblem,
        "Spark to go on until the end",
        "its processes or its folder in the temporary folder were taken away (memory, a clean-up): run it again",
    ),
    "no_answer": Cause(
        EnvironmentProblem,
        "a store that answers",
        "see that {warehouse} can be reached from here; run it again",
    ),
    "no_such_store": Cause(
        EnvironmentProblem,
        "a store that Spark knows at {warehouse}",
        "check the URI; the jar of its file system belongs to Spark (--packages, or $SPARK_HOME/jars)",
    ),
    "not_a_folder": Cause(
        EnvironmentProblem,
        "files and folders where the warehouse has its own",
        "move what lies there out of the way, or name another --warehouse",
    ),
    "another_run": Cause(
        Locked,
        "no other run on this cluster",
        "let one run end before the next begins (--wait), and run it again",
    ),
    "damaged": Cause(
        WarehouseDamaged,
        "the tables as they were published",
        MEND,
    ),
}
SIGN, NAME = (
    Column("sign", "What a line says, as a pattern."),
    Column("cause", "Its name.", frozenset(CAUSES)),
)


@cache
def failure_signs() -> dict[str, re.Pattern[str]]:
    """By the name of a cause what a line says of it that names what was thrown: `message (Class)`."""
    name = "signs_of_failures.tsv"
    rows = parse_tsv_rows(
        name,
        files(full_module_name("pipeline.store")).joinpath(name).read_text(encoding="utf-8"),
        (SIGN, NAME),
    )
    return {
        cause: re.compile("|".join(row["sign"] for row in rows if row["cause"] == cause)) for cause in CAUSES
    }


def explain_failure(
    problem: BaseException, warehouse: str, cluster: str | None, became: str
) -> PipelineError | None:
    """The failure in one sentence; None: none of these causes, so it is the program's own.

    became: what is published now.
    """
    lines = list(thrown_messages(problem))
    for name, cause in CAUSES.items():
        about = [
            one
            for one in lines
            if cause.problem is not WarehouseDamaged or is_about_warehouse(warehouse, one)
        ]
        found = next((one for one in about if failure_signs()[name].search(one)), None)
        if found is not None:
            named = f" --cluster {cluster}" if cluster else ""
            places = {"warehouse": warehouse, "cluster": named}
            said = found if len(found) <= LONGEST_FOUND else f"{found[:LONGEST_FOUND]}..."
            return cause.problem(
                expected=cause.expected.format(**places),
                found=said.rstrip(". "),
                todo=f"{became}; {cause.todo.format(**places)}",
            )
    return None


def is_about_warehouse(warehouse: str, line: str) -> bool:
    """Whether what was thrown is about a file of the warehouse, as far as it names one."""
    scheme, _, rest = warehouse.rstrip("/").rpartition("://")
    root = f"/{rest.partition('/')[2]}" if scheme else str(Path(rest.removeprefix("file:")).absolute())
    paths = PATH.findall(line)
    return not paths or any(root in unquote(one) for one in paths)


def thrown_messages(problem: BaseException) -> Iterator[str]:
    """`message (Class)` of all that a failure stands on, what it began with first; of one message the longest."""
    found: dict[str, str] = {}
    for one in exception_chain(problem):
        for name, message in (
            class_and_message(one),
            *((said[1], said[2]) for said in THROWN.finditer(java_trace(one))),
        ):
            text = " ".join(message.split()) or name
            found[text] = f"{text} ({name})" if text != name else name
    yield from reversed(found.values())


def exception_chain(problem: BaseException) -> Iterator[BaseException]:
    """The failure, and those that it was raised from, or while it was dealt with."""
    one: BaseException | None = problem
    for _ in range(LONGEST_CHAIN):
        if one is None:
            return
        yield one
        one = one.__cause__ or one.__context__


def class_and_message(problem: BaseException) -> tuple[str, str]:
    """Class and message, of a failed call of the system with the file that it was about."""
    name = type(problem).__name__
    if isinstance(problem, OSError) and problem.errno is not None:
        said = problem.strerror or os.strerror(problem.errno)
        code = errno.errorcode.get(problem.errno, name)
        return code, f"{said}: {problem.filename}" if problem.filename else said
    return name, "" if is_of_java(problem) else ARROW.sub(": ", str(problem))


def is_of_java(problem: Any) -> bool:
    return hasattr(problem, "java_exception") or hasattr(problem, "_stackTrace")


def java_trace(problem: Any) -> str:
    """What Java says of a failure, with all its causes; nothing where it is none of Java's, or its process is gone."""
    if hasattr(problem, "_stackTrace"):
        return str(problem._stackTrace)
    if not hasattr(problem, "java_exception"):
        return ""
    # Py4JError, which is not there where Spark is not installed.
    of_gateway: type[BaseException] = type(problem).__mro__[1]
    try:
        return str(problem)
    except (of_gateway, OSError) as gone:
        return f"{type(gone).__name__}: {gone}"
