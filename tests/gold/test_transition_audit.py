"""Each verdict from the fewest moves that give it."""

from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest

from pipeline.core.frames import declared_table, empty_frame
from pipeline.core.replay import CONTINUITY
from pipeline.gold.transition_audit.judging import WANTED, judged_moves
from pipeline.gold.transition_audit.precedence import PRECEDENCE
from pipeline.kafka.machines.by_release import KINDS
from schemas.gold.transition_audit import CONTINUITIES, MACHINES, SPEC, VERDICTS
from tests.gold.transition_types import TYPES

REFUSED = (
    "java.lang.IllegalStateException: Partition t-0 should be in one of A,B states before moving to X state"
)
ASSERTED = (
    "java.lang.AssertionError: assertion failed: Replica [t] should be in the A states before moving to X"
)
ELECTION = "kafka.common.StateChangeFailedException: Failed to elect leader for partition t-0"
STATE = {
    "New": ("NewPartition", "NewReplica"),
    "On": ("OnlinePartition", "OnlineReplica"),
    "Off": ("OfflinePartition", "OfflineReplica"),
    "None": ("NonExistentPartition", "NonExistentReplica"),
    "Start": ("?", "ReplicaDeletionStarted"),
    "Done": ("?", "ReplicaDeletionSuccessful"),
    "Inel": ("?", "ReplicaDeletionIneligible"),
    "Odd": ("OddPartition", "OddReplica"),
}

# case | machine | level seen | moves from>to, not done: !exception | verdict of the last | its continuity
CASES = """
first              | P1 | trace | None>New                     | first         | first
valid              | P1 | trace | None>New New>On              | valid         | follows
same_state         | P1 | trace | On>On On>On                  | same_state    | follows
first_online       | P1 | trace | On>On                        | first         | first
failed             | P1 | trace | Off>On!election              | failed        | first
refused            | P1 | trace | On>None!refused              | refused       | first
refused_assertion  | R1 | trace | Off>Inel!asserted            | refused       | unknown
failed_odd_pair    | P1 | trace | New>New!election             | failed        | first
cut_illegal        | P1 | trace | On>None!                     | undetermined  | first
cut_class_only     | P1 | trace | On>None!class                | undetermined  | first
cut_legal          | P1 | trace | Off>On!                      | failed        | first
illegal            | P1 | trace | New>On On>None               | illegal       | follows
illegal_first      | P1 | trace | On>None                      | illegal       | first
illegal_R1         | R1 | trace | On>Off Off>Inel              | illegal       | follows
legal_R2           | R2 | trace | On>Off Off>Inel              | valid         | follows
release_unknown    | -  | trace | On>Off Off>Inel              | undetermined  | follows
illegal_anyway     | -  | trace | On>None                      | illegal       | first
hidden             | P1 | info  | New>On Off>On                | hidden        | hidden
hidden_deletion    | P1 | info  | New>On None>New              | hidden        | hidden
info_unexplained   | P1 | info  | None>New On>On               | discontinuity | broken
discontinuity      | P1 | trace | New>On Off>On                | discontinuity | broken
silent_online_R1   | R1 | trace | On>Off On>Off                | undetermined  | unknown
silent_online_R2   | R2 | trace | On>Off On>Off                | discontinuity | broken
beginning_missing  | R2 | trace | Off>On                       | undetermined  | unknown
after_failure      | P1 | trace | Off>On!election Off>On       | first         | first
failure_moves_not  | P1 | trace | New>On On>None!refused On>Off | valid        | follows
odd_state          | P1 | trace | New>Odd                      | undetermined  | first
after_odd_state    | P1 | trace | New>Odd Odd>On               | undetermined  | unknown
no_term            | P1 | none  | None>New                     | undetermined  | unknown
no_term_illegal    | P1 | none  | On>None                      | illegal       | unknown
no_term_refused    | P1 | none  | On>None!refused              | refused       | unknown
"""


