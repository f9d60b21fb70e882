"""Statements on what clients could feel, of a part of the logs against the whole."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from schemas.gold.client_impact import RECOVERY_MS
from tests.evidence.statements import (
    APART,
    LESS,
    NEAR,
    OTHER,
    SAME,
    UNDETERMINED,
    Frame,
    Row,
    Said,
    by,
    shown,
)

SUBJECT = ("topic", "partition", "audience")
RECOVERY = timedelta(milliseconds=RECOVERY_MS)


def impacts(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    """What a piece claims for certain lies in a stretch of the whole; what it bounds holds what the whole has for
    certain of the same event."""
    true = by(whole, *SUBJECT)
    for key, rows in by(part, *SUBJECT).items():
        for row in rows:
            for piece in row["parts"]:
                yield of_piece(key, piece, true.get(key, []), frame)


def of_piece(key: tuple[str, ...], piece: Row, whole: list[Row], frame: Frame) -> Said:
    since, until = piece["from_latest_at"], piece["until_earliest_at"] or frame.until_at
    if piece["certainty"] == UNDETERMINED or until - since <= NEAR:
        return Said(LESS)
    name = f"{key} {piece['kind']} {shown(since)} to {shown(until)}"
    hull = [one for one in whole if one["from_at"] <= until and since <= latest_end(one, frame)]
    if not hull:
        return Said(OTHER, f"{name}: whole none")
    begin, end = min(one["from_at"] for one in hull), max(latest_end(one, frame) for one in hull)
    if begin > since + APART or end + APART < min(until, frame.until_at):
        return Said(OTHER, f"{name}: whole {shown(begin)} to {shown(end)}")
    return of_same_event(name, piece, [one for row in hull for one in row["parts"]])


def of_same_event(name: str, piece: Row, whole: list[Row]) -> Said:
    for one in whole:
        is_same = all(one[name] == piece[name] for name in ("kind", "root_event", "root_broker_id"))
        is_same = is_same and abs(one["root_at"] - piece["root_at"]) <= NEAR
        if not is_same or one["certainty"] == UNDETERMINED:
            continue
        if piece["from_at"] > one["from_latest_at"] + APART:
            return Said(OTHER, f"{name}: begins after {shown(one['from_latest_at'])}")
        is_shorter = None not in {piece["until_at"], one["until_earliest_at"]}
        if is_shorter and piece["until_at"] + APART < one["until_earliest_at"]:
            return Said(OTHER, f"{name}: ends before {shown(one['until_earliest_at'])}")
    return Said(SAME)


def latest_end(row: Row, frame: Frame) -> datetime:
    found: datetime = (row["until_at"] or frame.until_at) + RECOVERY
    return found
