"""Findings: one per rule and root event, with a stable name and a status that follows what was published."""

import inspect
from typing import Any

import polars as pl
import pytest
from polars import col, lit

from pipeline.core.frames import empty
from pipeline.kernels.gold.finding import build
from pipeline.kernels.gold.finding.choices import last_known_leader, leader_choice
from pipeline.kernels.gold.finding.elections import unclean_election
from pipeline.kernels.gold.finding.moves import discontinuity
from pipeline.kernels.gold.finding.partitions import blocked_deletion
from pipeline.kernels.gold.finding.wording import EVIDENCE_KEPT
from pipeline.model.lines.evidence import LINES_TYPE
from pipeline.model.settings import AuditLimit, Suppression
from schemas.gold import controller_term, finding, leader_election, replay_check
from schemas.silver import log_gap, topic_event
from tests.kernels.chain import built
from tests.kernels.frames import at, frame
from tests.kernels.silver.rows import declared_rows, records_in

Row = dict[str, Any]
Story = dict[str, Any]
NOTHING = empty(finding.SPEC)
NO_LINES = lit([], LINES_TYPE)


def rebuilt(story: Story, published: pl.DataFrame, **others: Any) -> list[Row]:
    given = story | others | {"published_finding": published}
    rows = build(**{name: given[name] for name in inspect.signature(build).parameters})
    return declared_rows(rows, finding.SPEC).to_dicts()


def told(story: Story) -> dict[str, Row]:
    """Findings of the story by rule, but for outages."""
    found: pl.DataFrame = story["finding"]
    return {row["rule"]: row for row in found.to_dicts() if row["rule"] != "outage"}


def test_what_the_story_finds(story: Story) -> None:
    found = told(story)
    assert set(found) == {"illegal_move", "blocked_deletion"}
    assert found["illegal_move"]["severity"] == "critical"
    assert "NonExistentPartition -> OnlinePartition, first of a-1" in found["illegal_move"]["sentence"]
    assert found["blocked_deletion"]["severity"] == "warning"
    assert found["blocked_deletion"]["valid_until_at"] is None
    assert all(row["evidence"] for row in found.values())


def test_evidence_is_what_the_sentence_speaks_of(story: Story) -> None:
    records = story["log_record"].select("file_id", "byte_offset", "node_id", "event").rows()
    events = {(file_id, byte_offset): said for file_id, byte_offset, *said in records}
    lines = {
        rule: [tuple(events[tuple(one.values())]) for one in row["evidence"]]
        for rule, row in told(story).items()
    }
    assert lines == {
        "illegal_move": [(1, "partition_transition")],
        "blocked_deletion": [(1, "topic_deletion_not_retried"), (1, "topic_deletion_requested")],
    }


def test_evidence_of_a_discontinuity_are_its_first_moves_each_with_the_one_before(story: Story) -> None:
    is_first_move = (col("verdict") == "valid") & (col("from_state") == "NewPartition")
    moves = story["transition_audit"].filter(is_first_move).with_columns(verdict=lit("discontinuity"))
    found = discontinuity(pl.concat([moves, moves])).to_dicts()
    pairs = moves.sort("seq")["evidence"].to_list()
    kept = [one for pair in pairs for one in pair * 2][: 2 * EVIDENCE_KEPT]
    assert [row["evidence"] for row in found] == [kept]
    assert found[0]["sentence"].endswith("6 partition move(s) NewPartition -> OnlinePartition, first of a-0")


def test_status_follows_what_was_published(story: Story) -> None:
    again = rebuilt(story, story["finding"])
    assert {(row["rule"], row["status"]) for row in again} == {
        ("illegal_move", "resolved"),
        ("blocked_deletion", "ongoing"),
        ("outage", "resolved"),
        ("outage", "ongoing"),
    }
    without = rebuilt(story, story["finding"], topic_event=story["topic_event"].clear())
    assert {row["status"] for row in without if row["rule"] == "blocked_deletion"} == {"retracted"}
    assert len(without) == len(again)


def maintenance(since: float, until: float) -> Suppression:
    return Suppression("why", since_at=at(since), until_at=at(until))


@pytest.mark.parametrize(
    ("known", "silenced"),
    [
        (Suppression("why", rule="outage"), {("outage", "broker 1"), ("outage", "broker 2")}),
        (Suppression("why", entity="broker [13]"), {("outage", "broker 1")}),
        (Suppression("why", entity="broker"), set()),
        (Suppression("why", rule="outage", entity=".* 2"), {("outage", "broker 2")}),
        (Suppression("why", rule="no_controller", entity=".* 2"), set()),
        (Suppression("why", entity="(?!topic|partition).*[^2]"), {("outage", "broker 1")}),
        (maintenance(5, 20), {("outage", "broker 2")}),
        (maintenance(5, 19), set()),
    ],
)
def test_what_conf_knows_is_kept_and_not_told(
    story: Story, known: Suppression, silenced: set[tuple[str, str]]
) -> None:
    """In maintenance neither what outlasts it nor what is critical is silent."""
    found = rebuilt(story, NOTHING, audit_limit=AuditLimit(suppressions=(known,)))
    assert {(row["rule"], row["entity"]) for row in found if row["suppressed_by"] == "why"} == silenced
    assert len(found) == len(story["finding"])


