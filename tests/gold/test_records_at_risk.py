"""What an unclean election may have cost, by the ends of the logs of those that come back."""

from typing import Any

import pytest
from polars import lit

from pipeline.gold.leader_election.data_loss_bound import with_bound
from schemas.gold import leader_election
from schemas.silver import replica_offset
from tests.frames import frame

DAY = 86_400
# In expected_leader: the records at risk, -1: not told.
ELECTIONS = f"""
    cluster_id | topic | partition | elected_at | old_leader | isr_before | replicas | leader | leader_epoch | is_clean | expected_leader
    c          | a     | 0         | 10         | -1         | [3]        | [1 2 3]  | 1      | 7            | false    | 87
    c          | a     | 1         | 10         | -1         |            | [1 3]    | 1      | 7            | false    | 87
    c          | b     | 0         | 10         | -1         | [3]        | [1 3]    | 1      | 7            | false    | 0
    c          | c     | 0         | 10         | -1         | [3]        | [1 3]    | 1      | 7            | false    | -1
    c          | d     | 0         | 10         | -1         | [3]        | [1 3]    | 1      | 7            | false    | -1
    c          | e     | 0         | {DAY - 1}  | -1         | [3]        | [1 3]    | 1      | 7            | false    | 5
    c          | f     | 0         | 10         | 3          | [3 1]      | [1 3]    | 1      | 7            | true     | -1
    c          | g     | 0         | 10         | -1         | [2 3]      | [1 2 3]  | 1      | 7            | false    | 40
    c          | h     | 0         | 10         | -1         | [2 3]      | [1 2 3]  | 1      | 7            | false    | 30
    c          | i     | 0         | 10         | -1         | [3]        | [1 3]    | 1      | 7            | false    | 0
    c          | j     | 0         | 10         | -1         | [3]        | [1 3]    | 1      | 7            | false    | -1
    c          | k     | 0         | 10         | -1         | [3]        | [1 3]    | 1      | 7            | false    | 45
    c          | l     | 0         | 10         | -1         | [3]        | [1 3]    | 1      | 7            | false    | 30
    c          | m     | 0         | 10         | -1         | [3]        | [1 3]    | 1      | 7            | false    | 44
    c          | n     | 0         | 10         | -1         | [3]        | [1 3]    | 1      | 7            | false    | 30
    c          | o     | 0         | {DAY + 10} | -1         | [3]        | [1 3]    | 1      | 7            | false    | 30
    c          | p     | 0         | 10         | -1         | [3]        | [1 3]    | 1      | 7            | false    | -1
"""
# a-0: 3 comes back with 143, and once more when it has copied what is new. b: with less. c: of an epoch before.
# d and e: by the end of the next day, or later. h: as server.log up to 2.5 says it; 3 was cut to 10 before it went.
# i: nothing is cut. j: 3 went on running. k: the new leader had just been loaded. l: it had followed since, and
# 3 is cut twice. m: the new leader says where it begins. n and o: it was loaded later, or on the day before.
# p: brokers say where the log ends as they lead it, and the line of the new leader is missing.
STARTS = f"""
    cluster_id | file_id | byte_offset | logged_at     | topic | partition | broker_id | step    | leader_epoch | log_end_offset
    c          | x       | 1           | 10.1          | a     | 0         | 1         | leads   | 7            | 56
    c          | x       | 2           | 15            | a     | 0         | 3         | follows | 7            | 143
    c          | x       | 3           | 50            | a     | 0         | 3         | follows | 8            | 900
    c          | x       | 4           | 10.1          | a     | 1         | 1         | leads   | 7            | 56
    c          | x       | 5           | 15            | a     | 1         | 3         | follows | 7            | 143
    c          | x       | 6           | 10.1          | b     | 0         | 1         | leads   | 7            | 56
    c          | x       | 7           | 15            | b     | 0         | 3         | follows | 7            | 50
    c          | x       | 8           | 10.1          | c     | 0         | 1         | leads   | 7            | 56
    c          | x       | 9           | 15            | c     | 0         | 3         | follows | 6            | 90
    c          | x       | 10          | 10.1          | d     | 0         | 1         | leads   | 7            | 56
    c          | x       | 11          | {2 * DAY}     | d     | 0         | 3         | follows | 7            | 90
    c          | x       | 12          | {DAY - 1}     | e     | 0         | 1         | leads   | 7            | 5
    c          | x       | 13          | {2 * DAY - 1} | e     | 0         | 3         | follows | 7            | 10
    c          | x       | 14          | 10.1          | f     | 0         | 1         | leads   | 7            | 5
    c          | x       | 15          | 15            | f     | 0         | 3         | follows | 7            | 10
    c          | x       | 16          | 10.1          | g     | 0         | 1         | leads   | 7            | 0
    c          | x       | 17          | 15            | g     | 0         | 2         | follows | 7            | 30
    c          | x       | 18          | 16            | g     | 0         | 3         | follows | 7            | 40
    c          | x       | 19          | 3             | h     | 0         | 3         | cut     |              | 10
    c          | x       | 20          | 15            | h     | 0         | 3         | loaded  |              | 50
    c          | x       | 21          | 16            | h     | 0         | 3         | cut     |              | 20
    c          | x       | 22          | 50            | h     | 0         | 3         | loaded  |              | 90
    c          | x       | 23          | 60            | h     | 0         | 3         | cut     |              | 0
    c          | x       | 24          | 15            | h     | 0         | 2         | loaded  |              | 40
    c          | x       | 25          | 16            | h     | 0         | 2         | cut     |              | 20
    c          | x       | 26          | 15            | i     | 0         | 3         | loaded  |              | 50
    c          | x       | 27          | 16            | i     | 0         | 3         | kept    |              | 50
    c          | x       | 28          | 16            | j     | 0         | 3         | cut     |              | 20
    c          | x       | 29          | 9             | k     | 0         | 1         | loaded  |              | 5
    c          | x       | 30          | 15            | k     | 0         | 3         | loaded  |              | 50
    c          | x       | 31          | 16            | k     | 0         | 3         | cut     |              | 20
    c          | x       | 32          | 8             | l     | 0         | 1         | loaded  |              | 5
    c          | x       | 33          | 9             | l     | 0         | 1         | kept    |              | 5
    c          | x       | 34          | 15            | l     | 0         | 3         | loaded  |              | 50
    c          | x       | 35          | 16            | l     | 0         | 3         | kept    |              | 50
    c          | x       | 36          | 17            | l     | 0         | 3         | cut     |              | 20
    c          | x       | 37          | 40            | l     | 0         | 3         | cut     |              | 10
    c          | x       | 38          | 8             | m     | 0         | 1         | loaded  |              | 5
    c          | x       | 39          | 10.1          | m     | 0         | 1         | leads   | 7            | 6
    c          | x       | 40          | 15            | m     | 0         | 3         | loaded  |              | 50
    c          | x       | 41          | 16            | m     | 0         | 3         | cut     |              | 20
    c          | x       | 42          | 12            | n     | 0         | 1         | loaded  |              | 5
    c          | x       | 43          | 15            | n     | 0         | 3         | loaded  |              | 50
    c          | x       | 44          | 16            | n     | 0         | 3         | cut     |              | 20
    c          | x       | 45          | {DAY - 1}     | o     | 0         | 1         | loaded  |              | 5
    c          | x       | 46          | {DAY + 15}    | o     | 0         | 3         | loaded  |              | 50
    c          | x       | 47          | {DAY + 16}    | o     | 0         | 3         | cut     |              | 20
    c          | x       | 48          | 2             | p     | 0         | 3         | leads   | 6            | 10
    c          | x       | 49          | 15            | p     | 0         | 3         | loaded  |              | 50
    c          | x       | 50          | 16            | p     | 0         | 3         | cut     |              | 20
"""


