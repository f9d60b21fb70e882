"""Findings about elections: leaders from outside of the ISR, last known ones, and such as the rule does not choose."""

import polars as pl
import pytest
from polars import col, lit

from pipeline.core.frames import empty_frame
from pipeline.rules.last_known_leader.rule import find as last_known_leader
from pipeline.rules.leader_choice.rule import find as leader_choice
from pipeline.rules.unclean_election.rule import find as unclean_election
from schemas.gold import broker_session, client_impact, controller_term, leader_election
from schemas.silver import controller_step
from tests.chain import built, found_by
from tests.frames import frame
from tests.rows import records_in
from tests.rules.rows import fact_texts, of_rule

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


def test_unclean_elections_that_kafka_prints() -> None:
    """Without an election that a controller in office made of it, by the line."""
    lines = records_in(
        {(1, "controller"): UNCLEAN, (1, "state-change"): RECOVERING, (103, "controller"): KRAFT}
    )
    found = unclean_election(
        empty_frame(leader_election.SPEC),
        built(lines, "election_event")["election_event"],
        empty_frame(broker_session.SPEC),
        empty_frame(controller_step.SPEC),
        empty_frame(client_impact.SPEC),
    )
    said = found.with_columns(col("sentence").str.extract(": ([^;]*);"))
    assert set(said.select("entity", "severity", "sentence").rows()) == {
        ("a-0", "warning", "a-0 got leader 3 outside of its in-sync replicas"),
        (
            "9RKjcrYoTGisVPImvRI5Sg-0",
            "critical",
            "9RKjcrYoTGisVPImvRI5Sg-0 got leader 1 outside of its in-sync replicas",
        ),
        ("b.c-1", "critical", "b.c-1 got leader 2 outside of its in-sync replicas"),
    }
    facts = {row["entity"]: fact_texts(row["facts"]) for row in found.to_dicts()}
    assert facts["a-0"] == {"topic": "a", "partition": "0", "leader": "3"}
    assert facts["9RKjcrYoTGisVPImvRI5Sg-0"] == {
        "topic": "9RKjcrYoTGisVPImvRI5Sg",
        "partition": "0",
        "leader": "1",
    }


# Of 3.4, in the middle of a term; what a reassignment does has no recovery state.
DIFF = "[2026-11-21 00:00:{}] INFO [Controller {}] UNCLEAN partition change for orders-1 with topic ID Fs3yVbY9S2qtNEF8A-xMSA: isr: [1] -> [{}], leader: 1 -> {}, {}leaderEpoch: 85 -> 86, partitionEpoch: 85 -> 86 (org.apache.kafka.controller.ReplicationControlManager)"
RECOVERY = "leaderRecoveryState: RECOVERED -> RECOVERING, "
STARTS = "[2026-11-21 00:00:01,000] INFO [Controller 0] Creating new QuorumController with clusterId rB5jTJjyQrmqzUwPOCb9sA, authorizer Optional.empty. (org.apache.kafka.controller.QuorumController)"
CLAIMS = "[2026-11-21 00:00:02,000] INFO [Controller 0] Becoming the active controller at epoch 7, committed offset 5, committed epoch 6 (org.apache.kafka.controller.QuorumController)"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([DIFF.format("03,000", 0, 0, 0, RECOVERY)], 1),
        ([DIFF.format("03,000", 0, 0, 0, "")], 0),
        ([STARTS, DIFF.format("03,000", 0, 0, 0, RECOVERY)], 0),
        ([STARTS, CLAIMS, DIFF.format("03,000", 0, 0, 0, RECOVERY)], 1),
    ],
    ids=["first of its partition", "reassigned", "replayed", "chosen in office"],
)  # fmt: skip
def test_the_first_line_of_a_partition_tells_that_its_election_was_unclean(
    lines: list[str], expected: int
) -> None:
    """Two controllers print it; it is one finding, by the first line."""
    standby = DIFF.format("03,001", 5, 0, 0, RECOVERY) if expected else ""
    records = records_in({(0, "controller"): "\n".join(lines), (5, "controller"): standby})
    found = found_by(records, "unclean_election")
    told = "unclean election: orders-1 got leader 0 outside of its in-sync replicas; records that it had not copied are lost"
    assert found.select("severity", "sentence").rows() == [("critical", told)] * expected


def test_the_first_line_of_a_partition_tells_that_its_last_known_leader_is_back() -> None:
    """Where the machine went down it may have cost records: no row of gold.leader_election tells it."""
    line = DIFF.format("03,000", 0, 0, 0, RECOVERY).replace(
        "leaderEpoch: 85", "lastKnownElr: [0] -> [], leaderEpoch: 85"
    )
    found = built(records_in({(0, "controller"): line}), "finding")["finding"].filter(severity="warning")
    told = (
        "unclean election: broker 0 was back and made leader of 1 partition as the last known one (first orders-1); "
        "what it had not written to disk is lost if its machine went down"
    )
    assert found.select("rule", "sentence", "term_id").rows() == [("last_known_leader", told, None)]