def test_the_first_entry_that_holds_says_why(story: Story) -> None:
    known = (
        Suppression("other", "no_controller"),
        Suppression("one", "outage"),
        Suppression("two", "outage"),
    )
    found = rebuilt(story, NOTHING, audit_limit=AuditLimit(suppressions=known))
    assert {row["suppressed_by"] for row in found if row["rule"] == "outage"} == {"one"}


GAPS = """
    cluster_id | node_id | log        | kind             | from_at | until_at | sentence            | certainty
    c          | 1       | controller | silence          | 40      | 3640     | nothing for an hour | inferred
    c          | 1       | controller | silence            | 41      | 3700     | another event       | inferred
    c          |         |            | term_missing     | 40      | 50       | no line of epoch 3  | proved
    c          | 1       | controller | ends_inside_record | 60    |          | cut                 | proved
"""
CHECKS = """
    cluster_id | term_id | check              | machine   | logged_at | said_count | differing_count
    c          | 1-1     | initial_state_dump | replica   | 1         | 12         | 2
    c          | 1-1     | initial_state_dump | partition | 1         | 5          | 0
"""


def test_what_kafka_says_otherwise_and_what_is_missing(story: Story) -> None:
    """Of gaps only those that take lines away from the replay; a dump that the replay has alike is no finding."""
    example = "a-0 replica 2: Kafka OnlineReplica, replay OfflineReplica"
    gaps = frame(log_gap.SPEC, GAPS).with_columns(evidence=NO_LINES)
    checks = frame(replay_check.SPEC, CHECKS).with_columns(
        examples=pl.concat_list(lit(example)), evidence=NO_LINES
    )
    found = rebuilt(story, NOTHING, log_gap=gaps, replay_check=checks)
    said = sorted(
        (row["severity"], row["sentence"])
        for row in found
        if row["rule"] in {"missing_logs", "replay_disagreement"}
    )
    assert said == [
        ("info", "cluster, term missing: no line of epoch 3"),
        ("info", "node 1, controller.log, silence: nothing for an hour"),
        (
            "warning",
            "controller 1 (epoch 1) printed 12 state(s) of the replica machine (initial state dump), and the replay "
            f"has 2 of them otherwise, first {example}",
        ),
    ]
    silence = next(row for row in found if "silence" in row["sentence"])
    assert (silence["valid_from_at"], silence["valid_until_at"]) == (at(40), at(3700))


DELETIONS = """
    cluster_id | file_id | byte_offset | logged_at | topic | step
    c          | f       | 1           | 1         | t     | created
    c          | f       | 2           | 2         | t     | deletion_queued
    c          | f       | 3           | 3         | t     | deletion_completed
    c          | f       | 4           | 4         | t     | deletion_queued
    c          | f       | 5           | 5         | t     | deletion_blocked
    c          | f       | 6           | 6         | t     | deletion_blocked
    c          | f       | 7           | 7.25      | t     | deletion_completed
    c          | f       | 8           | 8         | t     | deletion_blocked
"""


def test_each_deletion_that_was_put_off_is_a_finding() -> None:
    rows = blocked_deletion(frame(topic_event.SPEC, DELETIONS)).sort("root_event").to_dicts()
    found = [
        (row["root_event"], row["severity"], row["sentence"], [one["byte_offset"] for one in row["evidence"]])
        for row in rows
    ]
    assert found == [
        (
            *("deletion 2", "info"),
            "deletion of topic t was put off by a replica out of reach, completed after 3.3 s",
            [5, 4, 7],
        ),
        ("deletion 3", "warning", "deletion of topic t is stuck: a replica is out of reach", [8]),
    ]
    assert [row["valid_from_at"] for row in rows] == [at(4), at(8)]


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
    found = unclean_election(empty(leader_election.SPEC), built(lines, "election_event")["election_event"])
    said = found.with_columns(col("sentence").str.extract(": ([^;]*);"))
    assert set(said.select("entity", "severity", "sentence").rows()) == {
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


def test_elections_that_hurt_or_surprise() -> None:
    """b.c-1 got its leader by the very line that says so: it is told once."""
    lines = built(records_in({(1, "state-change"): RECOVERING}), "election_event")["election_event"]
    own = pl.struct(file_id=lit("1-state-change"), byte_offset=lit(0, pl.Int64))
    elections = frame(leader_election.SPEC, ELECTIONS).with_columns(evidence=pl.concat_list(own))
    terms = frame(
        controller_term.SPEC,
        "cluster_id | term_id | controller_id | controller_epoch\nc | 1-6 | 1 | 6",
    )
    frames = (
        unclean_election(elections, lines),
        leader_choice(elections, terms),
        last_known_leader(elections),
    )
    found = [row for one in frames for row in one.to_dicts()]
    lost = "records that it had not copied are lost"
    assert sorted((one["severity"], one["certainty"], one["entity"], one["sentence"]) for one in found) == [
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
