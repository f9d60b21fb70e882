"""The rule witnesses_differ."""

import polars as pl
from polars import col

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.wording import (
    NO_TERM,
    PARTITION,
    counted_noun,
    facts_column,
    filled_text,
    root_columns,
    severity_column,
)


@made_of_rows("witness_check")
def find(witness_check: pl.DataFrame) -> pl.DataFrame:
    """States of partitions stand otherwise in the metadata log than lines of text have them."""
    return witness_check.filter(col("differing_count") > 0).select(
        *("cluster_id", "evidence"),
        *severity_column("warning"),
        term_id=NO_TERM,
        entity=filled_text("metadata log of {}", col("day_at").dt.to_string("%Y-%m-%d")),
        root_event=filled_text("records of {}", col("day_at").dt.to_string("%Y-%m-%d")),
        **root_columns("records", "differing_at"),
        valid_from_at="differing_at",
        valid_until_at="differing_at",
        sentence=filled_text(
            "{} of {} stand otherwise on record than lines have them, first {}",
            counted_noun("differing_count", "state"),
            counted_noun("said_count", "state"),
            col("examples").list.first(),
        ),
        facts=facts_column(
            **PARTITION,
            said_count="said_count",
            differing_count="differing_count",
            partition_epoch="partition_epoch",
            record_offset="record_offset",
        ),
        certainty=pl.lit("proved"),
    )


RULE = Rule(
    name="witnesses_differ",
    version=1,
    severities=("warning",),
    facts=("topic", "partition", "said_count", "differing_count", "partition_epoch", "record_offset"),
    find=find,
)
