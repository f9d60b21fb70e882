"""What people and tools asked for: every request of the labs that reached a controller, and no other."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from polars import col

from jobs.questions.changes.asked import changes_of, outcome_words, unseen_change_notes
from jobs.questions.changes.screen import change_lines
from pipeline.views.changes.kinds import KINDS, OUTCOMES, REASONS
from pipeline.views.changes.of_settings import without_minimum
from pipeline.views.reading.answers import Answers
from schemas.gold import controller_term, reassignment, topic_lifecycle
from schemas.silver import broker_event, config_event, node_event
from tests.frames import frame
from tests.jobs.answering import answers_of, answers_of_logs
from tests.jobs.change_truth import asked_of, judged, moved_at
from tests.lab import folder_of

LATE = datetime(2026, 11, 21, 8, 59, 50, tzinfo=UTC)
# Requests that a controller printed as changes, and what it did and printed nothing of: an election of a leader that
# leads already; requests in ZooKeeper while another one stood there, and settings of topics that are gone; in KRaft what
# a release does not print.
GONE = ("throttle", "throttle")
LABS: dict[str, tuple[int, list[str]]] = {
    "0.11.0.3-zk-stock": (25, []),
    "1.0.2-zk-stock": (25, []),
    "2.2.2-zk-stock": (32, []),
    "2.5.1-zk-stock": (30, []),
    "2.6.3-zk-stock": (26, []),
    "2.6.3-zk-trace": (29, []),
    "3.2.3-zk-stock": (27, []),
    "3.2.3-zk-trace": (31, []),
    "3.9.1-zk-stock": (25, ["preferred_election"]),
    "3.9.1-zk-trace": (26, []),
    "1.0.2-zk-moves": (100, ["reassign", *GONE]),
    "2.2.2-zk-moves": (94, ["reassign", "reassign", *GONE, "reassign"]),
    "2.2.2-zk-redrive": (31, [*GONE]),
    "3.9.1-zk-moves": (98, [*GONE]),
    "3.9.1-zk-redrive": (30, [*GONE]),
    "3.3.2-kraft-combined-stock": (32, ["preferred_election"]),
    "3.9.2-kraft-separate-stock": (32, []),
    "3.9.2-kraft-migration-stock": (24, ["preferred_election"]),
    "4.0.0-kraft-combined-stock": (32, []),
    "4.3.1-kraft-separate-stock": (31, []),
    "4.3.1-kraft-combined-trace": (32, []),
    "3.9.2-kraft-separate-moves": (100, []),
    "4.0.0-kraft-combined-moves": (99, []),
    "4.4.0-kraft-separate-stock": (32, []),
}
QUICK = ("3.9.1-zk-redrive",)
READ = ("controller", "state-change", "mixed", "server")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.soak) for name in LABS]
)
def test_every_request_of_a_lab_has_its_line(shared: Path, name: str) -> None:
    cluster = folder_of(shared, name)
    answers = answers_of_logs(cluster, READ)
    rows = changes_of(answers)
    found = judged(asked_of(cluster), rows, moved_at(cluster) if "-kraft-" in name else None)
    told = [(row["at"], row["kind"], row["what"]) for row in found.surplus]
    assert told == []
    assert (len(found.found), [one.what for one in found.missing]) == LABS[name]
    assert [row for row in rows if row["file_id"] is None] == []
    middle = rows[len(rows) // 2]["at"]
    assert changes_of(answers, middle) == [row for row in rows if row["at"] >= middle]


def test_what_the_sample_was_asked_for(sample_answers: Answers) -> None:
    rows = changes_of(sample_answers, LATE)
    told = [(row["what"], row["outcome"], row["controller_id"], row["controller_epoch"]) for row in rows]
    assert told == [
        ("deletion of topic billing.v2", "completed after 54 ms", 2, 6),
        ("topic billing.v2 was created (3 partitions, replication 2)", "served after 30 ms", 2, 6),
        ("/controller was deleted or rewritten", None, 2, 6),
        ("deletion of topic payments", "completed after 4.4 s", 2, 8),
    ]
    assert changes_of(sample_answers, LATE, rows[1]["at"]) == rows[:1]


def test_alike_changes_are_one_line_of_the_screen(sample_answers: Answers) -> None:
    rows, last = changes_of(sample_answers), sample_answers.last_at()
    assert change_lines(rows, last, None) == [
        "CHANGES 08:58:11.215 /controller_epoch was rewritten, at the latest then: ZooKeeper refused controller 3 in "
        "office",
        "        08:58:17.217 /controller was deleted or rewritten 2 times",
        "        08:57:58.874 2 controlled shutdowns of brokers",
        "        08:58:36.120 3 reassignments (orders, clicks)",
        "        08:58:38.411 5 deletions of topics (alerts, email.out, user.events_v1, …)",
        "        08:58:36.856 2 times preferred leaders were asked for (orders)",
        "        17 more: changes",
        "",
    ]
    late = change_lines(changes_of(sample_answers, LATE), last, LATE)
    assert late[0] == "CHANGES 09:00:01.306 /controller was deleted or rewritten"
    assert change_lines([], last, None) == change_lines(None, last, None) == []


def test_a_controller_with_another_registration_had_lost_its_session() -> None:
    """The same one: somebody deleted /controller; none is said: who was elected again himself may be either."""
    terms = frame(
        controller_term.SPEC,
        """
        term_id | controller_id | mode      | elected_at | ended_at | ended_how  | last_act_at
        1-1     | 1             | zookeeper | 1          | 10       | znode_gone | 10
        1-2     | 1             | zookeeper | 11         | 20       | znode_gone | 20
        1-3     | 1             | zookeeper | 21         | 30       | znode_gone | 30
        1-4     | 2             | zookeeper | 31         |          | open       | 40
        """,
    )
    epochs = frame(
        broker_event.SPEC,
        """
        logged_at | step  | broker_id | broker_epoch
        1         | epoch | 1         | 70
        11        | epoch | 1         | 70
        21        | epoch | 1         | 90
        31        | epoch | 1         | 90
        """,
    )
    known = changes_of(answers_of(controller_term=terms, broker_event=epochs))
    assert [(row["kind"], row["at"].second) for row in known] == [
        ("controller_znode_deleted", 10),
        ("controller_znode_deleted", 30),
    ]
    assert unseen_change_notes(answers_of(controller_term=terms.with_columns(elected_at=None)), known)[
        -1
    ] == (
        "Of the controllers of 1-1, 1-2, 1-3, … no election was read: what they were asked is told as far as others "
        "print it."
    )
    unknown = changes_of(answers_of(controller_term=terms))
    assert [(row["kind"], row["certainty"]) for row in unknown] == [
        ("controller_resigned", "undetermined"),
        ("controller_resigned", "undetermined"),
        ("controller_znode_deleted", "proved"),
    ]


def test_voters_that_follow_others_in_the_metadata_log() -> None:
    """Whenever a node prints them; the first that are known are no change, nor are the same ones at another place."""
    lines = frame(
        config_event.SPEC,
        """
        logged_at | node_id | record  | step | name          | value                  | metadata_offset
        1         | 1       | voters  | set  | voters        | 1 (aA), 2 (bB)         | 5
        2         | 1       | feature | set  | kraft.version | 1                      | 4
        5         | 2       | voters  | set  | voters        | 1 (aA), 2 (bB)         | 5
        6         | 2       | voters  | set  | voters        | 1 (aA), 2 (bB)         | 40
        20        | 2       | voters  | set  | voters        | 1 (aA), 2 (bB), 3 (cC) | 90
        21        | 1       | voters  | set  | voters        | 1 (aA), 2 (bB), 3 (cC) | 90
        30        | 3       | voters  | set  | voters        | 1 (aA), 2 (bB)         | 5
        """,
    )
    (row,) = changes_of(answers_of(config_event=lines))
    assert row["what"] == "voters of the quorum are 1 (aA), 2 (bB), 3 (cC) since then at the latest"
    assert (row["at"].second, row["certainty"]) == (20, "inferred")


def test_the_minimum_that_comes_with_eligible_leader_replicas_was_set_by_nobody() -> None:
    """Only that of all brokers, in the same batch."""
    lines = frame(
        config_event.SPEC,
        """
        logged_at | controller_id | record  | step | resource_type | resource_name | name                             | value
        1.001     | 1             | config  | set  | BROKER        |               | min.insync.replicas              | 1
        1.004     | 1             | feature | set  |               |               | eligible.leader.replicas.version | 1
        1.003     | 1             | config  | set  | TOPIC         | a             | min.insync.replicas              | 2
        1.003     | 1             | config  | set  | BROKER        | 5             | min.insync.replicas              | 2
        1.005     | 2             | config  | set  | BROKER        |               | min.insync.replicas              | 3
        5         | 1             | config  | set  | BROKER        |               | min.insync.replicas              | 4
        """,
    )
    left = without_minimum(lines.with_columns(at=col("logged_at")))
    assert left["value"].to_list() == ["2", "2", "1", "3", "4"]


def test_settings_in_zookeeper_are_told_where_they_differ() -> None:
    """Not what a broker prints again as it starts, nor what it prints late."""
    said = frame(
        config_event.SPEC,
        """
        logged_at | node_id | record | step   | resource_type | resource_name | name | value
        10        | 1       | config | stated | TOPIC         | a             | all  | retention.ms = 1
        11        | 2       | config | stated | TOPIC         | a             | all  | retention.ms = 1
        20        | 1       | config | stated | TOPIC         | a             | all  |
        21        | 1       | config | stated | TOPIC         | a             | all  | retention.ms = 2
        22        | 2       | config | stated | TOPIC         | a             | all  |
        23        | 2       | config | stated | TOPIC         | a             | all  | retention.ms = 2
        41        | 3       | config | stated | TOPIC         | b             | all  | segment.ms = 1
        44        | 3       | config | stated | BROKER        |               | all  | log.retention.ms = 5
        """,
    )
    starts = frame(
        node_event.SPEC,
        """
        logged_at | node_id | area    | step
        40        | 3       | process | starting
        42        | 3       | process | started
        """,
    )
    rows = changes_of(answers_of(config_event=said, node_event=starts))
    assert [(row["at"].second, row["what"], row["certainty"]) for row in rows] == [
        (10, "settings of topic a: retention.ms = 1", "inferred"),
        (20, "settings of topic a: none any more", "proved"),
        (21, "settings of topic a: retention.ms = 2", "proved"),
        (44, "settings of all brokers: log.retention.ms = 5", "inferred"),
    ]


def test_whatever_became_of_it_has_words() -> None:
    assert set(reassignment.REASONS) < {*REASONS}
    begun = set(reassignment.OUTCOMES) - {"skipped"}
    asked = set(topic_lifecycle.DELETION_STATES) - {"none", "ignored_nonexistent"}
    assert begun | asked <= {*OUTCOMES}
    assert all("{count}" in kind.many for kind in KINDS.values())


def test_several_outcomes_are_counted() -> None:
    row = {"outcomes": ["completed", "cancelled", "completed"], "ms": 4300}
    assert outcome_words(row) == "2 completed after 4.3 s, 1 cancelled"
    assert outcome_words({"outcomes": [], "ms": None}) is None


def test_settings_are_of_their_requests(shared: Path) -> None:
    """Written as a topic is created they are its own; what Kafka hides is said to be hidden."""
    rows = changes_of(answers_of_logs(folder_of(shared, "4.0.0-kraft-combined-moves")))
    settings = [
        row for row in rows if row["kind"] == "settings" and row["resource"] == "topic user.profile-v2"
    ]
    assert [row["what"] for row in settings] == [
        "settings of topic user.profile-v2: min.insync.replicas = 2, retention.ms = 86400000",
        "settings of topic user.profile-v2: retention.ms = 43200000, unclean.leader.election.enable = true",
        "settings of topic user.profile-v2: min.insync.replicas removed, unclean.leader.election.enable removed",
    ]
    hidden = Counter(row["outcome"] for row in rows if row["resource"] == "broker 2")
    assert hidden == {"set or removed: Kafka hides which": 8}
    created = next(row for row in rows if row["kind"] == "topic_created" and row["topics"] == ["strict"])
    assert (
        created["what"] == "topic strict was created (2 partitions, replication 3; min.insync.replicas = 2)"
    )
