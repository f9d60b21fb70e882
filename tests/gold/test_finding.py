"""Findings: one per rule and root event, with a stable name and a status that follows what was published."""

import inspect
from typing import Any

import polars as pl
import pytest
from polars import col, lit

from pipeline.core.frames import empty_frame
from pipeline.gold.finding import build, findings_of_run
from pipeline.gold.finding.candidates import CANDIDATES
from pipeline.model.lines.evidence import LINES_TYPE
from pipeline.model.settings import FindingSuppression
from pipeline.rules.discontinuity.rule import find as discontinuity
from pipeline.rules.missing_logs.rule import missing_leader_epochs
from pipeline.rules.not_understood.rule import find as not_understood
from pipeline.rules.registry import find_by_rules
from pipeline.rules.replay_disagreement.rule import find as replay_disagreement
from pipeline.rules.shared.wording import EVIDENCE_KEPT
from schemas.gold import broker_session, finding, leader_election, replay_check
from schemas.silver import log_gap, wording_seen
from tests.chain import audit_limit
from tests.frames import at, frame
from tests.rows import declared_rows
from tests.rules.rows import fact_texts

Row = dict[str, Any]
Story = dict[str, Any]
NOTHING = empty_frame(finding.SPEC)
NO_LINES = lit([], LINES_TYPE)


def rebuilt(story: Story, published: pl.DataFrame, **others: Any) -> list[Row]:
    given = story | others | {"published_finding": published, "reported_finding": published}
    rows = build(**{name: given[name] for name in inspect.signature(build).parameters})
    return declared_rows(rows, finding.SPEC).to_dicts()


@pytest.fixture(scope="module")
def of_rules(story: Story) -> pl.DataFrame:
    """What the rules find in the story, whatever is known of it."""
    return find_by_rules(story | {table: story[one.__name__] for table, one in CANDIDATES.items()})


def told(story: Story) -> dict[str, Row]:
    """Findings of the story by rule, but for outages."""
    found: pl.DataFrame = story["finding"]
    return {row["rule"]: row for row in found.to_dicts() if row["rule"] != "outage"}


def test_what_the_story_finds(story: Story) -> None:
    found = told(story)
    assert set(found) == {"illegal_move", "stuck_deletion"}
    assert found["illegal_move"]["severity"] == "critical"
    assert "NonExistentPartition -> OnlinePartition, first of a-1" in found["illegal_move"]["sentence"]
    assert found["stuck_deletion"]["severity"] == "warning"
    assert found["stuck_deletion"]["valid_until_at"] is None
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
        "stuck_deletion": [(1, "topic_deletion_requested"), (1, "topic_deletion_not_retried")],
    }


def test_evidence_of_a_discontinuity_are_its_first_moves_each_with_the_one_before(story: Story) -> None:
    is_first_move = (col("verdict") == "valid") & (col("from_state") == "NewPartition")
    moves = story["transition_audit"].filter(is_first_move)
    moves = moves.with_columns(verdict=lit("discontinuity"), certainty=lit("inferred"))
    found = discontinuity(pl.concat([moves, moves])).to_dicts()
    pairs = moves.sort("seq")["evidence"].to_list()
    kept = [one for pair in pairs for one in pair * 2][: 2 * EVIDENCE_KEPT]
    assert [row["evidence"] for row in found] == [kept]
    assert found[0]["sentence"].endswith(
        "6 partition moves NewPartition -> OnlinePartition, not from the state that it had led to before, first of a-0"
    )
    assert fact_texts(found[0]["facts"]) == {
        "controller_id": "1", "controller_epoch": "1", "machine": "partition", "moves_count": "6",
        "from_state": "NewPartition", "to_state": "OnlinePartition", "topic": "a", "partition": "0",
    }  # fmt: skip
    assert [row["certainty"] for row in found] == ["inferred"]


def test_status_follows_what_was_published(story: Story) -> None:
    again = rebuilt(story, story["finding"])
    assert {(row["rule"], row["status"]) for row in again} == {
        ("illegal_move", "resolved"),
        ("stuck_deletion", "ongoing"),
        ("outage", "resolved"),
        ("outage", "ongoing"),
    }
    without = rebuilt(story, story["finding"], topic_lifecycle=story["topic_lifecycle"].clear())
    assert {row["status"] for row in without if row["rule"] == "stuck_deletion"} == {"retracted"}
    assert len(without) == len(again)


