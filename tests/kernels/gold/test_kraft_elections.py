"""Which intervals of a partition in KRaft mode begin with an election."""

from pipeline.kernels.gold.leader_election.kraft_elections import changes_of_leader
from schemas.gold import leader_election, partition_timeline
from tests.kernels.frames import frame
from tests.kernels.silver.rows import same_rows

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
