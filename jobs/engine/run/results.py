"""What of a run's result decides its exit code."""

from collections.abc import Sequence

from jobs.engine.run.request import RunResult
from pipeline.core.errors import FindingsReached, PartialInput, SettingsError
from schemas.gold.finding import SEVERITIES

PUBLISHED = "all else is published; mend the files and run again"


def require_whole_result(result: RunResult, todo: str = PUBLISHED) -> None:
    """PartialInput: what could be read was published, or todo says what became of it; some files could not be read, or
    those of a node were read in another zone than its own."""
    if result.problems:
        path, sentence = result.problems[0]
        raise PartialInput(
            expected=f"to read every log of cluster {result.cluster_id}",
            found=f"{len(result.problems)} that cannot be read, first {path} ({sentence})",
            todo=todo,
        )
    if result.other_zones:
        node_id, sentence = next(iter(result.other_zones.items()))
        raise PartialInput(
            expected=f"the nodes of cluster {result.cluster_id} to tell of an election at the same time",
            found=f"node {node_id} that does not: {sentence}",
            todo="give the zone and run again with --reparse; until then judge nothing by times of that node",
        )


def require_calm_run(
    fail_on: str | None,
    result: RunResult,
    severities: Sequence[str],
    todo: str = "look at them with 'show F1'",
) -> None:
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
            todo=todo,
        )
