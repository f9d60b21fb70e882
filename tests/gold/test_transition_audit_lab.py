"""The audit of real clusters: verdicts counted by an independent reader of their log files."""

from collections import Counter
from typing import Any

import polars as pl
import pytest

from pipeline.gold.transition_audit.judging import WANTED, judged_moves
from tests.gold.transition_labs import LAB, TABLE, Row, read_moves
from tests.gold.transition_types import TYPES


def frame(moves: list[Row], cluster: str, replica_machine: str) -> pl.DataFrame:
    """The moves of all terms, with the columns that the tables before would add."""
    known = {"cluster_id": cluster, "load_seq": 1, "replica_machine": replica_machine, "is_earlier": False}
    rows = [dict.fromkeys(WANTED) | known | move for move in moves]
    return pl.DataFrame(rows, schema={name: TYPES[name] for name in WANTED}, orient="row")


def plain_verdicts(moves: list[Row]) -> list[str]:
    """Verdicts by one dictionary of states; a gap is called hidden, and legality is not asked."""
    states: dict[tuple[Any, ...], str] = {}
    verdicts = []
    for move in moves:
        key = tuple(move[name] for name in ("term_id", "machine", "topic", "partition", "replica_id"))
        from_state = move["from_state"]
        if move["outcome"] == "failed":
            verdicts.append("refused" if "should be in" in (move["exception_message"] or "") else "failed")
            continue
        if key not in states:
            verdicts.append("first")
        elif states[key] != from_state:
            verdicts.append("hidden")
        else:
            verdicts.append("same_state" if from_state == move["to_state"] else "valid")
        states[key] = move["to_state"]
    return verdicts


def audited_rows(moves: list[Row], cluster: str, replica_machine: str) -> list[Row]:
    """The audit, in the order of `moves`."""
    audited = judged_moves(frame(moves, cluster, replica_machine)).to_dicts()
    by_record = {(row["file_id"], row["byte_offset"]): row for row in audited}
    return [by_record[move["file_id"], move["byte_offset"]] for move in moves]


needs_lab = pytest.mark.skipif(not LAB.is_dir(), reason=f"the lab corpus is not at {LAB}")


@needs_lab
@pytest.mark.parametrize("expected", TABLE, ids=lambda row: row[0])
def test_verdicts_of_a_real_cluster(expected: tuple[Any, ...]) -> None:
    cluster, replica_machine, first, valid, same_state, failed, refused, hidden = expected
    moves = read_moves(LAB / cluster)
    rows = audited_rows(moves, cluster, replica_machine)
    assert Counter(row["verdict"] for row in rows) == Counter(
        first=first, valid=valid, same_state=same_state, failed=failed, refused=refused, hidden=hidden
    )
    assert [row["verdict"] for row in rows] == plain_verdicts(moves)
    assert all(row["normal"] for row in rows if row["verdict"] == "refused")


@needs_lab
@pytest.mark.parametrize("cluster", [row[0] for row in TABLE])
def test_elections_and_epochs_tell_the_same_terms(cluster: str) -> None:
    moves = read_moves(LAB / cluster)
    terms = {move["term_id"] for move in moves}
    epochs = {term.rsplit("-", 1)[0] for term in terms}
    assert len(terms) == len(epochs)
