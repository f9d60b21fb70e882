"""A table in Delta and the commits that are undone."""

from pipeline.store.tables.delta import DeltaFolder
from schemas.spec import TableSpec, nullable_field
from schemas.types import INTEGER

SPEC = TableSpec("silver.thing", "One thing.", ("id",), (nullable_field("id", INTEGER, "Its number."),))


def append(folder: DeltaFolder, number: int) -> None:
    folder.append(SPEC, folder.spark.createDataFrame([(number,)], "id int").repartition(2), "dead")


def overwrite(folder: DeltaFolder, number: int) -> None:
    folder.overwrite(SPEC, folder.spark.createDataFrame([(number,)], "id int"), "dead")


def delete(folder: DeltaFolder, _number: int) -> None:
    folder.delete(SPEC, "id = 1")
