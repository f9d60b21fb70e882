"""Outages of partitions: who was gone, since when at most, how each ended, and what is none."""

from datetime import datetime

import polars as pl
import pytest
from polars import col, lit

from pipeline.core.frames import empty_frame
from pipeline.core.span import ALL_TIME, Span
from pipeline.gold import partition_outage
from pipeline.model.partitions.service import unlisted_terms
from pipeline.model.partitions.service_parts import ended_intervals, in_parts
from pipeline.model.settings import SessionLimit
from schemas.gold import broker_session, partition_timeline
from schemas.gold.partition_outage import SPEC
from schemas.silver import (
    broker_absence,
    broker_setting,
    controller_line,
    release_span,
    state_dump,
    term,
    wording_seen,
)
from tests.chain import built
from tests.frames import at, frame
from tests.gold.conftest import LOGS
from tests.rows import declared_rows, records_in, same_rows

TOLD = (
    "topic",
    "partition",
    "noticed_at",
    "ended_at",
    "ended_how",
    "root_event",
    "root_broker_id",
    "root_left_how",
    "old_leader",
    "new_leader",
)


@pytest.fixture(scope="module")
def outages() -> pl.DataFrame:
    """Of the story."""
    found: pl.DataFrame = built(records_in(LOGS), "partition_outage")["partition_outage"]
    return found


def test_outages_of_a_story(outages: pl.DataFrame) -> None:
    """Broker 2 dies; topic b is deleted before it got another leader; the next controller does not find broker 1."""
    expected = frame(
        SPEC,
        """
        topic | partition | noticed_at | ended_at | ended_how | low_ms | high_ms | root_event          | root_broker_id | root_left_how      | old_leader | new_leader | certainty
        a     | 0         | 10         | 10.002   | elected   | 2      | 9002    | broker failure      | 2              | uncontrolled       | 2          | 1          | inferred
        b     | 0         | 10         | 20       | deleted   | 10000  | 19000   | broker failure      | 2              | uncontrolled       | 2          |            | inferred
        a     | 0         | 29.010     |          |           |        |         | controller start-up | 1              | missing_at_startup | 1          |            | inferred
        a     | 1         | 29.010     |          |           |        |         | controller start-up | 1              | missing_at_startup | 1          |            | inferred
        """,
    )
    same_rows(outages, expected, *TOLD, "low_ms", "high_ms", "certainty")


# A log directory of broker 3 fails, and is still gone when it comes back: who leads there has no other replica.
LOST_DIR = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:01,010] INFO [Controller id=1] Currently active brokers in the cluster: Set(1, 3) (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,000] INFO [Controller id=1] Handling log directory failure for brokers 3 (kafka.controller.KafkaController)
    [2026-11-21 00:00:20,000] INFO [Controller id=1] Starting topic deletion for topics b (kafka.controller.KafkaController)
"""
MARKED = """
    [2026-11-21 00:00:02,000] INFO [Controller id=1 epoch=1] Changed partition a-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=3, leaderEpoch=0, isr=List(3), zkVersion=0) (state.change.logger)
    [2026-11-21 00:00:10,001] INFO [Controller id=1] Mark replicas a-0 on broker 3 as offline (state.change.logger)
    [2026-11-21 00:00:10,002] TRACE [Controller id=1 epoch=1] Changed partition a-0 state from OnlinePartition to OfflinePartition (state.change.logger)
    [2026-11-21 00:00:18,000] INFO [Controller id=1 epoch=1] Changed partition a-0 from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader=3, leaderEpoch=1, isr=List(3), zkVersion=1) (state.change.logger)
    [2026-11-21 00:00:20,001] INFO [Controller id=1] Mark replicas a-0 on broker 3 as offline (state.change.logger)
    [2026-11-21 00:00:20,002] TRACE [Controller id=1 epoch=1] Changed partition a-0 state from OnlinePartition to OfflinePartition (state.change.logger)
