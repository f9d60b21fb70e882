"""What of a run's result decides its exit code."""

from collections.abc import Sequence

from jobs.run.request import RunResult
from pipeline.core.errors import FindingsReached, PartialInput, SettingsError
from schemas.gold.finding import SEVERITIES


def require_whole(result: RunResult) -> None:
    """PartialInput: what could be read was published, some files could not be read."""
    if result.problems:
        path, sentence = result.problems[0]
        raise PartialInput(
            expected=f"to read every log of cluster {result.cluster_id}",
            found=f"{len(result.problems)} that cannot be read, first {path} ({sentence})",
            todo="all else is published; mend the files and run again",
        )


def require_calm(fail_on: str | None, result: RunResult, severities: Sequence[str]) -> None:
    """FindingsReached: with --fail-on, when an open finding is at least so severe. SettingsError: not judged."""
    if fail_on is None:
        return
    if not result.is_judged:
        raise SettingsError(
            expected="--fail-on with a job that judges", found="one that does not", todo="run the nightly job"
        )
    reached = [one for one in severities if SEVERITIES.index(one) <= SEVERITIES.index(fail_on)]
    if reached:
        raise FindingsReached(
            expected=f"no finding of severity {fail_on} or above",
            found=f"such of severity {', '.join(reached)}",
            todo="look at them with 'show F1'",
        )
