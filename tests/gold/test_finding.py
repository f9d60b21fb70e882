"""Findings: one per rule and root event, with a stable name and a status that follows what was published."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from jobs.settings_frames import suppression
from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.gold.finding.elections import last_known_leader, leader_choice, unclean_election
from pipeline.gold.finding.moves import discontinuity
from pipeline.gold.finding.wording import EVIDENCE_KEPT
from schemas.gold import controller_term, leader_election, replay_check
from schemas.silver import log_gap
from tests.tables import built, log_records, table

DAY = datetime(2026, 11, 21, tzinfo=UTC)


def rebuilt(story: dict[str, DataFrame], published: DataFrame, **others: DataFrame) -> DataFrame:
    own = BY_SHORT_NAME["finding"]
    assert own.build is not None
    given = story | others | {"published_finding": published}
    return own.build(**{name: given[name] for name in own.inputs})


@pytest.mark.spark
def test_what_the_story_finds(story: dict[str, DataFrame]) -> None:
    found = {row.rule: row for row in story["finding"].collect() if row.rule != "outage"}
    assert set(found) == {"illegal_move", "blocked_deletion"}
    assert found["illegal_move"].severity == "critical"
    assert "NonExistentPartition -> OnlinePartition, first of a-1" in found["illegal_move"].sentence
    assert found["blocked_deletion"].severity == "warning"
    assert found["blocked_deletion"].valid_until_at is None
    assert all(row.evidence for row in found.values())


@pytest.mark.spark
def test_evidence_is_what_the_sentence_speaks_of(story: dict[str, DataFrame]) -> None:
    records = story["log_record"].select("file_id", "byte_offset", "node_id", "event").collect()
    events = {(row.file_id, row.byte_offset): (row.node_id, row.event) for row in records}
    found = story["finding"].where("rule <> 'outage'").collect()
    lines = {row.rule: [events[tuple(one)] for one in row.evidence] for row in found}
    assert lines == {
        "illegal_move": [(1, "partition_transition")],
        "blocked_deletion": [(1, "topic_deletion_not_retried"), (1, "topic_deletion_requested")],
    }


@pytest.mark.spark
def test_evidence_of_a_discontinuity_are_its_first_moves_each_with_the_one_before(
    story: dict[str, DataFrame],
) -> None:
    moves = story["transition_audit"].where("verdict = 'valid' AND from_state = 'NewPartition'")
    following = sorted((row.seq, [tuple(one) for one in row.evidence]) for row in moves.collect())
    copies = moves.withColumn("verdict", F.lit("discontinuity")).withColumn(
        "copy", F.explode(F.sequence(F.lit(1), F.lit(2)))
    )
    found = discontinuity(copies).collect()
    kept = [one for seq, pair in following for one in pair * 2][: 2 * EVIDENCE_KEPT]
    assert [[tuple(one) for one in row.evidence] for row in found] == [kept]
    assert found[0].sentence.endswith("6 partition move(s) NewPartition -> OnlinePartition, first of a-0")


@pytest.mark.spark
def test_status_follows_what_was_published(story: dict[str, DataFrame]) -> None:
    again = rebuilt(story, story["finding"]).collect()
    assert {(row.rule, row.status) for row in again} == {
        ("illegal_move", "resolved"),
        ("blocked_deletion", "ongoing"),
        ("outage", "resolved"),
        ("outage", "ongoing"),
    }
    without = rebuilt(story, story["finding"], topic_event=story["topic_event"].limit(0)).collect()
    assert {row.status for row in without if row.rule == "blocked_deletion"} == {"retracted"}


@pytest.mark.spark
@pytest.mark.parametrize(
    ("given", "silenced"),
    [
        ({"rule": "outage"}, {("outage", "broker 1"), ("outage", "broker 2")}),
        ({"entity": "broker [13]"}, {("outage", "broker 1")}),
        ({"entity": "broker"}, set()),
        ({"rule": "outage", "entity": ".* 2"}, {("outage", "broker 2")}),
        ({"rule": "no_controller", "entity": ".* 2"}, set()),
        ({"since": 5, "until": 20}, {("outage", "broker 2")}),
        ({"since": 5, "until": 19}, set()),
    ],
)  # fmt: skip
def test_what_conf_knows_is_kept_and_not_told(
    story: dict[str, DataFrame], given: dict[str, Any], silenced: set[tuple[str, str]]
) -> None:
    """In maintenance neither what outlasts it nor what is critical is silent."""
    times = {name: DAY + timedelta(seconds=at) for name, at in given.items() if name in {"since", "until"}}
    one = suppression(reason="why", **(given | times))
    limits = story["audit_limit"].withColumn("suppressions", F.array(one))
    found = rebuilt(story, story["finding"].limit(0), audit_limit=limits).collect()
    assert {(row.rule, row.entity) for row in found if row.suppressed_by == "why"} == silenced
    assert len(found) == story["finding"].count()


@pytest.mark.spark
def test_what_kafka_says_otherwise_and_what_is_missing(
    spark: SparkSession, story: dict[str, DataFrame]
) -> None:
    """Of gaps only those that take lines away from the replay; a dump that the replay has alike is no finding."""
    gaps = table(
        spark,
        log_gap.SPEC,
        """
        cluster_id | node_id | log        | kind             | from_at | until_at | sentence            | certainty
        c          | 1       | controller | silence          | 40      | 3640     | nothing for an hour | inferred
        c          | 1       | controller | silence            | 41      | 3700     | another event       | inferred
        c          |         |            | term_missing     | 40      | 50       | no line of epoch 3  | proved
        c          | 1       | controller | ends_inside_record | 60    |          | cut                 | proved
        """,
    )
    checks = table(
        spark,
        replay_check.SPEC,
        """
        cluster_id | term_id | check              | machine   | logged_at | said_count | differing_count
        c          | 1-1     | initial_state_dump | replica   | 1         | 12         | 2
        c          | 1-1     | initial_state_dump | partition | 1         | 5          | 0
        """,
    ).withColumn("examples", F.array(F.lit("a-0 replica 2: Kafka OnlineReplica, replay OfflineReplica")))
    found = rebuilt(story, story["finding"].limit(0), log_gap=gaps, replay_check=checks).collect()
    said = sorted(
        (row.severity, row.sentence) for row in found if row.rule in {"missing_logs", "replay_disagreement"}
    )
    assert said == [
        ("info", "cluster, term missing: no line of epoch 3"),
        ("info", "node 1, controller.log, silence: nothing for an hour"),
        (
            "warning",
            "controller 1 (epoch 1) printed 12 state(s) of the replica machine (initial state dump), and the replay "
            "has 2 of them otherwise, first a-0 replica 2: Kafka OnlineReplica, replay OfflineReplica",
        ),
    ]


UNCLEAN = """
    [2026-11-21 00:00:01,000] WARN [OfflinePartitionLeaderSelector]: No broker in ISR is alive for [a,0]. Elect leader 3 from live brokers 3. There's potential data loss. (kafka.controller.OfflinePartitionLeaderSelector)
