"""Rules on reassignments of partitions."""

from collections.abc import Mapping

import polars as pl

from pipeline.kafka.wording.releases import bits, members
from pipeline.rules.shared.wording import (
    NO_TERM,
    PARTITION,
    facts,
    graded,
    millis,
    partition_name,
    root,
    words,
)

# Releases in which an open reassignment halts automatic preferred elections. Source: KAFKA-10149, fixed in 3.4.
HALTING = members(bits("0.8.0", "3.3"))


def one_each(
    rows: pl.DataFrame, severity: str, sentence: pl.Expr, more: Mapping[str, str | pl.Expr]
) -> pl.DataFrame:
    return rows.select(
        *("cluster_id", "evidence"),
        *graded(severity),
        entity=partition_name(),
        root_event=words("begun at {}", millis("started_at")),
        **root("reassignment", "started_at"),
        term_id=NO_TERM,
        valid_from_at="started_at",
        valid_until_at="ended_at",
        sentence=sentence,
        facts=facts(**PARTITION, **more, reason=pl.coalesce("reason", "outcome")),
        certainty="certainty",
    )
