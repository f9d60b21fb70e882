"""Lines of controllers built from any time on are those of building everything."""

from datetime import datetime, timedelta
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from polars import col

from pipeline.core.frames import declared_table, empty_frame, frame_of
from pipeline.core.span import Span
from pipeline.silver import controller_line
from pipeline.silver.controller_line import in_files, with_node_file_begin
from pipeline.silver.controller_line.causing import LISTED, TERM
from schemas.silver import wording_seen
from schemas.silver.controller_line import SPEC
from tests.chain import built
from tests.lab import Row
from tests.rows import records_of

TIMES = 3
IN_SUITE = (8, 9)  # of the seeds
OF_A_LOG = 400  # records
HELD_BACK = (0, 1, 3)  # records of a file that a later night brings
SET_BACK = (0, 3, 40, 200, 20_000)  # ms
LEAVING = ("controller_resigning", "controller_resigned")
INPUTS = ("source_file", "wording_seen", "term", "controller_step")


def built_from(whole: dict[str, Any], begin: datetime) -> pl.DataFrame:
    """The rows that a run builds anew, of the segments that reach the span."""
    reaching = whole["log_record"].join(segments_at(whole["source_file"], begin), on="load_seq", how="semi")
    records = controller_line.controller_record(reaching)
    given = {name: whole[name] for name in INPUTS} | {"controller_record": records}
    rows = controller_line.build(**given, line_before=lines_before(whole, begin), span=Span(begin))
    return frame_of(declared_table(rows, SPEC))


def segments_at(source_file: pl.DataFrame, begin: datetime) -> pl.DataFrame:
    """(load_seq) of the segments that may hold lines whose running maximum reaches the span."""
    order = (*in_files()[:2], "start_offset")
    reached = col("last_logged_at").cum_max().over("cluster_id", "node_id")
    files = with_node_file_begin(source_file, source_file, empty_frame(wording_seen.SPEC)).sort(order)
    reaching: pl.DataFrame = files.filter(reached >= begin)
    return reaching.select("load_seq")


def lines_before(whole: dict[str, Any], begin: datetime) -> pl.DataFrame:
    """Per term the last of its rows before the span, with the text that its listed_seq names."""
    lines = whole["controller_line"].filter(col("ordered_at") < begin)
    texts = whole["log_record"].select("file_id", "byte_offset", listed=col("fields").map.get(LISTED))
    listings = lines.join(texts, on=["file_id", "byte_offset"]).select(*TERM, "listed", listed_seq="seq")
    last: pl.DataFrame = lines.sort("seq").unique(TERM, keep="last")
    return last.join(listings, on=[*TERM, "listed_seq"], how="left")


def require_same(whole: dict[str, Any], begin: datetime) -> None:
    expected = whole["controller_line"].filter(col("ordered_at") >= begin)
    key = ("term_id", "seq")
    assert built_from(whole, begin).sort(key).equals(expected.sort(key)), begin


@pytest.mark.parametrize("name", ["0.11.0.3-zk-stock", "3.9.1-zk-stock"])
def test_a_span_from_anywhere(shared: Path, name: str) -> None:
    """Hardest amid elections that are automatic by what stands before them, and where a controller leaves its term:
    no line names its epoch after that."""
    whole = built(records_of(shared / "corpus" / "lab" / name), "controller_line")
    lines = whole["controller_line"].sort("term_id", "seq")
    hard = lines.filter(col("event") == "preferred_election_started")["ordered_at"]
    leaving = lines.filter(col("event").is_in(LEAVING))["ordered_at"]
    for begin in [*(hard[len(hard) * number // TIMES] for number in range(TIMES)), leaving[0]]:
        require_same(whole, begin)


def test_a_listing_before_the_span_tells_an_automatic_election(shared: Path) -> None:
    """Up to 2.1 each election is of one partition: the check before lists it."""
    whole = built(records_of(shared / "corpus" / "lab" / "0.11.0.3-zk-stock"), "controller_line")
    lines = whole["controller_line"]
    is_own = (col("event") == "preferred_election_started") & (col("cause") == "automatic rebalance")
    begins = lines.filter(is_own)["ordered_at"]
    assert len(begins) > TIMES
    for begin in begins[:: len(begins) // TIMES]:
        require_same(whole, begin)
    forgotten = built_from(whole | {"controller_line": lines.clear()}, begins[0])
    expected = lines.filter(col("ordered_at") >= begins[0])
    assert forgotten.filter(is_own).height < expected.filter(is_own).height


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=() if seed in IN_SUITE else pytest.mark.soak) for seed in range(1, 21)]
)
def test_a_span_from_anywhere_in_rolled_files(shared: Path, seed: int) -> None:
    """Of files that are rolled, by clocks that are set back."""
    random = Random(seed)  # noqa: S311  (a schedule, no secret)
    records = records_of(shared / "corpus" / "lab" / "0.11.0.3-zk-stock")
    whole = built(deal(records.to_arrow(), random), "controller_line")
    begins = [row["first_logged_at"] for row in whole["source_file"].to_dicts()]
    times = whole["controller_line"]["ordered_at"].to_list()
    for begin in [*random.sample(begins, TIMES), *random.sample(times, TIMES)]:
        require_same(whole, begin)


def deal(table: pa.Table, random: Random) -> pa.Table:
    """Each log as some files of its node, which are read in one or two segments: the records with other times, file_id
    and load_seq."""
    by_log: dict[str, list[Row]] = {}
    for row in table.to_pylist(maps_as_pydicts="strict"):
        of_log = by_log.setdefault(row["file_id"], [])
        if len(of_log) < OF_A_LOG:
            of_log.append(row)
    segments: list[list[Row]] = []
    for name, of_log in by_log.items():
        ended_at = of_log[0]["logged_at"]
        for number, file in enumerate(parts(of_log, random)):
            # What is rolled goes on some time before its end.
            begins_at = ended_at - timedelta(milliseconds=random.choice(SET_BACK))
            back = file[0]["logged_at"] - begins_at
            ended_at = max(row["logged_at"] for row in file if row["logged_at"]) - back
            file_id = sha256(f"{name} {number}".encode()).hexdigest()[:16]
            moved = [
                row | {"file_id": file_id, "logged_at": row["logged_at"] and row["logged_at"] - back}
                for row in file
            ]
            first = len(file) - random.choice(HELD_BACK)
            segments += [one for one in (moved[:first], moved[first:]) if one]
    random.shuffle(segments)
    rows = [row | {"load_seq": load_seq} for load_seq, one in enumerate(segments, 1) for row in one]
    return pa.Table.from_pylist(rows, table.schema)


def parts(rows: list[Row], random: Random) -> list[list[Row]]:
    """In order, at most four; none is empty."""
    ends = sorted({0, len(rows), *(random.randrange(len(rows)) for _ in range(random.randint(1, 3)))})
    return [rows[start:end] for start, end in pairwise(ends)]
