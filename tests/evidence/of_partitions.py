"""Statements on partitions and on the ratios of their brokers, of a part of the logs against the whole."""

from collections.abc import Iterator
from datetime import datetime

from tests.evidence.statements import (
    APART,
    DOUBT,
    LESS,
    NEAR,
    OTHER,
    SAME,
    UNDETERMINED,
    Frame,
    Row,
    Said,
    by,
    certain,
    clipped,
    meeting,
    nearest,
    shown,
    title,
    value,
    values,
)


def timeline(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    """Who leads, and whether anybody serves, for longer than a second other than the whole says."""
    true = by(whole, "topic", "partition")
    for key, rows in by(part, "topic", "partition").items():
        for row in rows:
            yield from stretch(row, true.get(key, []), frame)


def stretch(row: Row, whole: list[Row], frame: Frame) -> Iterator[Said]:
    if row["certainty"] == UNDETERMINED or row["leader"] is None:
        yield Said(LESS)
        return
    outcome = Said(SAME)
    from_at, until_at = row["valid_from_at"], row["valid_until_at"] or frame.until_at
    for other in whole:
        begin = max(from_at, other["valid_from_at"])
        end = min(until_at, other["valid_until_at"] or frame.until_at)
        if end - begin <= (NEAR if row["topic_id"] is None else APART):
            continue
        for name in ("leader", "is_served"):
            told, known = row[name], other[name]
            if told is not None and known is not None and told != known:
                seconds = (end - begin).total_seconds()
                text = f"{title(row)} {name}: {told}, whole {known} ({other['certainty']}) from {shown(begin)} for {seconds:.1f} s"
                outcome = Said(OTHER, text)
    yield outcome


def outages(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    """A stretch without a leader is one of the whole, within its bounds."""
    true = by(whole, "topic", "partition")
    for row in part:
        if row["certainty"] == UNDETERMINED:
            yield Said(LESS)
            continue
        of_partition = true.get((row["topic"], row["partition"]), [])
        meets = meeting(row, of_partition, ("unserved_from_at", "noticed_at"), "ended_at", frame)
        if not meets:
            yield Said(
                OTHER, f"{title(row)}: outage, whole none; ended {row['ended_how']} {shown(row['ended_at'])}"
            )
            continue
        yield nearest(outage_values(row, one, frame) for one in meets)


def outage_values(row: Row, one: Row, frame: Frame) -> list[Said]:
    ended_at = clipped(one["ended_at"], frame)
    is_end_told = row["ended_how"] not in ("lines_missing", "taken_over", None)
    said = []
    if one["ended_how"] == "lines_missing" and row["ended_how"] in ("lines_missing", "taken_over"):
        # Neither tells how it ended: the whole may doubt it earlier.
        said.append(Said(SAME))
    elif one["ended_how"] == "lines_missing" and row["ended_how"] is None:
        # It goes on at the end of the part; the whole does not know if it did.
        said.append(doubted(row, clipped(one["ended_at"], frame)))
    elif is_end_told or row["ended_at"] is None:
        said.append(value(row, "ended_at", row["ended_at"] or frame.until_at, ended_at or frame.until_at))
    elif ended_at is not None and row["ended_at"] > ended_at + NEAR:
        said.append(value(row, "ended_at", row["ended_at"], ended_at))
    if (
        row["high_ms"] is not None
        and one["low_ms"] is not None
        and row["high_ms"] + 1000 < one["low_ms"]
        and is_end_told
    ):
        said.append(value(row, "high_ms", row["high_ms"], f"low {one['low_ms']}"))
    said += values(row, one, ("root_left_how", "root_broker_id"))
    if is_end_told:
        said += values(row, one, ("new_leader",))
    return said


def doubted(row: Row, doubted_from_at: datetime | None) -> Said:
    """The whole knows less from then on: of what the part does not prove itself, or not at all in its time."""
    if doubted_from_at is None:
        return Said(SAME)
    if row["certainty"] != "proved":
        return Said(DOUBT)
    return Said(OTHER, f"{title(row)}: goes on, proved, in doubt in the whole from {shown(doubted_from_at)}")


def elections(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    """Elections by their line, in KRaft by leader epoch, too."""
    by_line = by(whole, "file_id", "byte_offset", "topic", "partition")
    by_epoch = by(whole, "topic", "partition", "leader_epoch")
    names = ("leader", "is_clean", "outcome", "records_at_risk")
    for row in part:
        line = (row["file_id"], row["byte_offset"], row["topic"], row["partition"])
        epoch = (row["topic"], row["partition"], row["leader_epoch"])
        candidates = by_line.get(line) or (by_epoch.get(epoch, []) if row["leader_epoch"] is not None else [])
        if not candidates and row["outcome"] == "failed":
            # Its line says so, whatever the whole knows of the end of the topic.
            yield Said(DOUBT)
            continue
        if not candidates:
            is_told = row["certainty"] != UNDETERMINED
            yield (
                Said(OTHER, f"{title(row)}: election {row['leader']}, whole has none")
                if is_told
                else Said(LESS)
            )
            continue
        yield nearest(
            [
                *values(row, one, names),
                expected(row, one),
                kind(row, one),
                verdict(row, one),
                value(row, "failure", row["failure"], one["failure"], (UNDETERMINED,)),
                value(row, "trigger", row["trigger"], one["trigger"], ("unknown",)),
            ]
            for one in candidates
        )


def kind(row: Row, one: Row) -> Said:
    """Where no line of controller.log tells what brought it about, nor is it told that an admin asked for it."""
    is_coarser = (row["kind"], one["kind"]) == ("offline", "offline_admin_unclean")
    if is_coarser and row["trigger"] == "unknown":
        return Said(LESS)
    return value(row, "kind", row["kind"], one["kind"], ("unknown",))


def expected(row: Row, one: Row) -> Said:
    if verdict(row, one).outcome == DOUBT and one["expected_leader"] is None:
        return Said(DOUBT)
    return value(row, "expected_leader", row["expected_leader"], one["expected_leader"])


def verdict(row: Row, one: Row) -> Said:
    """What came of an election tells less of it than the ISR before it: of the same leader one of both knows less."""
    by_result = {
        ("as_prescribed_by_result", "as_prescribed"): LESS,
        ("as_prescribed", "as_prescribed_by_result"): DOUBT,
    }
    # Other lines make the whole doubt the choice.
    is_good = row["verdict"] in ("as_prescribed", "as_prescribed_by_result") and row["certainty"] != "proved"
    if is_good and one["verdict"] == UNDETERMINED:
        return Said(DOUBT)
    outcome = by_result.get((row["verdict"], one["verdict"]))
    if outcome is not None:
        return Said(outcome)
    return value(row, "verdict", row["verdict"], one["verdict"], (UNDETERMINED,))


def ratios(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    """The imbalance of a broker, for longer than a second."""
    true = by(certain(whole), "broker_id")
    for row in part:
        if row["certainty"] == UNDETERMINED:
            yield Said(LESS)
            continue
        from_at, until_at = row["valid_from_at"], row["valid_until_at"] or frame.until_at
        apart = [
            one
            for one in true.get((row["broker_id"],), [])
            if min(until_at, one["valid_until_at"] or frame.until_at) - max(from_at, one["valid_from_at"])
            > (APART if row["threshold_ratio"] is None else NEAR)
            and one["imbalance_ratio"] != row["imbalance_ratio"]
        ]
        texts = [f"{title(row)}: {row['imbalance_ratio']}, whole {one['imbalance_ratio']}" for one in apart]
        yield Said(OTHER, texts[0]) if texts else Said(SAME)


def breaches(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    """A breach that is told is one of the whole, and stands only if that does."""
    true = by(whole, "broker_id")
    for row in part:
        meets = meeting(row, true.get((row["broker_id"],), []), ("breached_at",), "balanced_at", frame)
        if row["certainty"] == UNDETERMINED:
            yield Said(LESS)
        elif not meets:
            yield Said(OTHER, f"{title(row)}: breach from {shown(row['breached_at'])}, whole none")
        else:
            yield nearest(
                [value(row, "is_standing", row["is_standing"] or None, one["is_standing"])] for one in meets
            )


def moves(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    true = by(whole, "topic", "partition")
    for row in part:
        of_partition = true.get((row["topic"], row["partition"]), [])
        meets = meeting(row, of_partition, ("started_at",), "ended_at", frame)
        if row["certainty"] == UNDETERMINED:
            yield Said(LESS)
        elif not meets:
            yield Said(OTHER, f"{title(row)}: move {row['outcome']}, whole none")
        else:
            yield nearest(move_values(row, one, frame) for one in meets)


def move_values(row: Row, one: Row, frame: Frame) -> list[Said]:
    names = ["target_replicas", "reason"]
    said = list(values(row, one, names))
    if row["outcome"] == "in_progress":
        ended_at = clipped(one["ended_at"], frame)
        said.append(
            value(row, "outcome", "in_progress", "in_progress" if ended_at is None else one["outcome"])
        )
    elif row["outcome"] not in ("lines_missing",):
        said += values(row, one, ("outcome",))
    return said
