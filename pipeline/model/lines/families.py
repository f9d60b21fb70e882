"""Which line feeds which typed table of silver, and with which step: families.tsv."""

from dataclasses import asdict, dataclass
from functools import cache

import polars as pl
from polars import col, lit, when

from pipeline.kafka.facts import read_fact_table

NO_FAMILY = "-"
# Columns of bronze.log_record that no family takes: bytes, and what they alone say.
NOT_TAKEN = (
    "raw",
    "byte_length",
    "line_count",
    "logged_local",
    "logger",
    "not_understood_reason",
    "is_forged",
)


@dataclass(frozen=True)
class Feed:
    """One way in which the lines of an event give rows of a table.

    `kind` sorts the rows of a table: request, selector, who says so, reason.
    `field` names the field whose elements are the rows; empty: the record's own columns.
    `wording` is literal text of the templates that it is about; empty: those that no other row of the event
    and table is about.
    """

    event: str
    family: str
    kind: str
    step: str
    field: str
    wording: str


@cache
def all_feeds() -> tuple[Feed, ...]:
    """The rows of families.tsv; an event that feeds nothing stands there with the family `-`."""
    return tuple(Feed(**row) for row in read_fact_table("wording/families.tsv"))


@cache
def family_feeds(family: str) -> tuple[Feed, ...]:
    found = tuple(feed for feed in all_feeds() if feed.family == family)
    if not found:
        raise ValueError(f"families.tsv: expected rows of {family}, found none")
    return found


@cache
def events_of(family: str) -> frozenset[str]:
    """Events that feed the family; empty for a name that is no family."""
    return frozenset(feed.event for feed in all_feeds() if feed.family == family)


def family_records(log_record: pl.DataFrame, family: str) -> pl.DataFrame:
    """Records of the family's events that have a time, one row a feed, with kind, step and field (null if empty)."""
    is_event = col("event").is_in(sorted(events_of(family))) & col("logged_at").is_not_null()
    return (
        log_record.drop(NOT_TAKEN, strict=False)
        .filter(is_event)
        .with_columns(wording=template_wording(family_feeds(family)))
        .join(feed_frame(family), on=["event", "wording"])
        .drop("wording")
    )


def template_wording(own: tuple[Feed, ...]) -> pl.Expr:
    """Which of the wordings of the record's event its template holds, the first one; empty if none."""
    worded = dict.fromkeys((feed.event, feed.wording) for feed in own if feed.wording)
    held = [
        when((col("event") == event) & col("template").str.contains(text, literal=True)).then(lit(text))
        for event, text in worded
    ]
    return pl.coalesce(*held, lit(""))


@cache
def feed_frame(family: str) -> pl.DataFrame:
    names = ("event", "wording", "kind", "step", "field")
    rows = pl.DataFrame(
        [asdict(feed) for feed in family_feeds(family)], schema=dict.fromkeys(names, pl.String())
    )
    return rows.with_columns(col("kind", "step", "field").replace("", None))


def field_text() -> pl.Expr:
    """The text of the field that the feed names; null if it names none."""
    return col("fields").map.get(col("field"))


def printed_field(name: str) -> pl.Expr:
    """The text of a field as printed; null if the template has none of that name."""
    return col("fields").map.get(name)
