"""What a joined log says of its cluster from its first record to its last."""

from bisect import bisect_left, bisect_right

from pipeline.kafka.metadata_log.segment import MetadataPart, MetadataRecord
from pipeline.model.metadata.joining import JoinedLog
from pipeline.model.metadata.replay import MetadataReplay


def replay_log(joined: JoinedLog) -> MetadataReplay:
    """Replays all that is not void. A log that begins behind offset 0 has its base in the first snapshot of its begin
    or later; a hole takes the base away until the next one."""
    replay = MetadataReplay()
    records = joined.records
    bases = [one for one in joined.snapshots if one.snapshot is not None]
    if not len(joined.marks):
        if bases:
            replay.take_snapshot(bases[-1].records)
        return replay
    holes = [behind for _, behind in joined.missing]
    starts = [] if joined.first_offset == 0 else [joined.first_offset]
    at = 0
    for begin in sorted({*starts, *holes}):
        until = _count_before(records, begin)
        replay.take_log(records[at:until])
        at = until
        replay.lose_base()
        base = next((one for one in bases if (one.snapshot or (0, 0))[0] >= begin), None)
        later = bisect_right(holes, begin)
        if base is not None and not (later < len(holes) and _end_of(base) >= holes[later]):
            until = _count_before(records, _end_of(base))
            replay.take_log(records[at:until])
            at = until
            replay.take_snapshot(base.records)
    replay.take_log(records[at:])
    return replay


def _end_of(part: MetadataPart) -> int:
    return (part.snapshot or (0, 0))[0]


def _count_before(records: list[MetadataRecord], offset: int) -> int:
    return bisect_left(records, offset, key=lambda one: one.offset)