def rows_of(machine: str, visible: str, moves: str) -> list[dict[str, Any]]:
    is_partition = machine == "P1"
    exceptions: dict[str, list[str | None]] = {
        "refused": list(REFUSED.split(": ", 1)),
        "asserted": list(ASSERTED.split(": ", 1)),
        "election": list(ELECTION.split(": ", 1)),
        "class": ["java.lang.IllegalStateException", None],
        "": [None, None],
    }
    rows = []
    for number, move in enumerate(moves.split()):
        pair, bang, how = move.partition("!")
        from_state, to_state = (STATE[each][0 if is_partition else 1] for each in pair.split(">"))
        rows.append(
            dict.fromkeys(WANTED)
            | {
                "cluster_id": "c",
                "file_id": "f",
                "load_seq": 1,
                "byte_offset": 100 * number,
                "topic": "t",
                "partition": 0,
                "replica_id": None if is_partition else 1,
                "from_state": from_state,
                "to_state": to_state,
                "outcome": "failed" if bang else "done",
                "exception_class": exceptions[how][0],
                "exception_message": exceptions[how][1],
                "machine": "partition" if is_partition else "replica",
                "term_id": None if visible == "none" else "1-1",
                "seq": None if visible == "none" else number,
                "ordered_at": datetime(2026, 11, 21, tzinfo=UTC),
                "is_earlier": False,
                "level": "ERROR" if bang else "INFO" if visible == "info" else "TRACE",
                "replica_machine": machine if machine in KINDS["replica"] else None,
            }
        )
    return rows


def frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={name: TYPES[name] for name in WANTED})


