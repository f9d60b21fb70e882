"""What follows from a fenced leader in KRaft mode, which nobody alive prints."""

import polars as pl
from polars import col, lit

from pipeline.core.stretches import TIME
from pipeline.gold.partition_timeline.kraft_disks import blocked_by_disk
from pipeline.gold.partition_timeline.kraft_fencing import (
    brokers_out_by_decision,
    held_states,
    leaderships_of_states,
    with_fences,
    with_leaderships,
    with_lost_brokers,
)
from pipeline.model.partitions.partition_states import IDENTITY
from schemas.gold import partition_timeline
from schemas.silver import broker_absence
from tests.frames import at, frame

HEAD = "cluster_id | topic_id | partition | valid_from_at | leader | leader_epoch | partition_epoch | isr | replicas"
ABSENT = "cluster_id | broker_id | out_at | back_at | is_fence | event | file_id | byte_offset | is_partial"
Held = list[tuple[object, ...]]


def states_of(*rows: str) -> pl.DataFrame:
    """States of one partition, as model.partitions.partition_states has them."""
    text = "\n".join([HEAD, *(f"c | t | 0 | {row}" for row in rows)])
    return frame(partition_timeline.SPEC, text).with_columns(
        at="valid_from_at",
        topic=lit("t"),
        event=lit("said"),
        file_id=lit("f"),
        byte_offset=lit(0, pl.Int64),
        first_seq=lit(None, pl.Int64),
        known_certainty=lit(None, pl.String),
    )


def absences_of(*rows: str) -> pl.DataFrame:
    text = "\n".join([ABSENT, *(f"c | {row} | decided | f | {n} | false" for n, row in enumerate(rows, 1))])
    return frame(broker_absence.SPEC, text)


def told(states: pl.DataFrame, absences: pl.DataFrame, lines: pl.DataFrame | None = None) -> pl.DataFrame:
    """lines: what brokers say of partitions that lie in a log directory that failed."""
    none = states.select(*IDENTITY, "at").clear().with_columns(step=lit("blocked"), node_id=lit(0, pl.Int32))
    ends = pl.DataFrame({"cluster_id": ["c"], "topic_id": ["t"], "topic_life": [1]}).with_columns(
        gone_at=lit(None, TIME), is_gone_before=lit(value=False), gone_by=lit(None, pl.String)
    )
    whole = absences.filter(~col("is_partial"))
    disks = blocked_by_disk(none if lines is None else lines, absences)
    led = with_leaderships(states).pipe(with_lost_brokers, whole)
    assigned = states.filter(col("replicas").is_not_null()).select(*IDENTITY, "at", "replicas")
    of_leaders = leaderships_of_states(led, ends).with_columns(
        is_watched=lit(value=True), hole_from_at=lit(None, TIME)
    )
    return held_states(led, with_fences(of_leaders, brokers_out_by_decision(whole), disks, assigned)).sort(
        "at"
    )


def found(states: pl.DataFrame, absences: pl.DataFrame, lines: pl.DataFrame | None = None) -> Held:
    columns = ("at", "leader", "leader_epoch", "partition_epoch", "certainty", "byte_offset")
    rows = told(states, absences, lines).select(columns).rows()
    return [((row[0] - at(0)).total_seconds(), *row[1:]) for row in rows]


def test_the_next_leader_leads_from_the_decision_on() -> None:
    states = states_of("1 | 1 | 0 | 0 | [1 2] | [1 2]", "12 | 2 | 1 | 1 | [2] |")
    assert found(states, absences_of("1 | 10 | | true")) == [
        (1.0, 1, 0, 0, "proved", 0),
        (10.0, 2, 1, 1, "inferred", 1),
        (12.0, 2, 1, 1, "proved", 0),
    ]


def test_who_took_over_is_fenced_before_any_line_states_it() -> None:
    """Brokers print what they apply some tenths of a second after the decisions: two brokers may be fenced by then."""
    states = states_of(
        "1 | 1 | 0 | 0 | [1 2 3] | [1 2 3]", "12 | 2 | 1 | 1 | [2 3] |", "12.5 | 3 | 2 | 2 | [3] |"
    )
    assert found(states, absences_of("1 | 10 | | true", "2 | 11 | | true")) == [
        (1.0, 1, 0, 0, "proved", 0),
        (10.0, 2, 1, 1, "inferred", 1),
        (11.0, 3, 2, 2, "inferred", 2),
        (12.5, 3, 2, 2, "proved", 0),
    ]


