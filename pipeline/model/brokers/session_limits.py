"""How long ZooKeeper waits for a silent broker: by settings, by the broker's own server.log, or by Kafka's default."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.settings import SessionLimit
from schemas.silver.broker_setting import SESSION_TIMEOUT

# Kafka's defaults of zookeeper.session.timeout.ms. Source: KafkaConfig.ZkSessionTimeoutMs; KIP-537, from 2.5.
LATER_SECONDS, EARLIER_SECONDS = 18.0, 6.0
LATER_FROM = (2, 5)
BROKER = ("cluster_id", "node_id")


def with_session_seconds(
    rows: pl.DataFrame,
    at: str,
    session_limit: SessionLimit,
    broker_setting: pl.DataFrame,
    release_span: pl.DataFrame,
) -> pl.DataFrame:
    """Adds session_seconds, the time-out of broker_id by the time of the column `at`: as set, else as the broker listed
    it last by then, else Kafka's default of its release by then; of a broker without logs that of the nodes which have
    some, the longer one where they differ or nothing tells.

    What is listed later tells nothing of before: days can be built one by one.
    """
    if session_limit.session_seconds is not None:
        return rows.with_columns(session_seconds=lit(session_limit.session_seconds))
    by_release = default_seconds(release_span)
    of_any = by_release.sort("told_at").with_columns(col("seconds").cum_max().over("cluster_id"))
    sources = {
        "listed": listed_seconds(broker_setting),
        "by_release": by_release,
        "of_any": of_any.drop("node_id"),
    }
    found = rows
    for name, told in sources.items():
        told_of = told.rename({"node_id": "broker_id", "seconds": name}, strict=False)
        by = [one for one in ("cluster_id", "broker_id") if one in told_of.columns]
        found = found.sort(at).join_asof(
            told_of.sort("told_at"), left_on=at, right_on="told_at", by=by, check_sortedness=False
        ).drop("told_at")  # fmt: skip
    seconds = pl.coalesce(*sources, lit(LATER_SECONDS))
    return found.with_columns(session_seconds=seconds).drop(*sources)


@needs_rows_of("broker_setting")
def listed_seconds(broker_setting: pl.DataFrame) -> pl.DataFrame:
    """(BROKER, told_at, seconds): what brokers list, in order."""
    seconds = col("value").str.strip_chars().cast(pl.Int64, strict=False) / 1000
    lines = broker_setting.filter(col("name") == SESSION_TIMEOUT, col("node_id").is_not_null())
    told = lines.sort("logged_at", "file_id", "byte_offset").select(
        *BROKER, told_at="logged_at", seconds=seconds
    )
    return told.filter(col("seconds").is_not_null(), col("told_at").is_not_null())


def default_seconds(release_span: pl.DataFrame) -> pl.DataFrame:
    """(BROKER, told_at, seconds): Kafka's default from when on, where it is another one than before."""
    parts = col("until_release").str.split(".").list.eval(pl.element().cast(pl.Int32, strict=False))
    major, minor = (parts.list.get(place, null_on_oob=True) for place in (0, 1))
    is_earlier = (major < LATER_FROM[0]) | ((major == LATER_FROM[0]) & (minor < LATER_FROM[1]))
    seconds = when(is_earlier).then(lit(EARLIER_SECONDS)).otherwise(lit(LATER_SECONDS))
    spans = release_span.filter(col("node_id").is_not_null()).sort(*BROKER, "valid_from_at")
    told = spans.select(*BROKER, told_at="valid_from_at", seconds=seconds)
    return told.filter(col("seconds").ne_missing(col("seconds").shift(1).over(BROKER)))
