"""Lab clusters in ZooKeeper mode, and what is counted in them."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pytest

from tests.lab import Row, rows_of

Expected = tuple[str, tuple[int, ...], int, set[tuple[int, int]]]
# cluster; moves by verdict: first, valid, same state, failed, refused, hidden (no other occurs);
# ratio lines; of them unequal: epoch of the controller and broker.
# Unequal are lines of superseded controllers, who print the cluster as they last knew it, and up to 1.0 of the
# controller after one that wrote while superseded: it does not know what was written.
SAMPLES = (
    ("2.2.2-zk-stock", (1133, 1041, 153, 60, 4, 0), 30, {(7, 1)}),
    ("3.9.1-zk-stock", (155, 51, 77, 61, 1, 105), 27, {(4, 1), (4, 3)}),
)
# Runs with other faults, in lab-runs: moves, disks, stops of everything, znodes removed by hand.
FIELD = "lab-runs"
FIELD_SAMPLES = (("3.9.1-zk-moves", (240, 81, 152, 344, 17, 191), 57, set[tuple[int, int]]()),)
FIELD_OTHERS = (
    ("1.0.2-zk-moves", (1734, 1605, 324, 446, 22, 0), 72, set[tuple[int, int]]()),
    ("2.2.2-zk-moves", (1360, 1913, 355, 399, 20, 0), 63, set[tuple[int, int]]()),
    ("2.2.2-zk-redrive", (399, 262, 0, 2, 4, 0), 9, set[tuple[int, int]]()),
    ("3.9.1-zk-redrive", (53, 52, 0, 2, 2, 16), 6, set[tuple[int, int]]()),
)
# Epochs of terms of which no line decides how they ended: the next controller was killed before it listed who lives; who
# lost /controller in 0.11 and was elected again itself may have lost its session.
UNDECIDED_ENDS = {("2.2.2-zk-redrive", 1), ("0.11.0.3-zk-stock", 5)}
OTHERS = (
    ("0.11.0.3-zk-stock", (922, 777, 133, 60, 3, 0), 30, {(1, 1), (1, 3), (2, 3)}),
    ("1.0.2-zk-stock", (641, 1066, 113, 71, 3, 0), 27, {(4, 1), (4, 2), (5, 1)}),
    ("2.5.1-zk-stock", (1072, 977, 111, 58, 1, 0), 36, set[tuple[int, int]]()),
    ("2.6.3-zk-stock", (162, 51, 60, 42, 1, 53), 30, {(6, 1), (6, 2)}),
    ("2.6.3-zk-trace", (645, 860, 48, 43, 1, 0), 30, {(4, 102)}),
    ("3.2.3-zk-stock", (191, 51, 63, 68, 1, 94), 33, {(4, 1), (4, 2), (4, 3)}),
    ("3.2.3-zk-trace", (885, 845, 47, 31, 2, 0), 21, set[tuple[int, int]]()),
    ("3.9.1-zk-trace", (602, 794, 75, 36, 1, 0), 19, set[tuple[int, int]]()),
)


@dataclass(frozen=True)
class Lab:
    """A cluster's folder, the tables built from it, and what they should hold."""

    folder: Path
    tables: dict[str, pa.Table]
    expected: Expected

    @property
    def is_short(self) -> bool:
        """One scenario alone: far fewer of everything."""
        return self.folder.name.endswith("redrive")

    @property
    def is_field(self) -> bool:
        return self.folder.parent.name == FIELD

    def rows(self, table: str) -> list[Row]:
        return rows_of(self.tables[table])

    @cached_property
    def timeline(self) -> list[Row]:
        return self.rows("partition_timeline")


def cases() -> list[object]:
    return [
        *(pytest.param(one, id=one[0]) for one in (*SAMPLES, *FIELD_SAMPLES)),
        *(pytest.param(one, id=one[0], marks=pytest.mark.soak) for one in (*OTHERS, *FIELD_OTHERS)),
    ]


def folder(shared: Path, name: str) -> Path:
    is_field = name in {one[0] for one in (*FIELD_SAMPLES, *FIELD_OTHERS)}
    found = shared / FIELD / name if is_field else shared / "corpus" / "lab" / name
    if not found.is_dir():
        pytest.skip(f"no run {name} at {found}")
    return found
