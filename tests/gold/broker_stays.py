"""Stays of brokers, open ones, and from a time on."""

from datetime import datetime
from typing import Any

import polars as pl
from polars import col

from pipeline.core.span import Span
from tests.frames import at

COLUMNS = ("broker_id", "joined_at", "joined_how", "left_at", "left_how", "left_term_id", "certainty")


def from_then(tables: dict[str, Any], second: float) -> dict[str, Any]:
    """What a run takes that builds anew from that second on."""
    begin = at(second)
    earlier = tables["broker_session"].filter(col("joined_at") < begin)
    last = earlier.sort("joined_at").unique(["cluster_id", "broker_id"], keep="last")
    reaching = earlier.filter(open_at(begin, "left_at"))
    return tables | {
        "broker_event": tables["broker_event"].filter(col("logged_at") >= begin),
        "controller_line": tables["controller_line"].filter(col("ordered_at") >= begin),
        "partition_timeline": tables["partition_timeline"].filter(open_at(begin, "valid_until_at")),
        "session_before": pl.concat([last, reaching]).unique(["cluster_id", "broker_id", "joined_at"]),
        "span": Span(begin),
    }


def open_at(begin: datetime, until: str) -> pl.Expr:
    return col(until).is_null() | (col(until) >= begin)
