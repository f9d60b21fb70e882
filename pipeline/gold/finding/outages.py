"""Rules on partitions without a leader."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.finding.wording import (
    PARTITION,
    facts,
    joined,
    kept_evidence,
    millis,
    partition_name,
    rule,
    seconds,
    several,
    words,
)
from pipeline.model.brokers.departures import AT_STARTUP
from pipeline.model.partitions.outage_event import EVENT, with_event
from pipeline.model.settings import AuditLimit

CHOSEN = "controlled"
SHUT_DOWN = ("cluster_id", "term_id", "root_broker_id")


def outage(
    partition_outage: pl.DataFrame,
    controller_term: pl.DataFrame,
    audit_limit: AuditLimit,
    data_end: pl.DataFrame,
) -> pl.DataFrame:
    """One event left partitions without a leader for longer than conf allows, as noticed: critical while it goes on,
    a warning once it is over; what a controlled shutdown did is told, no more: who has one replica chose so.

    One finding per event; what may have lasted so long, by its upper bound alone, is none.
    """
    groups = events(partition_outage, controller_term, audit_limit, data_end)
    gone = joined("brokers")
    has_brokers, is_open = col("brokers").list.len() > 0, col("open") > 0
    by_them = when(has_brokers).then(words(": broker {} gone", gone)).otherwise(lit(""))
    still = when(is_open).then(words("; {} still without", "open")).otherwise(lit(""))
    severity = (
        when(is_open).then(lit("critical")).when("is_chosen").then(lit("info")).otherwise(lit("warning"))
    )
    return groups.select(
        *("cluster_id", "term_id", "valid_from_at", "certainty", "evidence"),
        *rule("outage", severity),
        entity=when(has_brokers).then(words("broker {}", gone)).otherwise("first_name"),
        root_event=words("{} at {}", "root_event", col("second_at").dt.epoch("s")),
        valid_until_at=when(~is_open).then("ended_at"),
        sentence=words(
            "{}{} left {} partition(s) without a leader, {} partition-seconds, longest {} s ({}){}",
            *("root_event", by_them, "partitions", seconds(col("lasted_ms"))),
            *(seconds(col("longest_ms")), "longest_name", still),
        ),
        facts=facts(
            cause="root_event",
            broker_ids=when(has_brokers).then(gone),
            partitions_count="partitions",
            total_ms="lasted_ms",
            longest_ms="longest_ms",
            **PARTITION,
            open_count=several(col("open")),
        ),
    )


def events(
    partition_outage: pl.DataFrame,
    controller_term: pl.DataFrame,
    audit_limit: AuditLimit,
    data_end: pl.DataFrame,
) -> pl.DataFrame:
    """(cluster_id, EVENT, ...): what left a partition without a leader for so long. partitions, lasted_ms, open,
    ended_at, evidence and longest are of those partitions; brokers and first_name are of all that it left: the name of
    the finding must not change as time goes on."""
    end_at = pl.max_horizontal(pl.coalesce("ended_at", "until_at"), "noticed_at")
    is_long, is_open = col("is_long"), col("ended_at").is_null()
    return (
        partition_outage.filter(col("certainty") != "undetermined")
        .join(data_end.select("cluster_id", "until_at"), on="cluster_id", how="inner")
        .join(shut_down(controller_term), on=SHUT_DOWN, how="left")
        .with_columns(
            name=partition_name(),
            is_chosen=is_chosen(),
            lasted_ms=end_at.dt.epoch("ms") - millis("noticed_at"),
        )
        .with_columns(is_long=col("lasted_ms") >= audit_limit.outage_ms)
        .pipe(with_event)
        .sort(-col("lasted_ms"), "name", "evidence")
        .group_by("cluster_id", *EVENT, maintain_order=True)
        .agg(
            col("certainty").min(),
            col("is_chosen").all(),
            col(*PARTITION).first(),
            partitions=is_long.sum(),
            open=(is_long & is_open).sum(),
            lasted_ms=col("lasted_ms").filter(is_long).sum(),
            longest_ms=col("lasted_ms").first(),
            longest_name=col("name").first(),
            valid_from_at=col("noticed_at").min(),
            ended_at=col("ended_at").filter(is_long).max(),
            brokers=col("root_broker_id").drop_nulls().unique().sort(),
            first_name=col("name").sort_by("noticed_at", "name").first(),
            evidence=kept_evidence(col("evidence").filter(is_long)),
        )
        .filter(col("partitions") > 0)
    )


def is_chosen() -> pl.Expr:
    """True if somebody asked for it: a controlled shutdown, or one of the controller that no list could tell."""
    how = col("root_left_how")
    is_unsaid = how.is_null() | (how == AT_STARTUP)
    is_asked = (how == CHOSEN) | (col("is_shut_down") & is_unsaid)
    return is_asked.fill_null(value=False)


def shut_down(controller_term: pl.DataFrame) -> pl.DataFrame:
    """(SHUT_DOWN, is_shut_down): terms of a broker that was shut down in office, and the terms after them: it is not
    found at the start, and nobody was there to say how it left. An outage is of its own term where no list had it."""
    turn = ("cluster_id", "life", "controller_epoch")
    over = controller_term.filter(col("ended_how") == "shutdown").select(
        *turn, root_broker_id="controller_id", is_shut_down=lit(value=True)
    )
    following = over.with_columns(col("controller_epoch") + 1)
    return (
        controller_term.select(*turn, "term_id")
        .join(pl.concat([over, following]), on=turn, how="inner")
        .select(*SHUT_DOWN, "is_shut_down")
        .unique()
    )
