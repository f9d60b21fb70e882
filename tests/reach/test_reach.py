"""What a table declares of its reach: any split of the topics, of the nodes gives the rows of the whole."""

import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars import col

from pipeline.catalog.kernels import PARTIALS
from pipeline.catalog.tables import BY_SHORT_NAME, EXTRACTS, LINES_BY_DAYS, TABLES, CatalogTable
from pipeline.core.frames import declared_table, frame_of
from pipeline.core.reach import Reach
from tests.chain import ORDER, built, taken
from tests.lab import folder_of, records

SPLIT_BY = {Reach.PARTITION: "topic", Reach.NODE: "node_id"}
SPLIT = [table for table in TABLES if table.reach in SPLIT_BY]
# Of both modes.
CLUSTERS = ("3.9.2-kraft-migration-stock",)
MORE_CLUSTERS = ("3.9.1-zk-moves", "2.2.2-zk-stock", "4.3.1-kraft-separate-stock")
LOGS = ("controller", "state-change", "mixed", "server")
SHARDS = 3
LINE = ("file_id", "byte_offset")
OF_LINES = {one.spec.table for one in LINES_BY_DAYS}
OF_PARTIALS = [table for table in TABLES if set(table.parameters) & set(PARTIALS)]


@pytest.fixture(
    scope="module", params=[*CLUSTERS, *(pytest.param(one, marks=pytest.mark.soak) for one in MORE_CLUSTERS)]
)
def whole(request: pytest.FixtureRequest, shared: Path) -> dict[str, Any]:
    """All tables of a cluster, built at once."""
    return built(records(folder_of(shared, request.param), LOGS), *ORDER)


@pytest.mark.parametrize("table", SPLIT, ids=lambda table: table.spec.table)
def test_any_split_gives_the_rows_of_the_whole(whole: dict[str, Any], table: CatalogTable) -> None:
    shard_of = split_at_random(whole, SPLIT_BY[table.reach], random.Random(table.spec.name))  # noqa: S311
    parts = [rows_of_shard(whole, table, shard_of, number) for number in range(SHARDS)]
    assert whole_rows(pl.concat(parts)).equals(whole_rows(whole[table.spec.table]))


@pytest.mark.parametrize("table", OF_PARTIALS, ids=lambda table: table.spec.table)
def test_partials_of_any_split_serve_as_those_of_the_whole(
    whole: dict[str, Any], table: CatalogTable
) -> None:
    shard_of = split_at_random(whole, "topic", random.Random(table.spec.name))  # noqa: S311
    given = {
        name: partial_by_shards(whole, name, shard_of) if name in PARTIALS else taken(name, whole[name])
        for name in table.parameters
    }
    assert table.build is not None
    rows = frame_of(declared_table(table.build(**given), table.spec))
    assert whole_rows(rows).equals(whole_rows(whole[table.spec.table]))


def test_some_of_the_splits_have_rows_in_each_shard(whole: dict[str, Any]) -> None:
    """Else nothing is shown by them."""
    for column in SPLIT_BY.values():
        assert len(set(split_at_random(whole, column, random.Random(1)).values())) == SHARDS  # noqa: S311


def split_at_random(whole: dict[str, Any], column: str, chance: random.Random) -> dict[Any, int]:
    """By topic or node the number of its shard."""
    named = (
        rows[column] for rows in whole.values() if isinstance(rows, pl.DataFrame) and column in rows.columns
    )
    values = sorted({one for names in named for one in names.drop_nulls().unique().to_list()})
    chance.shuffle(values)
    return {value: place % SHARDS for place, value in enumerate(values)}


def partial_by_shards(whole: dict[str, Any], name: str, shard_of: dict[Any, int]) -> pl.DataFrame:
    partial = PARTIALS[name]
    if not any(is_in_shards(whole, one) for one in partial.inputs):
        # The driver makes it of what all shards gave.
        return partial.build(
            **{
                one: partial_by_shards(whole, one, shard_of) if one in PARTIALS else whole[one]
                for one in partial.inputs
            }
        )
    given = [
        {one: of_shard(whole, one, Reach.PARTITION, shard_of, number) for one in partial.inputs}
        for number in range(SHARDS)
    ]
    if partial.is_apart:
        held = [one for one in partial.inputs if is_in_shards(whole, one)]
        of_none = {one: whole[one].filter(col("topic").is_null()) for one in held}
        its = [its | {one: its[one].drop_nulls("topic") for one in held} for its in given]
        given = [*its, given[0] | of_none]
    return pl.concat([partial.build(**one) for one in given])


def is_in_shards(whole: dict[str, Any], name: str) -> bool:
    if name in PARTIALS:
        return PARTIALS[name].is_by_topic
    return isinstance(whole[name], pl.DataFrame) and "topic" in whole[name].columns


def rows_of_shard(
    whole: dict[str, Any], table: CatalogTable, shard_of: dict[Any, int], number: int
) -> pl.DataFrame:
    """What the kernel gives of the rows of one shard and of those that are of no topic, or of no node."""
    assert table.build is not None
    given = {name: of_shard(whole, name, table.reach, shard_of, number) for name in table.parameters}
    return frame_of(declared_table(table.build(**given), table.spec))


def of_shard(whole: dict[str, Any], name: str, reach: Reach, shard_of: dict[Any, int], number: int) -> Any:
    """What a kernel takes by this name of the rows of one shard."""
    rows, column = taken(name, whole[name]), SPLIT_BY[reach]
    if name in OF_LINES and reach is Reach.PARTITION:
        topics = [topic for topic, shard in shard_of.items() if shard == number]
        assert isinstance(rows, pl.DataFrame)
        return rows.join(lines_of_others(whole, topics), on=LINE, how="anti")
    if not (isinstance(rows, pl.DataFrame) and column in rows.columns and is_of_lines(name, reach)):
        return rows
    its = [value for value, shard in shard_of.items() if shard == number]
    return rows.filter(col(column).is_null() | col(column).is_in(its))


def lines_of_others(whole: dict[str, pl.DataFrame], topics: list[str]) -> pl.DataFrame:
    """(LINE) of the lines that name topics, and none of these."""
    tables = [rows for name, rows in whole.items() if is_of_records(name) and is_in_shards(whole, name)]
    named = pl.concat([rows.select(*LINE, "topic") for rows in tables]).drop_nulls("topic")
    is_its = col("topic").is_in(topics)
    return named.group_by(LINE).agg(is_its=is_its.any()).filter(~col("is_its")).select(LINE)


def is_of_records(name: str) -> bool:
    return name in EXTRACTS or (name in BY_SHORT_NAME and BY_SHORT_NAME[name].reach is Reach.ROW)


def is_of_lines(name: str, reach: Reach) -> bool:
    """Whether a table is split with the shards: those of topics all, of nodes what single records give."""
    return reach is Reach.PARTITION or is_of_records(name)


def whole_rows(rows: pl.DataFrame) -> pl.Series:
    """Rows without an order, each as a hash of all that it says."""
    return rows.select(pl.struct(pl.all()).hash(1).alias("row"))["row"].sort()
