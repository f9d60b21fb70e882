"""Runs whose tables are kept in shards of topics: what they store is what the driver alone stores."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import polars as pl
import pyarrow as pa
import pytest

from jobs.engine.incremental.builder import Builder
from jobs.engine.incremental.night import Night
from jobs.settings.load import load_settings
from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.executors import KernelExecutors
from pipeline.core.expectations import expectation_of, sifted_rows
from pipeline.core.frames import declared_table, frame_of
from pipeline.core.reach import Reach
from pipeline.core.stored_tables import MemoryTables
from schemas.bronze import log_record, source_file
from schemas.spec import TableSpec
from tests.evidence.cuts import CUTS
from tests.incremental.cutting import by_files
from tests.incremental.lab_nights import Nights
from tests.incremental.nights import BUILT, differences, in_nights, manifest
from tests.lab import folder_of, records
from tests.reach.in_memory import MemoryExecutors

LOGS = ("controller", "state-change", "mixed", "server")
MOST_PASSES = 3  # over the shards, of which each is a shuffle
CLUSTERS = (
    "2.6.3-zk-stock",
    "3.9.2-kraft-migration-stock",
    "2.2.2-zk-stock",
    "4.3.1-kraft-separate-stock",
    "3.9.1-zk-trace",
)


@pytest.mark.soak
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("cluster", CLUSTERS)
def test_of_parts_of_the_logs_shards_tell_what_the_driver_tells(shared: Path, cluster: str, cut: str) -> None:
    """Rules that need more than a topic show where lines are missing."""
    lines = by_files(frame_of(records(folder_of(shared, cluster), LOGS))).records
    part = CUTS[cut](Random(f"{cluster} {cut}"), lines)  # noqa: S311 - which part
    if not part.is_empty():
        # A cut may put all in one file: segments are numbered from 1 on.
        require_same(by_files(part).records, (3,), is_sound=False)


@pytest.mark.soak
@pytest.mark.parametrize("cluster", CLUSTERS)
def test_however_many_shards_there_are(shared: Path, cluster: str) -> None:
    require_alike(shared, cluster, (1, 3, 16))


# Late lines, of which earlier days are built once more, of both modes; lines that are missing; two lives.
LATE = (("3.9.2-kraft-migration-stock", Nights(late=(2,), how="last", hour=12, midnights=1), 2),)
MORE = (
    ("3.9.2-kraft-migration-stock", Nights(late=(2,), how="last", hour=12, midnights=2)),
    ("3.9.1-zk-stock", Nights(late=(2,), minute=30, has_moves=False, midnights=2)),
    ("3.9.1-zk-stock", Nights(by_lines=3, lives=2)),
    ("2.2.2-zk-stock", Nights(late=(2, 3), hour=12)),
    ("4.3.1-kraft-separate-stock", Nights(late=(1, 3, 101), how="files", hour=12, has_server_log=True)),
    ("2.6.3-zk-stock", Nights(late=(2,), hour=12, seed=1)),
)


@pytest.mark.parametrize(
    ("name", "nights", "shards"),
    [*LATE, *(pytest.param(*one, 3, marks=pytest.mark.soak) for one in MORE)],
    ids=str,
)
def test_nights_in_shards_are_those_of_the_driver(
    shared: Path, name: str, nights: Nights, shards: int
) -> None:
    segments = nights.of(nights.lines(shared, name))
    for number, (found, expected) in enumerate(
        zip(in_nights(segments, shards), in_nights(segments), strict=True), 1
    ):
        differing = differences(found, expected)
        assert not differing, f"night {number}\n" + "\n".join(differing)


@pytest.mark.soak
def test_where_lines_are_missing_topics_tell_of_them_together(shared: Path) -> None:
    """Without a node: what partitions of some topics show of missing lines counts in all shards, and once."""
    lines = by_files(frame_of(records(folder_of(shared, "2.6.3-zk-stock"), LOGS))).records
    require_same(lines.filter(pl.col("node_id") != 3), (2,))


def test_where_no_line_names_a_topic_what_is_of_none_is_there(shared: Path) -> None:
    lines = by_files(frame_of(records(folder_of(shared, "3.9.2-kraft-migration-stock"), LOGS))).records
    is_one_log = (pl.col("node_id") == 101) & (pl.col("log") == "state-change")
    tables, _, _ = stored_by(by_files(lines.filter(is_one_log)).records, 3)
    assert len(tables["gold.request_trace"])


def require_alike(shared: Path, cluster: str, numbers: Sequence[int]) -> None:
    require_same(by_files(frame_of(records(folder_of(shared, cluster), LOGS))).records, numbers)


def require_same(lines: pl.DataFrame, numbers: Sequence[int], *, is_sound: bool = True) -> None:
    """is_sound: no row breaks a promise of its table."""
    expected, _, _ = stored_by(lines, 0, is_sound=is_sound)
    for shards in numbers:
        found, runs, judged = stored_by(lines, shards, is_sound=is_sound)
        assert not differences(found, expected)
        assert len(runs) <= MOST_PASSES
        assert {BY_SHORT_NAME[name.split(".")[1]].reach for name in judged} == {Reach.ROW, Reach.PARTITION}


def stored_by(
    lines: pl.DataFrame, shards: int, *, is_sound: bool = True
) -> tuple[dict[str, pl.DataFrame], list[int], dict[str, int]]:
    """The tables, how many shards had rows in each pass, and how many sound rows each table had that executors hold;
    shards: 0: all in the driver."""
    tables, runs, judged = MemoryTables(), list[int](), dict[str, int]()
    tables.append(log_record.SPEC, lines.to_arrow(compat_level=pl.CompatLevel.oldest()))
    tables.append(source_file.SPEC, manifest(lines).to_arrow(compat_level=pl.CompatLevel.oldest()))
    executors: KernelExecutors | None = MemoryExecutors(tables, runs) if shards else None
    settings = load_settings(None, {"cluster": "c"}, {}, None)
    night = Night(
        tables, settings, lines["cluster_id"][0], "run", 0, frozenset(), executors=executors, shards=shards
    )

    def judge(spec: TableSpec, broken: pl.DataFrame, left_out: int, sound: int) -> None:
        assert not is_sound or (broken.is_empty() and not left_out)
        judged[spec.name] = sound

    def sift(spec: TableSpec, rows: pa.Table) -> pa.Table:
        sound, _ = sifted_rows(frame_of(rows), expectation_of(spec))
        return rows if is_sound else declared_table(sound, spec)

    Builder(night, sift, judge).build(BUILT)
    return dict(tables.rows), runs, judged
