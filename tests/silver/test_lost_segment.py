"""What the warehouse has lost is a gap, over which nothing is proved, until a log brings it back."""

import polars as pl
import pytest
from polars import col

from pipeline.core.frames import empty_frame
from pipeline.model.lines.lost_segments import still_lost
from pipeline.model.lines.own_gaps import with_missing_lines_since
from schemas.bronze import lost_segment, source_file
from schemas.silver import log_gap
from tests.chain import built
from tests.frames import at, frame
from tests.rows import records_in
from tests.silver.process_lines import AGAIN, FIRST, text

LOST = """
    cluster_id | node_id | log          | file_id | load_seq | path    | start_offset | consumed_bytes | record_count | first_logged_at | last_logged_at
    c          | 1       | state-change | f       | 1        | /k/f    | 100          | 900            | 7            | 60              | 120
    c          | 1       | state-change | f       | 4        | /k/f    | 100          | 900            | 7            | 60              | 120
    c          |         | mixed        | m       | 2        | /k/m.gz | 0            | 50             | 1            |                 |
    c          | 2       | controller   | back    | 3        | /k/back | 10           | 90             | 5            | 60              | 120
"""
# Of file f a part was read again, of another all.
HELD = """
    cluster_id | file_id | load_seq | start_offset | consumed_bytes
    c          | f       | 8        | 0            | 500
    c          | back    | 5        | 0            | 40
    c          | back    | 6        | 40           | 100
"""
UNNAMED = (
    LOST
    + """    c          |         | mixed        | unknown | 9        | unknown | 0            | 70             | 3            | 60              | 120
"""
)
SENTENCE = "lost in the warehouse: {} records of {}, bytes {} to {}, and no log holds them any more"


def test_a_gap_for_each_stretch_of_a_file_that_nothing_holds() -> None:
    files = frame(source_file.SPEC, HELD).with_columns(log=pl.lit("controller"), zone=pl.lit("UTC"))
    lost = frame(lost_segment.SPEC, LOST)
    assert still_lost(lost, files)["load_seq"].to_list() == [2, 4]
    rows = built(records_in({}), "log_gap", source_file=files, lost_segment=lost)["log_gap"]
    told = rows.sort("path").select(*log_gap.SPEC.key, "record_count", "certainty").rows()
    of_f, of_m = (SENTENCE.format(7, "/k/f", 100, 900), SENTENCE.format(1, "/k/m.gz", 0, 50))
    assert told == [
        ("lost_in_warehouse", 1, "state-change", "f", "/k/f", at(60), at(120), of_f, 7, "proved"),
        ("lost_in_warehouse", None, None, "m", "/k/m.gz", None, None, of_m, 1, "proved"),
    ]


def test_what_nothing_names_is_a_gap_of_any_log() -> None:
    files = frame(source_file.SPEC, HELD).with_columns(log=pl.lit("controller"), zone=pl.lit("UTC"))
    rows = built(
        records_in({}), "log_gap", source_file=files, lost_segment=frame(lost_segment.SPEC, UNNAMED)
    )["log_gap"]
    (gap,) = rows.filter(col("file_id") == "unknown").to_dicts()
    assert (gap["node_id"], gap["log"], gap["from_at"], gap["until_at"]) == (None, None, at(60), at(120))
    assert gap["sentence"].startswith("lost in the warehouse: 3 records, of which nothing is left that names")


@pytest.mark.parametrize(
    ("node", "log", "seconds", "reason"),
    [
        (1, "server", (150, 200), "unknown"),
        ("", "mixed", ("", ""), "unknown"),
        (2, "server", (150, 200), "killed"),
        (1, "controller", (150, 200), "killed"),
        (1, "server", (10, 20), "killed"),
    ],
)
def test_nobody_was_killed_whose_last_lines_may_be_lost(
    node: object, log: str, seconds: tuple[object, object], reason: str
) -> None:
    head = "cluster_id | node_id | log | file_id | load_seq | start_offset | consumed_bytes | first_logged_at | last_logged_at"
    lost = frame(
        lost_segment.SPEC, f"{head}\nc | {node} | {log} | x | 9 | 0 | 9 | {seconds[0]} | {seconds[1]}"
    )
    lines = records_in({(1, "server"): text(*FIRST, *AGAIN)})
    rows = built(lines, "process_run", lost_segment=lost)["process_run"].sort("run_seq")
    assert rows["end_reason"].to_list() == [reason, None]


def test_hours_of_lost_lines_answer_for_nothing() -> None:
    lost = frame(lost_segment.SPEC, LOST).filter(col("load_seq") == 1)
    rows = built(records_in({}), "evidence", lost_segment=lost)["evidence"]
    told = rows.select("node_id", "gaps", "logs", "is_complete", "answers").rows()
    assert told == [(1, ["lost_in_warehouse"], [], False, [])]


def test_lost_lines_of_a_file_that_nodes_share_may_be_of_any() -> None:
    gaps = frame(
        log_gap.SPEC,
        """
        cluster_id | node_id | kind              | from_at | until_at
        c          |         | lost_in_warehouse | 50      | 60
        c          | 1       | silence           | 20      | 30
        c          |         | term_missing      | 10      | 15
        """,
    )
    nodes = pl.DataFrame({"cluster_id": ["c", "c", "d"], "controller_id": [1, 2, 1]}).cast(
        {"controller_id": pl.Int32}
    )
    found = with_missing_lines_since(nodes, gaps).sort("cluster_id", "controller_id")
    assert found["own_missing_from_at"].to_list() == [at(20), at(50), None]
    assert with_missing_lines_since(nodes, empty_frame(log_gap.SPEC))["own_missing_from_at"].null_count() == 3
