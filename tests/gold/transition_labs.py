"""Moves of a lab, read from its logs without the product."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
