"""What is published: read whole whatever goes on, by one run at a time, in a format that is known."""

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from jobs.questions.ask import all_answers
from pipeline.catalog.tables import BY_NAME, SPECS
from pipeline.core.conditions import (
    Condition,
    IsNull,
    column_before,
    column_differs,
    column_equals,
    column_reaching,
    column_since,
    is_in,
)
from pipeline.core.errors import InputProblem, Locked, WarehouseDamaged, WarehouseFormat
from pipeline.core.frames import frame_of
from pipeline.core.stored_tables import ReadableTables
from pipeline.store.readers.published_tables import PublishedTables
from pipeline.store.readers.spark_published_tables import SparkPublishedTables
from pipeline.store.reading import make_views, read, snapshot
from pipeline.store.runs.published import FORMAT_VERSION, Published
from pipeline.store.warehouse import ClusterWarehouse
from schemas.bronze import log_record
from schemas.gold import leader_imbalance
from schemas.ops import run as ops_run
from tests.golden import CLUSTER, WHOLE, write_logs
from tests.jobs.warehouses import RECORDS, content, published_anew, store_of, with_columns_of_now

pytestmark = pytest.mark.spark


def test_a_warehouse_of_this_format_is_read_as_it_is(spark: SparkSession, golden: Path) -> None:
    assert read(spark, str(golden), "bronze.log_record").count() == RECORDS["WHOLE"]
    assert "gold_finding" in make_views(spark, str(golden))
    runs = read(spark, str(golden), "ops.run").orderBy("run_seq").collect()
    assert [(row.outcome, row.format_version) for row in runs] == [("published", FORMAT_VERSION)] * 2
    first = snapshot(spark, str(golden), CLUSTER, runs[0].run_id)
    assert first.read("bronze.log_record").count() == RECORDS["BEGUN"]
    assert first.read("ops.run").count() == 1
    with pytest.raises(InputProblem, match="no run of that name in the clusters golden"):
        snapshot(spark, str(golden), None, "20200101T000000.000000Z")


def test_tables_are_read_as_a_run_published_them(spark: SparkSession, golden: Path) -> None:
    store = store_of(spark, golden)
    newest = store.published()
    first = store.published(str(read(spark, str(golden), "ops.run").orderBy("run_seq").collect()[0].run_id))
    for published, name in ((first, "BEGUN"), (newest, "WHOLE")):
        for tables in readers(store, published.versions):
            assert tables.read(log_record.SPEC, None, ("load_seq", "raw")).num_rows == RECORDS[name]
            assert sorted(tables.read(ops_run.SPEC)["run_seq"].to_pylist()) == [1, 2]
            assert tables.has_rows(log_record.SPEC) and tables.has_rows(ops_run.SPEC)
    for nothing in readers(store, {}):
        assert not nothing.has_rows(log_record.SPEC)
        assert nothing.read(log_record.SPEC, None, ("load_seq",)).num_rows == 0


def test_columns_that_were_declared_later_are_null(spark: SparkSession, golden: Path) -> None:
    store, spec = store_of(spark, golden), leader_imbalance.SPEC
    older = store.delta.read(spec).drop("limit_source")
    count = older.count()
    older.write.format("delta").mode("overwrite").option("overwriteSchema", "true").save(
        store.delta.uri(spec)
    )
    head = store.delta.head(spec)
    assert head is not None
    for tables in readers(store, {spec.name: head}):
        assert tables.read(spec).column_names == list(spec.columns)
        assert tables.read(spec, IsNull("limit_source"), ("limit_source",)).num_rows == count > 0


NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


CONDITIONS: tuple[Condition, ...] = (
    column_before("byte_offset", 500),
    column_equals("node_id", 1) & ~column_equals("byte_offset", 0),
    column_differs("controller_epoch", 1),
    IsNull("controller_epoch") | column_since("controller_epoch", 2),
    is_in("load_seq", (1, 3)),
    is_in("log", ("state-change", "server")),
    is_in("log", ()),
    column_reaching("logged_at", NOON),
    column_before("logged_at", NOON),
)


def test_a_condition_means_on_disk_what_it_means_in_memory(spark: SparkSession, golden: Path) -> None:
    store = store_of(spark, golden)
    order = ("file_id", "byte_offset")
    for tables in readers(store, store.published().versions):
        rows = frame_of(tables.read(log_record.SPEC)).sort(order)
        for condition in CONDITIONS:
            found = frame_of(tables.read(log_record.SPEC, condition)).sort(order)
            assert found.to_dicts() == rows.filter(condition.polars()).to_dicts(), condition


def test_what_is_read_directly_is_what_spark_reads(spark: SparkSession, golden: Path) -> None:
    store = store_of(spark, golden)
    directly, by_spark = readers(store, store.published().versions)
    for name in (
        "bronze.log_record",
        "silver.controller_line",
        "gold.controller_term",
        "gold.finding",
        "ops.run",
    ):
        spec = BY_NAME[name].spec if name != "ops.run" else ops_run.SPEC
        assert directly.read(spec).schema == by_spark.read(spec).schema
        rows = [sorted(map(str, one.read(spec).to_pylist())) for one in (directly, by_spark)]
        assert rows[0] == rows[1], spec.name


