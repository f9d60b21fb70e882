"""What Kafka's log lines say, read from the tables beside this module."""

from functools import cache, lru_cache
from importlib.resources import files

import pyarrow as pa

from pipeline.core.match import Matcher
from pipeline.core.template import Compound, FieldKind, Template, by_name
from pipeline.core.tsv import Column, rows_of

MODES = ("zookeeper", "kraft")
BROKER_IDS_TYPE = pa.list_(pa.field("element", pa.int32(), nullable=False))

COLUMN_TYPES: dict[str, pa.DataType] = {
    "controller_id": pa.int32(),
    "controller_epoch": pa.int32(),
    "broker_id": pa.int32(),
    "topic": pa.string(),
    "partition": pa.int32(),
    "replica_id": pa.int32(),
    "from_state": pa.string(),
    "to_state": pa.string(),
    "leader": pa.int32(),
    "leader_epoch": pa.int32(),
    "isr": BROKER_IDS_TYPE,
    "replicas": BROKER_IDS_TYPE,
    "correlation_id": pa.int32(),
    "reason": pa.string(),
    "exception_class": pa.string(),
    "exception_message": pa.string(),
}


# The table that declares the columns of all others, and its own.
DECLARATIONS = "tables.tsv"
DECLARED = tuple(Column(name, "") for name in ("table", "column", "accepted", "meaning"))
EMPTY = "-"


def text_of(name: str) -> str:
    """Of pipeline/kafka/<name>, also from inside an archive."""
    return files("pipeline.kafka").joinpath(name).read_text(encoding="utf-8")


@cache
def headers() -> dict[str, tuple[Column, ...]]:
    """The declared columns of each table of facts, by its name: tables.tsv."""
    found: dict[str, list[Column]] = {}
    for row in rows_of(DECLARATIONS, text_of(DECLARATIONS), DECLARED):
        values = ("" if one == EMPTY else one for one in row["accepted"].split("|"))
        accepted = frozenset(values) if row["accepted"] else frozenset[str]()
        found.setdefault(row["table"], []).append(Column(row["column"], row["meaning"], accepted))
    return {name: tuple(columns) for name, columns in found.items()}


def table(name: str) -> list[dict[str, str]]:
    """Rows of pipeline/kafka/<name>. SettingsError, with file and line: one is not as tables.tsv declares it."""
    return rows_of(name, text_of(name), headers()[name])


@lru_cache(maxsize=1)
def template_rows() -> tuple[dict[str, str], ...]:
    """Rows (event, logger, level, since, until, says, template), ZooKeeper mode first."""
    return tuple(row for mode in MODES for row in table(f"templates/{mode}.tsv"))


@lru_cache(maxsize=1)
def field_kinds() -> dict[str, FieldKind]:
    """Fields by name."""
    return by_name(FieldKind(**row) for row in table("fields.tsv"))


@lru_cache(maxsize=1)
def matcher() -> Matcher:
    """All templates of all releases, compiled; a source is a logger. One a process."""
    templates = [
        Template(row["event"], row["logger"], row["template"], said(row["says"])) for row in template_rows()
    ]
    compounds = [Compound(**row) for row in table("compounds.tsv")]
    return Matcher(templates, field_kinds(), compounds, COLUMN_TYPES)


def said(text: str) -> tuple[tuple[str, str], ...]:
    """`to_replica_state=NewReplica`: fields, and what the literal text says of them."""
    pairs = (one.partition("=") for one in text.split())
    return tuple((name, value) for name, _, value in pairs)
