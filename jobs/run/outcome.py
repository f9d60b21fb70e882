"""How a job says what came of it: one sentence on stderr, and an exit code."""

import logging
import sys
from collections.abc import Sequence

from jobs.text import printable
from pipeline.core.errors import EnvironmentProblem, PipelineError

UNEXPECTED = 1


def log_stages() -> None:
    """Our stages and others' warnings go to stderr; stdout is for the answer."""
    logging.basicConfig(
        level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr
    )
    logging.getLogger("kafka_controller_audit").setLevel(logging.INFO)


def said(job: str, problem: PipelineError) -> int:
    print(printable(f"{job}: {problem}"), file=sys.stderr)
    return problem.exit_code


def not_written(problem: OSError, what: str) -> EnvironmentProblem:
    """what: was published by then."""
    return EnvironmentProblem(
        expected="a warehouse, and a place for what the job prints, that may be written",
        found=f"{problem.strerror or problem} ({problem.filename or 'no file'})",
        todo=f"give the job the right to, or room; {what}",
    )


def worst(codes: Sequence[int]) -> int:
    """Of several clusters: failures before partial input before findings."""
    return max(codes, key=lambda code: {0: 0, 8: 1, 7: 2}.get(code, 3))
