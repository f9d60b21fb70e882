"""Frames of changes: what each has, requests put together from their partitions, and who served them."""

from datetime import datetime

import polars as pl
from polars import col, lit, when

from pipeline.core.conditions import all_conditions, is_in
from pipeline.views.changes.kinds import INTERNAL
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.times import reached_since

TIME: pl.DataType = pl.Datetime("us", "UTC")
COLUMNS: dict[str, pl.DataType] = {
    "at": TIME,
    "kind": pl.String(),
    "topics": pl.List(pl.String),
    "partitions": pl.List(pl.String),
    "outcomes": pl.List(pl.String),
    "ms": pl.Int64(),
    "reason": pl.String(),
    "asked_by": pl.String(),
    "controller_id": pl.Int32(),
    "certainty": pl.String(),
    "file_id": pl.String(),
    "byte_offset": pl.Int64(),
}
LINE = ("file_id", "byte_offset")


def change_rows(rows: pl.DataFrame, **values: pl.Expr) -> pl.DataFrame:
    """Rows with COLUMNS, those that are not given null or `proved`, and the columns named beside them."""
    given = {"certainty": lit("proved"), "asked_by": lit("unknown")} | values
    missing = {name: lit(None, kind) for name, kind in COLUMNS.items() if name not in {*given, *rows.columns}}
    typed = {name: col(name).cast(kind) for name, kind in COLUMNS.items()}
    return rows.with_columns(**given, **missing).with_columns(**typed)


def line_place_columns(lines: str | pl.Expr, index: int = 0) -> dict[str, pl.Expr]:
    """file_id and byte_offset of one of a list of places; null where there is none."""
    found = (col(lines) if isinstance(lines, str) else lines).list.get(index, null_on_oob=True)
    return {name: found.struct.field(name) for name in LINE}


def lines_by_name(what: str) -> pl.Expr:
    """The places that the column lines has of that name."""
    return col("lines").map.get(lit(what))


def asked_by_of_topic(topic: pl.Expr) -> pl.Expr:
    return when(topic.is_in(INTERNAL)).then(lit("broker")).otherwise(lit("unknown"))


def change_partition_name() -> pl.Expr:
    return pl.format("{}-{}", col("topic").fill_null("?"), col("partition"))


def group_requests(rows: pl.DataFrame, within: pl.Expr, *alike: str) -> pl.DataFrame:
    """Partitions (at, topic, partition, outcome, ms) that are alike as one change, as long as each follows the one
    before within that time."""
    is_new = (col("at") - col("at").shift(1).over(alike) > within).fill_null(value=True)
    name = change_partition_name()
    return (
        rows.sort(*alike, "at", *LINE, nulls_last=True)
        .with_columns(number=is_new.cum_sum().over(alike))
        .group_by(*alike, "number", maintain_order=True)
        .agg(
            *(col(each).first() for each in ("at", *LINE)),
            *(col(each).drop_nulls().first() for each in ("reason", "controller_id") if each not in alike),
            topics=col("topic").drop_nulls().unique(maintain_order=True),
            partitions=name.drop_nulls().unique(maintain_order=True),
            outcomes=col("outcome").drop_nulls(),
            ms=col("ms").max(),
            certainty=col("certainty").max(),
        )
        .drop("number")
    )


def with_server(rows: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """Adds term_id and controller_epoch, and controller_id where it is not said: who was in office then.

    terms: (term_id, controller_id, controller_epoch, from_at) in the order of time.
    """
    begun = terms.filter(col("from_at").is_not_null()).sort("from_at").rename({"from_at": "office_at"})
    named = rows.filter(col("controller_id").is_not_null()).sort("at")
    others = rows.filter(col("controller_id").is_null()).sort("at").drop("controller_id")
    found = (
        named.join_asof(
            begun, left_on="at", right_on="office_at", by="controller_id", check_sortedness=False
        ),
        others.join_asof(begun, left_on="at", right_on="office_at", check_sortedness=False),
    )
    return pl.concat(found, how="diagonal").drop("office_at")


def lines_of_active_controller(rows: pl.DataFrame, answers: Answers, since: datetime | None) -> pl.DataFrame:
    """Of records that each controller replays the lines of the one in office (silver.controller_line), with its term;
    others print them later, and again whenever they start."""
    if rows.is_empty():
        return rows.with_columns(term_id=lit(None, pl.String))
    asked = all_conditions(
        is_in("controller_id", rows["controller_id"].unique().to_list()), reached_since("logged_at", since)
    )
    own = answers.rows("silver.controller_line", asked, ("term_id", *LINE))
    return rows.join(own, on=LINE, how="inner")


def resource_text() -> pl.Expr:
    kind = col("resource_type").str.to_lowercase().str.replace_all("_", " ")
    return (
        when(col("resource_type").is_null()).then(col("resource_name").fill_null("?"))
        .when(col("resource_name").is_null()).then(pl.format("all {}s", kind))
        .otherwise(pl.format("{} {}", kind, "resource_name"))
    )  # fmt: skip
