"""Which node wrote a record: most begin with what its part of the server calls itself (idents.tsv)."""

from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.values import parse_values
from pipeline.kafka.facts import read_fact_table


@lru_cache(maxsize=1)
def _idents() -> tuple[str, ...]:
    return tuple(row["pattern"] for row in read_fact_table("reading/idents.tsv"))


def message_writers(messages: pa.Array) -> pa.Array:
    """By message the node that it names as its writer (int32), null where it names none. What is too big for an id of
    a node is none."""
    named = pa.nulls(len(messages), pa.string())
    for pattern in _idents():
        if not named.null_count:
            break
        caught = pc.extract_regex(messages, pattern)
        named = pc.coalesce(named, pc.if_else(caught.is_valid(), caught.field("node"), None))
    return parse_values(named, pa.int32())[0]
