"""Lines of controllers built from a cut on are those of building everything, wherever the cut falls."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from jobs.cutting import BEFORE, find_cut, lines_before, segments_at
from pipeline.silver import controller_line
from pipeline.store.delta import declared
from schemas.silver import term
from schemas.silver.controller_line import SPEC
from tests.gold.term_stories import refused
from tests.lab import Row, records, rows_of
from tests.tables import built, inputs_of, interpreted, log_records, source_files

CUTS = 3
NIGHTS = 3
IN_SUITE = 8  # of the seeds: both of its nights bring what others have to stand behind
OF_A_LOG = 400  # records
HELD_BACK = (1, 1, 3)  # records of a file that a later night brings
SET_BACK = (0, 3, 40, 200, 20_000)  # ms
LEAVING = ("controller_resigning", "controller_resigned")


def whole(spark: SparkSession, cluster: Path) -> dict[str, DataFrame]:
    """All that controller_line is built from, and the table."""
    table = spark.createDataFrame(records(cluster)).localCheckpoint()
    tables = inputs_of(spark, table, cluster.name)
    tables["source_file"] = tables["source_file"].localCheckpoint()
    for name in ("controller_event", "wording_seen", "release_span", "term", "controller_line"):
        tables[name] = built(spark, table, name, **tables).localCheckpoint()
    return tables


def in_order(frame: DataFrame) -> list[Row]:
    return sorted(rows_of(frame), key=lambda row: (row["term_id"], row["seq"]))


@pytest.mark.spark
@pytest.mark.parametrize("name", ["0.11.0.3-zk-stock", "3.9.1-zk-stock"])
def test_cut_anywhere(spark: SparkSession, shared: Path, name: str) -> None:
    with interpreted(spark):
        tables = whole(spark, shared / "corpus" / "lab" / name)
        expected = in_order(tables["controller_line"])
        # Where it is hardest: amid elections that are told automatic by what stands before them, and where a
        # controller leaves its office: no line names its epoch after that.
        hard = [row["ordered_at"] for row in expected if row["event"] == "preferred_election_started"]
        leaving = [row["ordered_at"] for row in expected if row["event"] in LEAVING]
        cuts = [hard[len(hard) * number // CUTS] for number in range(CUTS)]
        lines, terms = tables["controller_line"], tables["term"]
        for cut in [*cuts, leaving[0]]:
            others = [tables[name] for name in ("controller_event", "log_record", "source_file")]
            before = lines_before(lines, terms, *others, cut=cut)
            segments = segments_at(tables["source_file"], cut)
            given = tables | {
                "log_record": tables["log_record"].join(segments, on="load_seq", how="left_semi"),
                "line_before": spark.createDataFrame(before, BEFORE),
                "cut": cut,
            }
            inputs = ("log_record", "source_file", "term", "controller_event", "line_before", "cut")
            found = declared(SPEC, controller_line.build(**{name: given[name] for name in inputs}))
            assert in_order(found) == [row for row in expected if row["ordered_at"] >= cut], cut


@pytest.mark.spark
def test_the_cut_is_the_earliest_of_new_lines_and_other_terms(spark: SparkSession, shared: Path) -> None:
    with interpreted(spark):
        tables = whole(spark, shared / "corpus" / "lab" / "2.2.2-zk-stock")
        terms, lines = tables["term"], tables["log_record"]
        files = tables["source_file"].withColumn("status", F.lit("new"))
        times = sorted(row["elected_at"] for row in rows_of(terms.where("elected_at IS NOT NULL")))
        new = lines.where(F.col("logged_at") >= F.lit(times[2] + timedelta(seconds=1)))
        first = min(row["logged_at"] for row in rows_of(new.where("log = 'controller'").select("logged_at")))
        assert find_cut(new, files, terms, terms).at == min(first, found_moves(new)).replace(tzinfo=UTC)
        fewer = terms.where(F.col("elected_at") != F.lit(times[1]))
        assert find_cut(new, files, terms, fewer).at == times[1].replace(tzinfo=UTC)
        assert not find_cut(new.limit(0), files, terms, terms).has_lines


@pytest.mark.spark
def test_a_refusal_by_a_broker_moves_the_cut(spark: SparkSession) -> None:
    """A file of a broker that comes late, with nothing but that: what its controller is told of changes."""
    terms = spark.createDataFrame([], term.SPEC.struct)
    late = log_records(spark, {(2, "state-change"): refused(2, 1, 1, 12.5)})
    assert find_cut(late, source_files(late).withColumn("status", F.lit("new")), terms, terms).at == datetime(
        2026, 11, 21, 0, 0, 12, 500_000, tzinfo=UTC
    )


def found_moves(new: DataFrame) -> datetime:
    acting = new.where(
        "log = 'state-change' AND NOT startswith(event, 'broker_') AND node_id = controller_id"
    )
    first: datetime = min(row["logged_at"] for row in rows_of(acting.select("logged_at")))
    return first


@pytest.mark.spark
@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.soak if seed != IN_SUITE else ()) for seed in range(1, 21)]
)
def test_nights_make_what_one_reading_makes(spark: SparkSession, shared: Path, seed: int) -> None:
    """Of files that are read piece by piece and late, by clocks that are set back."""
    cluster = shared / "corpus" / "lab" / "0.11.0.3-zk-stock"
    dealt, nights = deal(records(cluster), Random(seed))  # noqa: S311  (a schedule, no secret)
    with interpreted(spark):
        every = spark.createDataFrame(dealt).localCheckpoint()
        stored = terms_before = spark.createDataFrame([], term.SPEC.struct)
        before = 0
        for until in nights:
            known = every.where(F.col("load_seq") <= until)
            tables = small_tables(spark, known, cluster.name)
            is_new = F.col("load_seq") > before
            if before:
                stored = carried_on(spark, tables, stored, terms_before, is_new)
            else:
                stored = built(spark, known, "controller_line", **tables).localCheckpoint()
            terms_before, before = tables["term"], until
        assert in_order(stored) == in_order(built(spark, every, "controller_line", **tables))


def small_tables(spark: SparkSession, table: DataFrame, name: str) -> dict[str, DataFrame]:
    tables = inputs_of(spark, table, name)
    tables["source_file"] = tables["source_file"].localCheckpoint()
    for one in ("controller_event", "wording_seen", "release_span", "term"):
        tables[one] = built(spark, table, one, **tables).localCheckpoint()
    return tables


def carried_on(
    spark: SparkSession,
    tables: dict[str, DataFrame],
    stored: DataFrame,
    terms_before: DataFrame,
    is_new: Column,
) -> DataFrame:
    """controller_line after a night, as a run builds it."""
    lines, terms, files = tables["log_record"], tables["term"], tables["source_file"]
    status = F.when(is_new, "new").otherwise("old")
    cut = find_cut(lines.where(is_new), files.withColumn("status", status), terms, terms_before).at
    if cut is None:
        return stored
    events = tables["controller_event"]
    before = spark.createDataFrame(lines_before(stored, terms, events, lines, files, cut=cut), BEFORE)
    reaching = lines.join(segments_at(files, cut), on="load_seq", how="left_semi")
    found = declared(SPEC, controller_line.build(reaching, files, terms, events, before, cut))
    return stored.where(F.col("ordered_at") < F.lit(cut)).unionByName(found).localCheckpoint()


def deal(table: pa.Table, random: Random) -> tuple[pa.Table, list[int]]:
    """Each log as some files of its node, and of one a night that was rolled the last records are held back: the records
    with other times, file_id and load_seq, and the last load_seq of each night."""
    rows, segments = [], []
    by_log: dict[str, list[Row]] = {}
    for row in table.to_pylist():
        of_log = by_log.setdefault(row["file_id"], [])
        if len(of_log) < OF_A_LOG:
            of_log.append(row)
    files = [(name, *one) for name, of_log in by_log.items() for one in enumerate(parts(of_log, random))]
    rolled = [place for place, (one, other) in enumerate(pairwise(files)) if one[0] == other[0]]
    late = random.sample([place for place in rolled if files[place][2][0]["log"] == "controller"], NIGHTS - 1)
    end_of: dict[str, datetime] = {}
    for place, (name, number, file) in enumerate(files):
        times = [row["logged_at"] for row in file if row["logged_at"]]
        # What is rolled goes on some time before its end.
        back = times[0] - end_of.get(name, times[0]) + timedelta(milliseconds=random.choice(SET_BACK))
        end_of[name] = max(times) - back
        for row in file:
            row["file_id"] = sha256(f"{name} {number}".encode()).hexdigest()[:16]
            row["logged_at"] = row["logged_at"] and row["logged_at"] - back
        night = late.index(place) + 1 if place in late else 0
        known = len(file) - random.choice(HELD_BACK) if night else len(file)
        segments += [(0, random.random(), file[:known]), (night, random.random(), file[known:])]
    nights = [0] * NIGHTS
    found = sorted((one for one in segments if one[2]), key=lambda one: one[:2])
    for load_seq, (night, _, part) in enumerate(found, 1):
        nights[night] = load_seq
        rows += [row | {"load_seq": load_seq} for row in part]
    return pa.Table.from_pylist(rows, table.schema), [one for one in nights if one]


def parts(rows: list[Row], random: Random) -> list[list[Row]]:
    """In order, at most four; none is empty."""
    ends = sorted({0, len(rows), *(random.randrange(len(rows)) for _ in range(random.randint(1, 3)))})
    return [rows[start:end] for start, end in pairwise(ends)]
