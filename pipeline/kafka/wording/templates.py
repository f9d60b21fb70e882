"""What Kafka's log lines say: templates of all loggers and releases, and the fields in them."""

import re
from collections.abc import Sequence
from functools import lru_cache

import pyarrow as pa

from pipeline.core.match import Matcher
from pipeline.core.template import Compound, FieldKind, Template, by_name
from pipeline.kafka.facts import read_fact_table

# Tables of by_mode: nodes of one mode print a row, or nodes of either.
MODES = ("zookeeper", "kraft", "both")
FIELD = re.compile(r"\{[a-z][a-z0-9_]*\}")
MOST_CLASSES = 4
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


@lru_cache(maxsize=1)
def template_rows() -> tuple[dict[str, str], ...]:
    """Rows (event, logger, level, since, until, says, template), ZooKeeper mode first, those of both last."""
    return tuple(row for mode in MODES for row in read_fact_table(f"wording/by_mode/{mode}.tsv"))


@lru_cache(maxsize=1)
def field_kinds() -> dict[str, FieldKind]:
    """Fields by name."""
    return by_name(FieldKind(**row) for row in read_fact_table("wording/fields.tsv"))


@lru_cache(maxsize=1)
def template_matcher() -> Matcher:
    """All templates of all releases, compiled; a source is a logger. One a process."""
    templates = [
        Template(row["event"], row["logger"], row["template"], parse_stated_fields(row["says"]))
        for row in template_rows()
    ]
    return _compiled(templates)


@lru_cache(maxsize=1)
def matcher_of_texts() -> Matcher:
    """The same as if one logger, named by the empty text, printed them all; the events of one text are one name."""
    events: dict[str, set[str]] = {}
    for row in template_rows():
        events.setdefault(row["template"], set()).add(row["event"])
    return _compiled([Template(" ".join(sorted(names)), "", text) for text, names in events.items()])


@lru_cache(maxsize=1)
def wording_loggers() -> dict[str, tuple[str, ...]]:
    """By wording the loggers that print it, in order of name.

    Not told of a wording of several events, nor of one of more than MOST_CLASSES classes: they have it from a class
    that many extend (threads that start and stop), also such that are not known here.
    """
    printed: dict[str, list[dict[str, str]]] = {}
    for row in template_rows():
        printed.setdefault(FIELD.sub("{}", row["template"]), []).append(row)
    found: dict[str, tuple[str, ...]] = {}
    for rows in printed.values():
        classes = {row["logger"].rpartition(".")[2] for row in rows}
        if len({row["event"] for row in rows}) == 1 and len(classes) <= MOST_CLASSES:
            for row in rows:
                names = {row["logger"], *found.get(row["template"], ())}
                found[row["template"]] = tuple(sorted(names))
    return found


def _compiled(templates: Sequence[Template]) -> Matcher:
    compounds = [Compound(**row) for row in read_fact_table("wording/compounds.tsv")]
    return Matcher(templates, field_kinds(), compounds, COLUMN_TYPES)


def parse_stated_fields(text: str) -> tuple[tuple[str, str], ...]:
    """`to_replica_state=NewReplica`: fields, and what the literal text says of them."""
    pairs = (one.partition("=") for one in text.split())
    return tuple((name, value) for name, _, value in pairs)
