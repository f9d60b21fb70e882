"""The rule below_min_isr."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.stretches import with_island
from pipeline.model.lines.evidence import known_lines, outermost_lines
from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.limits import OUTAGE
from pipeline.rules.shared.wording import (
    PARTITION,
    count_above_zero,
    counted_noun,
    duration_text,
    epoch_millis,
    facts_column,
    filled_text,
    ids_text,
    partition_name_text,
    root_columns,
    severity_column,
)

KIND, STATE = "below_min_isr", "partition_timeline"
SUBJECT = ("cluster_id", "topic", "partition")
# Partitions that fall below it so soon after one another do it by one event.
ONE_EVENT = timedelta(seconds=5)
LINES = (("file_id", "byte_offset"), ("end_file_id", "end_byte_offset"))
MOST_NAMES = 3


@made_of_rows("client_impact")
def find(client_impact: pl.DataFrame, outage_ms: int, data_end: pl.DataFrame) -> pl.DataFrame:
    """Partitions had fewer in-sync replicas than their topic asks for, for longer than conf allows: who writes with
    acks=all is refused. A warning while it is so, told once it is over. One finding per event.

    By settings that lines name, and by appends that they say were refused; of a minimum that no line names nothing is
    said.
    """
    stretches = low_stretches(client_impact).join(data_end, on="cluster_id", suffix="_of_data")
    end = pl.coalesce("until_at", "until_at_of_data")
    lasted = (end - col("from_at")).dt.total_milliseconds()
    long = stretches.with_columns(lasted_ms=lasted, is_open=col("until_at").is_null()).filter(
        col("lasted_ms") >= outage_ms
    )
    reached = long.with_columns(ended_at="until_at", until_at=col("from_at") + ONE_EVENT)
    events = (
        with_island(reached, ["cluster_id"])
        .sort("lasted_ms", "topic", "partition", descending=[True, False, False])
        .group_by("cluster_id", "island", maintain_order=True)
        .agg(
            col("topic", "partition", "isr", "min_isr", "evidence").first(),
            valid_from_at=col("from_at").first(),
            valid_until_at=when(~col("is_open").any()).then(col("ended_at").first()),
            is_open=col("is_open").any(),
            is_stated=col("is_stated").any(),
            longest_ms=col("lasted_ms").first(),
            partitions=pl.len().cast(pl.Int64),
            refused=col("refused_count").sum().cast(pl.Int64),
            names=partition_name_text().head(MOST_NAMES),
        )
    )
    return below_minimum_findings(events)


def low_stretches(client_impact: pl.DataFrame) -> pl.DataFrame:
    """One row per partition and unbroken time below the minimum that is certain: from_at, until_at (null: it goes on),
    isr, min_isr, refused_count, is_stated (a state says it; else refused appends alone), evidence."""
    parts = client_impact.select(*SUBJECT, "parts").explode("parts").unnest("parts")
    sure = parts.filter(col("kind") == KIND, col("certainty") == "proved", col("partition").is_not_null())
    joined = with_island(sure, SUBJECT).sort(
        *SUBJECT, "from_at", "root_event", descending=[False] * 4 + [True]
    )
    turn = [*SUBJECT, "island"]
    return joined.group_by(turn, maintain_order=True).agg(
        col("from_at").min(),
        until_at=when(~col("until_at").is_null().any()).then(col("until_at").max()),
        isr=col("isr").drop_nulls().first(),
        min_isr=col("min_isr").drop_nulls().first(),
        refused_count=col("refused_count").sum(),
        is_stated=(col("root_event") == STATE).any(),
        evidence=outermost_lines(known_lines(*LINES).list.explode().unique(maintain_order=True).implode()),
    )


@needs_rows_of("events")
def below_minimum_findings(events: pl.DataFrame) -> pl.DataFrame:
    more = col("partitions") - MOST_NAMES
    names = (
        when(more > 0)
        .then(filled_text("{} and {} more", col("names").list.join(", "), more.cast(pl.String)))
        .otherwise(col("names").list.join(", "))
    )
    length = when("is_open").then(lit("at the end of the data for")).otherwise(lit("for"))
    refused = (
        when(col("refused") > 0)
        .then(filled_text("; {} in server.log", counted_noun("refused", "refused append")))
        .otherwise(lit(""))
    )
    known_isr = (
        when(col("isr").is_not_null())
        .then(filled_text("ISR [{}]", ids_text("isr")))
        .otherwise(lit("ISR not told"))
    )
    return events.select(
        *("cluster_id", "valid_from_at", "valid_until_at", "evidence"),
        lit(None, pl.String).alias("term_id"),
        *severity_column(when("is_open").then(lit("warning")).otherwise(lit("info"))),
        entity=partition_name_text(),
        root_event=filled_text("isr at {}", epoch_millis("valid_from_at")),
        **root_columns("isr change", "valid_from_at"),
        sentence=when("is_stated")
        .then(
            filled_text(
                "producers with acks=all to {} could not write {} {}: ISR [{}], minimum {}{}",
                *(names, length, duration_text(col("longest_ms")), ids_text("isr"), "min_isr", refused),
            )
        )
        .otherwise(
            filled_text(
                "{} of producers with acks=all to {} within {}: {}, minimum {}",
                counted_noun("refused", "refused append"),
                *(names, duration_text(col("longest_ms")), known_isr, "min_isr"),
            )
        ),
        facts=facts_column(
            **PARTITION,
            partitions_count="partitions",
            isr="isr",
            min_isr="min_isr",
            longest_ms=when(~col("is_open")).then("longest_ms"),
            refused_count=count_above_zero(col("refused")),
        ),
        certainty=lit("proved"),
    )


RULE = Rule(
    name="below_min_isr",
    version=1,
    severities=("warning", "info"),
    facts=("topic", "partition", "partitions_count", "isr", "min_isr", "longest_ms", "refused_count"),
    find=find,
    limits=(OUTAGE,),
)
