"""Statements on terms, brokers, topics and moves, of a part of the logs against the whole."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from tests.evidence.statements import (
    LESS,
    NEAR,
    OTHER,
    SAME,
    UNDETERMINED,
    Compared,
    Frame,
    Row,
    Said,
    by,
    clipped,
    meeting,
    nearest,
    shown,
    title,
    value,
    values,
)

# A process that stopped without a word is known to have ended by its next start.
BY_LATER_LINES = ("crashed", "process_end", "open")


def terms(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    """Terms by their epoch; what is told of an end lies in the part."""
    true = by(whole, "controller_epoch")
    names = ("controller_id", "elected_at", "end_reason", "overlap")
    for row in part:
        is_told = row["controller_epoch"] > 0
        candidates = true.get((row["controller_epoch"],), []) if is_told else held(row, whole)
        if not candidates:
            yield Said(OTHER, f"{title(row)}: whole has no such term")
            continue
        yield nearest(
            [*values(row, one, names, ("unknown",)), held_for(row, one), *end_values(row, one, frame)]
            for one in candidates
        )


def held(row: Row, whole: list[Row]) -> list[Row]:
    """Terms of the whole that were at the last line of one whose epoch no line tells."""
    last_at = row["last_act_at"]
    return [
        one
        for one in whole
        if one["controller_id"] == row["controller_id"]
        and (one["elected_at"] or last_at) <= last_at <= (one["superseded_at"] or last_at) + NEAR
    ]


def held_for(row: Row, one: Row) -> Said:
    """Who is told to stop gives up the office, and its process ends: server.log tells the cause behind that."""
    told, true = row["election_reason"], one["election_reason"]
    is_coarser = true == "shutdown" and told in ("resigned", "process_end")
    return Said(LESS) if is_coarser else value(row, "election_reason", told, true)


def end_values(row: Row, one: Row, frame: Frame) -> Iterator[Said]:
    is_over = clipped(one["ended_at"], frame) is not None and one["ended_how"] not in BY_LATER_LINES
    if row["ended_how"] == "open":
        is_open = not is_over and (one["superseded_at"] is None or one["superseded_at"] > frame.until_at)
        yield (
            Said(SAME)
            if is_open or one["ended_how"] == "open"
            else value(row, "ended_how", "open", one["ended_how"])
        )
    elif (row["ended_how"], one["ended_how"]) != ("superseded_unseen", one["ended_how"]):
        yield value(row, "ended_how", row["ended_how"], one["ended_how"])
    if row["gap_ms"] is not None and one["gap_ms"] is not None:
        is_bound = row["ended_how"] in ("crashed", "process_end")
        is_wider = is_bound and row["gap_ms"] >= one["gap_ms"] - 1000
        is_near = abs(row["gap_ms"] - one["gap_ms"]) <= 1000
        yield Said(SAME) if is_wider or is_near else value(row, "gap_ms", row["gap_ms"], one["gap_ms"])


def sessions(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    """A part may lack the line that says that a broker registered anew: its stays are one there."""
    true = {key: [*rows, *joined_stays(rows)] for key, rows in by(whole, "broker_id").items()}
    noticed = {(row["broker_id"], row["left_at"]) for row in part if is_bounce_noticed(row)}
    # A stay from before the frame is not among them: nothing tells then if the list that ends it says so.
    known = {(row["broker_id"], row["left_at"]) for row in part}
    for row in part:
        if row["certainty"] == UNDETERMINED:
            yield Said(LESS)
            continue
        meets = meeting(row, true.get((row["broker_id"],), []), ("joined_at",), "left_at", frame)
        if not meets:
            yield Said(OTHER, f"{title(row)}: stay, whole none")
            continue
        begin = (row["broker_id"], row["joined_at"])
        is_begin_noticed = begin in noticed or (row["joined_how"] == "bounced" and begin not in known)
        ends = [one["left_at"] for one in meets if is_end_by_then(one, row["left_at"])]
        last_end = max(ends, default=None)
        yield nearest(session_values(row, one, frame, is_begin_noticed, last_end) for one in meets)


def is_end_by_then(one: Row, left_at: datetime | None) -> bool:
    return one["left_at"] is not None and left_at is not None and one["left_at"] <= left_at + NEAR


def is_bounce_noticed(row: Row) -> bool:
    """True of a stay that no list ends: that the broker registered anew is noticed at the next look, however it left."""
    return bool(row["left_how"] == "bounced" and row["certainty"] != "proved")


def joined_stays(rows: list[Row]) -> Iterator[Row]:
    """Stays that follow one another at once, of which no list says that one ended, as one."""
    in_turn = sorted(rows, key=lambda one: one["joined_at"])
    for place, first in enumerate(in_turn):
        last = first
        for one in in_turn[place + 1 :]:
            if (
                not is_bounce_noticed(last)
                or last["left_at"] != one["joined_at"]
                or last["mode"] != "zookeeper"
            ):
                break
            last = one
            yield one | {name: first[name] for name in ("joined_at", "joined_how")}


def session_values(
    row: Row,
    one: Row,
    frame: Frame,
    is_begin_noticed: bool,  # noqa: FBT001
    last_end: datetime | None,
) -> list[Said]:
    """last_end: of the whole's stays the last end by then: a bounce that is noticed is none before it."""
    left_at = clipped(one["left_at"], frame)
    if row["left_at"] is None:
        return [value(row, "left_at", "there", "there" if left_at is None else left_at)]
    said = list(values(row, one, ("end_reason", "is_clean"), ("unknown",)))
    if is_begin_noticed and one["joined_at"] <= row["joined_at"]:
        said.append(Said(LESS))
    elif row["joined_how"] in ("joined", "bounced"):
        said.append(value(row, "joined_at", row["joined_at"], one["joined_at"]))
    if is_bounce_noticed(row) and last_end is not None and one["left_at"] == last_end:
        said.append(Said(LESS))
    else:
        said += values(row, one, ("left_at", "left_how"), ("unknown",))
    return said


