"""What a dead run added is taken back by a commit; what it did otherwise is left to RESTORE."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from pipeline.store.tables.delta import DeltaFolder
from pipeline.store.tables.undoing import undo_appends
from tests.store.undoing import SPEC, append, delete, overwrite

pytestmark = pytest.mark.spark
Act = Callable[[DeltaFolder, int], None]


def append_nothing(folder: DeltaFolder, _number: int) -> None:
    folder.append(SPEC, folder.spark.createDataFrame([], "id int"), "dead")


def undo(folder: DeltaFolder, _number: int) -> None:
    folder.restore(SPEC, 2)


def declare_anew(folder: DeltaFolder, _number: int) -> None:
    folder.create(SPEC, is_replaced=True)


@pytest.mark.parametrize(
    ("acts", "is_undone"),
    [
        pytest.param([append], True, marks=pytest.mark.soak),
        pytest.param([append, append_nothing, append], True, marks=pytest.mark.soak),
        ([append, undo, append, undo], True),
        pytest.param([overwrite, undo, append], False, marks=pytest.mark.soak),
        pytest.param([overwrite], False, marks=pytest.mark.soak),
        pytest.param([append, delete], False, marks=pytest.mark.soak),
        pytest.param([delete, append], False, marks=pytest.mark.soak),
        pytest.param([declare_anew, append], False, marks=pytest.mark.soak),
    ],
    ids=lambda one: " ".join(act.__name__ for act in one) if isinstance(one, list) else str(one),
)
def test_the_files_of_the_wanted_version_are_the_table_again(
    spark: SparkSession, tmp_path: Path, acts: Sequence[Act], *, is_undone: bool
) -> None:
    folder = DeltaFolder(spark, str(tmp_path / "c"))
    folder.create(SPEC)
    append(folder, 1)
    append(folder, 2)
    wanted = 2
    assert folder.head(SPEC) == wanted
    files = sorted(folder.read(SPEC).inputFiles())
    for number, act in enumerate(acts, 3):
        act(folder, number)
    head = folder.head(SPEC) or 0
    assert undo_appends(spark, folder.files, folder.uri(SPEC), wanted, head) == is_undone
    assert folder.head(SPEC) == head + is_undone
    if not is_undone:
        folder.restore(SPEC, wanted)
    assert sorted(folder.read(SPEC).inputFiles()) == files
    append(folder, 9)
    assert sorted(row.id for row in folder.read(SPEC).collect()) == [1, 2, 9]
