"""Breaches of the imbalance limit: how long each lasted and could not have, and what Kafka did."""

from datetime import datetime

import polars as pl
import pytest
from polars import col, lit

from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.frames import declared_table, frame_of
from pipeline.gold import imbalance_breach
from pipeline.gold.imbalance_breach.reassigning import reassignment_spans
from schemas.gold import broker_session, imbalance_check, leader_imbalance, partition_timeline, reassignment
from schemas.gold.imbalance_breach import SPEC
from schemas.spec import TableSpec
from tests.chain import audit_limit
from tests.frames import at, frame
from tests.kernel_calls import rows_by_shards

# The data end after 600 s; two checks are 60 s, of broker 5 1,000 s.
RATIOS = """
    cluster_id | broker_id | valid_from_at | valid_until_at | preferred_count | led_elsewhere_count | imbalance_ratio | threshold_ratio | check_interval_seconds | is_auto_rebalance_enabled | is_breach | certainty
    c          | 1         | 0             | 50             | 4               | 0                   | 0               | 0.1             | 30                     | true                      | false     | inferred
    c          | 1         | 50            | 60             | 4               | 1                   | 0.25            | 0.1             | 30                     | true                      | true      | inferred
    c          | 1         | 60            | 70             | 4               | 2                   | 0.5             | 0.1             | 30                     | true                      | true      | inferred
    c          | 1         | 70            | 90             | 4               | 0                   | 0               | 0.1             | 30                     | true                      | false     | inferred
    c          | 1         | 90            |                | 4               | 1                   | 0.25            | 0.1             | 30                     | true                      | true      | inferred
    c          | 2         | 100           | 300            | 2               | 1                   | 0.5             | 0.1             | 30                     | true                      | true      | inferred
    c          | 3         | 100           | 300            | 2               | 1                   | 0.5             | 0.1             | 30                     | false                     | true      | undetermined
    c          | 4         | 100           | 300            | 2               | 1                   | 0.5             | 0.1             | 30                     | true                      | true      | inferred
    c          | 5         | 100           | 300            | 2               | 1                   | 0.5             | 0.1             | 500                    | true                      | true      | inferred
"""
# Broker 1 could lead a-0 from 100 s on; 2 was down; 3 could; 4 was not in the ISR; a reassignment went on from 400 s.
LED = """
    cluster_id | topic | topic_life | partition | interval_seq | valid_from_at | valid_until_at | leader | replicas | isr   | is_deleting | adding_replicas
    c          | a     | 1          | 0         | 1            | 50            | 100            | 9      | [1 9]    | [9]   | false       |
    c          | a     | 1          | 0         | 2            | 100           |                | 9      | [1 9]    | [9 1] | false       |
    c          | b     | 1          | 0         | 1            | 100           | 300            | 9      | [2 9]    | [9 2] | false       |
    c          | c     | 1          | 0         | 1            | 100           | 300            | 9      | [3 9]    | [9 3] | false       |
    c          | d     | 1          | 0         | 1            | 100           | 300            | 9      | [4 9]    | [9]   | false       |
    c          | e     | 1          | 0         | 1            | 100           | 300            | 9      | [5 9]    | [9 5] | false       |
    c          | m     | 1          | 0         | 1            | 400           | 450            | 9      | [9 8]    | [9]   | false       | [8]
"""
STAYS = """
    cluster_id | broker_id | joined_at | left_at
    c          | 1         | 0         |
    c          | 2         | 0         | 110
    c          | 2         | 290       |
    c          | 3         | 0         |
    c          | 4         | 0         |
"""
LATER = """
    cluster_id | broker_id | joined_at | left_at | joined_how
    c          | 5         | 300       |         | joined
"""
REASSIGNED = """
    cluster_id | topic | partition | started_at | ended_at | outcome
    c          | m     | 0         | 400        | 450      | completed
    c          | z     | 0         | 60         | 110      | forgotten
    c          | z     | 1         | 70         | 70       | skipped
    d          | a     | 0         | 10         | 20       | failed
    d          | a     | 1         | 30         |          | in_progress
"""
CHECKS = """
    cluster_id | broker_id | checked_at | is_over | is_stale | is_triggered | moved_count
    c          | 1         | 65         | true    | false    | true         | 2
    c          | 1         | 66         | true    | true     | true         | 9
    c          | 1         | 80         | false   | false    | false        | 0
    c          | 1         | 120        | true    | false    | false        | 0
    c          | 1         | 150        | true    | false    | true         | 0
"""
# More partitions of broker 1: able for as long as a-0 but not as early, longer, and of an ISR that may be another.
MORE = """
    cluster_id | topic | topic_life | partition | interval_seq | valid_from_at | valid_until_at | leader | replicas | isr   | is_deleting | is_isr_stale
    c          | f     | 1          | 0         | 1            | 90            | 599            | 9      | [1 9]    | [9 1] | false       | true
    c          | g     | 1          | 0         | 1            | 110           | 200            | 9      | [1 9]    | [9 1] | false       | false
    c          | h     | 1          | 0         | 1            | 50            | 65             | 9      | [1 9]    | [9]   | false       | true
"""
UNTOLD = ("cluster_id", "max_ratio", "preferred_count", "threshold_ratio", "evidence")
DATA_END = pl.DataFrame({"cluster_id": ["c"], "until_at": [at(600)]})
Inputs = dict[str, pl.DataFrame]