def checks(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    """A ratio is Kafka's, or undetermined."""
    for row in part:
        outcome = {True: SAME, None: LESS, False: OTHER}[row["is_equal"]]
        yield Said(outcome, f"{title(row)}: ratio {row['imbalance_ratio']}, Kafka {row['kafka_ratio']}")


def dumps(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    """Less evidence gives no disagreement with Kafka that the whole has not."""
    true = by(whole, "check", "term_id", "machine", "file_id", "byte_offset")
    for row in part:
        key = tuple(row[name] for name in ("check", "term_id", "machine", "file_id", "byte_offset"))
        known = max((one["differing_count"] for one in true.get(key, [])), default=0)
        is_other = row["differing_count"] > known
        yield Said(
            OTHER if is_other else SAME,
            f"{title(row)} {row['check']}: {row['differing_count']} differ, whole {known}: {row['examples'][:2]}",
        )


def keyed(key: Sequence[str], names: Sequence[str], unknown: Sequence[Any] = ()) -> Compared:
    """Rows of the same key have the same values."""

    def of(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
        true = by(whole, *key)
        for row in part:
            candidates = true.get(tuple(row[name] for name in key), [])
            is_certain = row.get("certainty") != UNDETERMINED
            if candidates:
                yield nearest(list(values(row, one, names, unknown)) for one in candidates)
            else:
                yield Said(OTHER, f"{title(row)}: whole has none") if is_certain else Said(LESS)

    return of


def transitions(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    """Verdicts by line. A discontinuity says that lines are missing between both that it shows: so they are where the
    whole knows another line before the second."""
    plain = keyed(("file_id", "byte_offset"), ("verdict",), (UNDETERMINED, "first", "hidden"))
    lines_before = by(whole, "file_id", "byte_offset")
    for row, said in zip(part, plain(part, whole, frame), strict=True):
        known = lines_before.get((row["file_id"], row["byte_offset"]), [])
        is_between = any(one["evidence"][1:] not in ([], row["evidence"][1:]) for one in known)
        is_evidence = said.outcome == OTHER and row["verdict"] == "discontinuity" and is_between
        yield Said(LESS) if is_evidence else said


def lives(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    true = by(whole, "topic")
    for row in part:
        meets = meeting(row, true.get((row["topic"],), []), ("first_seen_at",), "ended_at", frame)
        if row["certainty"] == UNDETERMINED:
            yield Said(LESS)
        elif not meets:
            yield Said(OTHER, f"{title(row)}: life from {shown(row['first_seen_at'])}, whole none")
        else:
            yield nearest(life_values(row, one, frame) for one in meets)


def life_values(row: Row, one: Row, frame: Frame) -> list[Said]:
    names = ["created_at", "partition_count", "ended_how", "blocked_by", "completed_at", "online_at"]
    # How it ended is not known of one that is gone; that it ended is.
    unknown = ("unknown",) if one["ended_how"] is None else ("unknown", "vanished")
    said = list(values(row, one, names, unknown))
    if row["deletion_state"] in ("completed", "disabled"):
        said += values(row, one, ("deletion_state",))
    return said
