"""What was asked of controllers and brokers, as changes."""

from datetime import datetime

import polars as pl
from polars import col, lit, when

from pipeline.core.conditions import all_conditions, column_equals, is_in
from pipeline.views.changes.frames import (
    LINE,
    TIME,
    change_rows,
    line_place_columns,
    lines_by_name,
    lines_of_active_controller,
)
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.times import reached_since

TERMS, BROKERS = "gold.controller_term", "silver.broker_event"
TERM = (
    *("term_id", "life", "mode", "controller_id", "controller_epoch", "elected_at", "ended_at", "ended_how"),
    *("superseded_at", "resigning_at", "fenced_from_at", "last_act_at", "lines"),
)
# Attempts of one shutdown: controlled.shutdown.max.retries and retry.backoff.ms, with time to answer.
RETRIED = pl.duration(seconds=60)
AT_ONCE = pl.duration(
    seconds=10
)  # a stay ends a little before the last attempt, where another controller takes over
ASKS = {"shutdown_requested": "controlled_shutdown", "controlled_shutdown_granted": "controlled_shutdown"}
UNREGISTERED = "unregistered"


def terms_of(answers: Answers) -> pl.DataFrame:
    rows = answers.rows(TERMS, None, TERM)
    return rows.with_columns(from_at=pl.coalesce("elected_at", "last_act_at")).sort("from_at")


def of_controllers(answers: Answers, terms: pl.DataFrame, since: datetime | None) -> list[pl.DataFrame]:
    """/controller gone while its controller lived; an epoch that ZooKeeper refused though nobody else was elected; a
    new life of the metadata. Where KRaft takes over, it rewrites them itself."""
    of_kraft = terms.filter(col("mode") == "kraft")["controller_id"].unique().to_list()
    next_id = col("controller_id").shift(-1)
    is_taken = (next_id.is_in(of_kraft) & ~col("controller_id").is_in(of_kraft)).fill_null(value=False)
    of_zookeeper = terms.with_columns(is_taken=is_taken, next_id=next_id).filter(
        col("mode") == "zookeeper", ~col("is_taken")
    )
    is_alone = (col("fenced_from_at") < col("superseded_at")).fill_null(value=True)
    has_zookeeper = (terms["mode"] == "zookeeper").any()
    begun = terms.filter(col("life") > 1).unique("life", keep="first", maintain_order=True)
    is_other_mode = (col("mode") == "kraft") & has_zookeeper
    return [
        resignation_changes(of_zookeeper, answers, since),
        change_rows(
            of_zookeeper.filter(col("fenced_from_at").is_not_null(), is_alone),
            at=col("fenced_from_at"), kind=lit("epoch_rewritten"), certainty=lit("inferred"),
            **line_place_columns(lines_by_name("fenced")),
        ),
        change_rows(
            begun.filter(col("from_at").is_not_null()),
            at=col("from_at"), certainty=lit("inferred"), **line_place_columns(lines_by_name("elected")),
            kind=when(is_other_mode).then(lit("migration")).otherwise(lit("metadata_wiped")),
        ),
    ]  # fmt: skip


def resignation_changes(terms: pl.DataFrame, answers: Answers, since: datetime | None) -> pl.DataFrame:
    """Controllers that gave up their office and lived on. One with another registration then had lost its session, and
    is none; where that is not told (up to 2.1), and it was elected again itself, either may be.

    Source: KafkaController.ControllerChange, Expire, 1.1 to 3.9; a broker's epoch is its registration, from 2.2.
    """
    gone = col("ended_how").eq("znode_gone") | (
        col("ended_how").is_null() & col("resigning_at").is_not_null()
    )
    found = terms.filter(gone.fill_null(value=False)).with_columns(at=pl.coalesce("ended_at", "resigning_at"))
    found = found if since is None else found.filter(col("at") >= since)
    # A registration may be as old as the cluster: all of them are read, where there is something to tell.
    asked = column_equals("step", "epoch") if len(found) else is_in("step", ())
    said_epochs = answers.rows(BROKERS, asked, ("logged_at", "broker_id", "broker_epoch"))
    epochs = said_epochs.drop_nulls().sort("logged_at")
    before = epochs.rename({"broker_id": "controller_id", "broker_epoch": "epoch_before"})
    after = epochs.rename({"broker_id": "controller_id", "broker_epoch": "epoch_after"})
    told = (
        found.sort("at")
        .join_asof(
            before, left_on="at", right_on="logged_at", by="controller_id", check_sortedness=False
        )
        .drop("logged_at")
        .join_asof(
            after, left_on="at", right_on="logged_at", by="controller_id", strategy="forward",
            check_sortedness=False,
        )
    )  # fmt: skip
    is_same = col("epoch_before") == col("epoch_after")
    is_other_next = (col("ended_how") == "znode_gone") & (col("next_id") != col("controller_id"))
    is_told = is_same.fill_null(is_other_next).fill_null(value=False)
    return change_rows(
        told.filter(is_same.fill_null(value=True)),
        kind=when(is_told).then(lit("controller_znode_deleted")).otherwise(lit("controller_resigned")),
        certainty=when(is_told).then(lit("proved")).otherwise(lit("undetermined")),
        **line_place_columns(lines_by_name("ended")),
    )


def broker_changes(answers: Answers, since: datetime | None) -> list[pl.DataFrame]:
    asked = all_conditions(is_in("step", (*ASKS, UNREGISTERED)), reached_since("logged_at", since))
    names = ("logged_at", "step", "broker_id", "controller_id", "node_id", *LINE)
    rows = answers.rows(BROKERS, asked, names).with_columns(at=col("logged_at"))
    stays = answers.rows(
        "gold.broker_session", reached_since("left_at", since), ("broker_id", "joined_at", "left_at")
    )
    own = lines_of_active_controller(rows.filter(col("step") == UNREGISTERED), answers, since)
    return [
        shutdown_changes(rows.filter(col("step").is_in([*ASKS])), stays),
        change_rows(own, kind=lit("broker_unregistered")),
    ]


def shutdown_changes(rows: pl.DataFrame, stays: pl.DataFrame) -> pl.DataFrame:
    """One change for all attempts of a broker that follow each other; its stay tells when it left."""
    stayed = stays.with_columns(col("joined_at", "left_at").cast(TIME)).sort("joined_at")
    own = (
        rows.with_columns(col("at").cast(TIME))
        .sort("at", *LINE)
        .join_asof(stayed, left_on="at", right_on="joined_at", by="broker_id", check_sortedness=False)
    )
    before, is_over = (
        col("at").shift(1).over("broker_id"),
        (col("at") > col("left_at")).fill_null(value=False),
    )
    is_other_stay = col("joined_at").ne_missing(col("joined_at").shift(1).over("broker_id"))
    is_next = (
        is_over & ~is_over.shift(1).over("broker_id").fill_null(value=False) & (col("at") - before > AT_ONCE)
    )
    is_new = before.is_null() | (col("at") - before > RETRIED) | is_other_stay | is_next
    found = own.sort("broker_id", "at", *LINE).filter(is_new.fill_null(value=True))
    ms = (col("left_at") - col("at")).dt.total_milliseconds()
    is_left = (ms >= 0).fill_null(value=False)
    return change_rows(
        found,
        kind=lit("controlled_shutdown"),
        outcomes=pl.concat_list(when(is_left).then(lit("left")).otherwise(lit("stayed"))),
        ms=when(is_left).then(ms),
    )
