"""Which intervals of a partition in KRaft mode begin with an election, who could be elected, and by which decision."""

import polars as pl

from pipeline.gold.leader_election.kraft_elections import changes_of_leader
from pipeline.gold.leader_election.kraft_marks import with_marks
from pipeline.gold.leader_election.kraft_service import with_service
from schemas.gold import leader_election, partition_timeline
from schemas.silver import broker_absence, broker_event, election_event, reassignment_event, term
from tests.frames import frame
from tests.rows import same_rows

TIMELINE = """
    cluster_id | topic | topic_id | topic_life | partition | interval_seq | valid_from_at | leader | leader_epoch | partition_epoch | isr
    c          | a     | A        | 1          | 0         | 1            | 1             | 1      | 0            | 0               | [1 2]
    c          | a     | A        | 1          | 0         | 2            | 2             | 1      | 0            | 1               | [1]
    c          | a     | A        | 1          | 0         | 3            | 3             |        |              |                 |
    c          | a     | A        | 1          | 0         | 4            | 4             | 1      | 0            | 2               | [1 2]
    c          | a     | A        | 1          | 0         | 5            | 5             |        |              |                 |
    c          | a     | A        | 1          | 0         | 6            | 6             | 1      | 3            | 6               | [1 2]
    c          | a     | A        | 1          | 0         | 7            | 7             | 1      | 4            | 7               | [1]
    c          | a     | A        | 1          | 0         | 8            | 8             | 1      | 6            | 9               | [1]
    c          | a     | A        | 1          | 0         | 9            | 9             | 2      | 7            | 10              | [2]
    c          | a     | A        | 1          | 0         | 10           | 10            |        | 8            |                 |
    c          | a     | A        | 1          | 0         | 11           | 11            | 1      | 9            | 12              | [1]
    c          | late  | B        | 1          | 0         | 1            | 1             | 2      | 5            | 9               | [1 2]
"""
ELECTED = """
    topic | leader | leader_epoch | missing_epochs
    a     | 1      | 0            | 0
    a     | 1      | 3            | 2
    a     | 1      | 6            | 1
    a     | 2      | 7            | 0
    a     | 1      | 9            | 1
"""


def test_a_leader_epoch_is_one_election() -> None:
    """What was not known in between makes none of the epoch known before; one that was only asked for is none (7), and one
    of which nobody says who won is missing (8)."""
    found = changes_of_leader(frame(partition_timeline.SPEC, TIMELINE))
    expected = frame(leader_election.SPEC, ELECTED)
    same_rows(found, expected, "topic", "leader", "leader_epoch", "missing_epochs")


# 1 is fenced twice before it is back once; 3 is out for good. Of the term between 50 and 60 no line was read.
# A log directory of 2 fails at 70.
ABSENCES = """
    cluster_id | broker_id | out_at | back_at | is_partial
    c          | 1         | 10     | 30      | false
    c          | 1         | 12     | 14      | false
    c          | 3         | 15     |         | false
    c          | 2         | 62     | 64      | false
    c          | 2         | 70     | 80      | true
"""
TERMS = """
    cluster_id | term_id | life | controller_epoch | mode  | elected_at | first_seen_at | told_until_at
    c          | 1-1     | 1    | 1                | kraft | 1          | 1             | 50
    c          | 1-2     | 1    | 2                | kraft |            | 50            |
    c          | 1-3     | 1    | 3                | kraft | 60         | 60            | 80
"""
# In isr: the replicas in service; in is_expected: whether that is known; in is_clean: no log directory is out.
ELECTIONS = """
    cluster_id | elected_at | replicas | isr     | is_expected | is_clean
    c          | 5          | [3 1 2]  | [3 1 2] | true        | true
    c          | 20         | [3 1 2]  | [2]     | true        | true
    c          | 20         | [3 1]    | []      | true        | true
    c          | 20         |          |         | true        | true
    c          | 30         | [3 1 2]  | [1 2]   | true        | true
    c          | 55         | [2 1]    | [2 1]   | false       | true
    c          | 63         | [2 1]    | [1]     | false       | true
    c          | 63         | [2]      | []      | true        | true
    c          | 65         | [2]      | [2]     | true        | true
    c          | 65         |          |         | false       | true
    c          | 75         | [2]      | [2]     | true        | false
    c          | 75         | [1]      | [1]     | false       | true
"""


