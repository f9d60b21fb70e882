"""Who was away while the old leader died cannot have been in the ISR that it left."""

import polars as pl
from polars import col, lit

from pipeline.gold.leader_election.absence_overlap import with_absence
from schemas.gold import broker_session
from schemas.gold.leader_election import SPEC
from tests.frames import frame

# Broker 1 leaves at 10 and is back at 40, 2 leaves at 20; 3 comes after 2, and before was never gone; 4 is back before
# 2 leaves; 5 is missing in a list, and nothing says that it left; 6 left in the very act that 2 did.
SESSIONS = """
    cluster_id | broker_id | joined_at | left_at | left_how
    c          | 1         | 0         | 10      | uncontrolled
    c          | 1         | 40        | 90      | uncontrolled
    c          | 2         | 0         | 20      | missing_at_startup
    c          | 3         | 40        |         |
    c          | 4         | 0         | 5       | controlled
    c          | 4         | 15        |         |
    c          | 5         | 0         | 10      | missing_in_list
    c          | 5         | 40        |         |
    c          | 6         | 0         | 20      | missing_at_startup
    c          | 6         | 40        |         |
    c          | 7         | 0         |         |
"""
# The last column: whether the new leader was away. b: nobody knows who led; c: the old leader is there; g: it was in
# the ISR all the same, alone; h and i: no election out of being offline, or none at all.
ELECTIONS = """
    cluster_id | topic | partition | elected_at | kind      | outcome | old_leader | leader | isr_before | is_expected
    c          | a     | 1         | 41         | offline   | done    | 2          | 1      | [2]        | true
    c          | a     | 2         | 41         | unknown   | done    | 2          | 1      | [2 3]      | true
    c          | b     | 0         | 41         | offline   | done    |            | 1      | [2]        | false
    c          | c     | 0         | 41         | offline   | done    | 7          | 1      | [7]        | false
    c          | d     | 3         | 41         | offline   | done    | 2          | 3      | [2]        | false
    c          | d     | 4         | 41         | offline   | done    | 2          | 4      | [2]        | false
    c          | d     | 5         | 41         | offline   | done    | 2          | 5      | [2]        | false
    c          | d     | 6         | 41         | offline   | done    | 2          | 6      | [2]        | false
    c          | e     | 0         | 39         | offline   | done    | 2          | 1      | [2]        | false
    c          | f     | 0         | 95         | offline   | done    | 2          | 1      | [2]        | false
    c          | g     | 0         | 41         | offline   | done    | 2          | 1      | [1]        | false
    c          | h     | 0         | 41         | preferred | done    | 2          | 1      | [2]        | false
    c          | i     | 0         | 41         | offline   | failed  | 2          |        | [2]        | false
    c          | j     | 0         | 41         | offline   | done    | 2          | 1      |            | false
"""


def test_who_was_away() -> None:
    joined = pl.format("{}-{}", "broker_id", col("joined_at").dt.minute() * 60 + col("joined_at").dt.second())
    lines = [
        pl.struct(file_id=joined, byte_offset=lit(0, pl.Int64)),
        pl.struct(file_id=pl.format("{} left", "broker_id"), byte_offset=lit(1, pl.Int64)),
    ]
    sessions = frame(broker_session.SPEC, SESSIONS).with_columns(evidence=pl.concat_list(lines))
    found = with_absence(frame(SPEC, ELECTIONS), sessions).to_dicts()
    assert len(found) == 14
    assert {(row["topic"], row["partition"]) for row in found if row["away"] is not None} == {
        (row["topic"], row["partition"]) for row in found if row["is_expected"]
    }
    told = {tuple(line["file_id"] for line in row["away"]) for row in found if row["away"]}
    assert told == {("1 left", "2 left", "1-40")}
