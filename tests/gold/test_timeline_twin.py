"""Intervals of partitions against a plain Python twin, on generated lines: hundreds of small clusters in one frame."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any

import polars as pl
from polars import col
from polars.testing import assert_frame_equal

from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.frames import declared_table, empty_frame, frame_of
from pipeline.core.span import Span
from pipeline.gold import partition_timeline
from pipeline.model.lines.acting import SEQ_BITS
from pipeline.model.partitions.topic_lives import DELETION_BEFORE
from schemas.gold.partition_timeline import SPEC
from tests.carried import deletion_before, reaching, timeline_before
from tests.gold.timeline_twin import GONE, Line, Noted, Partition, intervals
from tests.kernel_calls import rows_of

CLUSTERS, SEED, DAY_MS = 300, 20261123, 40
MIDNIGHT = datetime(2026, 11, 23, tzinfo=UTC)
BEGIN = MIDNIGHT - timedelta(milliseconds=DAY_MS)
ISRS: list[tuple[int, ...]] = [(1,), (1, 2), (2, 1), (2, 3)]
REPLICAS: list[tuple[int, ...]] = [(1, 2), (2, 1), (3, 1, 2)]
OFFLINE = {"from_state": "OfflinePartition", "to_state": "OnlinePartition", "outcome": "failed"}
OFFLINE |= {"machine": "partition", "state": "OfflinePartition"}
STATES = ["NewPartition", "OnlinePartition", "OfflinePartition", GONE]


NO_SESSIONS = {"session_before": empty_frame(BY_SHORT_NAME["broker_session"].spec)}


def generated(random: Random, cluster: str) -> list[Line]:
    """Two controllers, the first of which goes on a while after it was deposed, of topics that come and go. Who is gone
    comes back with its state."""
    lines: list[Line] = []
    gone = set[tuple[str, int]]()
    now, epochs = 0, defaultdict[str, int](int)
    for place in range(random.randint(1, 40)):
        now += random.choice([0, 0, 1, 2, 7])
        epoch = 1 if now < DAY_MS // 2 else random.choice([1, 2, 2])
        topic, partition = random.choice("ab"), random.randint(0, 1)
        epochs[topic] += random.choice([0, 0, 1])
        leader_epoch = max(0, epochs[topic] - random.choice([0, 0, 0, 2]))
        stated = (random.choice([-1, 1, 2]), leader_epoch, random.choice(ISRS))
        how = random.choice(["changed", "changed", "asked", "assigned", "moved", "moved", "deleted"])
        if (topic, partition) in gone:
            how = random.choice(["changed", "deleted"])
        at = (cluster, place, now, epoch)
        match how:
            case "changed":
                lines.append(Line(*at, "changed", topic, partition, random.choice(STATES[:3]), *stated))
                gone.discard((topic, partition))
            case "asked":
                lines.append(Line(*at, "asked", topic, partition, None, *stated, random.choice(REPLICAS)))
            case "assigned":
                lines.append(Line(*at, "assigned", topic, partition, replicas=random.choice(REPLICAS)))
            case "moved":
                state = random.choice(STATES)
                lines.append(Line(*at, "changed", topic, partition, state))
                gone |= {(topic, partition)} if state == GONE else set()
            case _:
                lines.append(Line(*at, "deleted", topic, None))
                gone -= {(topic, 0), (topic, 1)}
    return list(with_each_epoch(lines))


def with_each_epoch(lines: list[Line]) -> Iterator[Line]:
    """The lines, of which none leaves a leader epoch out, and no request tells of an election that no line does: that
    would tell that lines are missing."""
    highest: dict[tuple[str, int | None], tuple[int, int]] = {}
    led: dict[tuple[str, int | None], int | None] = {}
    for line in sorted(lines, key=lambda one: (one.at, one.controller_epoch, one.place)):
        key = (line.topic, line.partition)
        if line.partition is None or line.state == STATES[0]:
            for number in (0, 1) if line.partition is None else (line.partition,):
                highest.pop((line.topic, number), None)
        if line.leader_epoch is None:
            yield line
            continue
        drawn, given = highest.get(key, (line.leader_epoch, 0))
        if line.leader_epoch > drawn:
            drawn, given = line.leader_epoch, given + 1
        highest[key] = (drawn, given)
        is_current = line.leader_epoch == drawn
        leader = led.get(key, line.leader) if line.how == "asked" and is_current else line.leader
        led[key] = leader if is_current else led.get(key)
        yield replace(line, leader=leader, leader_epoch=given if is_current else max(0, given - 2))


def tables_of(lines: list[Line]) -> dict[str, pl.DataFrame]:
    """The inputs of gold.partition_timeline as they would be read from such lines."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in lines:
        line = {
            "cluster_id": one.cluster,
            "file_id": one.cluster,
            "byte_offset": one.place,
            "logged_at": moment(one.at),
        }
        said = {"topic": one.topic, "partition": one.partition, "leader": one.leader, "isr": one.isr}
        said |= {"leader_epoch": one.leader_epoch, "replicas": one.replicas}
        event = {
            "changed": "partition_transition",
            "asked": "leader_and_isr_sent",
            "assigned": "topic_change",
        }
        if one.how == "deleted":
            rows["topic_event"].append(line | {"topic": one.topic, "step": "deletion_completed"})
        elif one.how == "changed" and one.state == "OfflinePartition" and one.leader is None:
            rows[said_offline(one)].append(line | OFFLINE | {"topic": one.topic, "partition": one.partition})
        elif one.how == "changed":
            rows["partition_transition"].append(line | said | {"to_state": one.state, "outcome": "done"})
        else:
            rows["leader_and_isr"].append(line | said | {"event": event[one.how], "teller": "controller"})
        millis = int(moment(one.at).timestamp() * 1000)
        place = {"term_id": f"1-{one.controller_epoch}", "ordered_at": moment(one.at), "event_seq": 1}
        place |= {
            "seq": (millis << SEQ_BITS) + one.place,
            "event": event.get(one.how, "topic_deletion_completed"),
        }
        rows["controller_line"].append(line | place)
    for cluster in {one.cluster for one in lines}:
        for epoch in (1, 2):
            seen = dict.fromkeys(("elected_at", "first_seen_at", "told_from_at"), moment(epoch - 1))
            seen |= dict.fromkeys(("last_seen_at", "told_until_at"), moment(1000))
            rows["term"].append(
                seen
                | {"cluster_id": cluster, "term_id": f"1-{epoch}", "life": 1, "controller_epoch": epoch}
                | {"controller_id": epoch, "mode": "zookeeper", "is_isr_told": True}
            )
    silent = (
        "assignment",
        "partition_state",
        "broker_absence",
        "broker_event",
        "wording_seen",
        "process_run",
        "state_dump",
    )
    names = ("leader_and_isr", "partition_transition", "topic_event", "controller_line", "term", *silent)
    return {
        name: pl.DataFrame(rows[name], schema=empty_frame(BY_SHORT_NAME[name].spec).schema) for name in names
    }


