"""Every ratio line of the public clusters, which have no truth beside them: equal, or undetermined for a right reason.

`-s` prints a row a cluster. What the lines say themselves is read from their text alone: the list before each ratio,
and up to 2.4 the groups that Kafka counted.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pyarrow as pa
import pytest

from tests.chain import built
from tests.corpus import Row, records

CLUSTERS = (
    "0.8.2.1-JihoChoi",
    "0.9.0.1-Heipiao",
    "0.10.0.0-Aminoid",
    "0.10.2.0-andreinedelciu",
    "0.11.0.0-oridonner",
    "1.1.0-choopong",
    "2.0.0-oridonner",
    "2.2.0-yaochenzhi",
    "2.5.0-Parasmani300",
    "2.6.0-MekkaSiekka",
    "2.8.0-AndreasTraut",
    "3.4.0-bhushankorg",
    "3.6.1-Neo-47",
    "3.9.0-Deepakgarg02",
)
COLUMNS = ("lines", "equal", "undetermined", "unequal")
CHECK = re.compile(r"hecking need to trigger (?:partition rebalance|auto leader balancing)")
GROUPS = re.compile(r"referred replicas by broker \w+\((.*)\) \(kafka")
GROUP = re.compile(r"(\d+) -> \w*Map\(((?:[^()]*\([^()]*\))+)\)")
ELSEWHERE = re.compile(r"opics not in preferred replica (?:for broker \d+ )?(\w*Map\(.*\)) \(kafka")
CONTROLLER = r"\[Controller (?:id=)?(\d+)\]:? "
RATIO = re.compile(CONTROLLER + r"[Ll]eader imbalance ratio for broker (\d+) is (\S+) \(kafka")
ELECTED = re.compile(CONTROLLER + r".*(?:incremented epoch to|poch incremented to) (\d+)")
# A node that asks to be elected and names another one holds no office, either.
LEFT = re.compile(
    CONTROLLER
    + r"(?:Resigned|Controller starting up|Broker \d+ (?:has been|was) elected as (?:the )?controller)"
    r"|ControllerEventThread controllerId=(\d+)\] Starting "
)
SIX_DECIMALS = re.compile(r"\d[.,]\d{6}")  # up to 0.10.2; a Java double since

Place = tuple[str, int]


@dataclass(frozen=True)
class Printed:
    """A ratio line with what stands before it; None where that is not there.

    elsewhere: entries of the list of partitions that their preferred replica does not lead. preferred: those of the
    broker's group. epochs: those of the elections up to its controller's, since epochs began anew. is_elected: there is a line
    of an election of its controller, and none since that it left or began anew.
    """

    place: Place
    at: datetime
    ratio: str
    elsewhere: int | None
    preferred: int | None
    epochs: tuple[int, ...]
    is_elected: bool

    @cached_property
    def group(self) -> int | None:
        """The size of its group, by the group where it is printed, else by the ratio; a ratio of 0 is of any size."""
        if self.preferred is None and self.elsewhere:
            return round(self.elsewhere / float(self.ratio.replace(",", ".")))
        return self.preferred

    @property
    def is_consistent(self) -> bool:
        value = float(self.ratio.replace(",", "."))
        if not value or not self.elsewhere or not self.group:
            return value == 0 and self.elsewhere == 0
        share = self.elsewhere / self.group
        is_old = SIX_DECIMALS.fullmatch(self.ratio) is not None
        return f"{share:.6f}" == self.ratio.replace(",", ".") if is_old else share == value

    @property
    def is_seen_from_the_beginning(self) -> bool:
        return self.epochs != () and self.epochs == tuple(range(1, len(self.epochs) + 1))


class Line(NamedTuple):
    node_id: int | None
    file_id: str
    byte_offset: int
    logged_at: datetime
    raw: str


def log_lines(of_cluster: pa.Table) -> Iterator[Line]:
    """All records, file after file of each node; the list before a ratio may be the last line of the file before."""
    names = ["node_id", "file_id", "byte_offset", "logged_at", "raw"]
    rows = [row for row in of_cluster.select(names).to_pylist() if row["logged_at"] is not None]
    rows.sort(key=lambda row: (row["file_id"], str(row["node_id"]), row["byte_offset"]))
    in_files = [
        [Line(**row | {"raw": row["raw"].decode()}) for row in same]
        for _, same in groupby(rows, key=lambda row: (row["file_id"], row["node_id"]))
    ]
    for lines in sorted(in_files, key=lambda lines: min(one.logged_at for one in lines)):
        yield from lines


def printed(of_cluster: pa.Table) -> Iterator[Printed]:
    all_groups: dict[int | None, dict[str, int] | None] = {}
    listed: dict[int | None, int | None] = {}
    epochs: tuple[int, ...] = ()
    in_office: dict[str, tuple[int, ...]] = {}
    for line in log_lines(of_cluster):
        if match := ELECTED.search(line.raw):
            epoch = int(match[2])
            epochs = (*epochs, epoch) if epochs and epoch > epochs[-1] else (epoch,)
            in_office[match[1]] = epochs
        elif match := LEFT.search(line.raw):
            in_office.pop(match[1] or match[2], None)
        elif CHECK.search(line.raw):
            all_groups[line.node_id] = None
        elif match := GROUPS.search(line.raw):
            all_groups[line.node_id] = {one[1]: one[2].count(" -> ") for one in GROUP.finditer(match[1])}
        elif match := ELSEWHERE.search(line.raw):
            listed[line.node_id] = match[1].count(" -> ")
        elif match := RATIO.search(line.raw):
            groups, elsewhere = all_groups.get(line.node_id), listed.pop(line.node_id, None)
            preferred = groups[match[2]] if groups else None
            place, is_elected = (line.file_id, line.byte_offset), match[1] in in_office
            so_far = in_office.get(match[1], epochs)
            yield Printed(place, line.logged_at, match[3], elsewhere, preferred, so_far, is_elected)


@dataclass(frozen=True)
class Public:
    """A cluster's ratio lines, and by their places the rows that gold has of them."""

    lines: list[Printed]
    rows: dict[Place, Row]
    gaps: list[Row]

    def of_each(self) -> Iterator[tuple[Printed, Row]]:
        for line in self.lines:
            yield line, self.rows[line.place]


