"""The declarations as Spark has them: for what reads and writes tables through Spark, and for nothing that computes."""

from functools import cache

from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructField, StructType

from schemas.spec import TableSpec


@cache
def struct_of(spec: TableSpec) -> StructType:
    """The Spark schema, with comments as metadata so that Delta keeps them."""
    kinds = [from_arrow_type(one.type, prefer_timestamp_ntz=True) for one in spec.fields]
    return StructType(
        [
            StructField(one.name, kind, one.nullable, {"comment": one.comment})
            for one, kind in zip(spec.fields, kinds, strict=True)
        ]
    )