def judged(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The audited rows as they pass the border of kernels, in log order."""
    passed = declared_table(judged_moves(frame(rows)), SPEC).to_pylist()
    return sorted(passed, key=lambda row: (row["seq"] or 0, row["byte_offset"]))


def audited(machine: str, visible: str, moves: str) -> list[dict[str, Any]]:
    return judged(rows_of(machine, visible, moves))


def cases() -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in CASES.strip().splitlines()]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case[0])
def test_verdict(case: list[str]) -> None:
    _, machine, visible, moves, verdict, continuity = case
    last = audited(machine, visible, moves)[-1]
    assert (last["verdict"], last["continuity"]) == (verdict, continuity)


def test_every_verdict_and_continuity_has_a_case() -> None:
    assert {case[4] for case in cases()} == set(VERDICTS) == {verdict for verdict, _ in PRECEDENCE}
    assert {case[5] for case in cases()} == set(CONTINUITIES)
    assert CONTINUITIES == CONTINUITY
    assert set(MACHINES) == set(KINDS)


def test_columns_are_those_of_the_table() -> None:
    for rows in (rows_of("R2", "trace", "None>New New>On"), []):
        found = judged_moves(frame(rows))
        assert (len(found), found.schema) == (len(rows), empty_frame(SPEC).schema)


def test_order_is_seq_and_not_that_of_the_rows() -> None:
    rows = rows_of("P1", "trace", "None>New New>On On>Off")
    verdicts = {row["seq"]: row["verdict"] for row in judged(rows[::-1])}
    assert verdicts == {0: "first", 1: "valid", 2: "valid"}


def test_level_is_that_of_the_lines_around_the_gap() -> None:
    rows = rows_of("P1", "trace", "On>On Off>On On>On Off>On On>On Off>On")
    for row, level in zip(rows, ("INFO", "INFO", "TRACE", "TRACE", "INFO", "INFO"), strict=True):
        row["level"] = level
    verdicts = [row["verdict"] for row in judged(rows)]
    assert verdicts == ["first", "hidden", "same_state", "discontinuity", "same_state", "hidden"]


def test_level_of_one_machine_is_that_of_the_other() -> None:
    partition = rows_of("P1", "info", "On>On Off>On")
    replica = rows_of("R2", "trace", "On>On On>On")
    for row, seq in zip([*partition, *replica], (1, 2, 0, 3), strict=True):
        row["seq"] = seq
    verdicts = {row["seq"]: row["verdict"] for row in judged([*partition, *replica])}
    assert verdicts == {0: "first", 1: "first", 2: "discontinuity", 3: "same_state"}


def test_objects_do_not_mix() -> None:
    rows = rows_of("R2", "trace", "On>Off On>Off On>Off On>Off")
    for row, (topic, partition, replica) in zip(
        rows, [("t", 0, 1), ("t", 0, 2), ("t", 1, 1), ("u", 0, 1)], strict=True
    ):
        row |= {"topic": topic, "partition": partition, "replica_id": replica}
    assert [row["verdict"] for row in judged(rows)] == ["first"] * 4


def test_legality_is_null_where_the_release_decides() -> None:
    legal = {
        name: audited(name, "trace", "On>Off Off>Inel")[-1]["is_legal_pair"] for name in ("R1", "R2", "-")
    }
    assert legal == {"R1": False, "R2": True, "-": None}


def test_evidence_is_the_record_and_the_one_before_if_it_matters() -> None:
    rows = audited("P1", "trace", "Off>On!election Off>On On>None!refused On>Off")
    offsets = [[place["byte_offset"] for place in row["evidence"]] for row in rows]
    assert offsets == [[0], [100], [200], [300, 100]]
    assert [row["certainty"] for row in rows] == ["proved"] * 4
    assert audited("P1", "info", "New>On Off>On")[-1]["certainty"] == "inferred"
    assert audited("R2", "trace", "Off>On")[-1]["certainty"] == "undetermined"


@pytest.mark.parametrize(
    ("machine", "move", "normal"),
    [
        ("R1", "Off>Inel!refused", "KAFKA-8237"),
        ("R2", "Off>Inel!refused", None),
        ("-", "Off>Inel!refused", "KAFKA-8237"),
        ("R2", "Inel>Inel!refused", "item 11"),
        ("R2", "Done>Inel!refused", "item 11"),
        ("R1", "Inel>Inel!refused", "item 11"),
        ("R1", "Done>On!refused", "item 11"),
        ("-", "Done>Inel!refused", "item 11"),
        ("R1", "Done>Off!refused", "item 23"),
        ("R2", "Done>Off!refused", None),
        ("-", "Off>New!refused", "item 21"),
        ("R2", "On>New!refused", "item 21"),
        ("R1", "On>New!refused", None),
        ("R1", "On>Inel!refused", "item 22"),
        ("R2", "On>Inel!refused", "item 22"),
        ("R2", "On>Inel!election", None),
        ("P1", "On>None!refused", None),
    ],
)
def test_normal_is_what_the_release_is_known_for(machine: str, move: str, normal: str | None) -> None:
    assert audited(machine, "trace", move)[0]["normal"] == normal


def test_terms_do_not_mix() -> None:
    """Neither states nor levels nor machines of one term say anything of another. Of two lines those around a gap have
    to be at TRACE both."""
    places = {("c", "1-1"): (0, 3), ("c", "1-2"): (1, 4), ("d", "1-1"): (2, 5)}
    levels = (("TRACE", "INFO"), ("INFO", "TRACE"), ("TRACE", "TRACE"))
    rows = []
    for (cluster, term), seqs, shown in zip(places, places.values(), levels, strict=True):
        for row, seq, level in zip(rows_of("R2", "trace", "On>Off On>Off"), seqs, shown, strict=True):
            machine = {"replica_machine": "R1" if term == "1-2" else "R2"}
            rows.append(row | machine | {"cluster_id": cluster, "term_id": term, "seq": seq, "level": level})
    found = {(row["cluster_id"], row["term_id"], row["seq"]): row["verdict"] for row in judged(rows)}
    assert found == {
        ("c", "1-1", 0): "first",
        ("c", "1-1", 3): "hidden",
        ("c", "1-2", 1): "first",
        ("c", "1-2", 4): "hidden",
        ("d", "1-1", 2): "first",
        ("d", "1-1", 5): "discontinuity",
    }


def test_moves_of_earlier_days_have_no_row_and_are_what_a_verdict_rests_on() -> None:
    rows = rows_of("P1", "trace", "None>New New>On")
    rows[0]["is_earlier"] = True
    (row,) = judged(rows)
    assert (row["verdict"], [place["byte_offset"] for place in row["evidence"]]) == ("valid", [100, 0])