"""
RECOVERING = """
    [2026-11-21 00:00:02,000] INFO [Controller id=1 epoch=6] Changed partition b.c-1 from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=9, isrWithBrokerEpoch=List(BrokerState(brokerId=2, brokerEpoch=-1)), leaderRecoveryState=RECOVERING, partitionEpoch=13) (state.change.logger)
    [2026-11-21 00:00:03,000] INFO [Controller id=1 epoch=6] Changed partition b.c-1 from OnlinePartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=10, isrWithBrokerEpoch=List(BrokerState(brokerId=1, brokerEpoch=-1)), leaderRecoveryState=RECOVERED, partitionEpoch=14) (state.change.logger)
"""
# The leader before stands in the same line.
KRAFT = """
    [2026-11-21 08:05:55,264] INFO Setting new leader for topicId 9RKjcrYoTGisVPImvRI5Sg, partition 0 to 1 using an unclean election. Previous partition: PartitionRegistration(replicas=[1], directories=[j1iM45MYIuOCtr5wZZvfQQ], isr=[], removingReplicas=[], addingReplicas=[], elr=[], lastKnownElr=[1], leader=-1, leaderRecoveryState=RECOVERED, leaderEpoch=1, partitionEpoch=2), change record: PartitionChangeRecord(partitionId=0, topicId=9RKjcrYoTGisVPImvRI5Sg, isr=null, leader=-2, replicas=null, removingReplicas=null, addingReplicas=null, leaderRecoveryState=-1, directories=null, eligibleLeaderReplicas=null, lastKnownElr=null) (org.apache.kafka.controller.PartitionChangeBuilder)
