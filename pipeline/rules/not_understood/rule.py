"""The rule not_understood."""

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import Rule
from pipeline.rules.shared.wording import (
    EVIDENCE_KEPT,
    NO_TERM,
    counted_noun,
    facts_column,
    filled_text,
    root_columns,
    severity_column,
)

CONTROLLER_LOGS = ("controller", "state-change")
NO_WRITER = "no_writer"


def find(wording_seen: pl.DataFrame) -> pl.DataFrame:
    """Records of the controller's logs whose wording no template names, and of any log that name no writer where
    several nodes wrote it: what they say is missing everywhere else."""
    is_unknown = col("not_understood_reason").is_not_null()
    is_of_controller = col("log").is_in(CONTROLLER_LOGS) | (col("not_understood_reason") == NO_WRITER)
    first = pl.struct("file_id", byte_offset="first_offset")
    groups = (
        wording_seen.filter(is_of_controller & is_unknown)
        .sort("file_id", "first_offset")
        .group_by("cluster_id", "not_understood_reason", maintain_order=True)
        .agg(
            records=col("record_count").sum(),
            valid_from_at=col("first_at").min(),
            evidence=first.head(EVIDENCE_KEPT),
        )
    )
    return groups.filter(col("valid_from_at").is_not_null()).select(
        *("cluster_id", "valid_from_at", "evidence"),
        *severity_column("info"),
        entity=lit("logs"),
        root_event="not_understood_reason",
        **root_columns(col("not_understood_reason")),
        term_id=NO_TERM,
        valid_until_at=lit(None, pl.Datetime("us", "UTC")),
        sentence=when(col("not_understood_reason") == NO_WRITER)
        .then(
            filled_text(
                "{} left out: several nodes wrote the file, and these do not name theirs",
                counted_noun("records", "record"),
            )
        )
        .otherwise(
            filled_text("{} not understood: {}", counted_noun("records", "record"), "not_understood_reason")
        ),
        facts=facts_column(records_count="records", reason="not_understood_reason"),
        certainty=lit("proved"),
    )


RULE = Rule(
    name="not_understood",
    version=1,
    severities=("info",),
    facts=("records_count", "reason"),
    find=find,
)
