"""Attempts to move a partition, as the kernel has them before it asks what lines that are missing may have ended."""

import polars as pl
from polars import lit

from schemas.gold import reassignment
from tests.frames import at, frame


def attempt_going_on() -> pl.DataFrame:
    """Of partition a-0, from its brokers 1 and 2 to 1 and 3; its last line is of second 10."""
    return frame(
        reassignment.SPEC,
        "cluster_id | topic | partition | outcome | original_replicas | target_replicas\nc | a | 0 | in_progress | 1 2 | 1 3",
    ).with_columns(last_at=lit(at(10)), is_in_doubt=lit(value=False))
