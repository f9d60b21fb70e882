"""What tables say of a part of the logs against what they say of the whole: the same, less, or other."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import polars as pl

Row = dict[str, Any]
Tables = dict[str, pl.DataFrame]
SAME, LESS, OTHER = "same", "less", "other"
UNDETERMINED = "undetermined"
NEAR = timedelta(seconds=1)
# KRaft: brokers print one change so far apart; it is known from the first line on.
APART = timedelta(seconds=3)
LATEST_UTC = datetime.max.replace(tzinfo=UTC)


class Said(NamedTuple):
    """One statement of a part: outcome, and of one that is other what it says and what the whole says."""

    outcome: str
    what: str = ""


class Frame(NamedTuple):
    """The time that the part covers: what happens behind it it cannot say, and nothing before."""

    from_at: datetime
    until_at: datetime


Compared = Callable[[list[Row], list[Row], Frame], Iterator[Said]]


def compared(part: Tables, whole: Tables, frame: Frame) -> dict[str, list[Said]]:
    """By table, one or more for each row of the part that begins in the time of the frame."""
    found = {}
    for name, (begin, comparison) in COMPARISONS.items():
        rows = part[name].filter(pl.coalesce(begin) >= frame.from_at)
        found[name] = list(comparison(rows.to_dicts(), whole[name].to_dicts(), frame))
    return found


def counted(said: Iterable[Said]) -> Counter[str]:
    return Counter(one.outcome for one in said)


def value(row: Row, name: str, told: Any, true: Any, unknown: Sequence[Any] = ()) -> Said:
    """One value of a row of the part: told, where the whole has true."""
    if told == true:
        return Said(SAME)
    if told is None or told in unknown:
        return Said(LESS)
    if isinstance(told, datetime) and isinstance(true, datetime) and abs(told - true) <= NEAR:
        return Said(SAME)
    return Said(OTHER, f"{title(row)} {name}: {shown(told)}, whole {shown(true)}")


def title(row: Row) -> str:
    names = ("topic", "partition", "broker_id", "term_id", "controller_id", "rule", "entity")
    times = (
        "valid_from_at",
        "noticed_at",
        "elected_at",
        "joined_at",
        "checked_at",
        "logged_at",
        "started_at",
    )
    parts = [f"{name}={row[name]}" for name in names if row.get(name) is not None]
    parts += [shown(row[name]) for name in times if row.get(name) is not None][:1]
    return " ".join([*parts, str(row.get("certainty", ""))])


def shown(told: Any) -> str:
    return told.strftime("%d %H:%M:%S.%f")[:-3] if isinstance(told, datetime) else str(told)


def by(rows: Iterable[Row], *names: str) -> dict[tuple[Any, ...], list[Row]]:
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in names)].append(row)
    return groups


def certain(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row["certainty"] != UNDETERMINED]


def values(row: Row, true: Row, names: Iterable[str], unknown: Sequence[Any] = ()) -> Iterator[Said]:
    for name in names:
        yield value(row, name, row[name], true[name], unknown)


# ---- tables


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
            > NEAR
            and one["imbalance_ratio"] != row["imbalance_ratio"]
        ]
        texts = [f"{title(row)}: {row['imbalance_ratio']}, whole {one['imbalance_ratio']}" for one in apart]
        yield Said(OTHER, texts[0]) if texts else Said(SAME)


def breaches(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    """A breach that is told is one of the whole, and stands only if that does."""
    true = by(whole, "broker_id")
    for row in part:
        until_at = row["balanced_at"] or frame.until_at
        meets = [
            one
            for one in true.get((row["broker_id"],), [])
            if one["breached_at"] - NEAR <= until_at
            and row["breached_at"] - NEAR <= (one["balanced_at"] or LATEST_UTC)
        ]
        if row["certainty"] == UNDETERMINED:
            yield Said(LESS)
        elif not meets:
            yield Said(OTHER, f"{title(row)}: breach from {shown(row['breached_at'])}, whole none")
        else:
            yield nearest(
                [value(row, "is_standing", row["is_standing"] or None, one["is_standing"])] for one in meets
            )


def outages(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    """A stretch without a leader is one of the whole, within its bounds."""
    true = by(whole, "topic", "partition")
    for row in part:
        if row["certainty"] == UNDETERMINED:
            yield Said(LESS)
            continue
        until_at = row["ended_at"] or frame.until_at
        meets = [
            one
            for one in true.get((row["topic"], row["partition"]), [])
            if (one["unserved_from_at"] or one["noticed_at"]) - NEAR <= until_at
            and (row["unserved_from_at"] or row["noticed_at"]) - NEAR <= (one["ended_at"] or LATEST_UTC)
        ]
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
    if is_end_told or row["ended_at"] is None:
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


def nearest(choices: Iterable[list[Said]]) -> Said:
    """Of the rows of the whole that one may be, the one that it fits best."""
    best = min(choices, key=lambda said: sum(one.outcome == OTHER for one in said))
    return worst(best)


def worst(said: Sequence[Said]) -> Said:
    for outcome in (OTHER, LESS):
        found = [one for one in said if one.outcome == outcome]
        if found:
            return Said(outcome, "; ".join(one.what for one in found if one.what))
    return Said(SAME)


def clipped(at: datetime | None, frame: Frame) -> datetime | None:
    return None if at is None or at > frame.until_at - NEAR else at


def terms(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    """Terms by their epoch; what is told of an end lies in the part."""
    true = by(whole, "controller_epoch")
    names = ("controller_id", "elected_at", "end_reason", "overlap", "election_reason")
    for row in part:
        candidates = true.get((row["controller_epoch"],), [])
        if not candidates:
            yield Said(OTHER, f"{title(row)}: whole has no such term")
            continue
        yield nearest(
            [*values(row, one, names, ("unknown",)), *end_values(row, one, frame)] for one in candidates
        )


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


# A process that stopped without a word is known to have ended by its next start.
BY_LATER_LINES = ("crashed", "process_end", "open")


def elections(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    """Elections by their line, in KRaft by leader epoch, too."""
    by_line = by(whole, "file_id", "byte_offset", "topic", "partition")
    by_epoch = by(whole, "topic", "partition", "leader_epoch")
    names = ("leader", "is_clean", "outcome", "expected_leader", "records_at_risk")
    for row in part:
        line = (row["file_id"], row["byte_offset"], row["topic"], row["partition"])
        epoch = (row["topic"], row["partition"], row["leader_epoch"])
        candidates = by_line.get(line) or (by_epoch.get(epoch, []) if row["leader_epoch"] is not None else [])
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
                value(row, "kind", row["kind"], one["kind"], ("unknown",)),
                value(
                    row, "verdict", row["verdict"], one["verdict"], (UNDETERMINED, "as_prescribed_by_result")
                ),
                value(row, "failure", row["failure"], one["failure"], (UNDETERMINED,)),
                value(row, "trigger", row["trigger"], one["trigger"], ("unknown",)),
            ]
            for one in candidates
        )


def sessions(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    true = by(whole, "broker_id")
    for row in part:
        if row["certainty"] == UNDETERMINED:
            yield Said(LESS)
            continue
        left_at = row["left_at"] or frame.until_at
        meets = [
            one
            for one in true.get((row["broker_id"],), [])
            if one["joined_at"] - NEAR <= left_at
            and row["joined_at"] - NEAR <= (one["left_at"] or LATEST_UTC)
        ]
        if not meets:
            yield Said(OTHER, f"{title(row)}: stay, whole none")
            continue
        yield nearest(session_values(row, one, frame) for one in meets)


def session_values(row: Row, one: Row, frame: Frame) -> list[Said]:
    left_at = clipped(one["left_at"], frame)
    if row["left_at"] is None:
        return [value(row, "left_at", "there", "there" if left_at is None else left_at)]
    is_first = row["joined_how"] in ("joined", "bounced")
    names = ("left_at", "left_how", "end_reason", "is_clean", *(["joined_at"] if is_first else []))
    return list(values(row, one, names, ("unknown",)))


def findings(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    """A finding is one of the whole: of its rule and entity at that time; open only if that goes on."""
    true = by(whole, "rule")
    for row in part:
        if row["rule"] in OF_EVIDENCE:
            yield Said(SAME)
            continue
        until_at = row["valid_until_at"] or frame.until_at
        meets = [
            one
            for one in true.get((row["rule"],), [])
            if one["valid_from_at"] - NEAR * 30 <= until_at
            and row["valid_from_at"] - NEAR * 30 <= (one["valid_until_at"] or LATEST_UTC)
        ]
        if not meets and row["certainty"] != UNDETERMINED:
            yield Said(OTHER, f"{row['severity']} {title(row)}: whole has none: {row['sentence']}")
        elif not meets:
            yield Said(LESS)
        elif row["valid_until_at"] is None and all(clipped(one["valid_until_at"], frame) for one in meets):
            yield Said(OTHER, f"{row['severity']} {title(row)}: open, whole ended: {row['sentence']}")
        else:
            yield Said(SAME)


# Of what is missing; and what Kafka's own lines say where our ratio is not known.
OF_EVIDENCE = ("missing_logs", "not_understood", "stated_imbalance")


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


def lives(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    true = by(whole, "topic")
    for row in part:
        until_at = row["ended_at"] or frame.until_at
        meets = [
            one
            for one in true.get((row["topic"],), [])
            if one["first_seen_at"] - NEAR <= until_at
            and row["first_seen_at"] - NEAR <= (one["ended_at"] or LATEST_UTC)
        ]
        if row["certainty"] == UNDETERMINED:
            yield Said(LESS)
        elif not meets:
            yield Said(OTHER, f"{title(row)}: life from {shown(row['first_seen_at'])}, whole none")
        else:
            yield nearest(life_values(row, one, frame) for one in meets)


def life_values(row: Row, one: Row, frame: Frame) -> list[Said]:
    names = ["created_at", "partition_count", "ended_how", "blocked_by", "completed_at", "online_at"]
    said = list(values(row, one, names, ("unknown",)))
    if row["deletion_state"] in ("completed", "disabled"):
        said += values(row, one, ("deletion_state",))
    return said


def moves(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    true = by(whole, "topic", "partition")
    for row in part:
        ended_at = row["ended_at"] or frame.until_at
        meets = [
            one
            for one in true.get((row["topic"], row["partition"]), [])
            if one["started_at"] - NEAR <= ended_at
            and row["started_at"] - NEAR <= (one["ended_at"] or LATEST_UTC)
        ]
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


# By table the columns of which the first that is known is the begin of a row, and how its rows are compared.
COMPARISONS: dict[str, tuple[tuple[str, ...], Compared]] = {
    "partition_timeline": (("valid_from_at",), timeline),
    "partition_outage": (("noticed_at",), outages),
    "controller_term": (("elected_at", "last_act_at"), terms),
    "leader_election": (("elected_at",), elections),
    "broker_session": (("joined_at",), sessions),
    "topic_lifecycle": (("first_seen_at",), lives),
    "reassignment": (("started_at",), moves),
    "transition_audit": (
        ("logged_at",),
        keyed(("file_id", "byte_offset"), ("verdict",), (UNDETERMINED, "first", "hidden")),
    ),
    "leader_imbalance": (("valid_from_at",), ratios),
    "imbalance_breach": (("breached_at",), breaches),
    "imbalance_check": (("checked_at",), checks),
    "replay_check": (("logged_at",), dumps),
    "finding": (("valid_from_at",), findings),
}