ELECTIONS = """
    cluster_id | term_id | controller_epoch | seq | topic | partition | kind    | trigger        | elected_at | old_leader | isr_before | leader | isr   | expected_leader | verdict       | is_clean | is_unclean_said | certainty | selector          | records_at_risk
    c          | 1-6     | 6                | 1   | b.c   | 1         | offline_admin_unclean | unclean election | 2          | -1         | [3]        | 2      | [2]   | 2               | as_prescribed | false    | true            | proved    |                   | 50
    c          | 1-6     | 6                | 2   | a     | 0         | offline | broker start   | 3          | 4          |            | 2      | [2]   | 2               | as_prescribed | false    | false           | proved    |                   | 0
    c          | 1-6     | 6                | 3   | a     | 1         | offline | broker failure | 4          | 4          | [4 1]      | 2      | [1 2] | 1               | differs       | true     | false           | proved    |                   |
    c          | 1-6     | 6                | 4   | a     | 2         | offline | broker failure | 5          | 4          | [4 1]      | 2      | [1 2] | 1               | differs       | true     | false           | proved    |                   |
    c          | 1-6     | 6                | 5   | d     | 0         | offline | broker start   | 6          | -1         |            | 1      | [1]   | 1               | as_prescribed | false    | true            | proved    | LAST_KNOWN_LEADER |
    c          | 1-6     | 6                | 6   | d     | 1         | offline | broker start   | 6.9        | -1         |            | 1      | [1]   | 1               | as_prescribed | false    | true            | proved    | LAST_KNOWN_LEADER |
    c          | 1-6     | 6                | 7   | d     | 2         | offline | broker start   | 9          | -1         |            | 1      | [1]   | 1               | as_prescribed | false    | true            | proved    | LAST_KNOWN_LEADER |
"""


def test_elections_that_hurt_or_surprise() -> None:
    """b.c-1 got its leader by the very line that says so: it is told once."""
    lines = built(records_in({(1, "state-change"): RECOVERING}), "election_event")["election_event"]
    own = pl.struct(file_id=lit("1-state-change"), byte_offset=lit(0, pl.Int64))
    elections = frame(leader_election.SPEC, ELECTIONS).with_columns(evidence=pl.concat_list(own))
    terms = frame(
        controller_term.SPEC,
        "cluster_id | term_id | controller_id | controller_epoch\nc | 1-6 | 1 | 6",
    )
    none = (empty_frame(broker_session.SPEC), empty_frame(controller_step.SPEC))
    unclean = unclean_election(elections, lines, *none, empty_frame(client_impact.SPEC))
    found = [
        *of_rule("unclean_election", unclean),
        *of_rule("leader_choice", leader_choice(elections, terms)),
        *of_rule("last_known_leader", last_known_leader(elections, lines, none[1])),
    ]
    lost = "records that it had not copied are lost"
    assert sorted((one["severity"], one["certainty"], one["entity"], one["sentence"]) for one in found) == [
        (
            "critical", "proved", "b.c-1",
            f"unclean election that an administrator asked for: b.c-1 got leader 2 outside of its in-sync replicas "
            f"(term 1-6: no leader, ISR [3] -> leader 2, ISR [2]); {lost}, at most 50",
        ),
        (
            "warning", "inferred", "a-0",
            "unclean election: a-0 got leader 2 outside of its in-sync replicas (term 1-6: leader 4, ISR not known "
            "-> leader 2, ISR [2]); no loss is seen: no former one came back with more records",
        ),
        (
            "warning", "proved", "broker 1",
            "unclean election: broker 1 was back and made leader of 1 partition as the last known one "
            "(term 1-6: first d-2); what it had not written to disk is lost if its machine went down",
        ),
        (
            "warning", "proved", "broker 1",
            "unclean election: broker 1 was back and made leader of 2 partitions as the last known one "
            "(term 1-6: first d-0); what it had not written to disk is lost if its machine went down",
        ),
        (
            "warning", "proved", "offline election",
            "controller 1 (epoch 6) chose 2 leaders whom Kafka's rule does not choose (offline election), first a-1: "
            "leader 2 instead of 1, ISR [1, 2]",
        ),
    ]  # fmt: skip
    known = [one["evidence"] for one in found if one["rule"] == "last_known_leader"]
    assert [len(one) for one in known] == [1, 1], "a line that tells of several is there once"
    facts = {(one["rule"], fact_texts(one["facts"])["topic"]): fact_texts(one["facts"]) for one in found}
    assert facts == {
        ("unclean_election", "a"): {
            "topic": "a", "partition": "0", "leader": "2", "old_leader": "4", "isr": "2", "records_at_risk": "0",
        },
        ("unclean_election", "b.c"): {
            "topic": "b.c", "partition": "1", "leader": "2", "isr_before": "3", "isr": "2", "records_at_risk": "50",
        },
        ("last_known_leader", "d"): {
            "broker_id": "1", "partitions_count": "1", "topic": "d", "partition": "2",
        },
        ("leader_choice", "a"): {
            "controller_id": "1", "controller_epoch": "6", "choices_count": "2", "kind": "offline",
            "topic": "a", "partition": "1", "leader": "2", "expected_leader": "1", "isr": "1,2",
        },
    }  # fmt: skip
