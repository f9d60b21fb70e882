"""What a run is asked, what it answers, and what of its looks is news."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from jobs.engine.intake.discovery import Listing
from jobs.engine.intake.metadata_log import MetadataLoad
from jobs.engine.intake.segments import Seen, is_other
from jobs.settings.model import Settings
from pipeline.bronze.planning import FileSighting, Plan
from pipeline.store.runs.published import EXPIRED_BEFORE, KEPT_FROM
from schemas.bronze.file_sighting import PROBLEMS

# The count that is 1 where the cluster is known to be in KRaft.
IS_KRAFT = "is_kraft"
# The count of parts of what a run has found that are still to be read.
PARTS_LEFT = "parts_left"
# The count of loads of copies of the metadata log.
METADATA_SEQ = "metadata_seq"
# Counts of what a run has read.
READ_COUNTS = ("records", "understood", "bytes", "files", "segments")
HANDED_ON = ("total_bytes", KEPT_FROM, EXPIRED_BEFORE, IS_KRAFT, METADATA_SEQ)


@dataclass(frozen=True)
class RunRequest:
    """What a job asks for on one cluster. list_logs: its files, asked for once it is locked; is_reparsing: what is
    stored is understood anew from its bytes. metadata: copies of the metadata log that were read already."""

    job: str
    warehouse: str
    cluster_id: str
    list_logs: Callable[[], Listing]
    settings: Settings
    since: datetime | None = None
    until: datetime | None = None
    wait_seconds: float = 0
    is_reparsing: bool = False
    metadata: MetadataLoad | None = None


@dataclass
class RunResult:
    """What came of it: the published versions, and what was read. before: the highest load_seq of earlier runs; 0 where
    all is new. watermarks: of the tables that were ever built. left_out: what is said of rows that break what their
    table promises; they are not stored. problems: paths that could not be read, and why; unread: these, and
    those that are a controller's log by their name or their lines and hold no record that can be read; excerpts: those
    that grep made of other files. other_zones: by node that logs in another time zone, and is read all the same, what
    is said of it."""

    cluster_id: str
    run_id: str
    outcome: str
    versions: dict[str, int]
    counts: dict[str, int]
    watermarks: dict[str, str] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    problems: list[tuple[str, str]] = field(default_factory=list)
    unread: list[tuple[str, str]] = field(default_factory=list)
    excerpts: list[tuple[str, str]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    other_zones: dict[int, str] = field(default_factory=dict)
    is_judged: bool = False
    before: int = 0


def joined_results(earlier: RunResult, later: RunResult) -> RunResult:
    """Of two runs of one command, the later of which goes on where the earlier one ended."""
    read = {name: earlier.counts.get(name, 0) + later.counts.get(name, 0) for name in READ_COUNTS}
    return replace(
        later,
        counts=later.counts | read,
        left_out=[*earlier.left_out, *later.left_out],
        before=earlier.before,
    )


def new_sightings(planned: Plan, seen: Mapping[str, Seen]) -> list[FileSighting]:
    """The sightings that do not say again what the newest one of that path says."""
    return [one for one in planned.sightings if not is_known_sighting(one, seen.get(one.found.path))]


def is_known_sighting(sighting: FileSighting, before: Seen | None) -> bool:
    if before is None or sighting.state == "read":
        return False
    is_same = (before["state"], before["file_id"]) == (sighting.state, sighting.file_id)
    return is_same and not is_other(sighting.found, before)


def has_other_problems(planned: Plan, seen: Mapping[str, Seen]) -> bool:
    """Whether a file cannot be read of which that is new, or can be that could not."""
    before = (seen[one.found.path]["state"] for one in planned.sightings if one.found.path in seen)
    return any(state in PROBLEMS for state in (*(one.state for one in planned.sightings), *before))


def is_handed_on(name: str) -> bool:
    """Counts that a run hands on to the next."""
    return name in HANDED_ON or name.startswith("findings:")