@pytest.fixture(scope="module")
def totals() -> Iterator[Counter[str]]:
    """The table: its head before the first cluster, its sums after the last."""
    print(f"\n{'cluster':<25}" + "".join(f"{name:>14}" for name in COLUMNS) + "  reasons")
    total = Counter[str]()
    yield total
    print(f"\n{'all':<25}" + "".join(f"{total[name]:>14}" for name in COLUMNS))


@pytest.fixture(scope="module")
def read_and_built(shared: Path) -> tuple[dict[str, pa.Table], dict[str, pl.DataFrame]]:
    """Records by cluster, and the tables of all: most of a build costs the same for one and for many."""
    read = {name: records(shared / "corpus" / "public" / name) for name in CLUSTERS}
    tables = built(pa.concat_tables(read.values()), "imbalance_check")
    return read, {name: tables[name] for name in ("imbalance_check", "log_gap")}


@pytest.fixture(scope="module", params=CLUSTERS)
def public(
    request: pytest.FixtureRequest,
    read_and_built: tuple[dict[str, pa.Table], dict[str, pl.DataFrame]],
    totals: Counter[str],
) -> Public:
    read, tables = read_and_built
    checks, gaps = (
        tables[name].filter(cluster_id=request.param).to_dicts() for name in ("imbalance_check", "log_gap")
    )
    rows = {(row["file_id"], row["byte_offset"]): row for row in checks}
    found = Public(list(printed(read[request.param])), rows, gaps)
    verdicts = {True: "equal", None: "undetermined", False: "unequal"}
    counted = Counter(verdicts[row["is_equal"]] for row in rows.values())
    counted["lines"] = len(found.lines)
    totals.update(counted)
    reasons = Counter(row["reason"] for row in rows.values() if row["reason"])
    print(f"\n{request.param:<25}" + "".join(f"{counted[name]:>14}" for name in COLUMNS), end="")
    print("  " + ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items())))
    return found


def test_every_line_has_its_row(public: Public) -> None:
    places = [one.place for one in public.lines]
    assert 0 < len(places) == len(set(places))
    assert set(public.rows) == set(places)


def test_every_line_is_consistent_with_the_lines_before_it(public: Public) -> None:
    """Ratio 0 of an empty list, and else the list's size over a whole number of partitions, the group's if printed."""
    assert [one for one in public.lines if not one.is_consistent] == []


def test_none_is_unequal(public: Public) -> None:
    assert [row for row in public.rows.values() if row["is_equal"] is False] == []


def test_equal_ones_rest_on_the_counts_of_kafka(public: Public) -> None:
    """Where all terms so far were seen; else a ratio of 0 or 1 may be that of fewer partitions."""
    wrong = [
        (line, row)
        for line, row in public.of_each()
        if row["is_equal"] and line.is_seen_from_the_beginning
        if row["led_elsewhere_count"] != line.elsewhere or line.group not in (None, row["preferred_count"])
    ]
    assert wrong == []


def test_reasons_are_right(public: Public) -> None:
    """The controller's election, or one before, is in no line; or lines are known to be missing before the check."""
    for line, row in public.of_each():
        assert (row["is_equal"] is None) == (row["reason"] is not None)
        assert row["reason"] != "term_unknown" or not line.is_elected, line
        if row["reason"] == "beginning_missing":
            assert not line.is_seen_from_the_beginning, line
        if row["reason"] == "lines_missing":
            assert [one for one in public.gaps if (one["from_at"] or one["until_at"]) <= line.at], line
