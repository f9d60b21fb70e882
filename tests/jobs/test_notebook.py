"""The notebooks run from top to bottom against a warehouse, and show what its tables say."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession

from jobs.questions.ask import all_answers
from pipeline.store.reading import read
from tests.jobs.notebook_cells import Shown, cells_of, shown_in_kernel, shown_in_shell
from tests.report.reading import read as read_html

Partition = tuple[str, int, int]

LONG = [pytest.mark.spark, pytest.mark.soak]

VEGA = "application/vnd.vegalite.v5+json"  # what JupyterLab and VS Code draw by themselves
# The warehouse's ratios as those of a KRaft cluster, in the kernel of the notebook.
KRAFT = """
from pyspark.sql import functions as F
no_limit = {"threshold_ratio": F.lit(None).cast("double"), "is_breach": F.lit(None).cast("boolean")}
spark.table("gold_leader_imbalance").withColumns(no_limit).createOrReplaceTempView("gold_leader_imbalance")
"""


@pytest.fixture(
    scope="module",
    params=[pytest.param("shell", marks=pytest.mark.spark), pytest.param("kernel", marks=LONG)],
)
def shown(
    request: pytest.FixtureRequest,
    spark: SparkSession,
    sample_warehouse: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Shown:
    """Of both notebooks, in turn: what the one before has named is forgotten. A kernel starts a Spark of its own, which
    is dear: in most runs they share the one that is there."""
    tables = "import json\nfor one in (brokers, worst, life): print(json.dumps(one.to_dict('records'), default=str))"
    again = ("kraft-ratios", dict(cells_of("imbalance"))["ratios"])
    more = {"imbalance": [("tables", tables), ("kraft", KRAFT), again]}
    cells = [
        (f"{name}-{cell_id}", source)
        for name in ("overview", "imbalance")
        for cell_id, source in (("forget", "%reset -f"), *cells_of(name), *more.get(name, []))
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WAREHOUSE", sample_warehouse)
        if request.param == "kernel":
            return shown_in_kernel(cells)
        with as_before(spark):
            return shown_in_shell(cells, tmp_path_factory.mktemp("ipython"))


@contextmanager
def as_before(spark: SparkSession) -> Iterator[None]:
    """The views of notebooks and how frames are shown are theirs alone."""
    before = view_names(spark)
    with pd.option_context("display.max_colwidth", 50, "display.max_rows", 60, "display.min_rows", 10):
        yield
    for name in view_names(spark) - before:
        spark.catalog.dropTempView(name)


def view_names(spark: SparkSession) -> set[str]:
    return {row.viewName for row in spark.sql("SHOW VIEWS").collect()}


def of(name: str, shown: Shown) -> Shown:
    """Outputs by id of the cell."""
    return {one.removeprefix(f"{name}-"): outputs for one, outputs in shown.items() if one.startswith(name)}


def test_the_overview_runs(shown: Shown) -> None:
    texts = {name: str(outputs) for name, outputs in of("overview", shown).items()}
    assert "gold_finding" in texts["session"]
    assert "controller_outlived" in texts["findings"] or "resigned" in texts["findings"]
    assert all(term in texts["terms"] for term in ("1-1", "1-8"))
    assert "0.923" in texts["brokers"]
    assert "refused" in texts["moves"] and "same_state" in texts["moves"]
    assert "successfully elected as the controller" in texts["lines"]


def test_the_overview_numbers_findings_as_show_does_and_draws_them(
    sample_warehouse: str, shown: Shown
) -> None:
    shown = of("overview", shown)
    (answers,) = all_answers(sample_warehouse, None, None)
    numbers = [(f"F{number}", one["finding_id"]) for number, one in enumerate(answers.findings(), 1)]
    rows = table_of(shown["findings"])
    assert [(row["finding"], row["finding_id"]) for row in rows] == numbers != []
    lines = [row["finding"] for row in table_of(shown["lines"])]
    proved = [number for number, one in zip(numbers, answers.findings(), strict=True) if one["evidence"]]
    assert list(dict.fromkeys(lines)) == [number for number, _ in proved]
    (drawn,) = (html_of(one) for one in shown["timeline"])
    assert f"F1 {answers.findings()[0]['sentence']}"[:60] in read_html(drawn).text


def test_nothing_that_is_shown_is_loaded_from_elsewhere(shown: Shown) -> None:
    assert "http" not in str(shown)
    assert not re.search(r"<(script|link|img|iframe|object)|@import", str(shown))


def test_imbalance_shows_what_the_tables_say(
    spark: SparkSession, sample_warehouse: str, shown: Shown
) -> None:
    shown = of("imbalance", shown)
    brokers, worst, life = map(json.loads, shown["tables"][0]["text"].splitlines())

    chart = chart_of(shown["ratios"])
    rows = read(spark, sample_warehouse, "gold.leader_imbalance").collect()
    drawn = {(row["broker_id"], row["imbalance_ratio"], row["is_breach"]) for row in data_of(chart)}
    assert (1, 12 / 13, True) in drawn
    assert drawn - {one for one in drawn if one[1] is None} <= {
        (row.broker_id, row.imbalance_ratio, row.is_breach) for row in rows
    }
    assert {row["threshold_ratio"] for row in data_of(chart)} == {0.1}
    assert {row["broker_id"]: (row["highest_ratio"], row["last_ratio"]) for row in brokers} == {
        broker: (max(row.imbalance_ratio for row in rows if row.broker_id == broker), last)
        for broker, last in {1: 12 / 13, 2: 0.0, 3: 0.0}.items()
    }

    expected = elsewhere(spark, sample_warehouse)
    seconds = [row["elsewhere_seconds"] for row in worst]
    assert seconds == pytest.approx(sorted(expected.values(), reverse=True)[:10])
    for row in worst:
        key = (row["topic"], row["topic_life"], row["partition"])
        assert row["elsewhere_seconds"] == pytest.approx(expected[key])
    assert "89.375" in str(shown["worst"])
    first = read(spark, sample_warehouse, "gold.partition_timeline").where(
        f"topic = '{worst[0]['topic']}' AND topic_life = {worst[0]['topic_life']} AND partition = {worst[0]['partition']}"
    )
    lived = [
        (row.interval_seq, row.part_seq, row.controller_epoch)
        for row in first.orderBy("interval_seq", "part_seq").collect()
    ]
    assert [(row["interval_seq"], row["part_seq"], row["controller_epoch"]) for row in life] == lived
    assert {row["who"] for row in life} == {"preferred", "another", "not said"}
    assert data_of(chart_of(shown["life"]))[0]["leader"] == life[0]["leader"]

    kraft = chart_of(shown["kraft-ratios"])
    assert "KRaft controllers never read" in kraft["title"]["subtitle"]
    assert "no threshold" not in chart["title"]["subtitle"]
    assert {(row["threshold_ratio"], row["is_breach"]) for row in data_of(kraft)} == {(None, None)}


def chart_of(outputs: Any) -> dict[str, Any]:
    """The Vega-Lite specification in what a cell shows."""
    chart: dict[str, Any] = next(one["data"][VEGA] for one in outputs if VEGA in one.get("data", {}))
    return chart


def html_of(output: Any) -> str:
    found: str = output["data"]["text/html"]
    return found


def table_of(outputs: Any) -> list[dict[str, str]]:
    """The rows of a frame as a cell shows them."""
    (table,) = read_html(html_of(outputs[-1])).all("table")
    head, *rows = table.all("tr")
    names = [one.text for one in head.all("th")[1:]]
    return [dict(zip(names, [one.text for one in row.all("td")], strict=True)) for row in rows]


def data_of(chart: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for rows in chart["datasets"].values() for row in rows]


def elsewhere(spark: SparkSession, warehouse: str) -> dict[Partition, float]:
    """Seconds in which each partition was led elsewhere, interval after interval."""
    end: datetime = (
        read(spark, warehouse, "bronze.source_file").agg({"last_logged_at": "max"}).collect()[0][0]
    )
    found: dict[Partition, float] = defaultdict(float)
    for row in read(spark, warehouse, "gold.partition_timeline").collect():
        is_counted = row.replicas is not None and not row.is_deleting
        if is_counted and row.leader not in (None, row.replicas[0]):
            lasted = (row.valid_until_at or end) - row.valid_from_at
            found[row.topic, row.topic_life, row.partition] += lasted.total_seconds()
    return found
