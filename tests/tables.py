"""Small tables for tests: from log lines by the product's own reader, and from text with one row a line."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import reduce
from io import BytesIO
from typing import Any

import pyarrow as pa
from chispa import assert_df_equality
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DoubleType,
    IntegerType,
    LongType,
    StructType,
    TimestampType,
)

from jobs.cutting import BEFORE
from jobs.inputs import modes
from jobs.load_settings import load
from jobs.settings_frames import audit_limits, balancing_settings, release_settings, session_limits
from pipeline.catalog.tables import BY_SHORT_NAME, TABLES, stands_on
from pipeline.kafka.reader import ARROW_SCHEMA, RangeRequest, read_segment
from pipeline.store.delta import declared
from pipeline.store.session import TUNED, tune_for_size
from schemas.bronze import file_sighting, log_record
from schemas.gold import (
    broker_session,
    finding,
    leader_imbalance,
    partition_outage,
    partition_timeline,
    replay_summary,
)
from schemas.silver import reassignment_event
from schemas.spec import TableSpec


def log_records(spark: SparkSession, logs: dict[tuple[int, str], str], zone: str = "UTC") -> DataFrame:
    """bronze.log_record of log texts by (node_id, log); the file_id is '<node_id>-<log>', load_seq counts from 1."""
    return spark.createDataFrame(log_table(logs, zone), schema=log_record.SPEC.struct)


def log_table(
    logs: dict[tuple[int, str], str], zone: str = "UTC", cluster_id: str = "c", of: str = ""
) -> pa.Table:
    """The same in memory; of: what the file_ids begin with."""
    batches = []
    for load_seq, ((node_id, log), text) in enumerate(logs.items(), 1):
        content = "".join(f"{line.strip()}\n" for line in text.strip().splitlines()).encode()
        request = RangeRequest(
            cluster_id=cluster_id,
            node_id=node_id,
            log=log,
            file_id=f"{of}{node_id}-{log}",
            load_seq=load_seq,
            zone=zone,
            envelope="stock",
            start=0,
            end=len(content),
            limit=len(content),
            owns_preamble=True,
        )
        batches += list(read_segment(BytesIO(content), request))
    return pa.Table.from_batches(batches, schema=ARROW_SCHEMA)


def source_files(records: DataFrame) -> DataFrame:
    """What the builds need of bronze.source_file, as if each file had been read in one segment."""
    return records.groupBy("cluster_id", "node_id", "file_id", "load_seq").agg(
        F.min("log").alias("log"),
        F.first("file_id").alias("path"),
        F.min("byte_offset").alias("start_offset"),
        F.max(F.col("byte_offset") + F.col("byte_length")).alias("consumed_bytes"),
        F.min("logged_at").alias("first_logged_at"),
        F.max("logged_at").alias("last_logged_at"),
    )


def inputs_of(spark: SparkSession, records: DataFrame, cluster_id: str = "c") -> dict[str, Any]:
    """What builds take besides tables, as in a first run with the settings as shipped."""
    files, settings = source_files(records), load(None, {"cluster": cluster_id}, {}, None)
    return {
        "log_record": records,
        "source_file": files,
        "file_sighting": spark.createDataFrame([], file_sighting.SPEC.struct),
        "balancing_setting": balancing_settings(spark, settings, cluster_id),
        "audit_limit": audit_limits(files, settings, cluster_id),
        "release_setting": release_settings(spark, settings, cluster_id),
        "session_limit": session_limits(spark, settings, cluster_id),
        "published_finding": spark.createDataFrame([], finding.SPEC.struct),
        "line_before": spark.createDataFrame([], BEFORE),
        "cut": None,
        "modes": frozenset({"zookeeper", "kraft"}),
        "summary_before": spark.createDataFrame([], replay_summary.SPEC.struct),
        "session_before": spark.createDataFrame([], broker_session.SPEC.struct),
        "outage_before": spark.createDataFrame([], partition_outage.SPEC.struct),
        "imbalance_before": spark.createDataFrame([], leader_imbalance.SPEC.struct),
        "reassignment_before": spark.createDataFrame([], reassignment_event.SPEC.struct),
        "timeline_before": spark.createDataFrame([], partition_timeline.SPEC.struct),
        "deletion_before": spark.createDataFrame([], "cluster_id string, topic string, deletions long"),
    }


def built(spark: SparkSession, records: DataFrame, name: str, **given: Any) -> DataFrame:
    """The table of that short name and all that it stands on, built from records; given: inputs to take instead."""
    known = inputs_of(spark, records) | given
    if name not in known:
        one = BY_SHORT_NAME[name]
        if one.build is None:
            raise TypeError(f"{name} has no build")
        for each in one.inputs:
            known[each] = built(spark, records, each, **known)
        known[name] = declared(one.spec, one.build(**{each: known[each] for each in one.inputs}))
    frame: DataFrame = known[name]
    return frame


def built_in_turn(spark: SparkSession, records: DataFrame, *goals: str, **given: Any) -> dict[str, DataFrame]:
    """The same with every table that it stands on, by short name, each made before the next: plans stay small."""
    with interpreted(spark):
        known: dict[str, Any] = inputs_of(spark, records.localCheckpoint()) | given
        known["source_file"] = known["source_file"].localCheckpoint()
        needed = frozenset[str]().union(*map(stands_on, goals))
        for one in TABLES:
            if one.build is not None and one.spec.table in needed:
                rows = one.build(**{each: known[each] for each in one.inputs})
                known[one.spec.table] = declared(one.spec, rows).localCheckpoint()
                if one.spec.table == "term" and "modes" not in given:
                    known["modes"] = modes(known["term"])
    return known


def built_of_many(
    spark: SparkSession, stories: Mapping[str, dict[tuple[int, str], str]], *goals: str
) -> dict[str, DataFrame]:
    """The tables of several small clusters, log texts by name, built at once: a plan costs more than such rows."""
    lines = [log_table(logs, cluster_id=name, of=f"{name}/") for name, logs in stories.items()]
    records = spark.createDataFrame(pa.concat_tables(lines), schema=log_record.SPEC.struct)
    return built_in_turn(spark, records, *goals, **settings_of(spark, {name: {} for name in stories}))


def settings_of(spark: SparkSession, flags: Mapping[str, Mapping[str, Any]]) -> dict[str, DataFrame]:
    """What conf says of each cluster: as shipped, but for its flags."""
    frames: dict[str, list[DataFrame]] = {}
    for cluster_id, own in flags.items():
        known = load(None, {"cluster": cluster_id, **own}, {}, None)
        for name, frame in (
            ("balancing_setting", balancing_settings),
            ("release_setting", release_settings),
            ("session_limit", session_limits),
        ):
            frames.setdefault(name, []).append(frame(spark, known, cluster_id))
    return {name: reduce(DataFrame.unionByName, some).localCheckpoint() for name, some in frames.items()}


@contextmanager
def interpreted(spark: SparkSession) -> Iterator[None]:
    """Plans are interpreted as a job does on little data: compiling them takes longer than running them."""
    with tuning_kept(spark):
        tune_for_size(spark, 0, 0)
        yield


@contextmanager
def tuning_kept(spark: SparkSession) -> Iterator[None]:
    """What is set in it by the size of the logs is as it was afterwards."""
    before = {key: spark.conf.get(key, None) for key in TUNED}
    try:
        yield
    finally:
        for key, found in before.items():
            if found is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, found)


def table(spark: SparkSession, spec: TableSpec, text: str) -> DataFrame:
    """A table from text: names of columns, then a row a line, cells between bars; an empty cell is null.

    Columns that the text leaves out are null (times: seconds since the epoch; lists: [1 2 3]).
    """
    head, *lines = [line for line in text.strip().splitlines() if line.strip()]
    names = [name.strip() for name in head.split("|")]
    fields = {field.name: field for field in spec.struct.fields}
    rows = []
    for line in lines:
        cells = dict(zip(names, (cell.strip() for cell in line.split("|")), strict=True))
        rows.append(tuple(value(fields[name].dataType, cells.get(name, "")) for name in fields))
    loose = StructType([type(field)(field.name, field.dataType, nullable=True) for field in fields.values()])
    return spark.createDataFrame(rows, schema=loose)


def value(kind: Any, cell: str) -> Any:
    if cell == "":
        return None
    if isinstance(kind, ArrayType):
        return [int(one) for one in cell.strip("[]").split()]
    if isinstance(kind, IntegerType | LongType | DoubleType):
        return float(cell) if isinstance(kind, DoubleType) else int(cell)
    if isinstance(kind, BooleanType):
        return cell == "true"
    if isinstance(kind, TimestampType):
        return datetime(2026, 11, 21, tzinfo=UTC) + timedelta(milliseconds=round(float(cell) * 1000))
    return cell


def same_rows(found: DataFrame, expected: DataFrame, *columns: str) -> None:
    """The named columns hold the same rows, in any order (chispa says which differ)."""
    assert_df_equality(
        found.select(*columns),
        expected.select(*columns),
        ignore_row_order=True,
        ignore_nullable=True,
        ignore_metadata=True,
    )
