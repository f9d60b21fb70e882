"""How far clocks are apart in KRaft: labs against their true offsets, as they are and shifted, and pairs by hand."""

from pathlib import Path

import polars as pl
import pytest
from polars import col, lit, when

from pipeline.core.frames import frame_of
from pipeline.core.span import ALL_TIME
from pipeline.gold.clock_skew import build
from schemas.gold.request_trace import SPEC as REQUEST
from schemas.silver.broker_event import SPEC as BROKER
from schemas.silver.node_event import SPEC as NODE
from tests.chain import built
from tests.frames import frame
from tests.lab import folder_of, records

LOGS = ("controller", "state-change", "mixed", "server")
LABS = (
    "3.3.2-kraft-combined-stock",
    "3.9.2-kraft-separate-stock",
    "4.0.0-kraft-combined-stock",
    "4.3.1-kraft-separate-stock",
    "3.9.2-4.3.1-kraft-upgrade",
    "4.4.0-kraft-separate-stock",
)


@pytest.mark.soak
@pytest.mark.parametrize("name", LABS)
@pytest.mark.parametrize("shift_ms", [0, 3700, -45, 19_800_000])
def test_true_offsets_are_inside_the_bounds(shared: Path, name: str, shift_ms: int) -> None:
    """All clocks of a lab are one; that of node 3 is then set by software."""
    rows = frame_of(records(folder_of(shared, name), LOGS))
    shifted = when(col("node_id") == 3).then(lit(shift_ms)).otherwise(lit(0))
    moved = rows.with_columns(col("logged_at") + pl.duration(milliseconds=shifted))
    found = built(moved, "clock_skew")["clock_skew"]
    true_ms = shift_ms * ((col("other_id") == 3).cast(pl.Int64) - (col("node_id") == 3).cast(pl.Int64))
    assert found.height >= 3
    assert found.filter((col("low_ms") > true_ms) | (col("high_ms") < true_ms) | col("is_step")).height == 0


def bounds(broker_event: str) -> list[tuple[int, int, int | None, int | None]]:
    rows = build(
        frame(REQUEST, "cluster_id"), frame(BROKER, broker_event), frame(NODE, "cluster_id"), ALL_TIME
    )
    names = ("node_id", "other_id", "low_ms", "high_ms")
    return sorted(rows.select(names).iter_rows())


HEAD = "cluster_id | node_id | broker_id | controller_id | logged_at | said_by | step | incarnation_id\n"
STARTS = "c | 1 | 1 | | 13.700 | broker | starting | x\n"
ASKED = "c | 9 | 1 | 9 | 10.020 | decision | registration_requested | x\n"
REPLAYED = "c | 9 | 1 | 9 | 10.021 | replay | registered | x\n"
OTHER = "c | 8 | 1 | 8 | 10.055 | replay | registered | x\n"
DONE = "c | 1 | 1 | | 13.730 | broker | registered | \n"
STOPS = "c | 1 | 1 | | 8.702 | broker | shutdown_requested | \n"
GRANTED = "c | 9 | 1 | 9 | 5.003 | decision | controlled_shutdown_granted | \n"


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (STARTS + REPLAYED, [(1, 9, None, -3679)]),
        (STARTS + ASKED + REPLAYED + DONE, [(1, 9, -3710, -3679)]),
        # Another controller replays what the active one decides.
        (ASKED + OTHER, [(8, 9, -35, None)]),
        # It asked to shut down before it was granted, in the process before.
        (STARTS + REPLAYED + STOPS + GRANTED, [(1, 9, None, -3699)]),
        (STARTS + REPLAYED + STOPS + GRANTED + GRANTED.replace("5.003", "6.003"), [(1, 9, None, -3679)]),
        # Two that were in office, a process of another day, and another process.
        (STARTS + ASKED + ASKED.replace("9", "8") + DONE, []),
        (STARTS + REPLAYED.replace("10.021", "86410.021"), []),
        (STARTS + REPLAYED.replace("x", "y"), []),
    ],
)
def test_lines_about_one_process_bound_the_clocks(
    lines: str, wanted: list[tuple[int, int, int | None, int | None]]
) -> None:
    assert bounds(HEAD + lines) == wanted
