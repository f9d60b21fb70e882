"""The rule request_error."""

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.requests import REQUEST_NAME
from pipeline.rules.shared.wording import (
    CONTROLLER,
    broker_name,
    controller_name,
    count_above_zero,
    counted_noun,
    facts_column,
    filled_text,
    kept_evidence,
    root_columns,
    severity_column,
)

CASE = ("cluster_id", "term_id", "controller_id", "controller_epoch", "broker_id", "request", "error")


@made_of_rows("request_trace")
def find(request_trace: pl.DataFrame) -> pl.DataFrame:
    """A broker could not carry out a request of a controller, or not for all of its partitions. One finding per term,
    broker, request and error.

    Source: ReplicaManager.becomeLeaderOrFollower, stopReplicas, 0.9 to 3.9.
    """
    failed = (
        request_trace.filter(col("outcome") == "error")
        .sort("failed_at", "file_id", "byte_offset")
        .group_by(CASE, maintain_order=True)
        .agg(
            requests=pl.len().cast(pl.Int64),
            partitions=col("failed_count").sum().cast(pl.Int64),
            valid_from_at=col("failed_at").min(),
            valid_until_at=col("failed_at").max(),
            evidence=kept_evidence(col("evidence").list.head(1)),
        )
    )
    of = when(col("partitions") > 0).then(filled_text(" for {}", counted_noun("partitions", "partition")))
    times = when(col("requests") > 1).then(filled_text(" in {} requests", "requests"))
    answered = filled_text("broker {} answered {} with {}", "broker_id", REQUEST_NAME, "error")
    unable = filled_text("broker {} could not carry out {}", "broker_id", REQUEST_NAME)
    said = when(col("error").is_not_null()).then(answered).otherwise(unable)
    return failed.select(
        *("cluster_id", "term_id", "valid_from_at", "valid_until_at", "evidence"),
        *severity_column("warning"),
        entity=broker_name(),
        root_event=filled_text("{} of {} failed: {}", REQUEST_NAME, controller_name(), "error"),
        **root_columns("request failed", "valid_from_at", "broker_id"),
        sentence=pl.concat_str(said, of.otherwise(lit("")), times.otherwise(lit(""))),
        facts=facts_column(
            **CONTROLLER,
            broker_id="broker_id",
            request="request",
            error="error",
            requests_count="requests",
            partitions_count=count_above_zero(col("partitions")),
        ),
        certainty=lit("proved"),
    )


RULE = Rule(
    name="request_error",
    version=1,
    severities=("warning",),
    facts=(
        *("controller_id", "controller_epoch", "broker_id", "request", "error"),
        *("requests_count", "partitions_count"),
    ),
    find=find,
)
