"""What docs/recipes/warehouse.md tells people to write reads what was published, and nothing that was not."""

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable

from jobs import cli
from tests.conftest import REPOSITORY
from tests.golden import CLUSTER
from tests.published import published_tables

PAGE = REPOSITORY / "docs" / "recipes" / "warehouse.md"
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.M | re.S))


def ran(section: str, warehouse: Path) -> dict[str, Any]:
    """What a snippet has named, of that warehouse instead of the one in the text."""
    (snippet,) = re.findall(r"^```python\n(.*?)^```$", SECTIONS[section], re.M | re.S)
    here = snippet.replace("/data/audit/prod", f"{warehouse}/{CLUSTER}")
    assert here != snippet or "/data/audit" not in snippet
    named: dict[str, Any] = {}
    exec(compile(here, f"{PAGE.name}: {section}", "exec"), named)  # noqa: S102  (of this repository)
    return named


@pytest.fixture
def unpublished(golden: Path) -> Path:
    """Tables of it have a newer version, without rows, as a run leaves them that has not published."""
    for table in ("finding", "partition_outage", "controller_term"):
        DeltaTable(golden / CLUSTER / "gold" / table).delete()
    return golden


def test_polars_reads_what_was_published(unpublished: Path) -> None:
    found = ran("Polars", unpublished)
    rows_of = published_tables(unpublished, CLUSTER)
    assert (
        found["findings"]["finding_id"].sort().to_list()
        == rows_of("gold.finding")["finding_id"].sort().to_list()
    )
    outages = rows_of("gold.partition_outage")
    counts = dict(found["outages"].select("topic", "len").iter_rows())
    assert counts == dict(outages["topic"].value_counts().iter_rows())
    assert found["findings"].height and found["outages"]["first_at"].min() == outages["noticed_at"].min()


def test_pandas_reads_what_was_published(unpublished: Path) -> None:
    pytest.importorskip("pandas", reason="no pandas here")
    found = ran("pandas", unpublished)
    terms = published_tables(unpublished, CLUSTER)("gold.controller_term")
    assert found["by_controller"].to_dict() == dict(terms["controller_id"].value_counts().iter_rows())
    assert sorted(found["terms"]["elected_at"].dropna()) == terms["elected_at"].drop_nulls().sort().to_list()
    assert str(found["terms"]["controller_epoch"].dtype).startswith("int")


def test_duckdb_reads_what_was_published(
    golden: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("duckdb", reason="no duckdb here")
    assert "`kafka-controller-audit views --warehouse /data/audit > views.sql`" in SECTIONS["DuckDB"]
    assert cli.main(["views", "--warehouse", str(golden)]) == 0
    (tmp_path / "views.sql").write_text(capsys.readouterr().out)
    monkeypatch.chdir(tmp_path)
    found = ran("DuckDB", golden)["to_look_at"]
    expected = published_tables(golden, CLUSTER)("gold.finding").filter(pl.col("severity") != "info")
    assert found["sentence"].sort().to_list() == expected["sentence"].sort().to_list() != []
