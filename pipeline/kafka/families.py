"""Which line feeds which typed table of silver, and with which step: families.tsv."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.wording import table

NO_FAMILY = "-"
FEED = "struct<kind string, step string, field string>"


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
    return tuple(Feed(**row) for row in table("families.tsv"))


@cache
def feeds(family: str) -> tuple[Feed, ...]:
    found = tuple(feed for feed in all_feeds() if feed.family == family)
    if not found:
        raise ValueError(f"families.tsv: expected rows of {family}, found none")
    return found


@cache
def events_of(family: str) -> frozenset[str]:
    """Events that feed the family; empty for a name that is no family."""
    return frozenset(feed.event for feed in all_feeds() if feed.family == family)


def fed(log_record: DataFrame, family: str) -> DataFrame:
    """Records of the family's events that have a time, one row a feed, with kind, step and field (null if empty)."""
    own = feeds(family)
    is_event = F.col("event").isin(*{feed.event for feed in own}) & F.col("logged_at").isNotNull()
    worded = dict.fromkeys((feed.event, feed.wording) for feed in own if feed.wording)
    of_wording = [
        F.when(
            (F.col("event") == event) & F.contains("template", F.lit(wording)),
            literal([one for one in own if (one.event, one.wording) == (event, wording)]),
        )
        for event, wording in worded
    ]
    feed = F.coalesce(*of_wording, by_event([one for one in own if not one.wording]))
    return log_record.where(is_event).select("*", F.inline(feed))


def by_event(some: Iterable[Feed]) -> Column:
    """The feeds of the record's event among these, an array; null where it has none."""
    grouped: dict[str, list[dict[str, str | None]]] = {}
    for feed in some:
        grouped.setdefault(feed.event, []).append(entry(feed))
    return F.from_json(F.lit(json.dumps(grouped)), f"map<string, array<{FEED}>>")[F.col("event")]


def literal(some: Iterable[Feed]) -> Column:
    return F.from_json(F.lit(json.dumps([entry(feed) for feed in some])), f"array<{FEED}>")


def entry(feed: Feed) -> dict[str, str | None]:
    return {name: asdict(feed)[name] or None for name in ("kind", "step", "field")}


def field_text() -> Column:
    """The text of the field that the feed names; null if it names none."""
    return F.col("fields")[F.col("field")]
