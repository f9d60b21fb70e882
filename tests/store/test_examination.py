"""What a look at all of a warehouse finds: keys, bytes of the logs, and what runs left."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from deltalake import write_deltalake
from polars import col, lit

from pipeline.catalog.tables import SPECS
from pipeline.core.frames import declared_table
from pipeline.store.examination.answer import Examination
from pipeline.store.examination.examined import examine_cluster
from pipeline.store.examination.leftovers import orphan_data_files
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.files.object_files import ObjectFiles
from pipeline.store.locks.lock_files import process_home
from pipeline.store.readers.readable_warehouse import DirectWarehouse
from pipeline.store.runs.published import EXPIRED_BEFORE, LAST_RUN
from schemas.bronze import log_record, lost_segment, source_file
from schemas.gold import finding
from schemas.silver import wording_seen
from tests.golden import CLUSTER, unpacked
from tests.store.damaging import empty_commit, files, write
from tests.store.stating import put, rows, stated

BY_NAME = {one.name: one for one in SPECS}
RECORDS, FILES = log_record.SPEC.name, source_file.SPEC.name
FOREVER = 1 << 45  # ms


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(tmp_path_factory.mktemp("whole")) / CLUSTER


@pytest.fixture
def cluster(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / CLUSTER))


def look(cluster: Path) -> Examination:
    return examine_cluster(DirectWarehouse(str(cluster.parent), LocalFiles()), cluster.name, BY_NAME)


def kinds(found: Examination) -> list[tuple[str, str]]:
    return [(one.table, one.kind) for one in found.damages]


def test_each_byte_that_was_read_is_counted(whole: Path) -> None:
    found = look(whole)
    assert found.damages == ()
    records, segments = rows(whole, log_record.SPEC), rows(whole, source_file.SPEC)
    assert found.segments is not None
    assert (found.segments.records, found.segments.segments) == (len(records), len(segments))
    assert found.segments.size_bytes == records["byte_length"].sum()
    keyed = {one.table: one.duplicate_keys for one in found.tables if one.table in BY_NAME}
    assert set(keyed.values()) == {0}


@pytest.mark.parametrize("spec", [wording_seen.SPEC, finding.SPEC, log_record.SPEC], ids=lambda one: one.name)
def test_rows_that_share_a_key_are_told(spec: object, cluster: Path) -> None:
    spec = BY_NAME[getattr(spec, "name")]  # noqa: B009
    twice = rows(cluster, spec)
    put(cluster, spec, pl.concat([twice, twice.head(2)]))
    stated(cluster)
    found = look(cluster)
    state = next(one for one in found.tables if one.table == spec.name)
    assert (state.rows_read, state.duplicate_keys) == (len(twice) + 2, 2)
    assert (spec.name, "keys_doubled") in kinds(found)


first, is_second = col("load_seq") == col("load_seq").min(), pl.int_range(pl.len()) == 1
Change = Callable[[pl.DataFrame], pl.DataFrame]
CHANGES: dict[str, tuple[str, Change, list[str]]] = {
    "a record less": (RECORDS, lambda all_: all_.filter(~is_second), ["segment_differs"]),
    "a record one byte on": (
        RECORDS,
        lambda all_: all_.with_columns(byte_offset=col("byte_offset") + is_second.cast(pl.Int64)),
        ["segment_differs"],
    ),
    "no record of a segment": (RECORDS, lambda all_: all_.filter(~first), ["segment_gone"]),
    "records of no segment": (
        RECORDS,
        lambda all_: pl.concat(
            [all_, all_.head(1).with_columns(load_seq=lit(99, pl.Int64), file_id=lit("x"))]
        ),
        ["segment_unknown"],
    ),
    "a segment begins earlier": (
        FILES,
        lambda all_: all_.with_columns(
            start_offset=pl.when(col("start_offset") > 0).then(col("start_offset") - 1).otherwise(0)
        ),
        ["segment_differs", "segments_overlap"],
    ),
    "a segment begins later": (
        FILES,
        lambda all_: all_.with_columns(
            start_offset=pl.when(col("start_offset") > 0).then(col("start_offset") + 1).otherwise(0)
        ),
        ["segment_differs", "segment_missing"],
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_bytes_that_are_not_as_they_were_read_are_told(change: str, cluster: Path) -> None:
    name, changed, expected = CHANGES[change]
    put(cluster, BY_NAME[name], changed(rows(cluster, BY_NAME[name]).sort("file_id", "load_seq")))
    stated(cluster)
    assert [kind for _, kind in kinds(look(cluster))] == expected


def test_segments_that_are_expired_or_lost_are_no_damage(cluster: Path) -> None:
    records, segments = rows(cluster, log_record.SPEC), rows(cluster, source_file.SPEC)
    put(cluster, log_record.SPEC, records.filter(~first))
    stated(cluster, **{EXPIRED_BEFORE: FOREVER})
    found = look(cluster)
    assert found.damages == ()
    assert found.segments is not None and found.segments.expired_segments == 1
    put(cluster, source_file.SPEC, segments.filter(~first))
    gone = segments.filter(first).with_columns(lost_run_id=lit("r"))
    put(cluster, lost_segment.SPEC, gone.select(lost_segment.SPEC.columns))
    stated(cluster)
    found = look(cluster)
    assert found.damages == ()
    assert found.segments is not None and found.segments.lost_segments == 1


def test_a_file_that_no_sum_tells_of_is_read(cluster: Path) -> None:
    table = put(cluster, finding.SPEC, rows(cluster, finding.SPEC))
    stated(cluster)
    (path,) = files(table, 0)
    path.write_bytes(b"PAR1" + bytes(path.stat().st_size - 8) + b"PAR1")
    found = look(cluster)
    assert kinds(found) == [(finding.SPEC.name, "file_unreadable")]
    assert path.name in found.damages[0].sentence


def test_what_runs_left_is_told_and_is_no_damage(cluster: Path) -> None:
    stated(cluster)
    before = {one.kind: one.count for one in look(cluster).notes}
    again = rows(cluster, finding.SPEC)
    table = put(cluster, finding.SPEC, again)
    stated(cluster)
    for _ in range(2):
        write_deltalake(str(table), declared_table(again, finding.SPEC), mode="overwrite")
    (table / "part-1.parquet").write_bytes(b"left")
    held = {"host": "h", "home": process_home(), "pid": os.getpid(), "since": "2026-11-21T08:00:00+00:00"}
    (cluster / "_lock.000009").write_text(json.dumps(held))
    run = cluster / "ops" / "run"
    shutil.copy(run / "_delta_log" / f"{0:020}.json", run / "_delta_log" / f"{9:020}.json")
    empty_commit(run, 9)
    found = look(cluster)
    assert found.damages == ()
    told = {one.kind: one for one in found.notes}
    assert told.keys() - before.keys() == {"dead_commits", "locked", "torn_run", "no_sums"}
    assert told["dead_commits"].count == 2
    assert orphan_data_files(table) == [table / "part-1.parquet"]
    assert told["locked"].sentence == f"a run is at work on h (process {os.getpid()}) since {held['since']}"
    (cluster / "_lock.000009").write_text(json.dumps(held | {"pid": 0x7FFFFFF0}))
    assert "left by a run that died" in next(
        one.sentence for one in look(cluster).notes if one.kind == "locked"
    )


def test_a_warehouse_without_its_runs_is_looked_at_by_the_row_that_is_kept_beside(cluster: Path) -> None:
    stated(cluster)
    newest = max((cluster / "ops" / "run" / "_delta_log").glob("*.json"))
    infos = [json.loads(line).get("commitInfo") for line in newest.read_text().splitlines()]
    row = next(one["userMetadata"] for one in infos if one)
    (cluster / LAST_RUN).write_text(row)
    shutil.rmtree(cluster / "ops" / "run")
    found = look(cluster)
    assert kinds(found) == [("ops.run", "run_gone")]
    assert found.run_id == json.loads(row)["run_id"]
    assert len(found.tables) > 30


def test_elsewhere_what_delta_rs_reads_is_looked_at(cluster: Path) -> None:
    put(cluster, log_record.SPEC, rows(cluster, log_record.SPEC).filter(~is_second))
    stated(cluster)
    shutil.rmtree(cluster / "gold" / "finding")
    found = examine_cluster(DirectWarehouse(cluster.parent.as_uri(), ObjectFiles()), cluster.name, BY_NAME)
    assert kinds(found) == [(RECORDS, "segment_differs"), (finding.SPEC.name, "table_gone")]
    assert "not_compared" in {one.kind for one in found.notes}


def test_what_is_no_text_of_ours_is_a_row_of_the_answer(cluster: Path) -> None:
    """Commits, the lock, and the row beside the tables, each with what JSON takes all the same."""
    newest = max((cluster / "ops" / "run" / "_delta_log").glob("*.json"))
    first_commit = cluster / "gold" / "finding" / "_delta_log" / f"{0:020}.json"
    for path in (newest, first_commit, cluster / LAST_RUN, cluster / "_lock.000009"):
        write(path, b"null\n")
    found = look(cluster)
    assert finding.SPEC.name in {one.table for one in found.damages}
    assert {"torn_run", "no_last_run", "locked"} <= {one.kind for one in found.notes}