@pytest.fixture(scope="module")
def inputs() -> Inputs:
    """The tables that breaches are built from, by short name."""

    def rows(spec: TableSpec, text: str) -> pl.DataFrame:
        line = pl.struct(file_id=lit(spec.name), byte_offset=lit(0, pl.Int64))
        return frame(spec, text).with_columns(evidence=pl.concat_list(line))

    return {
        "leader_imbalance": rows(leader_imbalance.SPEC, RATIOS),
        "imbalance_check": frame(imbalance_check.SPEC, CHECKS),
        "partition_timeline": rows(partition_timeline.SPEC, LED),
        "broker_session": frame(broker_session.SPEC, STAYS),
        "reassignment": frame(reassignment.SPEC, REASSIGNED),
    }


def built(inputs: Inputs, begin: datetime | None, shards: int = 1) -> pl.DataFrame:
    """From that time on, of inputs that reach it."""
    given = {name: since(name, rows, begin) for name, rows in inputs.items()}
    found = rows_by_shards(
        imbalance_breach,
        shards,
        **given,
        audit_limit=audit_limit(imbalance_checks=2),
        data_end=DATA_END,
    )
    return frame_of(declared_table(found, SPEC)).sort("broker_id", "breached_at")


def since(name: str, rows: pl.DataFrame, begin: datetime | None) -> pl.DataFrame:
    if begin is None or BY_SHORT_NAME[name].incremental.is_taken_whole:
        return rows
    return rows.filter(is_reaching(BY_SHORT_NAME[name].incremental.ordered_by or "logged_at", begin))


def is_reaching(column: str, moment: datetime) -> pl.Expr:
    return col(column).is_null() | (col(column) >= moment)


@pytest.fixture(scope="module")
def breaches(inputs: Inputs) -> pl.DataFrame:
    return built(inputs, None)


def test_breaches(breaches: pl.DataFrame) -> None:
    expected = frame(
        SPEC,
        """
        broker_id | breached_at | balanced_at | led_elsewhere_count | check_count | triggered_count | moved_count | able_ms | down_ms | reassigning_ms | duration_ms | is_standing | why                     | certainty
        1         | 50          | 70          | 2                   | 1           | 1               | 2           | 0       | 0       | 10000          | 20000       | false       | preferred_not_in_isr    | inferred
        1         | 90          |             | 1                   | 2           | 1               | 0           | 500000  | 0       | 70000          | 510000      | true        | not_rebalanced          | inferred
        2         | 100         | 300         | 1                   | 0           | 0               | 0           | 10000   | 180000  | 10000          | 200000      | false       | preferred_down          | inferred
        3         | 100         | 300         | 1                   | 0           | 0               | 0           | 200000  | 0       | 10000          | 200000      | true        | auto_rebalance_disabled | undetermined
        4         | 100         | 300         | 1                   | 0           | 0               | 0           | 0       | 0       | 10000          | 200000      | false       | preferred_not_in_isr    | inferred
        5         | 100         | 300         | 1                   | 0           | 0               | 0           | 200000  | 0       | 10000          | 200000      | false       | between_checks          | inferred
        """,
    )
    columns = [name for name in SPEC.columns if name not in UNTOLD]
    assert breaches.select(columns).rows() == expected.select(columns).rows()