def test_what_the_leader_had_not_copied() -> None:
    elections = frame(leader_election.SPEC, ELECTIONS)
    own = lit([{"file_id": "own", "byte_offset": 0}], elections.schema["evidence"])
    starts = frame(replica_offset.SPEC, STARTS)
    found = with_bound(elections.drop("records_at_risk").with_columns(evidence=own), starts).to_dicts()
    assert len(found) == elections.height
    for row in found:
        assert (-1 if row["records_at_risk"] is None else row["records_at_risk"]) == row["expected_leader"], (
            row
        )
    lines = {row["topic"]: offsets(row) for row in found if row["partition"] == 0}
    assert (lines["a"], lines["c"], lines["g"]) == ([0, 1, 2], [0], [0, 16, 18])
    assert (lines["h"], lines["i"], lines["j"]) == ([0, 21, 20], [0, 27, 26], [0])
    assert (lines["k"], lines["l"], lines["m"]) == ([0, 29, 30], [0, 36, 34], [0, 39, 40])


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ("", 30),
        ("c | a | 0 | 20 | 1 | [1 3] | 3 | 8 | true |", None),
        ("c | a | 0 | 20 | 1 | [1 2] | 2 | 8 | true |", 30),
        ("c | a | 0 | 20 | 1 | [1 2] | 2 | 9 | true | 1", None),
        ("c | a | 0 | 60 | 1 | [1 3] | 3 | 8 | true |", 30),
    ],
)
def test_only_the_first_return_tells_what_was_lost(between: str, expected: int | None) -> None:
    """A broker that was in sync again, or may have been, has copied what the new leader has."""
    elections = frame(
        leader_election.SPEC,
        f"""
        cluster_id | topic | partition | elected_at | old_leader | isr_before | leader | leader_epoch | is_clean | missing_epochs
        c          | a     | 0         | 10         | -1         | [3]        | 1      | 7            | false    |
        {between}
        """,
    )
    starts = frame(
        replica_offset.SPEC,
        """
        cluster_id | file_id | byte_offset | logged_at | topic | partition | broker_id | step    | leader_epoch | log_end_offset
        c          | x       | 1           | 10.1      | a     | 0         | 1         | leads   | 7            | 51
        c          | x       | 2           | 50        | a     | 0         | 3         | follows | 9            | 81
        """,
    )
    evidence = lit([{"file_id": "own", "byte_offset": 0}], elections.schema["evidence"])
    found = with_bound(elections.drop("records_at_risk").with_columns(evidence=evidence), starts)
    assert found["records_at_risk"].to_list()[0] == expected


def offsets(row: dict[str, Any]) -> list[int]:
    return [line["byte_offset"] for line in row["evidence"]]
