"""The rule requests_lost."""

import polars as pl
from polars import col, lit

from pipeline.rules.rule import Rule, made_of_rows
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

CASE = ("cluster_id", "term_id", "controller_id", "controller_epoch", "broker_id")


@made_of_rows("request_trace")
def find(request_trace: pl.DataFrame) -> pl.DataFrame:
    """Requests of a controller are in no line of a broker, and both were there for more than 30 s afterwards: they were
    lost, and the broker goes on with leaders of before, or lines of its log are missing. One finding per term and
    broker.

    Source: RequestSendThread.doWork, 0.9 to 3.9: a channel that is closed drops what is in its queue.
    """
    lost = (
        request_trace.filter(col("outcome") == "not_seen")
        .sort("sent_at", "request_seq")
        .group_by(CASE, maintain_order=True)
        .agg(
            requests=pl.len().cast(pl.Int64),
            partitions=col("partition_count").sum().cast(pl.Int64),
            valid_from_at=col("sent_at").min(),
            valid_until_at=col("sent_at").max(),
            evidence=kept_evidence(col("evidence").list.head(1)),
        )
    )
    return lost.select(
        *("cluster_id", "term_id", "valid_from_at", "valid_until_at", "evidence"),
        *severity_column("info"),
        entity=broker_name(),
        root_event=filled_text("requests of {} lost", controller_name()),
        **root_columns("requests lost", "valid_from_at", "broker_id"),
        sentence=filled_text(
            "{} of {} with {} in no line of broker {}, which stayed: lost, or its lines are missing",
            *(
                counted_noun("requests", "request"),
                controller_name(),
                counted_noun("partitions", "partition"),
            ),
            "broker_id",
        ),
        facts=facts_column(
            **CONTROLLER,
            broker_id="broker_id",
            requests_count="requests",
            partitions_count=count_above_zero(col("partitions")),
        ),
        certainty=lit("undetermined"),
    )


RULE = Rule(
    name="requests_lost",
    version=1,
    severities=("info",),
    facts=("controller_id", "controller_epoch", "broker_id", "requests_count", "partitions_count"),
    find=find,
)
