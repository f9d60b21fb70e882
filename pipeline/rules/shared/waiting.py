"""What the rules on reassignments of partitions share."""

from collections.abc import Mapping

import polars as pl

from pipeline.kafka.wording.releases import release_bits, releases_of_bits
from pipeline.rules.shared.wording import (
    NO_TERM,
    PARTITION,
    epoch_millis,
    facts_column,
    filled_text,
    partition_name_text,
    root_columns,
    severity_column,
)

# Releases in which an open reassignment halts automatic preferred elections. Source: KAFKA-10149, fixed in 3.4.
HALTING = releases_of_bits(release_bits("0.8.0", "3.3"))


def ended_reassignment_findings(
    rows: pl.DataFrame, severity: str, sentence: pl.Expr, more: Mapping[str, str | pl.Expr]
) -> pl.DataFrame:
    return rows.select(
        *("cluster_id", "evidence"),
        *severity_column(severity),
        entity=partition_name_text(),
        root_event=filled_text("begun at {}", epoch_millis("started_at")),
        **root_columns("reassignment", "started_at"),
        term_id=NO_TERM,
        valid_from_at="started_at",
        valid_until_at="ended_at",
        sentence=sentence,
        facts=facts_column(**PARTITION, **more, reason=pl.coalesce("reason", "outcome")),
        certainty="certainty",
    )
