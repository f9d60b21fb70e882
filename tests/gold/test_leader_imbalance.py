"""Ratios of brokers: one interval a controller event, topics queued for deletion left out, strictly over the limit."""

from typing import Any

import polars as pl
import pytest
from polars import col, lit, when

from pipeline.core.frames import declared_table, empty_frame, frame_of
from pipeline.core.span import ALL_TIME, Span
from pipeline.gold import leader_imbalance
from pipeline.model.settings import BalancingSetting, StatedBalancing
from pipeline.model.terms.succession import unseen_from
from schemas.gold import partition_timeline
from schemas.gold.leader_imbalance import SPEC
from schemas.silver import broker_setting, term
from schemas.silver.broker_setting import ENABLE, INTERVAL, PER_BROKER
from tests.chain import built
from tests.frames import at, frame
from tests.gold.conftest import LOGS
from tests.kernel_calls import rows_of
from tests.tables import log_table

COLUMNS = (
    "broker_id",
    "valid_from_at",
    "valid_until_at",
    "preferred_count",
    "led_elsewhere_count",
    "is_breach",
)
Story = dict[str, Any]


@pytest.fixture(scope="module")
def story() -> Story:
    """Ratios of the one small story, and all that they stand on, by short name."""
    return built(log_table(LOGS), "leader_imbalance")


def imbalance(story: Story, **given: Any) -> list[dict[str, Any]]:
    """Rows of the story with other inputs."""
    names = ("partition_timeline", "term", "balancing_setting", "broker_setting")
    inputs = {name: story[name] for name in names} | given
    found = rows_of(leader_imbalance, **inputs, imbalance_before=empty_frame(SPEC), span=Span())
    return found.sort("broker_id", "valid_from_at").to_dicts()


def test_intervals_of_imbalance(story: Story) -> None:
    expected = frame(
        SPEC,
        """
        broker_id | valid_from_at | valid_until_at | preferred_count | led_elsewhere_count | is_breach
        1         | 2.002         |                | 1               | 0                   | false
        2         | 2.002         | 10.002         | 2               | 0                   | false
        2         | 10.002        | 20             | 2               | 1                   | true
        2         | 20            |                | 1               | 1                   | true
        """,
    )
    found = story["leader_imbalance"].sort("broker_id", "valid_from_at")
    assert found.select(COLUMNS).rows() == expected.select(COLUMNS).rows()
    assert set(found["imbalance_ratio"]) == {0.0, 0.5, 1.0}


def cluster(**said: Any) -> BalancingSetting:
    return BalancingSetting(StatedBalancing(**said))


def test_a_ratio_equal_to_the_limit_is_no_breach(story: Story) -> None:
    own = (2, StatedBalancing(0.5, source="server.properties"))
    limit = BalancingSetting(StatedBalancing(0.1, source="conf"), (own,))
    found = imbalance(story, balancing_setting=limit)
    by_ratio = {row["imbalance_ratio"]: row["is_breach"] for row in found if row["broker_id"] == 2}
    assert by_ratio == {0.0: False, 0.5: False, 1.0: True}


def test_a_partition_with_no_replicas_is_no_brokers(story: Story) -> None:
    """As Kafka prints `List()`: no preferred leader, and no error."""
    nobody = story["partition_timeline"].with_columns(replicas=lit([], pl.List(pl.Int32)))
    limit = cluster(threshold_ratio=0.1, source="conf")
    assert imbalance(story, partition_timeline=nobody, balancing_setting=limit) == []


PRINTED = f"""
    cluster_id | node_id | logged_at | file_id | byte_offset | name         | value
    c          | 2       | 1         | f       | 0           | {PER_BROKER} | 10
    c          | 2       | 9         | f       | 1           | {PER_BROKER} | 60
    c          | 2       | 9         | f       | 1           | {INTERVAL}   | 20
    c          | 1       | 1         | g       | 0           | {ENABLE}     | false
"""


def test_the_limit_that_a_broker_printed_counts_from_then_on_where_none_is_set(story: Story) -> None:
    """Before its first list a broker goes by that; another limit begins another interval."""
    found = imbalance(story, broker_setting=frame(broker_setting.SPEC, PRINTED))
    of_broker = [row for row in found if row["broker_id"] == 2]
    assert {row["imbalance_ratio"]: row["is_breach"] for row in of_broker} == {
        0.0: False,
        0.5: False,
        1.0: True,
    }
    columns = ("threshold_ratio", "limit_source", "check_interval_seconds", "is_auto_rebalance_enabled")
    assert {(row["broker_id"], *(row[name] for name in columns)) for row in found} == {
        (1, 0.1, "default", 300, False),
        (2, 0.1, "server.log", 20, True),
        (2, 0.6, "server.log", 20, True),
    }
    limits = {(row["valid_from_at"].second, row["threshold_ratio"]) for row in of_broker}
    assert limits == {(2, 0.1), (9, 0.6), (10, 0.6), (20, 0.6)}


