"""Terms: how they began, how they ended, and what was done after they were over."""

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from schemas.gold.controller_term import ENDED_HOW, GAP_KINDS, OVERLAPS, SPEC
from tests.gold.term_stories import STEPS, STORIES, records
from tests.tables import built_in_turn, same_rows, table

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def terms(spark: SparkSession) -> DataFrame:
    """First terms of the stories, one a cluster."""
    found = built_in_turn(spark, records(spark, STORIES | STEPS), "controller_term")["controller_term"]
    return found.where("controller_epoch = 1").localCheckpoint()


def test_terms(spark: SparkSession, story: dict[str, DataFrame]) -> None:
    expected = table(
        spark,
        SPEC,
        """
        term_id | controller_id | elected_at | ready_ms | superseded_at | ended_at | ended_how       | gap_ms | overlap
        1-1     | 1             | 1          | 100      | 29            | 31       | session_expired | -2000  | resignation_tail
        1-2     | 3             | 29         |          |               |          | open            |        |
        """,
    )
    columns = ("term_id", "controller_id", "elected_at", "ready_ms", "superseded_at", "ended_at", "ended_how")
    same_rows(story["controller_term"], expected, *columns, "gap_ms", "overlap")


ENDS = """
    cluster_id               | ended_how         | resigning_at | last_act_at | ended_at | gap_ms | gap_kind
    crashed                  | crashed           |              | 5           | 5        | 7000   | session_timeout
    crashed, shut down later | crashed           |              | 1.1         | 1.1      | 10900  | session_timeout
    shutdown                 | shutdown          | 10.001       | 10          | 10.001   | 1999   | handover
    session_expired          | session_expired   | 10           | 1.1         | 10       | 2000   | handover
    znode_gone               | znode_gone        | 10           | 1.1         | 10       | 2000   | handover
    next unseen              |                   | 10           | 1.1         | 10       |        | unknown
    forced                   | forced            | 10           | 9.9         | 9.9      | 2100   | handover
    startup_failed           | startup_failed    | 9.001        | 9           | 9        | 3000   | handover
    superseded_unseen        | superseded_unseen |              | 12.5        |          |        | unknown
    its end was not read     | superseded_unseen |              | 1.1         |          |        | unknown
    open                     | open              |              | 1.1         |          |        |
    sole broker              | shutdown          | 2.001        | 2           | 2.001    | 48999  | sole_broker
    0.10 shutdown            | shutdown          | 10           | 1.01        | 10       | 2000   | handover
    0.10 expired             | session_expired   | 10           | 9.999       | 10       | 2000   | handover
    0.8 restarted            |                   |              | 1.01        |          |        | unknown
"""
KRAFT = """
    cluster_id         | ended_how         | resigning_at | last_act_at | ended_at | gap_ms | gap_kind      | vacant_from_at
    renounced          | renounced         | 10           | 1           | 10       | 2000   | handover      |
    renounced late     | renounced         | 16           | 1           | 16       | -4000  | none          |
    event_failed       | event_failed      | 10           | 1           | 10       | 2000   | handover      |
    process_end        | process_end       |              | 5           | 5        | 7000   | fetch_timeout |
    claimed again      | process_end       |              | 5           | 5        | 7000   | fetch_timeout |
    sole controller    | process_end       |              | 5           | 5        | 16000  | sole_broker   |
    one of several     | process_end       |              | 5           | 5        | 16000  | fetch_timeout |
    quorum lost        | process_end       |              | 3           | 3        | 11000  | fetch_timeout | 4
    nobody since       |                   |              | 3           |          |        |               | 4
    shut down          |                   |              | 3           |          |        |               | 4
    next active unseen | renounced         | 10           | 1           | 10       |        | unknown       |
    none of its lines  |                   |              | 1.1         |          |        |               |
"""
DEEDS = """
    cluster_id        | gap_ms | overlap          | acts_after_count | writes_after_count | last_write_at | refused_count
    tail              | -4000  | resignation_tail | 0                | 0                  |               | 0
    harmless          | -4000  | zombie_harmless  | 2                | 0                  |               | 0
    talked            | -4000  | zombie_talked    | 2                | 0                  |               | 1
    wrote             | -4000  | zombie_wrote     | 3                | 2                  | 15.5          | 0
    deeds not printed | -4000  |                  | 1                |                    |               | 0
    clocks differ     | -4000  |                  | 2                | 1                  | 15            | 0
    znode_gone        | 2000   |                  | 0                |                    |               | 0
    next unseen       |        |                  |                  |                    |               | 0
"""
FENCED = """
    cluster_id      | epoch_zk_version | ended_how  | fenced_count | fenced_from_at | fenced_until_at
    powerless       | 2                | znode_gone | 2            | 4              | 10
    powerless still | 2                | open       | 1            | 4              |
    znode_gone      | 2                | znode_gone | 0            |                |
    wrote           |                  | session_expired | 0  |                |
"""


@pytest.mark.parametrize("text", [ENDS, KRAFT, DEEDS, FENCED])
def test_each_way(spark: SparkSession, terms: DataFrame, text: str) -> None:
    expected = table(spark, SPEC, text)
    names = [name.strip() for name in text.strip().splitlines()[0].split("|")]
    told = terms.join(F.broadcast(expected.select("cluster_id")), on="cluster_id", how="left_semi")
    same_rows(told, expected, *names)


def test_every_value_has_its_story(terms: DataFrame) -> None:
    rows = terms.collect()
    assert {row.ended_how for row in rows} - {None} == set(ENDED_HOW)
    assert {row.gap_kind for row in rows} - {None} == set(GAP_KINDS)
    assert {row.overlap for row in rows} - {None} == set(OVERLAPS)


def test_last_step_of_a_start_that_failed(terms: DataFrame) -> None:
    row = terms.where("cluster_id = 'startup_failed'").collect()[0]
    assert (row.ready_at, row.last_step) == (None, "initializing_context")
    assert row.steps == {"elected": 500, "registering_handlers": 100}


def test_steps_by_release(terms: DataFrame) -> None:
    found = terms.where(F.col("cluster_id").isin(*STEPS)).collect()
    assert {row.cluster_id: row.steps for row in found} == {
        "0.10": {"failover_started": 10, "epoch_incremented": 40, "context_loaded": 150, "ready": 100},
        "1.0": {"elected": 10, "failover_started": 10, "epoch_read": 20, "epoch_incremented": 160, "ready": 100},
        "2.0": {
            "elected": 10, "reading_epoch": 20, "incrementing_epoch": 10, "epoch_incremented": 10,
            "registering_handlers": 150, "ready": 100,
        },
        "2.1": {
            "elected": 0, "registering_handlers": 50, "initializing_context": 50, "context_loaded": 100,
            "ready": 100,
        },
    }  # fmt: skip
    assert all(row.last_step is None and row.ready_ms == 200 for row in found)


def test_evidence_is_the_election_the_resignation_and_the_next_election(story: dict[str, DataFrame]) -> None:
    lines = {
        row.term_id: [one.byte_offset for one in row.evidence] for row in story["controller_term"].collect()
    }
    records = story["log_record"].where("event IN ('controller_elected', 'controller_resigning')").collect()
    offsets = {(row.node_id, row.event): row.byte_offset for row in records}
    elected = [offsets[1, "controller_elected"], offsets[3, "controller_elected"]]
    assert lines["1-1"] == [elected[0], offsets[1, "controller_resigning"], elected[1]]
    assert lines["1-2"] == [offsets[3, "controller_elected"]]
