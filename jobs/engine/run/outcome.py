"""How a job says what came of it: one sentence on stderr, and an exit code."""

import logging
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from jobs.engine.run.traces import kept_traces
from jobs.text import printable_line
from pipeline.core.errors import NeedsSpark, PipelineError, ProgramFault
from pipeline.store.failures import explain_failure


def log_stages() -> None:
    """Our stages and others' warnings go to stderr; stdout is for the answer."""
    logging.basicConfig(
        level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr
    )
    logging.getLogger("kafka_controller_audit").setLevel(logging.INFO)


def problem_text(job: str, problem: PipelineError, more: str = "") -> str:
    return printable_line(f"{job}: {problem}{more}")


def print_problem(sentence: str) -> None:
    print(sentence, file=sys.stderr)


def report_problem(job: str, problem: PipelineError, more: str = "") -> int:
    print_problem(problem_text(job, problem, more))
    return problem.exit_code


@dataclass
class Ending:
    """Work that ends in one sentence and an exit code, whatever it meets: with Ending(...) as end, then end.code.

    became: what is published now. warehouse, cluster: that the work is about, where it is known. problem: why it
    failed; None: it did not. tell: hears the sentence.
    """

    job: str
    warehouse: str = "the warehouse"
    cluster: str | None = None
    became: Callable[[], str] = lambda: "nothing is published"
    code: int = 0
    problem: PipelineError | None = None
    tell: Callable[[str], None] = print_problem

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """True, and so the end of it, but for what is no failure of the work: interrupted, nobody reads on, or Spark is
        needed."""
        if not isinstance(problem, Exception) or isinstance(problem, BrokenPipeError | NeedsSpark):
            return False
        more = ""
        if isinstance(problem, PipelineError):
            self.problem = problem
        else:
            known = explain_failure(problem, self.warehouse, self.cluster, self.became())
            self.problem = known or self.fault(problem)
            more = f" The traces are {kept_traces(self.job, problem)}."
        self.code = self.problem.exit_code
        self.tell(problem_text(self.job, self.problem, more))
        return True

    def fault(self, problem: Exception) -> ProgramFault:
        first = str(problem).partition("\n")[0]
        return ProgramFault(
            expected="the program to do its work",
            found=f"{type(problem).__name__}: {first}" if first else type(problem).__name__,
            todo=f"{self.became()}; report it with its traces",
        )


def worst_exit_code(codes: Sequence[int]) -> int:
    """Of several clusters: failures before partial input before findings."""
    return max(codes, key=lambda code: {0: 0, 8: 1, 7: 2}.get(code, 3))