def test_who_leads_is_unknown_until_nobody_is_left() -> None:
    states = states_of("1 | 1 | 0 | 0 | [1 2] | [1 2]")
    out = absences_of("1 | 10 | 40 | true", "2 | 20 | | true", "3 | 30 | | true")
    assert found(states, out) == [
        (1.0, 1, 0, 0, "proved", 0),
        (10.0, None, 1, None, "undetermined", 1),
        (20.0, -1, None, None, "inferred", 2),
    ]


def test_nobody_leads_at_once_where_the_last_one_is_fenced() -> None:
    states = states_of("1 | 1 | 0 | 0 | [1] | [1 2]")
    assert found(states, absences_of("1 | 10 | | true"))[1:] == [(10.0, -1, 1, None, "inferred", 1)]


def test_who_may_shut_down_leads_on_unless_another_one_takes_over() -> None:
    allowed = absences_of("1 | 10 | | false")
    alone = states_of("1 | 1 | 0 | 0 | [1 2] | [1 2]", "30 | 1 | 0 | 1 | [2 1] |")
    assert [row[0] for row in found(alone, allowed)] == [1.0, 30.0]
    handed = states_of("1 | 1 | 0 | 0 | [1 2] | [1 2]", "30 | 2 | 1 | 1 | [2] |")
    assert [row[:2] for row in found(handed, allowed)] == [(1.0, 1), (10.0, 2), (30.0, 2)]


def test_a_fence_of_an_earlier_leader_tells_nothing() -> None:
    states = states_of("1 | 1 | 0 | 0 | [1 2] | [1 2]", "5 | 2 | 1 | 1 | [2 1] |")
    assert [row[0] for row in found(states, absences_of("1 | 10 | | true"))] == [1.0, 5.0]


def test_a_replica_in_service_that_left_may_be_no_replica_any_more() -> None:
    """After a gap in the partition epochs nothing is said of it, and the state is inferred."""
    states = states_of("1 | 1 | 0 | 0 | [1 2 3] | [1 2 3]", "5 | 1 | 1 | 1 | [1] |", "9 | 1 | 2 | 3 | [] |")
    rows = told(states, absences_of("2 | 4 | | true"))
    assert rows.filter(col("lost").is_not_null()).select("partition_epoch", "lost").rows() == [(1, [3])]
    assert rows["certainty"].to_list() == ["proved", "proved", "inferred"]


def blocked_at(*times: float) -> pl.DataFrame:
    """Broker 1 says of the partition that it lies in a log directory that failed."""
    row = {"cluster_id": "c", "topic_id": "t", "partition": 0, "node_id": 1, "step": "blocked"}
    types = {"partition": pl.Int32, "node_id": pl.Int32}
    return pl.DataFrame([row | {"at": at(time)} for time in times], schema_overrides=types)


def disk_of(*rows: str) -> pl.DataFrame:
    text = "\n".join([ABSENT, *(f"c | {row} | decided | f | {n} | true" for n, row in enumerate(rows, 1))])
    return frame(broker_absence.SPEC, text)


def test_a_lost_log_directory_takes_the_leader_of_what_the_broker_names() -> None:
    """Nobody leads where the leader was the last in sync, the next leader where not; what lies elsewhere is led on."""
    alone = states_of("1 | 1 | 0 | 0 | [1] | [1 2]", "40 | 1 | 2 | 2 | [1] |")
    failed = disk_of("1 | 10 | 39 | true")
    assert [row[:2] for row in found(alone, failed, blocked_at(10.5))] == [(1.0, 1), (10.0, -1), (40.0, 1)]
    assert [row[:2] for row in found(alone, failed)] == [(1.0, 1), (40.0, 1)]
    assert [row[:2] for row in found(alone, failed, blocked_at(9, 71))] == [(1.0, 1), (40.0, 1)]
    handed = states_of("1 | 1 | 0 | 0 | [1 2] | [1 2]", "12 | 2 | 1 | 1 | [2] |")
    assert [row[:2] for row in found(handed, failed, blocked_at(10.5))] == [(1.0, 1), (10.0, 2), (12.0, 2)]