"""


@pytest.mark.spark
def test_unclean_elections_that_kafka_prints(spark: SparkSession) -> None:
    """Without an election that a controller in office made of it, by the line."""
    none = spark.createDataFrame([], leader_election.SPEC.struct)
    lines = log_records(
        spark, {(1, "controller"): UNCLEAN, (1, "state-change"): RECOVERING, (103, "controller"): KRAFT}
    )
    found = unclean_election(none, built(spark, lines, "election_event"))
    assert {
        (row.entity, row.severity, row.sentence.split(";")[0].split(": ")[1]) for row in found.collect()
    } == {
        ("a-0", "critical", "a-0 got leader 3 outside of its in-sync replicas"),
        (
            "9RKjcrYoTGisVPImvRI5Sg-0",
            "critical",
            "9RKjcrYoTGisVPImvRI5Sg-0 got leader 1 outside of its in-sync replicas",
        ),
        ("b.c-1", "critical", "b.c-1 got leader 2 outside of its in-sync replicas"),
    }


ELECTIONS = """
    cluster_id | term_id | controller_epoch | seq | topic | partition | kind    | trigger        | elected_at | old_leader | isr_before | leader | isr   | expected_leader | verdict       | is_clean | is_unclean_said | certainty | selector          | records_at_risk
    c          | 1-6     | 6                | 1   | b.c   | 1         | offline | broker start   | 2          | -1         | [3]        | 2      | [2]   | 2               | as_prescribed | false    | true            | proved    |                   | 50
    c          | 1-6     | 6                | 2   | a     | 0         | offline | broker start   | 3          | 4          |            | 2      | [2]   | 2               | as_prescribed | false    | false           | proved    |                   | 0
    c          | 1-6     | 6                | 3   | a     | 1         | offline | broker failure | 4          | 4          | [4 1]      | 2      | [1 2] | 1               | differs       | true     | false           | proved    |                   |
    c          | 1-6     | 6                | 4   | a     | 2         | offline | broker failure | 5          | 4          | [4 1]      | 2      | [1 2] | 1               | differs       | true     | false           | proved    |                   |
    c          | 1-6     | 6                | 5   | d     | 0         | offline | broker start   | 6          | -1         |            | 1      | [1]   | 1               | as_prescribed | false    | true            | proved    | LAST_KNOWN_LEADER |
    c          | 1-6     | 6                | 6   | d     | 1         | offline | broker start   | 6.9        | -1         |            | 1      | [1]   | 1               | as_prescribed | false    | true            | proved    | LAST_KNOWN_LEADER |
    c          | 1-6     | 6                | 7   | d     | 2         | offline | broker start   | 9          | -1         |            | 1      | [1]   | 1               | as_prescribed | false    | true            | proved    | LAST_KNOWN_LEADER |
"""


@pytest.mark.spark
def test_elections_that_hurt_or_surprise(spark: SparkSession) -> None:
    """b.c-1 got its leader by the very line that says so: it is told once."""
    lines = built(spark, log_records(spark, {(1, "state-change"): RECOVERING}), "election_event")
    own = F.struct(F.lit("1-state-change").alias("file_id"), F.lit(0).cast("long").alias("byte_offset"))
    elections = table(spark, leader_election.SPEC, ELECTIONS).withColumn("evidence", F.array(own))
    terms = table(
        spark,
        controller_term.SPEC,
        "cluster_id | term_id | controller_id | controller_epoch\nc | 1-6 | 1 | 6",
    )
    found = (
        unclean_election(elections, lines)
        .unionByName(leader_choice(elections, terms))
        .unionByName(last_known_leader(elections))
        .collect()
    )
    lost = "records that it had not copied are lost"
    assert sorted((row.severity, row.certainty, row.entity, row.sentence) for row in found) == [
        (
            "critical", "inferred", "a-0",
            "unclean election: a-0 got leader 2 outside of its in-sync replicas (term 1-6: leader 4, ISR not known "
            "-> leader 2, ISR [2]); no loss is seen: no former one came back with more records",
        ),
        (
            "critical", "proved", "b.c-1",
            f"unclean election: b.c-1 got leader 2 outside of its in-sync replicas (term 1-6: no leader, ISR [3] "
            f"-> leader 2, ISR [2]); {lost}, at most 50",
        ),
        (
            "warning", "proved", "broker 1",
            "unclean election: broker 1 was back and made leader of 1 partition(s) as their last known one "
            "(term 1-6: first d-2); what it had not written to disk when it died is lost",
        ),
        (
            "warning", "proved", "broker 1",
            "unclean election: broker 1 was back and made leader of 2 partition(s) as their last known one "
            "(term 1-6: first d-0); what it had not written to disk when it died is lost",
        ),
        (
            "warning", "proved", "offline election",
            "controller 1 (epoch 6) made 2 choice(s) of a leader (offline) that its rule does not, first a-1: "
            "leader 2, prescribed 1, ISR [1, 2]",
        ),
    ]  # fmt: skip