"""


def test_a_log_directory_that_failed_is_the_root_and_its_broker_the_one_that_led_there() -> None:
    logs = {(1, "controller"): LOST_DIR, (1, "state-change"): MARKED}
    expected = frame(
        SPEC,
        """
        topic | partition | noticed_at | ended_at | ended_how | root_event      | root_broker_id | old_leader | new_leader | unserved_from_at | certainty
        a     | 0         | 10.002     | 18       | elected   | log-dir failure | 3              | 3          | 3          | 10.002           | proved
        a     | 0         | 20.002     |          |           | log-dir failure | 3              | 3          |            | 20.002           | proved
        """,
    )
    found = built(records_in(logs), "partition_outage")["partition_outage"]
    same_rows(found, expected, *TOLD, "unserved_from_at", "certainty")


def test_a_start_up_notices_what_happened_after_the_controller_before(outages: pl.DataFrame) -> None:
    """The last line that names epoch 1 is of 10.003: a broker that died then may have been silent for 9 s already."""
    expected = frame(SPEC, "topic | partition | unserved_from_at\na | 0 | 1.003\na | 1 | 1.003")
    found = outages.filter(root_left_how="missing_at_startup")
    same_rows(found, expected, "topic", "partition", "unserved_from_at")


SESSIONS = """
    cluster_id | broker_id | joined_at | left_at | left_how     | left_term_id | left_event_seq
    c          | 1         | 1         | 100     | uncontrolled | 1-1          | 50
    c          | 1         | 200       |         |              |              |
    c          | 2         | 1         | 300     | bounced      | 1-1          | 60
    c          | 2         | 300       |         |              |              |
    c          | 3         | 1         |         |              |              |
"""
TIMELINE = """
    cluster_id | topic    | topic_life | partition | interval_seq | valid_from_at | valid_until_at | state            | leader | is_deleting | term_id | event_seq | certainty
    c          | back     | 1          | 0         | 1            | 10            |                | OnlinePartition  | 1      | false       | 1-1     | 5 |
    c          | bounced  | 1          | 0         | 1            | 10            | 300            | OnlinePartition  | 2      | false       | 1-1     | 5 |
    c          | bounced  | 1          | 0         | 2            | 300           |                | OnlinePartition  | 3      | false       | 1-1     | 60 |
    c          | moved    | 1          | 0         | 1            | 10            | 100            | OnlinePartition  | 1      | false       | 1-1     | 5 |
    c          | moved    | 1          | 0         | 2            | 100           |                | OnlinePartition  | 3      | false       | 1-1     | 40 |
    c          | stretch  | 1          | 0         | 1            | 10            | 110            | OnlinePartition  | 1      | false       | 1-1     | 5 |
    c          | stretch  | 1          | 0         | 2            | 110           | 120            | OfflinePartition | 1      | false       | 1-1     | 50 |
    c          | stretch  | 1          | 0         | 3            | 120           | 400            | OnlinePartition  | -1     | false       | 1-1     | 51 |
    c          | stretch  | 1          | 0         | 4            | 400           |                | OnlinePartition  | 3      | false       | 1-1     | 70 |
    c          | born     | 1          | 0         | 1            | 10            | 10.001         | NewPartition     |        | false       | 1-1     | 5 |
    c          | born     | 1          | 0         | 2            | 10.001        |                | OnlinePartition  | 3      | false       | 1-1     | 5 |
    c          | unborn   | 1          | 0         | 1            | 10            | 90             | NewPartition     |        | false       | 1-1     | 5 |
    c          | unborn   | 1          | 0         | 2            | 90            |                | OnlinePartition  | 3      | false       | 1-1     | 6 |
    c          | deleting | 1          | 0         | 1            | 10            | 90             | OfflinePartition | 3      | true        | 1-1     | 5 |
    c          | stranger | 1          | 0         | 1            | 10            |                | OnlinePartition  | 9      | false       | 1-1     | 5 |
    c          | doubted  | 1          | 0         | 1            | 10            | 20             | OfflinePartition | -1     | false       | 1-1     | 5         |
    c          | doubted  | 1          | 0         | 2            | 20            | 30             |                  |        | false       | 1-1     | 6         | undetermined
    c          | doubted  | 1          | 0         | 3            | 30            | 40             | OfflinePartition | -1     | false       | 1-1     | 7         |
    c          | doubted  | 1          | 0         | 4            | 40            |                | OnlinePartition  | 3      | false       | 1-1     | 8         |
    c          | gone_too | 1          | 0         | 1            | 10            | 105            | OfflinePartition | -1     | false       | 1-1     | 5         |
    c          | gone_too | 1          | 0         | 2            | 105           |                | OnlinePartition  | 1      | false       | 1-1     | 9         |
    c          | until    | 1          | 0         | 1            | 10            | 20             | OnlinePartition  | 3      | false       | 1-1     | 5         | proved
    c          | until    | 1          | 0         | 2            | 20            | 30             | OfflinePartition | -1     | false       | 1-1     | 6         | proved
    c          | until    | 1          | 0         | 3            | 30            |                | OfflinePartition | -1     | false       | 1-1     | 0         | undetermined
    c          | at_once  | 1          | 0         | 1            | 10            | 20             | OnlinePartition  | 3      | false       | 1-1     | 5         | proved
    c          | at_once  | 1          | 0         | 2            | 20            | 20             | OfflinePartition | -1     | false       | 1-1     | 6         | proved
    c          | at_once  | 1          | 0         | 3            | 20            |                | OfflinePartition | -1     | false       | 1-1     | 0         | undetermined
    c          | anew     | 1          | 0         | 1            | 10            | 20             | OnlinePartition  | 3      | false       | 1-1     | 5         |
    c          | anew     | 1          | 0         | 2            | 20            | 30             | OfflinePartition | -1     | false       | 1-1     | 6         |
    c          | anew     | 1          | 0         | 3            | 30            | 30.001         | NewPartition     |        | false       | 1-1     | 7         |
    c          | anew     | 1          | 0         | 4            | 30.001        |                | OnlinePartition  | 3      | false       | 1-1     | 7         |
