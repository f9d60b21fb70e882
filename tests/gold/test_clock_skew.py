"""How far clocks are apart: the labs against their true offsets, bounds by hand, and findings."""

import csv
from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from polars import col

from pipeline.core.span import ALL_TIME
from pipeline.gold.clock_skew import build
from pipeline.rules.clock_skew.rule import find
from schemas.gold.clock_skew import SPEC
from schemas.gold.request_trace import SPEC as REQUEST
from schemas.silver.broker_event import SPEC as BROKER
from schemas.silver.node_event import SPEC as NODE
from tests.chain import built
from tests.frames import frame
from tests.lab import folder_of, records

NO_BROKERS, NO_NODES = frame(BROKER, "cluster_id"), frame(NODE, "cluster_id")
LOGS = ("controller", "state-change", "mixed", "server")
TRUE_ZERO = ("2.6.3-zk-stock", "3.2.3-zk-stock", "3.9.1-zk-stock")


def lab(shared: Path, name: str) -> pl.DataFrame:
    folder = folder_of(shared, name)
    if not folder.is_dir():
        pytest.skip(f"no run {name}")
    found: pl.DataFrame = built(records(folder, LOGS), "clock_skew")["clock_skew"]
    return found


@pytest.mark.soak
@pytest.mark.parametrize("name", TRUE_ZERO)
def test_clocks_that_agree_are_bounded_around_zero(shared: Path, name: str) -> None:
    rows = lab(shared, name)
    assert rows.height == 3
    assert (
        rows.filter(
            (col("low_ms") <= 0) & (col("high_ms") >= 0) & (col("high_ms") - col("low_ms") <= 40)
        ).height
        == 3
    )


@pytest.mark.soak
def test_true_offsets_are_inside_the_bounds(shared: Path) -> None:
    name = "2.5.1-zk-clocks"
    rows = lab(shared, name)
    truth = csv.DictReader(
        (folder_of(shared, name) / "truth" / "clocks.tsv").read_text().splitlines(), delimiter="\t"
    )
    offsets: dict[int, list[float]] = {}
    for one in truth:
        # Its lines are read in UTC here: the zone is a part of the difference.
        hours = 5.5 if one["zone"] == str(ZoneInfo("Asia/Kolkata")) else 0
        offsets.setdefault(int(one["node"]), []).append(float(one["offset_ms"]) + hours * 3_600_000)
    for row in rows.to_dicts():
        near = (
            [min(offsets[row[name]]) for name in ("other_id", "node_id")],
            [max(offsets[row[name]]) for name in ("other_id", "node_id")],
        )
        lowest, highest = near[0][0] - near[1][1], near[1][0] - near[0][1]
        assert lowest - 2 <= row["low_ms"] <= row["high_ms"] <= highest + 2
    drifts = {(row["node_id"], row["other_id"]): row["drift_ppm"] for row in rows.to_dicts()}
    assert abs(drifts[101, 102] - 300) <= 30


REQUESTS = """
    cluster_id | term_id | controller_id | broker_id | request_seq | sent_at | received_at | applied_at | answered_at | queue_ms | told_at
    c          | 1-1     | 1             | 2         | 1           | 10      | 13.705      | 13.709     | 10.012      | 3705     | 10
    c          | 1-1     | 1             | 2         | 2           | 20      | 23.702      |            |             | 3702     | 20
    c          | 1-2     | 2             | 1         | 1           | 40      | 36.320      |            |             | -3680    | 40
    c          | 1-2     | 2             | 2         | 2           | 40      | 40.320      |            |             | 320      | 40
"""  # fmt: skip


def test_each_pair_of_lines_bounds_the_difference_on_one_side() -> None:
    rows = build(frame(REQUEST, REQUESTS), NO_BROKERS, NO_NODES, ALL_TIME).to_dicts()
    assert [(one["node_id"], one["other_id"]) for one in rows] == [(1, 2)]
    (row,) = rows
    assert (row["low_ms"], row["high_ms"], row["low_method"], row["high_method"]) == (
        3697,
        3702,
        "answers",
        "requests",
    )
    assert (row["low_count"], row["high_count"], row["drift_ppm"], row["is_step"]) == (2, 2, None, False)


def test_a_request_stands_in_the_hour_in_which_it_was_sent() -> None:
    """Its day has the row, whenever it was answered."""
    rows = frame(
        REQUEST,
        """
        cluster_id | controller_id | broker_id | request_seq | told_at | sent_at | received_at | queue_ms | answered_at
        c          | 1             | 2         | 1           | 3599.9  | 3599.9  | 3600.1      | 200      | 3600.2
        """,
    )
    (row,) = build(rows, NO_BROKERS, NO_NODES, ALL_TIME).to_dicts()
    assert (row["hour_at"].hour, row["low_ms"], row["high_ms"]) == (0, -100, 200)


