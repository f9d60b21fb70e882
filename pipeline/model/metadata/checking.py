"""What lines of text tell of partitions, held against the metadata log: nothing of it is changed by that."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

import polars as pl
from polars import col

from pipeline.model.metadata.joining import JoinedLog
from pipeline.model.metadata.replay import MetadataReplay
from pipeline.model.metadata.states import PartitionRegistration

KEY = ("topic_id", "partition", "partition_epoch")
COMPARED = ("leader", "leader_epoch", "isr", "replicas")
# Columns of gold.partition_timeline that a comparison needs.
OF_TIMELINE = ("topic", *KEY, *COMPARED, "valid_from_at", "certainty", "is_assignment_stale", "part_seq")
MOST_EXAMPLES = 5


@dataclass
class WitnessCheck:
    """States of partitions on record in the time of the lines: `said`; of them `equal` as replayed from lines, and
    `silent`: in no line; the others differ. `unproved`: of those that are equal, what lines alone leave inferred or
    undetermined. `never`: states by lines that are on no record, though the log is certain there. `examples`: some that
    differ, as the screen tells them. `is_other_cluster`: lines and records have no topic in common."""

    said: int = 0
    equal: int = 0
    silent: int = 0
    differing: int = 0
    unproved: int = 0
    never: int = 0
    examples: list[str] = field(default_factory=list)
    is_other_cluster: bool = False


def compare_witnesses(timeline: pl.DataFrame, replay: MetadataReplay, joined: JoinedLog) -> WitnessCheck:
    """timeline: gold.partition_timeline with OF_TIMELINE. A field that lines leave open does not differ; nor does an
    assignment of which they say that it may be stale."""
    check = WitnessCheck()
    rows = timeline.filter(col("topic_id").is_not_null() & (col("part_seq") == 1))
    if rows.is_empty() or not len(joined.marks):
        return check
    on_record = {one.topic_id for one in replay.states}
    if on_record and on_record.isdisjoint(rows["topic_id"].to_list()):
        check.is_other_cluster = True
        return check
    first, last = rows["valid_from_at"].min(), rows["valid_from_at"].max()
    by_key: dict[tuple[str, int, int], list[dict[str, object]]] = {}
    for row in rows.filter(col("partition_epoch").is_not_null()).to_dicts():
        by_key.setdefault((row["topic_id"], row["partition"], row["partition_epoch"]), []).append(row)
    known, begun = set(), dict[tuple[str, int], int]()
    for state in replay.states:
        if state.partition_epoch is None:
            continue
        key = (*state.key, state.partition_epoch)
        known.add(key)
        begun.setdefault(state.key, state.partition_epoch)
        told = by_key.get(key)
        if told is None and not _moment(first) <= state.decided_at_ms <= _moment(last):
            continue
        check.said += 1
        if told is None:
            check.silent += 1
        elif any(_is_equal(one, state) for one in told):
            check.equal += 1
            check.unproved += all(one["certainty"] != "proved" for one in told)
        else:
            check.differing += 1
            check.examples += [_example(told[0], state)] if len(check.examples) < MOST_EXAMPLES else []
    since = {key: told for key, told in by_key.items() if key[2] > begun.get(key[:2], key[2])}
    check.never = _count_never(since, known, joined)
    return check


def _count_never(
    by_key: dict[tuple[str, int, int], list[dict[str, object]]],
    known: set[tuple[str, int, int]],
    joined: JoinedLog,
) -> int:
    """States by lines of no record, in the stretch that is certain and has no holes before it. by_key: those of
    partitions of which an earlier epoch is on record: of others the records may begin too late."""
    if joined.missing or joined.certain_until < 0:
        return 0
    inside = joined.marks[joined.marks["offset"] <= joined.certain_until]
    if not len(inside):
        return 0
    first, last = int(inside["at_ms"][0]), int(inside["at_ms"][-1])
    return sum(
        key not in known and any(first < _moment(one["valid_from_at"]) < last for one in told)
        for key, told in by_key.items()
    )


def _is_equal(row: dict[str, object], state: PartitionRegistration) -> bool:
    for name in COMPARED:
        told, decided = row[name], getattr(state, name)
        if told is None or decided is None or (name == "replicas" and row["is_assignment_stale"]):
            continue
        is_alike = sorted(told) == sorted(decided) if name == "isr" else told == decided  # type: ignore[call-overload]  # lists
        if not is_alike:
            return False
    return True


def _example(row: dict[str, object], state: PartitionRegistration) -> str:
    names = [
        f"{name} {getattr(state, name)} against {row[name]}"
        for name in COMPARED
        if row[name] is not None and row[name] != getattr(state, name)
    ]
    return f"{state.topic}-{state.partition} (offset {state.offset}): {', '.join(names)}"


def _moment(value: object) -> float:
    if not isinstance(value, datetime):
        return 0.0
    return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp() * 1000
