"""Rows of several tables in one stream: what goes in comes out, whatever the batches."""

import polars as pl
import pyarrow as pa
import pytest

from pipeline.core.packed_rows import PACKED, RowKernel, pack_kernel_rows, unpack_rows
from schemas.spec import TableSpec, nullable_field, required_field
from schemas.types import INTEGER, STRING

NUMBERS = pa.table({"number": pa.array(range(10), pa.int32())})
EVEN = TableSpec(
    name="silver.even",
    grain="An even number.",
    key=("number",),
    fields=(required_field("number", INTEGER, "It."), nullable_field("text", STRING, "In words, or null.")),
)
KERNELS = (
    RowKernel(
        "silver.even",
        lambda rows: rows.filter(pl.col("number") % 2 == 0).with_columns(text=pl.lit(None, pl.String)),
        EVEN,
    ),
    RowKernel("large", lambda rows: rows.filter(pl.col("number") > 90)),
    RowKernel("words", lambda rows: rows.select(word=pl.format("n{}", "number"))),
)


@pytest.mark.parametrize("at_once", [1, 4, 100])
@pytest.mark.parametrize("size", [1, 3, 10])
def test_what_goes_in_comes_out(at_once: int, size: int) -> None:
    batches = [*pack_kernel_rows(NUMBERS.to_batches(max_chunksize=size), KERNELS, at_once)]
    assert {one.schema for one in batches} == {PACKED}
    packs = [row for batch in batches for row in batch.to_pylist()]
    assert {row["name"] for row in packs} == {"silver.even", "words"}
    by_name = {name: [row for row in packs if row["name"] == name] for name in ("silver.even", "words")}
    rows = {
        name: pa.Table.from_batches(unpack_rows(row["rows"] for row in some))
        for name, some in by_name.items()
    }
    assert rows["silver.even"].schema.equals(EVEN.arrow)
    assert rows["silver.even"]["number"].to_pylist() == [0, 2, 4, 6, 8]
    assert rows["words"]["word"].to_pylist() == [f"n{number}" for number in range(10)]
    assert sum(row["row_count"] for row in by_name["silver.even"]) == 5


def test_no_records() -> None:
    assert not [*pack_kernel_rows([], KERNELS)]
    assert KERNELS[0].rows(pl.from_arrow(NUMBERS.slice(0, 0))).schema.equals(EVEN.arrow)  # type: ignore[arg-type]
