"""The WITNESS block of a screen: what the metadata log holds, and how lines and records agree."""

from jobs.layout import wrap_text
from jobs.metadata.recorded import RecordedCluster
from jobs.text import shorten_line
from pipeline.core.frames import frame_of
from pipeline.core.stored_tables import ReadableTables
from pipeline.model.metadata.checking import OF_TIMELINE, WitnessCheck, compare_witnesses
from schemas.gold import partition_timeline

HANG = 8
SHOWN = 2


def check_witnesses(cluster: RecordedCluster, tables: ReadableTables) -> WitnessCheck:
    """The states of partitions that lines of text give, held against those on record."""
    spec = partition_timeline.SPEC
    rows = frame_of(tables.read(spec, None, OF_TIMELINE))
    return compare_witnesses(rows, cluster.replay, cluster.joined)


def witness_lines(cluster: RecordedCluster, check: WitnessCheck, *, is_detailed: bool) -> list[str]:
    """How many states lines and records have alike, and which differ; with details also what was read."""
    if check.is_other_cluster:
        return wrap_text(
            f"WITNESS {log_text(cluster)} | of ANOTHER CLUSTER: no topic of it is in the lines; not used",
            HANG,
        )
    said = f"{check.said:,} states: {check.equal:,} as replayed, {check.silent:,} in no line, "
    said += f"{check.differing:,} DIFFER" if check.differing else "0 differ"
    never = f"; {check.never:,} by lines never came true" if check.never else ""
    read = f"{log_text(cluster)} | " if is_detailed else "on record "
    lines = wrap_text(f"WITNESS {read}{said}{never}", HANG)
    return [*lines, *(shorten_line(f"        {one}", 200) for one in check.examples[:SHOWN])]


def log_text(cluster: RecordedCluster) -> str:
    """metadata log of 101,103: offsets 0-1555, epochs 1-3; certain to 1554 (majority)."""
    joined = cluster.joined
    nodes = ",".join(map(str, cluster.node_ids)) or "an unknown node"
    if not len(joined.marks):
        return f"metadata log of {nodes}: a snapshot alone"
    epochs = f"{joined.epochs[0].epoch}-{joined.epochs[-1].epoch}" if joined.epochs else "not told"
    certain = "nothing proves any of it committed"
    if joined.certain_until >= 0:
        certain = f"certain to {joined.certain_until} ({joined.certain_by})"
    void = f"; {joined.void_count:,} made void by a later epoch" if joined.void_count else ""
    holes = f"; {len(joined.missing)} holes in its offsets" if joined.missing else ""
    return (
        f"metadata log of {nodes}: offsets {joined.first_offset}-{joined.last_offset}, epochs {epochs}; "
        f"{certain}{void}{holes}"
    )