# From when on a term may be missing: a: never; b: after the last line of the one before; c: the first ones are;
# d: no line elects it; e: the cluster was wiped; f: and the first epochs of that life are missing.
TERMS = """
    cluster_id | life | controller_epoch | elected_at | first_seen_at | last_seen_at | mode
    a          | 1    | 1                | 1          | 1             | 20           | zookeeper
    a          | 1    | 2                | 10         | 10            | 40           | zookeeper
    b          | 1    | 1                | 1          | 1             | 20           | zookeeper
    b          | 1    | 3                | 50         | 50            | 60           | zookeeper
    b          | 1    | 5                | 70         | 70            | 70           | zookeeper
    c          | 1    | 4                | 10         | 10            | 20           | zookeeper
    d          | 1    | 1                | 1          | 1             | 90           | zookeeper
    d          | 1    | 2                |            | 40            | 90           | zookeeper
    e          | 1    | 1                | 1          | 1             | 20           | zookeeper
    e          | 2    | 1                | 50         | 50            | 90           | zookeeper
    f          | 1    | 1                | 1          | 1             | 20           | zookeeper
    f          | 2    | 2                | 50         | 50            | 90           | zookeeper
    g          | 1    | 7                | 50         | 50            | 90           | kraft
"""


def test_from_when_on_a_term_may_be_missing() -> None:
    found = unseen_from(frame(term.SPEC, TERMS))
    times = {"a": None, "b": at(20), "c": at(10), "d": at(40), "e": None, "f": at(20)}
    assert dict(found.select("cluster_id", "unseen_at").rows()) == times


def test_ratios_are_undetermined_from_then_on(story: Story) -> None:
    """An interval that was known until then is two rows."""
    is_first = col("controller_epoch") == 1
    unelected = story["term"].with_columns(
        elected_at=when(is_first).then("elected_at"), last_seen_at=lit(at(15))
    )
    found = [row for row in imbalance(story, term=unelected) if row["broker_id"] == 2]
    columns = ("led_elsewhere_count", "reason", "certainty")
    assert [(row["valid_from_at"], *(row[name] for name in columns)) for row in found] == [
        (at(2.002), 0, None, "inferred"),
        (at(10.002), 1, None, "inferred"),
        (at(15), 1, "term_unseen", "undetermined"),
        (at(20), 1, "term_unseen", "undetermined"),
    ]


def test_in_kraft_no_limit_is_read(story: Story) -> None:
    printed = frame(broker_setting.SPEC, PRINTED)
    terms = story["term"].with_columns(mode=lit("kraft"))
    limit = cluster(threshold_ratio=0.1, source="conf")
    found = imbalance(story, term=terms, balancing_setting=limit, broker_setting=printed)
    columns = ("threshold_ratio", "limit_source", "is_breach")
    assert {tuple(row[name] for name in columns) for row in found} == {(None, None, None)}
    assert {(row["broker_id"], row["check_interval_seconds"]) for row in found} == {(1, 300), (2, 20)}


# The partition's record was there before its first line; that interval is over when the day begins.
UNBORN = """
    cluster_id | topic | topic_life | partition | interval_seq | valid_from_at | valid_until_at | leader | replicas | is_deleting | topic_id | partition_epoch | certainty
    c          | a     | 1          | 0         | 1            | 10            | 30             | 1      | [1 2]    | false       | id       | 7               | proved
    c          | a     | 1          | 0         | 2            | 30            |                | 1      | [1 2]    | false       | id       | 8               | proved
"""


def test_what_was_so_before_a_day_stays_so() -> None:
    """From when on is told by the row that is open then, not by what of the timeline still is."""
    line = pl.struct(file_id=lit("f"), byte_offset=col("interval_seq"))
    intervals = frame(partition_timeline.SPEC, UNBORN).with_columns(evidence=pl.concat_list(line))
    given = {
        "term": empty_frame(term.SPEC),
        "balancing_setting": BalancingSetting(),
        "broker_setting": empty_frame(broker_setting.SPEC),
    }
    nothing = {"imbalance_before": empty_frame(SPEC), "span": ALL_TIME}
    made = rows_of(leader_imbalance, partition_timeline=intervals, **given, **nothing)
    whole = frame_of(declared_table(made, SPEC))
    columns = ("valid_from_at", "valid_until_at", "reason")
    assert whole.select(columns).rows() == [(at(10), None, "creation_unseen")]
    later = intervals.filter(col("valid_until_at").is_null())
    before = {"imbalance_before": whole, "span": Span(at(40))}
    made = rows_of(leader_imbalance, partition_timeline=later, **given, **before)
    found = frame_of(declared_table(made, SPEC))
    assert found.rows() == whole.rows()