"""


SESSION_NAME = pl.format(
    "broker {}, session {}", "broker_id", col("joined_at").rank("ordinal").over("broker_id")
)
TERMS = "cluster_id | term_id | life | controller_epoch | mode\nc | 1-1 | 1 | 1 | zookeeper"


def with_evidence(rows: pl.DataFrame, file_id: pl.Expr) -> pl.DataFrame:
    """Every row rests on a line of its own."""
    place = pl.struct(file_id=file_id, byte_offset=lit(0, pl.Int64))
    return rows.with_columns(evidence=pl.concat_list(place))


def outages_of(
    timeline: str,
    sessions: str,
    before: pl.DataFrame | None = None,
    begin: datetime | None = None,
    since: datetime | None = None,
) -> pl.DataFrame:
    """Of intervals and sessions alone; since: only of parts of intervals that reach it."""
    intervals = with_evidence(
        frame(partition_timeline.SPEC, timeline), col("topic") + col("interval_seq").cast(pl.String)
    )
    listed = with_evidence(
        frame(broker_session.SPEC, sessions).with_columns(mode=lit("zookeeper")), SESSION_NAME
    )
    intervals = in_parts(
        intervals,
        listed,
        unlisted_terms(empty_frame(term.SPEC), empty_frame(wording_seen.SPEC)),
        intervals.clear(),
        ALL_TIME,
    ).select(partition_timeline.SPEC.columns)
    led_before = intervals.clear()
    if since is not None:
        led_before = ended_intervals(intervals.filter(col("valid_until_at") < since, col("leader") >= 0))
        intervals = intervals.filter(col("valid_until_at").is_null() | (col("valid_until_at") >= since))
    rows = partition_outage.build(
        intervals,
        listed,
        empty_frame(broker_absence.SPEC),
        empty_frame(controller_line.SPEC),
        frame(term.SPEC, TERMS),
        empty_frame(state_dump.SPEC),
        empty_frame(broker_setting.SPEC),
        empty_frame(release_span.SPEC),
        SessionLimit(),
        empty_frame(SPEC) if before is None else before,
        led_before,
        Span(begin),
    )
    return declared_rows(rows, SPEC)


def test_what_is_an_outage() -> None:
    """One that begins without a leader goes on while the one that is elected is absent. Not: a leader moved by another act in the very millisecond, a creation in one act, a deletion."""
    expected = frame(
        SPEC,
        """
        topic    | partition | noticed_at | ended_at | ended_how       | root_event     | root_broker_id | root_left_how | old_leader | new_leader
        back     | 0         | 100        | 200      | leader_returned | broker failure | 1              | uncontrolled  | 1          | 1
        bounced  | 0         | 300        | 300      | elected         | broker bounced | 2              | bounced       | 2          | 3
        stretch  | 0         | 100        | 400      | elected         | broker failure | 1              | uncontrolled  | 1          | 3
        unborn   | 0         | 10         | 90       | elected         | unknown        |                |               |            | 3
        stranger | 0         | 10         |          |                 | unknown        | 9              |               | 9          |
        doubted  | 0         | 10         | 20       | lines_missing   | unknown        |                |               |            |
        doubted  | 0         | 30         | 40       | elected         | unknown        |                |               |            | 3
        gone_too | 0         | 10         | 200      | leader_returned | unknown        |                |               |            | 1
        until    | 0         | 20         | 30       | lines_missing   | unknown        |                |               | 3          |
        until    | 0         | 30         |          |                 | unknown        |                |               | 3          |
        at_once  | 0         | 20         |          |                 | unknown        |                |               | 3          |
        anew     | 0         | 20         | 30       | deleted         | unknown        |                |               | 3          |
        """,
    )
    same_rows(outages_of(TIMELINE, SESSIONS), expected, *TOLD)


def test_what_is_in_doubt_takes_nothing_from_what_is_certain_before_it() -> None:
    found = outages_of(TIMELINE, SESSIONS).filter(topic="until").sort("noticed_at")
    assert found["certainty"].to_list() == ["inferred", "undetermined"]


@pytest.mark.parametrize(("topic", "expected"), [("gone_too", None), ("unborn", at(10))])
def test_nobody_knows_since_when_where_nothing_is_known_before(topic: str, expected: datetime | None) -> None:
    found = outages_of(TIMELINE, SESSIONS).filter(topic=topic)
    assert found["unserved_from_at"].to_list() == [expected]


@pytest.mark.parametrize("second", [0, 10, 15, 20, 60, 100, 110, 115, 120, 150, 200, 300, 350, 400, 500])
def test_outages_from_any_day_on_are_those_of_all_days(second: float) -> None:
    """With what reaches that time of the intervals, and of the outages that begin before it."""
    begin = at(second)
    whole = outages_of(TIMELINE, SESSIONS)
    is_before = col("noticed_at") < begin
    reaches = col("ended_at").is_null() | (col("ended_at") >= begin)
    found = outages_of(TIMELINE, SESSIONS, whole.filter(is_before & reaches), begin, begin)
    same_rows(found, whole.filter(~is_before | reaches), *SPEC.columns)


def test_an_outage_by_a_lost_log_directory_is_the_same_from_any_time_on() -> None:
    """Its root is a broker that lives."""
    place = pl.concat_list(pl.struct(file_id=lit("f"), byte_offset=lit(0, pl.Int64)))
    before = frame(SPEC, LOST_BEFORE).with_columns(evidence=place)
    found = outages_of(LOST_TIMELINE, SESSIONS, before, at(120), at(120))
    same_rows(found, before, *TOLD[:3], "root_event", "root_broker_id", "unserved_from_at", "certainty")


LOST_TIMELINE = """
    cluster_id | topic | topic_life | partition | interval_seq | valid_from_at | valid_until_at | state            | leader | is_deleting | term_id | event_seq
    c          | lost  | 1          | 0         | 1            | 10            | 100            | OnlinePartition  | 3      | false       | 1-1     | 5
    c          | lost  | 1          | 0         | 2            | 100           |                | OfflinePartition | 3      | false       | 1-1     | 40
