"""The rule slow_broker."""

import polars as pl
from polars import col, lit

from pipeline.rules.rule import Limit, Rule, made_of_rows
from pipeline.rules.shared.wording import (
    EVIDENCE_KEPT,
    broker_name,
    duration_text,
    epoch_millis,
    facts_column,
    filled_text,
    root_columns,
    severity_column,
)

# Of fewer in an hour the median says little.
LEAST_REQUESTS = 10
# A broker that has just registered takes seconds without being slow.
WARMING = pl.duration(seconds=5)
HOUR = ("cluster_id", "broker_id", "hour")


@made_of_rows("request_trace")
def find(request_trace: pl.DataFrame, broker_session: pl.DataFrame, slow_broker_ms: int) -> pl.DataFrame:
    """Half of the requests of an hour took a broker long, by one clock each: from received to carried out, or from
    sent to answered (TRACE). Those of the first 5 s of its session are left out.

    Source: ReplicaManager.becomeLeaderOrFollower, 0.9 to 3.9.
    """
    timed = timed_requests(request_trace, broker_session)
    # The line of the broker where there is one.
    its_line, first, last = col("evidence").list.last(), col("line_at").arg_min(), col("line_at").arg_max()
    slow = (
        timed.sort("took_ms", "file_id", "byte_offset", descending=[True, False, False])
        .group_by(HOUR, maintain_order=True)
        .agg(
            requests=pl.len().cast(pl.Int64),
            median_ms=col("took_ms").sort().get(pl.len() // 2),
            valid_from_at=col("line_at").min(),
            valid_until_at=col("line_at").max(),
            evidence=pl.concat(
                [its_line.get(first), its_line.get(last), its_line.head(EVIDENCE_KEPT - 2)]
            ).unique(maintain_order=True),
        )
        .filter((col("median_ms") > slow_broker_ms) & (col("requests") >= LEAST_REQUESTS))
    )
    return slow.select(
        *("cluster_id", "valid_from_at", "valid_until_at", "evidence"),
        *severity_column("info"),
        term_id=lit(None, pl.String),
        entity=broker_name(),
        root_event=filled_text("broker {} slow at {}", "broker_id", epoch_millis("hour")),
        **root_columns("slow broker", "valid_from_at", "broker_id"),
        sentence=filled_text(
            "broker {} needed {} for requests of the controller (median of {})",
            *("broker_id", duration_text(col("median_ms")), "requests"),
        ),
        facts=facts_column(broker_id="broker_id", median_ms="median_ms", requests_count="requests"),
        certainty=lit("inferred"),
    )


def timed_requests(request_trace: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """Requests with took_ms, by one clock, the hour and line_at, when the broker or else the controller tells of them;
    without those of the begin of a session."""
    sessions = broker_session.select("cluster_id", "broker_id", "joined_at").sort("joined_at")
    return (
        request_trace.with_columns(
            took_ms=pl.max_horizontal("apply_ms", "answer_ms"),
            hour=col("told_at").dt.truncate("1h"),
            line_at=pl.coalesce("received_at", "told_at"),
        )
        .drop_nulls("took_ms")
        .sort("told_at")
        .join_asof(
            sessions,
            left_on="told_at",
            right_on="joined_at",
            by=["cluster_id", "broker_id"],
            check_sortedness=False,
        )
        .filter((col("told_at") >= col("joined_at") + WARMING).fill_null(value=True))
    )


RULE = Rule(
    name="slow_broker",
    version=1,
    severities=("info",),
    facts=("broker_id", "median_ms", "requests_count"),
    find=find,
    limits=(
        Limit(
            "slow_broker_ms",
            5000,
            "ms",
            "A broker that half of a controller's requests of an hour took longer is told.",
        ),
    ),
)