def test_who_was_in_service() -> None:
    expected = frame(leader_election.SPEC, ELECTIONS)
    asked = expected.drop("isr", "is_expected", "is_clean")
    found = with_service(asked, frame(broker_absence.SPEC, ABSENCES), frame(term.SPEC, TERMS))
    names = {"able": "isr", "is_out_known": "is_expected"}
    told = found.rename(names).with_columns(is_clean=~pl.col("has_disk_out"))
    same_rows(told, expected, "elected_at", "replicas", "isr", "is_expected", "is_clean")


# The controller is 9. Node 8 was superseded: what it decides never comes true.
DECISIONS = """
    cluster_id | logged_at | node_id | said_by  | step                        | broker_id | file_id | byte_offset
    c          | 10        | 9       | decision | session_timed_out           | 1         | x       | 1
    c          | 10        | 9       | decision | controlled_shutdown_granted | 2         | x       | 2
    c          | 11        | 8       | decision | fence_granted               | 1         | x       | 3
    c          | 11        | 9       | replay   | fence_granted               | 1         | x       | 4
    c          | 15.5      | 9       | decision | unfence_granted             | 2         | x       | 5
"""
REASSIGNED = """
    cluster_id | logged_at | node_id | step      | topic | partition | file_id | byte_offset
    c          | 14        | 9       | completed | a     | 0         | x       | 6
    c          | 14        | 9       | started   | a     | 1         | x       | 7
"""
# Another controller's task is none of preferred leaders; the run at 14 finds nothing to do.
RUNS = """
    cluster_id | logged_at | node_id | event                  | step    | trigger        | partition_count | topic_id | partition | new_leader | leader_epoch | selector | file_id | byte_offset
    c          | 12        | 9       | preferred_election_run | elected |                | 3               |          |           |            |              |          | x       | 8
    c          | 14        | 9       | preferred_election_run | elected |                | 0               |          |           |            |              |          | x       | 9
    c          | 14        | 9       | periodic_task_run      | elected | unfenceBrokers | 2               |          |           |            |              |          | x       | 10
    c          | 20        | 9       | elect_unclean          | elected |                |                 | A        | 0         | 2          |              | UNCLEAN  | x       | 11
    c          | 20        | 9       | partition_change       | elected_unclean |        |                 | A        | 0         | 2          | 7            |          | y       | 12
    c          | 90        | 9       | elect_elr              | elected |                |                 | A        | 0         | 3          | 7            | ELR      | x       | 13
"""
# In interval_seq: the offset of the line with which the leader before left, or the new one came back; likewise in seq
# that of the reassignment, in event_seq that of the run; in partition_epoch: how many lines tell the choice.
CHANGES = """
    topic_id | topic | partition | valid_from_at | leader | leader_epoch | state | interval_seq | seq | event_seq | partition_epoch
    A        | a     | 0         | 15            | 2      | 5            | left  |              | 6   | 8         | 0
    A        | a     | 1         | 13            | 2      | 5            | left  | 1            |     | 8         | 0
    A        | a     | 0         | 20            | 2      | 7            | left  |              |     |           | 2
    A        | a     | 0         | 90            | 3      | 8            | left  |              |     |           | 1
    A        | a     | 1         | 15            | 2      | 5            | back  | 5            |     | 8         | 0
    A        | a     | 1         | 14.4          | 2      | 5            | back  |              |     | 8         | 0
"""


def test_which_decision_a_change_may_come_of() -> None:
    expected = frame(partition_timeline.SPEC, CHANGES).with_columns(
        cluster_id=pl.lit("c"), term_id=pl.lit("1-1")
    )
    changes = expected.select(
        *(
            "cluster_id",
            "term_id",
            "topic_id",
            "topic",
            "partition",
            "valid_from_at",
            "leader",
            "leader_epoch",
        ),
        leader_before=pl.lit(1, pl.Int32),
        valid_from_at_before=pl.lit(None, expected.schema["valid_from_at"]),
        wanted="state",
    )
    in_office = "cluster_id | term_id | life | controller_epoch | controller_id | mode | elected_at \n c | 1-1 | 1 | 1 | 9 | kraft | 1"
    found = with_marks(
        changes,
        frame(broker_event.SPEC, DECISIONS),
        frame(election_event.SPEC, RUNS),
        frame(reassignment_event.SPEC, REASSIGNED),
        frame(term.SPEC, in_office),
    )
    lines = (pl.col("diff_line").is_not_null(), pl.col("choice_line").is_not_null())
    named = found.select(
        *("topic", "partition", "valid_from_at"),
        interval_seq=pl.when(pl.col("wanted") == "left")
        .then("left_byte_offset")
        .otherwise("back_byte_offset"),
        seq="moved_byte_offset",
        event_seq="run_byte_offset",
        partition_epoch=pl.sum_horizontal(line.cast(pl.Int32) for line in lines),
    )
    same_rows(named, expected, *named.columns)
    assert found["are_runs_told"].all()


