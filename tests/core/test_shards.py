"""Rows in shards of topics: nothing is lost, a topic stands in one, and what breaks a promise is left out and said."""

import polars as pl
import pytest

from pipeline.core.frames import arrow_of_frame
from pipeline.core.packed_rows import NO_SHARD, Pack, RowKernel
from pipeline.core.shard_steps import unpacked
from pipeline.core.shards import BROKEN, LINE, SHARDS, lines_by_shard, pack_rows_in_shards
from schemas.spec import TableSpec, nullable_field, required_field
from schemas.types import LONG, STRING

SAID = TableSpec(
    name="silver.said",
    grain="What a line says of a topic.",
    key=("byte_offset", "topic"),
    fields=(
        required_field("file_id", STRING, "File."),
        required_field("byte_offset", LONG, "Place."),
        nullable_field("topic", STRING, "Topic."),
        required_field("state", STRING, "State.", accepted=("up", "down")),
    ),
)
RECORDS = pl.DataFrame(
    [("f", place, f"t{place % 5}" if place % 7 else None, "up") for place in range(40)],
    schema=SAID.columns,
    orient="row",
)
KERNELS = (RowKernel(SAID.name, lambda rows: rows, SAID), RowKernel("lines", lambda rows: rows.select(LINE)))


def packs_of_records(records: pl.DataFrame, shards: int, at_once: int = 9) -> list[Pack]:
    batches = arrow_of_frame(records).to_batches(max_chunksize=at_once)
    return [
        row for batch in pack_rows_in_shards(batches, KERNELS, shards, at_once) for row in batch.to_pylist()
    ]


def rows_of(packs: list[Pack], name: str) -> pl.DataFrame:
    return unpacked([one["rows"] for one in packs if one["name"] == name])


@pytest.mark.parametrize("shards", [1, 3, 16])
def test_each_row_is_in_the_shard_of_its_topic(shards: int) -> None:
    packs = packs_of_records(RECORDS, shards)
    assert rows_of(packs, SAID.name).sort("byte_offset").equals(RECORDS)
    shard_of: dict[str | None, set[int]] = {}
    for one in packs:
        if one["name"] == SAID.name:
            for topic in unpacked([one["rows"]])["topic"]:
                shard_of.setdefault(topic, set()).add(one["shard"])
    assert shard_of.pop(None) == {NO_SHARD}
    assert all(len(some) == 1 and some < set(range(shards + 1)) for some in shard_of.values())


def test_lines_go_where_the_topics_are_that_they_name() -> None:
    packs = packs_of_records(RECORDS, 3)
    of_lines = rows_of(packs, "lines").select(*LINE, SHARDS)
    unnamed, parts = lines_by_shard(RECORDS.select(LINE), of_lines)
    assert unnamed["byte_offset"].to_list() == list(range(0, 40, 7))
    for shard, lines in parts:
        its = [one["rows"] for one in packs if one["name"] == SAID.name and one["shard"] == shard]
        assert sorted(lines["byte_offset"]) == sorted(unpacked(its)["byte_offset"])


def test_rows_that_break_a_promise_are_left_out_and_said() -> None:
    """One of no known state, and two of one line and topic, of which nothing tells which is right."""
    odd = RECORDS.with_columns(state=pl.when(pl.col("byte_offset") == 3).then(pl.lit("?")).otherwise("state"))
    packs = packs_of_records(pl.concat([odd, odd.filter(byte_offset=4)]), 3, at_once=100)
    assert sorted(set(range(40)) - set(rows_of(packs, SAID.name)["byte_offset"])) == [3, 4]
    (said,) = [one for one in packs if one["name"] == SAID.name + BROKEN]
    assert said["row_count"] == 3
    assert sorted(unpacked([said["rows"]])["broken"]) == ["key is not unique", "state is not in its list"]