def said_offline(line: Line) -> str:
    """The table that says so: of an election that failed, or of the list of a machine that starts."""
    return ("partition_transition", "state_dump")[line.place % 2]


def moment(at: int) -> datetime:
    return BEGIN + timedelta(milliseconds=at)


def built(tables: dict[str, pl.DataFrame], begin: datetime | None, **before: pl.DataFrame) -> pl.DataFrame:
    rows = rows_of(partition_timeline, **tables, **before, span=Span(begin))
    return frame_of(declared_table(rows, SPEC))


def noted(rows: pl.DataFrame) -> dict[Partition, list[Noted]]:
    found: dict[Partition, list[Noted]] = defaultdict(list)
    for row in rows.sort("interval_seq").to_dicts():
        lists = (None if row[name] is None else tuple(row[name]) for name in ("isr", "replicas"))
        known = (row["state"], row["leader"], row["leader_epoch"], *lists)
        key = row["cluster_id"], row["topic"], row["topic_life"], row["partition"]
        place = row["evidence"][0]["byte_offset"]
        found[key].append(Noted(since(row["valid_from_at"]), since(row["valid_until_at"]), place, known))
    return found


def since(at: datetime | None) -> Any:
    return None if at is None else (at - BEGIN) // timedelta(milliseconds=1)


def test_generated_lines() -> None:
    """The intervals are the twin's, without holes; and built from midnight on they are those of building all."""
    random = Random(SEED)  # noqa: S311  no secrets are drawn
    lines = [one for number in range(CLUSTERS) for one in generated(random, f"{number}")]
    tables = tables_of(lines)
    nothing = {
        "deletion_before": pl.DataFrame(schema=DELETION_BEFORE),
        "timeline_before": empty_frame(SPEC),
    } | NO_SESSIONS
    whole = built(tables, None, **nothing)
    found, expected = noted(whole), intervals(lines)
    assert found == {key: rows for key, rows in expected.items() if rows}
    assert sum(map(len, expected.values())) > 5 * CLUSTERS
    for rows in found.values():
        require_algebra(rows)
    late = {
        name: tables[name].filter(col("logged_at") >= MIDNIGHT)
        for name in ("leader_and_isr", "partition_transition", "topic_event", "controller_line")
    }
    said = [late[name] for name in ("leader_and_isr", "partition_transition", "topic_event")]
    before = {
        "deletion_before": deletion_before(tables["topic_event"], tables["controller_line"], MIDNIGHT),
        "timeline_before": timeline_before(whole, said, MIDNIGHT),
    } | NO_SESSIONS
    from_midnight = built(tables | late, MIDNIGHT, **before)
    expected_rows = whole.filter(reaching("valid_until_at", MIDNIGHT))
    assert_frame_equal(from_midnight, expected_rows, check_row_order=False)
    assert from_midnight.height > CLUSTERS


def require_algebra(rows: list[Noted]) -> None:
    """None overlaps the next."""
    for one, following in pairwise(rows):
        assert one.until is not None and one.begun <= one.until <= following.begun