IN_OFFICE = """
    cluster_id | term_id | life | controller_epoch | controller_id | mode  | elected_at
    c          | 1-1     | 1    | 1                | 9             | kraft | 1
"""
CAME_AND_WENT = """
    cluster_id | logged_at | node_id | said_by  | step              | broker_id | file_id | byte_offset
    c          | 10        | 9       | decision | session_timed_out | 1         | x       | 1
    c          | 10.4      | 9       | decision | unfence_granted   | 1         | x       | 2
    c          | 30        | 9       | decision | session_timed_out | 1         | x       | 3
    c          | 40        | 9       | decision | unfence_granted   | 2         | x       | 4
"""
MOVES = """
    cluster_id | logged_at | node_id | step    | topic | partition | adding_replicas | removing_replicas | file_id | byte_offset
    c          | 9         | 9       | changed | a     | 0         | [2]             | [1]               | x       | 11
    c          | 31        | 9       | changed | a     | 0         |                 | []                | x       | 12
    c          | 61        | 9       | changed | a     | 0         | [2]             | [1]               | x       | 13
"""
SAID_UNCLEAN = """
    cluster_id | logged_at | node_id | event                      | step            | topic | topic_id | partition | new_leader | leader_epoch | isr_before | file_id | byte_offset
    c          | 42.6      | 9       | elect_unclean              | elected         |       | A        | 0         | 2          | 8            |            | x       | 21
    c          | 42.6      | 9       | partition_diff_unclean     | elected_unclean | a     | A        | 0         | 2          | 9            | [1]        | x       | 22
    c          | 80        | 9       | unclean_election_triggered | started         | a     |          | 0         |            |              |            | x       | 23
"""
# In interval_seq and seq: the offsets of left_, moved_; in event_seq that of back_, else of task_; isr: as said before.
# valid_until_at: since when the leader before led.
MARKED = """
    cluster_id | term_id | topic_id | topic | partition | valid_until_at | valid_from_at | leader | leader_epoch | interval_seq | seq | event_seq | isr
    c          | 1-1     | A        | a     | 0         | 10.5           | 11            | 2      | 5            |              |     |           |
    c          | 1-1     | A        | a     | 0         | 10.2           | 11            | 2      | 6            | 1            |     |           |
    c          | 1-1     | A        | a     | 0         | 20             | 31.2          | 2      | 7            |              | 12  |           |
    c          | 1-1     | A        | a     | 0         | 20             | 30.2          | 2      | 7            | 3            | 12  |           |
    c          | 1-1     | A        | a     | 0         | 40             | 42.7          | 2      | 9            |              |     |           | [1]
    c          | 1-1     | A        | a     | 0         | 40             | 40.6          | 2      | 10           |              |     | 4         |
    c          | 1-1     | A        | a     | 0         | 60             | 61.5          | 2      | 11           |              |     |           |
    c          | 1-1     | A        | a     | 0         | 60             | 80            | 2      | 12           |              |     | 23        |
"""


def test_what_is_not_why_another_leads() -> None:
    """A broker that was let back before it led; one that left before the reassignment ended; one that came back long
    before the controller says that it chose; a reassignment that begins."""
    expected = frame(partition_timeline.SPEC, MARKED)
    changes = expected.drop("interval_seq", "seq", "event_seq").rename(
        {"valid_until_at": "valid_from_at_before"}
    )
    found = with_marks(
        changes.with_columns(leader_before=pl.lit(1, pl.Int32)),
        frame(broker_event.SPEC, CAME_AND_WENT),
        frame(election_event.SPEC, SAID_UNCLEAN),
        frame(reassignment_event.SPEC, MOVES),
        frame(term.SPEC, IN_OFFICE),
    )
    named = found.select(
        "leader_epoch",
        interval_seq="left_byte_offset",
        seq="moved_byte_offset",
        event_seq=pl.coalesce("back_byte_offset", "task_byte_offset"),
        isr="said_isr",
    )
    same_rows(named, expected, *named.columns)
