"""The columns of every table, and the facts of findings, as schemas declare them."""

from collections.abc import Iterator

import pyarrow as pa

from pipeline.catalog.docs import markdown_table
from pipeline.catalog.tables import SPECS
from pipeline.rules.registry import RULES
from schemas.gold.finding import FACTS, Fact
from schemas.ops import run
from schemas.spec import LAYERS, Field, TableSpec

LONG_STRUCT = 20  # fields: one with more is a table of its own


def columns_part() -> str:
    """A section a table: grain, key, and each column with its type and meaning."""
    ordered = sorted((*SPECS, run.SPEC), key=lambda spec: LAYERS.index(spec.layer))
    return "\n\n".join("\n\n".join(table_section(spec)) for spec in ordered)


def table_section(spec: TableSpec) -> Iterator[str]:
    yield f"## {spec.name}"
    yield f"{spec.grain} Key: {', '.join(f'`{one}`' for one in ('cluster_id', *spec.key))}."
    yield markdown_table(("column", "type", "meaning"), map(column_row, spec.fields))


def column_row(column: Field) -> tuple[str, str, str]:
    kind = f"{type_text(column.type)}{', may be null' if column.nullable else ''}"
    return f"`{column.name}`", kind, column.comment.replace("<", "&lt;")


def type_text(kind: pa.DataType) -> str:
    """As Delta and Spark name it."""
    if pa.types.is_map(kind):
        return f"map of {type_text(kind.key_type)} to {type_text(kind.item_type)}"
    if pa.types.is_list(kind):
        return f"array of {type_text(kind.value_type)}"
    if pa.types.is_struct(kind) and kind.num_fields > LONG_STRUCT:
        return "struct"
    if pa.types.is_struct(kind):
        return f"struct ({', '.join(f'{one.name} {type_text(one.type)}' for one in kind)})"
    if pa.types.is_timestamp(kind):
        return "timestamp" if kind.tz else "timestamp without zone"
    return NAMES[kind]


NAMES = {
    pa.binary(): "binary",
    pa.bool_(): "boolean",
    pa.float64(): "double",
    pa.int32(): "integer",
    pa.int64(): "long",
    pa.string(): "string",
}


def facts_part() -> str:
    """What a fact means, and which rules have it."""
    return markdown_table(("fact", "type", "meaning", "rules"), (fact_row(*one) for one in FACTS.items()))


def fact_row(name: str, fact: Fact) -> tuple[str, str, str, str]:
    rules = [one.name for one in RULES.values() if name in one.facts]
    return f"`{name}`", type_text(fact.type), fact.meaning, ", ".join(f"`{one}`" for one in rules)