def maintenance(since: float, until: float) -> FindingSuppression:
    return FindingSuppression("why", since_at=at(since), until_at=at(until))


@pytest.mark.parametrize(
    ("known", "silenced"),
    [
        (FindingSuppression("why", rule="outage"), {("outage", "broker 1"), ("outage", "broker 2")}),
        (FindingSuppression("why", entity="broker [13]"), {("outage", "broker 1")}),
        (FindingSuppression("why", entity="broker"), set()),
        (FindingSuppression("why", rule="outage", entity=".* 2"), {("outage", "broker 2")}),
        (FindingSuppression("why", rule="no_controller", entity=".* 2"), set()),
        (FindingSuppression("why", entity="(?!topic|partition).*[^2]"), {("outage", "broker 1")}),
        (maintenance(5, 20), {("outage", "broker 2")}),
        (maintenance(5, 19), set()),
    ],
)
def test_what_conf_knows_is_kept_and_not_told(
    story: Story, of_rules: pl.DataFrame, known: FindingSuppression, silenced: set[tuple[str, str]]
) -> None:
    """In maintenance neither what outlasts it nor what is critical is silent."""
    given = story | {"audit_limit": audit_limit(known), "reported_finding": NOTHING}
    found = findings_of_run(of_rules, given).to_dicts()
    assert {(row["rule"], row["entity"]) for row in found if row["suppressed_by"] == "why"} == silenced
    assert len(found) == len(story["finding"])


def test_the_first_entry_that_holds_says_why(story: Story) -> None:
    known = (
        FindingSuppression("other", "no_controller"),
        FindingSuppression("one", "outage"),
        FindingSuppression("two", "outage"),
    )
    found = rebuilt(story, NOTHING, audit_limit=audit_limit(*known))
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
            "controller 1 (epoch 1) printed 12 states of the replica machine (initial state dump), and the replay "
            f"has 2 of them otherwise, first {example}",
        ),
    ]
    silence = next(row for row in found if "silence" in row["sentence"])
    assert (silence["valid_from_at"], silence["valid_until_at"]) == (at(40), at(3700))
    facts = {row["rule"]: fact_texts(row["facts"]) for row in (*found, silence)}
    assert facts["missing_logs"] == {"node_id": "1", "log": "controller", "kind": "silence"}
    assert facts["replay_disagreement"] == {
        "controller_id": "1", "controller_epoch": "1", "check": "initial_state_dump", "machine": "replica",
        "said_count": "12", "differing_count": "2", "topic": "a", "partition": "0", "replica_id": "2",
        "kafka_state": "OnlineReplica", "replay_state": "OfflineReplica",
    }  # fmt: skip


PAIR = "OfflineReplica -> ReplicaDeletionIneligible"


@pytest.mark.parametrize(
    ("check", "example", "sentence", "first"),
    [
        (
            "initial_state_dump", "a-0 replica 2: Kafka does not name it, replay OnlineReplica",
            "printed 3 states of the replica machine (initial state dump), and the replay has 2 of them otherwise, first "
            "a-0 replica 2: Kafka does not name it, replay OnlineReplica",
            {"replica_id": "2", "replay_state": "OnlineReplica"},
        ),
        (
            "refused_pair", f"a-0: Kafka {PAIR} Replica [Topic=a,Partition=0,Replica=1] should be in",
            f"refused 3 moves of the replica machine, 2 of them legal in the audit's table, first a-0 {PAIR}: see whether "
            "its release is told rightly",
            {"from_state": "OfflineReplica", "to_state": "ReplicaDeletionIneligible"},
        ),
        (
            "valid_previous_states", f"a-0: Kafka {PAIR} Replica [Topic=a,Partition=0,Replica=1] should be in",
            "refused 3 moves of the replica machine and named the states it allows, 2 times others than the audit's table, "
            f"first a-0 {PAIR}: see whether its release is told rightly",
            {"from_state": "OfflineReplica", "to_state": "ReplicaDeletionIneligible"},
        ),
    ],
)  # fmt: skip
def test_each_check_is_told_for_what_it_is(
    story: Story, check: str, example: str, sentence: str, first: dict[str, str]
) -> None:
    said = f"cluster_id | term_id | check | machine | logged_at | said_count | differing_count\nc | 1-1 | {check} | replica | 1 | 3 | 2"
    checks = frame(replay_check.SPEC, said).with_columns(
        examples=pl.concat_list(lit(example)), evidence=NO_LINES
    )
    (row,) = replay_disagreement(checks, story["controller_term"]).to_dicts()
    assert row["sentence"] == f"controller 1 (epoch 1) {sentence}"
    assert fact_texts(row["facts"]).items() >= {"topic": "a", "partition": "0", **first}.items()


