"""Lines of controllers built from a cut on are those of building everything, wherever the cut falls."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from jobs.cutting import BEFORE, find_cut, lines_before, segments_at
from pipeline.silver import controller_line
from pipeline.store.delta import declared
from schemas.silver import term
from schemas.silver.controller_line import SPEC
from tests.gold.term_stories import refused
from tests.lab import Row, records, rows_of
from tests.tables import built, inputs_of, interpreted, log_records

CUTS = 3
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
            before = lines_before(lines, terms, tables["controller_event"], tables["log_record"], cut)
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
        times = sorted(row["elected_at"] for row in rows_of(terms.where("elected_at IS NOT NULL")))
        new = lines.where(F.col("logged_at") >= F.lit(times[2] + timedelta(seconds=1)))
        first = min(row["logged_at"] for row in rows_of(new.where("log = 'controller'").select("logged_at")))
        assert find_cut(new, terms, terms).at == min(first, found_moves(new)).replace(tzinfo=UTC)
        fewer = terms.where(F.col("elected_at") != F.lit(times[1]))
        assert find_cut(new, terms, fewer).at == times[1].replace(tzinfo=UTC)
        assert not find_cut(new.limit(0), terms, terms).has_lines


@pytest.mark.spark
def test_a_refusal_by_a_broker_moves_the_cut(spark: SparkSession) -> None:
    """A file of a broker that comes late, with nothing but that: what its controller is told of changes."""
    terms = spark.createDataFrame([], term.SPEC.struct)
    late = log_records(spark, {(2, "state-change"): refused(2, 1, 1, 12.5)})
    assert find_cut(late, terms, terms).at == datetime(2026, 11, 21, 0, 0, 12, 500_000, tzinfo=UTC)


def found_moves(new: DataFrame) -> datetime:
    acting = new.where(
        "log = 'state-change' AND NOT startswith(event, 'broker_') AND node_id = controller_id"
    )
    first: datetime = min(row["logged_at"] for row in rows_of(acting.select("logged_at")))
    return first
