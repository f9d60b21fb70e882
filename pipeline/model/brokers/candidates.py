"""Brokers that a controller can choose from: live ones and those that shut down, as it listed them last."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.terms.succession import TERM

NO_IDS = lit([], pl.List(pl.Int32))
LINE = ("cluster_id", "file_id", "byte_offset")
LIVE = ("controller_live_brokers", "broker_change")
SHUTTING = ("controller_shutting_brokers", "controlled_shutdown_shutting_brokers")
GONE = "broker_failure"
ASKED = "preferred_election_started"
# What a line lists, which is the step of its rows: the events of such lines.
LISTS = {"live": LIVE, "shutting_down": SHUTTING, "failure_handled": (GONE,)}
SHUTDOWN = (*TERM, "list_number")
BEFORE_ALL = 0  # a place before every line of a term


@needs_rows_of("asked")
def with_candidates(
    asked: pl.DataFrame, broker_event: pl.DataFrame, controller_line: pl.DataFrame, day_before: pl.DataFrame
) -> pl.DataFrame:
    """Adds live_brokers and shutting_down_brokers, null where none were listed in the term, and admin_seq: place of
    the last line with which a tool asked for unclean elections.

    asked: (TERM, seq, ...). day_before: rows of state.controller_day, of each term that began before the lines that are
    given the last one before them. A broker that failed shuts down no more.
    Source: ControllerContext, KafkaController.doControlledShutdown, onBrokerFailure, 0.8.2 to 3.9.
    """
    carried = day_before.select(
        *TERM,
        seq=lit(BEFORE_ALL, pl.Int64),
        live="known_live_brokers",
        shutting_down="known_shutting_down_brokers",
    )
    listed = pl.concat([carried, broker_lists(broker_event, controller_line)], how="diagonal")
    known = brokers_known_in_term(listed)
    return asked.sort("seq").join_asof(known.sort("seq"), on="seq", by=TERM, check_sortedness=False)


def online_brokers() -> pl.Expr:
    """Live and not shutting down; null where no list was seen. In no order."""
    return col("live_brokers").list.set_difference(brokers_shutting_down())


def brokers_shutting_down() -> pl.Expr:
    return col("shutting_down_brokers").fill_null(NO_IDS)


def brokers_known_in_term(listed: pl.DataFrame) -> pl.DataFrame:
    """What the controller knows after each line: (TERM, seq, live_brokers, shutting_down_brokers, admin_seq)."""
    is_list = col("shutting_down").is_not_null()
    known = (
        listed.sort(*TERM, "seq")
        .with_columns(list_number=is_list.cum_sum().over(TERM))
        .with_columns(col("live", "shutting_down", "unclean_seq").forward_fill().over(TERM))
    )
    return known.join(brokers_leaving(known), on=[*TERM, "seq"], how="left").select(
        *TERM,
        "seq",
        live_brokers="live",
        shutting_down_brokers=when(col("shutting_down").is_not_null()).then(col("leaving").fill_null(NO_IDS)),
        admin_seq="unclean_seq",
    )


def brokers_leaving(known: pl.DataFrame) -> pl.DataFrame:
    """(TERM, seq, leaving): brokers that shut down by the last list and have not failed since, sorted."""
    failed = (
        known.select(*SHUTDOWN, "seq", broker_id="failure_handled")
        .explode("broker_id")
        .filter(col("broker_id").is_not_null())
        .group_by(*SHUTDOWN, "broker_id")
        .agg(failed_seq=col("seq").min())
    )
    has_failed = (col("failed_seq") <= col("seq")).fill_null(value=False)
    return (
        known.select(*SHUTDOWN, "seq", broker_id="shutting_down")
        .explode("broker_id")
        .filter(col("broker_id").is_not_null())
        .join(failed, on=[*SHUTDOWN, "broker_id"], how="left")
        .filter(~has_failed)
        .group_by(*TERM, "seq")
        .agg(leaving=col("broker_id").unique().sort())
    )


def broker_lists(broker_event: pl.DataFrame, controller_line: pl.DataFrame) -> pl.DataFrame:
    """(TERM, seq, live, shutting_down, failure_handled, unclean_seq): what a line lists, null what it does not."""
    events = [event for some in LISTS.values() for event in some]
    ids = {f"{step}_ids": col("broker_id").filter(col("step") == step) for step in LISTS}
    named = (
        broker_event.filter(col("event").is_in(events))
        .group_by(LINE)
        .agg(
            is_read=col("broker_id").is_not_null().all(),
            **{name: one.drop_nulls().unique().sort() for name, one in ids.items()},
        )
    )
    is_read = col("is_read").fill_null(value=True)
    listed = {
        step: when(col("event").is_in(some) & is_read).then(col(f"{step}_ids").fill_null(NO_IDS))
        for step, some in LISTS.items()
    }
    is_unclean = (col("event") == ASKED) & (col("cause") == "unclean election")
    return (
        controller_line.filter(col("event").is_in(events) | is_unclean)
        .join(named, on=LINE, how="left")
        .select(*TERM, "seq", unclean_seq=when(is_unclean).then("seq"), **listed)
    )
