"""Which lines of state-change.log show that its level is one at which a controller prints its moves."""

from functools import cache

import polars as pl
from polars import col

from pipeline.kafka.wording.releases import release_bits
from pipeline.kafka.wording.templates import template_rows

LOGGER = "state.change.logger"
# The first release whose controller prints moves to Online at INFO (KAFKA-8470); all before: at TRACE alone.
MOVES_AT_INFO_SINCE = "2.6.0"


def are_moves_printed() -> pl.Expr:
    """True of rows (log, level, event) of state-change.log at TRACE, or at INFO of what only nodes from 2.6 on print
    there: so moves are printed, too. Up to 2.5 they are at TRACE alone: a node whose level is INFO, or WARN in any
    release, prints of them only those that fail.

    Source: KafkaController's StateChangeLogger, log4j.properties, 0.8.2 to 3.9 (KAFKA-8470).
    """
    is_at_info = (col("level") == "INFO") & col("event").is_not_null()
    is_printed = (col("level") == "TRACE") | (is_at_info & ~col("event").is_in(info_events_before_moves()))
    return (col("log") == "state-change") & is_printed.fill_null(value=False)


@cache
def info_events_before_moves() -> tuple[str, ...]:
    """What nodes of some release up to 2.5 print at INFO."""
    releases = release_bits("0.8.0", "current") & ~release_bits(MOVES_AT_INFO_SINCE, "current")
    at_info = [row for row in template_rows() if row["logger"] == LOGGER and row["level"] == "INFO"]
    return tuple({row["event"]: 0 for row in at_info if release_bits(row["since"], row["until"]) & releases})