def test_heights_of_breaches(breaches: pl.DataFrame) -> None:
    """As the broker stood when its ratio was highest."""
    columns = ("broker_id", "max_ratio", "led_elsewhere_count", "preferred_count", "threshold_ratio")
    assert breaches.select(columns).rows()[:3] == [
        (1, 0.5, 2, 4, 0.1),
        (1, 0.25, 1, 4, 0.1),
        (2, 0.5, 1, 2, 0.1),
    ]


@pytest.mark.parametrize(("second", "first"), [(60, 50), (75, 75), (95, 90), (200, 90), (400, 90)])
def test_breaches_that_reach_a_time_rest_on_all_since_they_began(
    inputs: Inputs, breaches: pl.DataFrame, second: int, first: int
) -> None:
    """A reassignment that began before counts, too; of what was balanced before that time nothing is built."""
    reaching = breaches.filter(is_reaching("balanced_at", at(second)))
    begun = reaching.filter(col("breached_at") < at(second))["breached_at"]
    assert min(begun, default=at(second)) == at(first)
    found = built(inputs, at(first)).filter(is_reaching("balanced_at", at(second)))
    assert found.rows() == reaching.rows()


@pytest.mark.parametrize("shards", [2, 3, 7])
def test_shards_of_topics_serve_as_all_at_once(inputs: Inputs, breaches: pl.DataFrame, shards: int) -> None:
    """The longest stretch is of one of them, and some say that it is not known who was in the ISR."""
    more = frame(partition_timeline.SPEC, MORE).with_columns(
        evidence=pl.concat_list(
            pl.struct(file_id=lit("more"), byte_offset=col("topic").rank("dense").cast(pl.Int64))
        )
    )
    many = inputs | {"partition_timeline": pl.concat([inputs["partition_timeline"], more])}
    whole = built(many, None)
    assert whole["certainty"].to_list() != breaches["certainty"].to_list()
    assert whole["able_ms"].to_list() != breaches["able_ms"].to_list()
    assert built(many, None, shards).rows() == whole.rows()


def test_a_broker_is_live_as_long_as_no_list_named_any(inputs: Inputs, breaches: pl.DataFrame) -> None:
    """That one names it after a breach changes nothing of that breach."""
    sessions = pl.concat([inputs["broker_session"], frame(broker_session.SPEC, LATER)])
    assert built(inputs | {"broker_session": sessions}, None).rows() == breaches.rows()


@pytest.mark.parametrize(("joined_how", "down_ms"), [("joined", 30_000), ("listed_at_startup", 0), ("", 0)])
def test_how_long_a_broker_had_been_there_that_a_controller_finds_is_not_known(
    inputs: Inputs, joined_how: str, down_ms: int
) -> None:
    """One that joins amid a breach was down until then."""
    text = f"""
        cluster_id | broker_id | joined_at | left_at | joined_how
        c          | 1         | 120       |         | {joined_how}
    """
    found = built(inputs | {"broker_session": frame(broker_session.SPEC, text)}, None)
    assert found.filter(col("breached_at") == at(90))["down_ms"].to_list() == [down_ms]


def test_a_reassignment_goes_on_until_it_ends_and_one_that_is_not_begun_does_not() -> None:
    found = reassignment_spans(frame(reassignment.SPEC, REASSIGNED))
    assert found.sort("cluster_id", "from_at").rows() == [
        ("c", at(60), at(110)),
        ("c", at(400), at(450)),
        ("d", at(10), at(20)),
        ("d", at(30), None),
    ]


def test_a_breach_shows_its_begin_its_height_and_that_the_broker_could_lead(breaches: pl.DataFrame) -> None:
    (row,) = breaches.filter(col("broker_id") == 1, col("balanced_at").is_null()).to_dicts()
    files = [line["file_id"] for line in row["evidence"]]
    assert files == ["gold.leader_imbalance", "gold.partition_timeline"]


def test_no_breach_of_nothing(inputs: Inputs) -> None:
    assert built({name: rows.clear() for name, rows in inputs.items()}, None).is_empty()
