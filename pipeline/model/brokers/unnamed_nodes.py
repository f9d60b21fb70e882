"""Nodes that no folder and no line names: each file of such a one counts as a node of its own, with an id below 0."""

import polars as pl
from polars import col, lit, when

from pipeline.model.brokers.up_signs import STARTED
from pipeline.model.lines.evidence import LINE, known_lines

NODE = ("cluster_id", "node_id")
OTHER_ID = "cause_broker_id_differs"


def has_id() -> pl.Expr:
    """Kafka's own ids begin at 0."""
    return col("node_id") >= 0


def number_unnamed_nodes(lines: pl.DataFrame) -> pl.DataFrame:
    """Lines (node_id, file_id) with an id below 0 for each file where none is known. Of two files no line tells whether
    they are of one node."""
    return lines.with_columns(
        node_id=pl.coalesce("node_id", -1 - col("file_id").rank("dense").cast(pl.Int32))
    )


def node_id_for_people() -> pl.Expr:
    """node_id for people, of a line with cause and cause_fields: of an unnamed node the one that its exception says it
    is set to have; null: no line says it."""
    ids = (
        col("cause_fields").map.get(name).cast(pl.Int32, strict=False) for name in ("node_id", "broker_id")
    )
    told = when(col("cause") == OTHER_ID).then(pl.coalesce(*ids))
    return when(has_id()).then("node_id").otherwise(told)


def unnamed_node_starts(starts: pl.DataFrame) -> pl.DataFrame:
    """Signs, as of up_signs, that an unnamed node came up: its own line in the same file."""
    return starts.filter(~has_id(), col("step") == STARTED).select(
        *NODE, up_at="logged_at", up_line=known_lines(LINE), sign=lit(STARTED)
    )


def lines_of_any(wording_seen: pl.DataFrame, failed: pl.DataFrame) -> pl.DataFrame:
    """(NODE, at, is_own): lines that may be of an unnamed node that failed to start, as nobody is named for them."""
    unnamed = failed.filter(~has_id()).select(NODE).unique()
    lines = wording_seen.filter(col("node_id").is_null()).select(
        "cluster_id", at="last_at", is_own=lit(value=False)
    )
    return lines.join(unnamed, on="cluster_id").select(*NODE, "at", "is_own")
