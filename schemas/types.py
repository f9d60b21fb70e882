"""Types of columns, as Arrow has them: what is computed, what is stored and what is read are of one type."""

import pyarrow as pa

BINARY = pa.binary()
BOOLEAN = pa.bool_()
DOUBLE = pa.float64()
INTEGER = pa.int32()
LONG = pa.int64()
STRING = pa.string()
TIMESTAMP = pa.timestamp("us", tz="UTC")
LOCAL_TIMESTAMP = pa.timestamp("us")  # a time as printed, without a zone


def array_type(element: pa.DataType, *, contains_null: bool = False) -> pa.DataType:
    """A list; its elements are never null unless said."""
    return pa.list_(pa.field("element", element, nullable=contains_null))


def map_of(key: pa.DataType, value: pa.DataType) -> pa.DataType:
    """A map whose values are never null."""
    return pa.map_(key, pa.field("value", value, nullable=False))


def struct_type(*fields: tuple[str, pa.DataType], unknown: tuple[str, ...] = ()) -> pa.DataType:
    """A struct whose fields are never null but those that may be unknown."""
    return pa.struct([pa.field(name, kind, nullable=name in unknown) for name, kind in fields])