@pytest.mark.parametrize(
    "run_id, sentence", [(None, "version 99"), ("20200101T000000.000000Z", "no run of that name")]
)
def test_what_is_gone_is_told_in_a_sentence(golden: Path, run_id: str | None, sentence: str) -> None:
    with pytest.raises((InputProblem, WarehouseDamaged), match=sentence):
        for one in all_answers(str(golden), CLUSTER, run_id):
            PublishedTables(f"{golden}/{CLUSTER}", {"gold.finding": 99}).read(BY_NAME["gold.finding"].spec)
            assert one.has("gold.finding")


def test_bytes_that_this_format_does_not_store_are_read(
    spark: SparkSession, golden: Path, tmp_path: Path
) -> None:
    """The expression that gives them, and the names of its columns, are what was stored with."""
    write_logs(tmp_path / "logs", WHOLE)
    lines = [path.read_bytes().splitlines(keepends=True) for path in (tmp_path / "logs").rglob("*.log")]
    rows = read(spark, str(golden), "bronze.log_record").select("raw").collect()
    assert sorted(bytes(row.raw) for row in rows) == sorted(line for each in lines for line in each)
    files = spark.read.format("delta").load(str(golden / CLUSTER / "bronze" / "log_record"))
    assert files.where("raw IS NULL").count() == RECORDS["WHOLE"]


def test_a_newer_format_is_refused(spark: SparkSession, golden: Path) -> None:
    store = store_of(spark, golden)
    with pytest.raises(WarehouseFormat, match=f"format {FORMAT_VERSION + 1}"):
        published_anew(store, format_version=FORMAT_VERSION + 1)
    with pytest.raises(WarehouseFormat, match=f"format {FORMAT_VERSION + 1}"):
        read(spark, str(golden), "bronze.log_record")


def readers(store: ClusterWarehouse, versions: dict[str, int]) -> tuple[ReadableTables, ReadableTables]:
    return PublishedTables(store.folder, versions), SparkPublishedTables(store, versions)


def age(warehouse: Path, days: int) -> None:
    """Commits are as old as their files."""
    then = time.time() - days * 86400
    for path in warehouse.rglob("_delta_log/*"):
        os.utime(path, (then, then))


@pytest.mark.soak
def test_readers_see_what_is_published_after_a_run_died_on_old_tables(
    spark: SparkSession, golden: Path
) -> None:
    """Delta by itself refuses a version as old as that, once another has followed it."""
    store = store_of(spark, golden)
    names = ("bronze.log_record", "silver.partition_transition", "silver.wording_seen")
    before = {name: content(read(spark, str(golden), name)) for name in names}
    age(golden, 60)
    for name in names:
        store.delta.append(BY_NAME[name].spec, store.delta.read_named(name), "dead")
    assert {name: content(read(spark, str(golden), name)) for name in names} == before
    store.restore(SPECS, store.published())
    assert {name: content(store.delta.read_named(name)) for name in names} == before


def test_of_runs_that_follow_the_same_one_one_publishes(spark: SparkSession, golden: Path) -> None:
    one, other = store_of(spark, golden), store_of(spark, golden)
    with_columns_of_now(one)
    rows = []
    for store in (one, other):
        published = store.published()
        newest = store.run_rows()[0]
        begun = datetime.now(UTC)
        rows.append(newest | {"run_seq": published.run_seq + 1, "run_id": store.new_run(begun)})
        store.bases = dict(published.versions)
    one.publish(rows[0])
    with pytest.raises(Locked, match=f"run {rows[0]['run_id']} published meanwhile"):
        other.publish(rows[1])
    assert one.published().run_id == rows[0]["run_id"]


def test_a_run_that_died_before_its_first_row_published_nothing(spark: SparkSession, tmp_path: Path) -> None:
    store = store_of(spark, tmp_path)
    store.new_run(datetime.now(UTC))
    store.delta.create(ops_run.SPEC)
    assert store.published() == Published()
    assert make_views(spark, str(tmp_path)) == []


@pytest.mark.soak
def test_what_a_run_that_woke_up_wrote_is_not_published(spark: SparkSession, golden: Path) -> None:
    store, spec = store_of(spark, golden), BY_NAME["silver.partition_transition"].spec
    published = store.published()
    run_id = store.new_run(datetime.now(UTC))
    store.restore(SPECS, published)
    store.delta.append(spec, store.delta.read(spec), run_id)
    store.delta.append(spec, store.delta.read(spec), "of the run that was taken over")
    heads = published.versions | {spec.name: store.delta.head(spec)}
    row = store.run_rows()[0] | {"run_id": run_id, "run_seq": 3, "table_versions": heads}
    with pytest.raises(Locked, match=r"another run wrote into silver\.partition_transition meanwhile"):
        store.publish(row)
    assert store.published() == published


def test_runs_are_named_in_order_whatever_the_clocks_say(spark: SparkSession, golden: Path) -> None:
    store = store_of(spark, golden)
    newest = store.published().run_id
    assert newest is not None
    assert (
        newest
        < store.new_run(datetime(2020, 1, 1, tzinfo=UTC))
        < store.new_run(datetime.now(UTC) + timedelta(9999))
    )
