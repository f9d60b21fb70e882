"""No row of the damage table has a wrong cell."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.mending.damage_table import Damage, Row, Said, compared, damages, row_of
from tests.mending.damaged import made


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        (Row("k", "t", "told", ("refused", "same"), "10", "0", "0", "twin"), 0),
        (Row("k", "t", "told", ("refused", "same"), "10", "0", "0", "said"), 0),
        (Row("k", "t", "told", ("refused", "same")), 0),
        (Row("k", "t", "told", ("said", "refused"), "10", "0", "0", "twin"), 0),
        (Row("k", "t", "whole", ("same", "same"), "0", "0", "0", "twin"), 0),
        (Row("k", "t", "whole", ("refused", "same"), "10", "0", "0", "twin"), 1),
        (Row("k", "t", "whole", ("same", "same"), "0", "0", "0", "gold.finding"), 2),
        (Row("k", "t", "exit 1", ("exit 1", "other"), "1", "10", "10", "no gold.finding"), 7),
    ],
)
def test_what_nobody_tells_or_mends_is_marked(row: Row, wrong: int) -> None:
    assert sum(row.wrong()) == wrong
    assert sum(one.endswith("!") for one in row.cells()) == wrong


def test_a_reader_that_says_what_is_damaged_may_answer() -> None:
    before = Said(0, "NOT OK\n")
    assert compared(before, before) == "same"
    assert compared(Said(0, "NOT OK\n'repair' mends it\n"), before) == "said"
    assert compared(Said(0, "OK\n'repair' mends it\n"), before) == "other"
    assert compared(Said(10, ""), before) == "refused"
    assert compared(Said(1, "NOT OK\n"), before) == "exit 1"


@pytest.fixture(scope="module")
def whole(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("whole"))


@pytest.mark.spark
@pytest.mark.soak
@pytest.mark.parametrize(("kind", "table", "act"), list(damages()))
def test_each_damage_is_told_and_mended(
    kind: str, table: str, act: Damage, whole: Path, tmp_path: Path
) -> None:
    found = row_of(whole, tmp_path / "damaged", kind, table, act, is_mended=True)
    assert found is None or not any(found.wrong()), found
