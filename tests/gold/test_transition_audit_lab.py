"""The audit of real clusters: verdicts counted by an independent reader of their log files."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipeline.gold.transition_audit.judging import WANTED, judged_moves
from tests.gold.test_transition_audit import TYPES

LAB = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "lab"

# cluster, machine of replicas, first, valid, same state, failed, refused, hidden; nothing else occurs.
TABLE = (
    ("0.11.0.3-zk-stock", "R1", 922, 777, 133, 60, 3, 0),
    ("2.2.2-zk-stock", "R1", 1133, 1041, 153, 60, 4, 0),
    ("2.5.1-zk-stock", "R2", 1072, 977, 111, 58, 1, 0),
    ("2.6.3-zk-stock", "R2", 162, 51, 60, 42, 1, 53),
    ("3.9.1-zk-stock", "R2", 155, 51, 77, 61, 1, 105),
    ("3.9.1-zk-trace", "R2", 602, 794, 75, 36, 1, 0),
)
HEAD = re.compile(r"\[(?P<time>[\d-]+ [\d:,]+)\] (?P<level>[A-Z]+) (?P<text>.*) \(state\.change\.logger\)")
CONTROLLER = re.compile(r"\[?Controller (?:id=)?(?P<id>\d+) epoch[ =](?P<epoch>\d+)")
MOVE = re.compile(
    r"(?i:(?P<done>changed)|initiated|failed to change)(?: state change| state)?"
    r"(?: of replica (?P<replica>\d+))?(?: for)?(?: partition)"
    r" (?:\[(?P<topic1>[^,\]]+),(?P<part1>\d+)\]|(?P<topic2>\S+)-(?P<part2>\d+))(?: state)?"
    r" from (?P<from>\w+) to (?P<to>\w+)"
)
EXCEPTION = re.compile(r"(?P<type>[\w.$]+)(?:: (?P<message>.*))?")
ELECTED = re.compile(
    r"\[(?P<time>[^\]]+)\] INFO \[Controller (?:id=)?(?P<id>\d+)\].* successfully elected as the"
)

Row = dict[str, Any]


def log_lines(node: Path, name: str) -> Iterator[str]:
    """Rolled files first, which carry the hour of their content, then the one still written."""
    rolled = sorted(node.glob(f"{name}.*"))
    for path in [*rolled, node / name]:
        yield from path.read_text(encoding="utf-8").splitlines()


def elections(cluster: Path) -> dict[int, list[str]]:
    """Per controller, when it was elected."""
    elected = defaultdict(list)
    for node in sorted(cluster.glob("broker-*")):
        for line in log_lines(node, "controller.log"):
            if match := ELECTED.match(line):
                elected[int(match["id"])].append(match["time"])
    return {controller: sorted(times) for controller, times in elected.items()}


def read_moves(cluster: Path) -> list[Row]:
    """The moves of all nodes, each with its term."""
    elected, moves = elections(cluster), []
    for node in sorted(cluster.glob("broker-*")):
        lines = list(log_lines(node, "state-change.log"))
        for number, line in enumerate(lines):
            head = HEAD.fullmatch(line)
            controller = CONTROLLER.match(head["text"]) if head else None
            if head is None or controller is None:
                continue
            ordinal = bisect_right(elected[int(controller["id"])], head["time"])
            assert ordinal > 0, "a controller acts before it is elected"
            term = f"{controller['id']}-{controller['epoch']}-{ordinal}"
            if match := MOVE.search(head["text"]):
                following = lines[number + 1] if number + 1 < len(lines) else ""
                moves.append(row_of(match, node, number, term, following) | {"level": head["level"]})
    return moves


def row_of(match: re.Match[str], node: Path, number: int, term: str, following: str) -> Row:
    exception = None if match["done"] or HEAD.fullmatch(following) else EXCEPTION.match(following)
    return {
        "term_id": term,
        "machine": "replica" if match["replica"] else "partition",
        "topic": match["topic1"] or match["topic2"],
        "partition": int(match["part1"] or match["part2"]),
        "replica_id": int(match["replica"]) if match["replica"] else None,
        "from_state": match["from"],
        "to_state": match["to"],
        "outcome": "done" if match["done"] else "failed",
        "exception_class": exception["type"] if exception else None,
        "exception_message": exception["message"] if exception else None,
        "seq": number,
        "file_id": node.name,
        "byte_offset": number,
    }


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