"""
LOST_BEFORE = """
    cluster_id | topic | topic_life | partition | noticed_at | unserved_from_at | root_event      | root_broker_id | old_leader | term_id | certainty
    c          | lost  | 1          | 0         | 100        | 100              | log-dir failure | 3              | 3          | 1-1     | proved
"""


def test_lines_are_those_of_the_departure_and_of_the_election() -> None:
    (stretch,) = outages_of(TIMELINE, SESSIONS).filter(topic="stretch").to_dicts()
    assert [place["file_id"] for place in stretch["evidence"]] == ["broker 1, session 1", "stretch4"]
    (back,) = outages_of(TIMELINE, SESSIONS).filter(topic="back").to_dicts()
    assert [place["file_id"] for place in back["evidence"]] == ["broker 1, session 1", "broker 1, session 2"]


WIPED = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 5 and epoch zk version is now 5 (kafka.controller.KafkaController)
    [2026-11-21 00:00:04,000] INFO [Controller id=1] Ready to serve as the new controller with epoch 5 (kafka.controller.KafkaController)
    [2026-11-21 00:05:00,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
"""
LEFT_OFFLINE = """
    [2026-11-21 00:00:02,000] INFO [Controller id=1 epoch=5] Changed partition a-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=3, leaderEpoch=0, isr=List(3), zkVersion=0) (state.change.logger)
    [2026-11-21 00:00:03,000] TRACE [Controller id=1 epoch=5] Changed partition a-0 state from OnlinePartition to OfflinePartition (state.change.logger)
"""


def test_an_outage_ends_with_its_life_of_the_cluster_and_lasted_until_its_last_line_at_least() -> None:
    logs = {(1, "controller"): WIPED, (1, "state-change"): LEFT_OFFLINE}
    found = built(records_in(logs), "partition_outage")["partition_outage"]
    told = found.select("noticed_at", "ended_at", "ended_how", "low_ms", "certainty").rows()
    assert told == [(at(3), at(300), "wiped", 1000, "inferred")]