ELECTIONS = """
    cluster_id | topic | topic_life | partition | elected_at | leader | leader_epoch | missing_epochs
    c          | a     | 1          | 1         | 10         | -1     | 57           | 0
    c          | a     | 1          | 1         | 40         | -1     | 63           | 5
    c          | a     | 1          | 1         | 99         | -1     | 89           | 25
    c          | b     | 1          | 0         | 10         | 1      | 4            | 0
    c          | b     | 1          | 0         | 20         | 1      | 6            | 1
    c          | d     | 1          | 0         | 20         | 1      | 6            |
"""


NO_SESSIONS = frame(broker_session.SPEC, "cluster_id | broker_id | left_at")


def test_leader_epochs_that_are_in_no_log_are_told_once() -> None:
    (row,) = missing_leader_epochs(frame(leader_election.SPEC, ELECTIONS), NO_SESSIONS).to_dicts()
    assert row["sentence"] == (
        "no log has 31 leader epochs of 2 partitions, most of a-1 (25, from 2026-11-21 00:00:40 to "
        "2026-11-21 00:01:39): who led it then no line tells; lines of a broker are missing, or changes came at once"
    )
    assert (row["valid_from_at"], row["valid_until_at"]) == (at(10), at(99))


@pytest.mark.parametrize(
    ("sessions", "count"),
    [
        ("c | 1 | 19.4\n    c | 2 | 19.5", 0),
        ("c | 1 | 19.4\n    c | 2 | 12", 1),  # the other one went before
        ("c | 3 | 19.4\n    c | 2 | 19.5", 1),  # the leader stayed
        ("c | 1 | 19.4\n    x | 2 | 19.5", 1),  # of another cluster
        ("c | 1 | 9.4\n    c | 2 | 9.5", 1),  # long before
    ],
)
def test_leaders_between_two_fencings_of_one_moment_are_not_missed(sessions: str, count: int) -> None:
    elections = """
    cluster_id | topic | topic_life | partition | elected_at | leader | leader_epoch | missing_epochs
    c          | b     | 1          | 0         | 10         | 1      | 4            | 0
    c          | b     | 1          | 0         | 20         | 3      | 6            | 1
    """
    left = frame(broker_session.SPEC, f"cluster_id | broker_id | left_at\n    {sessions}")
    assert missing_leader_epochs(frame(leader_election.SPEC, elections), left).height == count


WORDINGS = """
    cluster_id | log            | not_understood_reason | first_at | record_count | file_id | first_offset
    c          | controller     | no_template           | 7        | 2            | f       | 10
    c          | state-change   | no_template           | 5        | 3            | g       | 20
    c          | controller     |                       | 1        | 9            | f       | 0
    c          | server         | no_template           | 1        | 9            | h       | 0
"""


NO_WRITER = """
    cluster_id | log            | not_understood_reason | first_at | record_count | file_id | first_offset
    c          | server         | no_writer             | 1        | 9            | h       | 0
"""


def test_what_names_no_writer_in_a_server_log_of_several_nodes_is_told() -> None:
    (row,) = not_understood(frame(wording_seen.SPEC, NO_WRITER)).to_dicts()
    assert row["sentence"] == "9 records left out: several nodes wrote the file, and these do not name theirs"


def test_what_is_not_understood_is_told_once_a_reason() -> None:
    (row,) = not_understood(frame(wording_seen.SPEC, WORDINGS)).to_dicts()
    assert row["sentence"] == "5 records not understood: no_template"
    assert fact_texts(row["facts"]) == {"records_count": "5", "reason": "no_template"}
    assert row["evidence"] == [{"file_id": "f", "byte_offset": 10}, {"file_id": "g", "byte_offset": 20}]
