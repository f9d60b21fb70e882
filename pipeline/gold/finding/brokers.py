"""Rules on brokers that come and go."""

from functools import reduce

import polars as pl
from polars import col, lit, when

from pipeline.gold.finding.causes import SHORT, counted_reasons, kept_reasons
from pipeline.gold.finding.wording import (
    EVIDENCE_KEPT,
    NO_TERM,
    broker_name,
    counted,
    facts,
    kept_evidence,
    length,
    millis,
    root,
    rule,
    words,
)
from pipeline.model.settings import AuditLimit
from schemas.end_reasons import SIGNALLED

BROKER = ("cluster_id", "broker_id")


def broker_flapping(
    broker_session: pl.DataFrame, audit_limit: AuditLimit, data_end: pl.DataFrame
) -> pl.DataFrame:
    """A broker left several times in a row without having been shut down: it dies, hangs, or loses its session. One
    that had asked to be shut down was, whatever it left undone, and whether or not a controller was there to see it;
    so was one whose process was told to stop. It goes on while the broker is away, not for longer than conf allows
    between two departures, and not once it is back, though somebody may shut it down then."""
    within_seconds = audit_limit.flapping_minutes * 60
    left = col("left_at").dt.epoch("s")
    apart = left - left.shift(1).over(BROKER)
    is_new = (apart > within_seconds).fill_null(value=True)
    is_left = col("left_at").is_not_null()
    # Where the next list is of another life of the cluster's metadata nothing says that it left.
    lives = (col(name).str.extract(r"^(\d+)-", 1) for name in ("term_id", "left_term_id"))
    is_other_life = reduce(pl.Expr.ne, lives).fill_null(value=False)
    is_told_to_stop = (col("end_reason") == SIGNALLED).fill_null(value=False)
    is_shut_down = (
        (col("left_how") == "controlled") | (col("shutdown_requested_at").list.len() > 0) | is_told_to_stop
    )
    runs = (
        broker_session.filter(is_left & ~is_shut_down.fill_null(value=False) & ~is_other_life)
        .sort(*BROKER, "left_at", "joined_at")
        .with_columns(run=is_new.cast(pl.Int64).cum_sum().over(BROKER), evidence=col("evidence").list.tail(1))
        .sort("left_at", "evidence")
        .group_by(*BROKER, "run", maintain_order=True)
        .agg(
            *kept_reasons(EVIDENCE_KEPT),
            departures=pl.len(),
            valid_from_at=col("left_at").min(),
            last_at=col("left_at").max(),
            shortest_ms=(millis("left_at") - millis("joined_at")).min(),
            evidence=kept_evidence(),
        )
        .filter(col("departures") >= audit_limit.flapping_departures)
    )
    is_over = col("until_at").dt.epoch("s") - col("last_at").dt.epoch("s") > within_seconds
    is_over |= (col("back_at") > col("last_at")).fill_null(value=False)
    joined = broker_session.group_by(BROKER).agg(back_at=col("joined_at").max())
    ends = data_end.select("cluster_id", "until_at")
    reasons = counted_reasons(tuple(SHORT))
    why = when(reasons == "").then(lit("")).otherwise(words(": {}", reasons))
    return (
        runs.join(ends, on="cluster_id")
        .join(joined, on=BROKER, how="left")
        .select(
            *("cluster_id", "valid_from_at"),
            *rule("broker_flapping", "warning", 2),
            entity=broker_name(),
            root_event=words("broker left at {}", millis("valid_from_at")),
            **root("broker left", "valid_from_at", "broker_id"),
            term_id=NO_TERM,
            valid_until_at=when(is_over).then("last_at"),
            sentence=words(
                "{} left {} times without having been shut down, the shortest stay was {}{}",
                *(broker_name(), "departures", length(col("shortest_ms")), why),
            ),
            evidence=pl.concat_list("evidence", "cause_lines"),
            facts=facts(
                broker_id="broker_id",
                departures_count="departures",
                shortest_ms="shortest_ms",
                end_reasons=when(col("end_reasons") != "").then("end_reasons"),
            ),
            certainty=lit("proved"),
        )
    )


def unclean_shutdown(broker_session: pl.DataFrame) -> pl.DataFrame:
    """A broker asked to be shut down and was gone before all that others could lead was theirs: the shutdown was cut
    short, or no other replica was in sync."""
    has_asked = col("shutdown_requested_at").list.len() > 0
    has_unmoved = col("unmoved_count") > 0
    cut_short = broker_session.filter(has_asked & ~col("is_clean") & has_unmoved).with_columns(
        asked_at=col("shutdown_requested_at").list.first()
    )
    led_count = pl.max_horizontal("led_before_count", "unmoved_count")
    lasted_ms = millis("left_at") - millis("asked_at")
    return cut_short.select(
        *("cluster_id", "certainty", "evidence"),
        *rule("unclean_shutdown", "warning"),
        entity=broker_name(),
        root_event=words("broker left at {}", millis("left_at")),
        **root("broker left", "left_at", "broker_id"),
        term_id="left_term_id",
        valid_from_at="asked_at",
        valid_until_at="left_at",
        sentence=words(
            "{} was shut down within {} and left {} of {} that it led without a leader; they have other replicas",
            *(broker_name(), length(lasted_ms), "unmoved_count", counted(led_count, "partition")),
        ),
        facts=facts(
            broker_id="broker_id", unmoved_count="unmoved_count", led_count=led_count, lasted_ms=lasted_ms
        ),
    )