def requests_by_second(offsets: dict[int, int]) -> pl.DataFrame:
    """Each second a request of either node to the other, 1 ms on its way; offsets: of the clock of node 2, ms."""
    rows = [
        "cluster_id | controller_id | broker_id | request_seq | sent_at | received_at | queue_ms | told_at"
    ]
    for second, ms in offsets.items():
        own, other = float(second), second + ms / 1000
        rows.append(f"c | 1 | 2 | {second} | {own} | {other + 0.001} | {ms + 1} | {own}")
        rows.append(f"c | 2 | 1 | {second} | {other} | {own + 0.001} | {1 - ms} | {other}")
    return frame(REQUEST, "\n".join(rows))


@pytest.mark.parametrize(
    ("offsets", "drift", "bounds"),
    [
        (dict.fromkeys(range(100), 500), None, (499, 501)),
        ({second: second * 3 // 10 for second in range(0, 300, 10)}, 300, (84, 90)),
        ({second: 0 if second < 50 else 400 for second in range(100)}, None, None),
    ],
)
def test_a_clock_that_drifts_or_is_set_is_told_from_one_that_is_wrong(
    offsets: dict[int, int], drift: int | None, bounds: tuple[int, int] | None
) -> None:
    (row,) = build(requests_by_second(offsets), NO_BROKERS, NO_NODES, ALL_TIME).to_dicts()
    assert row["is_step"] == (bounds is None)
    assert (row["drift_ppm"] is None) if drift is None else abs(row["drift_ppm"] - drift) <= 30
    if bounds is None:
        assert row["low_ms"] is None and row["certainty"] == "undetermined"
    else:
        assert bounds[0] <= row["low_ms"] <= row["high_ms"] <= bounds[1]


@pytest.mark.parametrize(("seen_at", "count"), [(3600, 1), (86_400, 0), (12 * 86_400, 0)])
def test_epochs_of_another_day_may_be_of_another_zookeeper(seen_at: int, count: int) -> None:
    """They begin anew when it is wiped; and a night has no lines of earlier days."""
    broker = frame(
        NODE,
        """
        cluster_id | node_id | logged_at | event                    | detail         | broker_epoch
        c          | 2       | 0         | ephemeral_creating       | /brokers/ids/2 |
        c          | 2       | 0.1       | broker_registered_in_zk  | /brokers/ids/2 | 24
        """,
    )
    controller = frame(
        BROKER,
        f"""
        cluster_id | controller_id | broker_id | logged_at | step  | said_by  | broker_epoch
        c          | 1             | 2         | {seen_at} | epoch | decision | 24
        """,
    )
    assert build(frame(REQUEST, "cluster_id"), controller, broker, ALL_TIME).height == count


def skews(*rows: tuple[int, int, int | None, int | None]) -> list[tuple[str, str]]:
    text = "cluster_id | node_id | other_id | hour_at | until_at | low_ms | high_ms | is_step | low_count | high_count\n"
    text += "\n".join(
        f"c | {one} | {other} | 0 | 100 | {'' if low is None else low} | {'' if high is None else high} | false | 1 | 1"
        for one, other, low, high in rows
    )
    found = find(frame(SPEC, text), 1000, 10_000)
    return list(found.select("severity", "sentence").iter_rows())


@pytest.mark.parametrize(
    ("rows", "sentences"),
    [
        (
            [(1, 2, -1, 1), (1, 3, 3699, 3701), (2, 3, 3699, 3701)],
            [("info", "the clock of node 3 is 3.7 s ahead of those of nodes 1 and 2")],
        ),
        ([(1, 2, -3701, None)], []),
        ([(1, 2, None, -3700)], [("info", "the clock of node 2 is 3.7 s behind that of node 1")]),
        ([(1, 2, 900, 1100)], []),
        (
            [(1, 2, -1, 1), (1, 3, 19_796_299, 19_796_300), (2, 3, 19_796_299, 19_796_300)],
            [
                (
                    "warning",
                    "the clock of node 3 is 5 h 30 min ahead of those of nodes 1 and 2: as one that logs in another time "
                    "zone: give it in --conf (clusters: c: brokers: 3: zone: AREA/CITY)",
                )
            ],
        ),
    ],
)
def test_clocks_that_are_certainly_apart_are_told(
    rows: list[tuple[int, int, int | None, int | None]], sentences: list[tuple[str, str]]
) -> None:
    assert skews(*rows) == sentences


@pytest.mark.parametrize(("drift", "said"), [("", ""), ("-300", ", and drifts by 300 ppm")])
def test_a_node_drifts_only_if_it_does_so_beside_each_of_the_others(drift: str, said: str) -> None:
    """Node 2 drifts a little beside 1, which is far ahead of both."""
    rows = f"""
        cluster_id | node_id | other_id | hour_at | until_at | low_ms | high_ms | drift_ppm | is_step | low_count | high_count
        c          | 1       | 2        | 0       | 100      | -3701  | -3699   | -300      | false   | 1         | 1
        c          | 1       | 3        | 0       | 100      | -3700  | -3700   | {drift:9} | false   | 1         | 1
        c          | 2       | 3        | 0       | 100      | -1     | 3       | 300       | false   | 1         | 1
    """
    (found,) = find(frame(SPEC, rows), 1000, 10_000).to_dicts()
    assert found["sentence"] == f"the clock of node 1 is 3.7 s ahead of those of nodes 2 and 3{said}"
