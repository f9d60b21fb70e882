"""Which outages of partitions make one finding: those of one event, or of one planned stop."""

from datetime import timedelta
from typing import Literal

import polars as pl
from polars import col, lit, when

from pipeline.core.span_join import rows_in_spans
from pipeline.core.stretches import with_island
from pipeline.model.brokers.departures import AT_STARTUP
from pipeline.model.brokers.outage_bounds import FENCED, WIPED
from pipeline.model.partitions.outage_event import EVENT, with_event
from pipeline.rules.outage.causes import with_outage_causes
from pipeline.rules.shared.causes import REASON
from pipeline.rules.shared.outage_causes import CHOSEN, LOST_DIR, ONE_STOP
from pipeline.rules.shared.wording import PARTITION, epoch_millis, kept_evidence, partition_name_text
from schemas.end_reasons import SIGNALLED, UNKNOWN

START_UP = "controller start-up"
TERM = ("cluster_id", "term_id")
OF_BROKER = ("cluster_id", "root_broker_id")
OF_TERM = (*OF_BROKER, "term_id")
SOON = timedelta(seconds=10)  # a controller that starts may find it so late that a broker had left


def outage_events(
    partition_outage: pl.DataFrame,
    controller_term: pl.DataFrame,
    broker_session: pl.DataFrame,
    outage_ms: int,
    data_end: pl.DataFrame,
) -> pl.DataFrame:
    """(cluster_id, EVENT, is_chosen, ...): what left a partition without a leader for so long, or still does at the
    end of the data, whatever its length. partitions, lasted_ms, open, ended_at, evidence and longest are of those
    partitions, open_long of those that are open for so long; is_since_unknown: of the longest, in KRaft; brokers and
    first_name are of all that it left: the name of the finding must not change as time goes on."""
    end_at = pl.max_horizontal(pl.coalesce("ended_at", "until_at"), "noticed_at")
    until_end_ms = end_at.dt.epoch("ms") - epoch_millis("noticed_at")
    lasted_ms = when(col("ended_how") == WIPED).then("low_ms").otherwise(until_end_ms)
    is_open = col("ended_at").is_null()
    # A controller that is new waits for the whole session anew before it fences a broker.
    is_since_unknown = col("unserved_from_at").is_null() & (col("root_left_how") == FENCED)
    is_told = col("is_long") | is_open
    chosen = (
        partition_outage.filter(col("certainty") != "undetermined")
        .join(data_end.select("cluster_id", "until_at"), on="cluster_id", how="inner")
        .pipe(with_chosen, controller_term, broker_session)
        .with_columns(name=partition_name_text(), lasted_ms=lasted_ms)
        .with_columns(is_long=col("lasted_ms") >= outage_ms)
        .pipe(with_event)
        .pipe(with_company)
        .pipe(with_stop)
    )
    return (
        chosen.sort(-col("lasted_ms"), "name", "evidence")
        .group_by("cluster_id", *EVENT, "is_chosen", maintain_order=True)
        .agg(
            col("certainty").min(),
            col(*PARTITION).first(),
            partitions=is_told.sum(),
            open=is_open.sum(),
            open_long=(col("is_long") & is_open).sum(),
            lasted_ms=col("lasted_ms").filter(is_told).sum(),
            longest_ms=col("lasted_ms").first(),
            longest_name=col("name").first(),
            names=col("name").filter(is_told),
            is_since_unknown=is_since_unknown.first(),
            valid_from_at=col("noticed_at").min(),
            ended_at=col("ended_at").filter(is_told).max(),
            brokers=col("root_broker_id").drop_nulls().unique().sort(),
            first_broker=col("root_broker_id").sort_by("noticed_at", "root_broker_id").first(),
            first_name=col("name").sort_by("noticed_at", "name").first(),
            evidence=kept_evidence(col("evidence").filter(is_told)),
        )
        .filter(col("partitions") > 0)
        .join(controller_term.select(*TERM, "controller_id", "mode"), on=TERM, how="left")
        .pipe(with_never_seen, broker_session)
        .pipe(with_outage_causes, chosen, ("cluster_id", *EVENT, "is_chosen"))
    )


def with_chosen(
    outages: pl.DataFrame, controller_term: pl.DataFrame, broker_session: pl.DataFrame
) -> pl.DataFrame:
    """is_chosen: somebody asked for it: a controlled shutdown, that of a controller which no list could tell, or the
    last departure of a broker that had asked to be shut down, whichever controller noticed that it was gone, or whose
    process was told to stop. REASON: why the broker at the root left."""
    last = broker_departures(broker_session).select(
        *OF_BROKER, "left_at", "back_at", has_asked=col("shutdown_requested_at").list.len() > 0
    )
    how = col("root_left_how")
    is_order = col("root_event") == "controlled shutdown"
    is_at_start = (how == AT_STARTUP) & (col("noticed_at") >= col("shut_down_at"))
    is_in_office = how.is_null() & (col("noticed_at") >= col("shut_down_at") - ONE_STOP)
    is_signalled = col("end_reason") == SIGNALLED
    has_asked = col("has_asked") & is_away()
    is_asked = (how == CHOSEN) | is_at_start | is_in_office | has_asked | is_order | is_signalled
    # How it left no line tells, and whoever was there was shut down.
    is_untold = (how == AT_STARTUP).fill_null(value=True) & (col("root_event") == START_UP)
    is_of_stop = is_untold & col("end_reason").fill_null(UNKNOWN).eq(UNKNOWN)
    is_asked |= (is_of_stop & col("is_amid_stop")).fill_null(value=False)
    return (
        with_departure(outages, broker_session)
        .pipe(with_whole_stop, controller_term)
        .join(shut_down(controller_term), on=OF_TERM, how="left")
        .sort("noticed_at")
        .join_asof(
            last.sort("left_at"),
            left_on="noticed_at",
            right_on="left_at",
            by=OF_BROKER,
            check_sortedness=False,
        )
        .with_columns(is_chosen=is_asked.fill_null(value=False) & (col("root_event") != LOST_DIR))
    )


def with_departure(outages: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """Outages with REASON of the departure of the broker at the root: the one that was noticed then, or soon before if
    it did not join again meanwhile. In KRaft mode a broker that is shut down hands its leaders over before it leaves.
    """
    left = broker_departures(broker_session).select(*OF_BROKER, "joined_at", "left_at", "back_at", *REASON)
    how, noticed_at = col("root_left_how"), col("noticed_at")
    parts = []
    strategies: tuple[tuple[Literal["backward", "forward"], pl.Expr], ...] = (
        ("backward", (noticed_at - col("left_at") <= SOON) & is_away()),
        (
            "forward",
            (col("joined_at") <= noticed_at) & ((how == CHOSEN) | (col("left_at") - noticed_at <= SOON)),
        ),
    )
    numbered = outages.with_row_index("number")
    asked = numbered.filter(how.is_not_null(), col("root_broker_id").is_not_null()).select(
        "number", *OF_BROKER, "noticed_at", "root_left_how"
    )
    for strategy, is_it in strategies:
        found = asked.sort("noticed_at").join_asof(
            left.sort("left_at"),
            left_on="noticed_at",
            right_on="left_at",
            by=OF_BROKER,
            strategy=strategy,
            coalesce=False,
            check_sortedness=False,
        )
        parts.append(found.filter(is_it).select("number", *REASON))
    first = pl.concat(parts).unique("number", keep="first", maintain_order=True)
    return numbered.join(first, on="number", how="left").drop("number")


def broker_departures(broker_session: pl.DataFrame) -> pl.DataFrame:
    """Stays (root_broker_id) that are over, with back_at: when the broker joined next."""
    in_turn = broker_session.rename({"broker_id": "root_broker_id"}).sort(*OF_BROKER, "joined_at", "left_at")
    return in_turn.with_columns(back_at=col("joined_at").shift(-1).over(OF_BROKER)).filter(
        col("left_at").is_not_null()
    )


def is_away() -> pl.Expr:
    """True of an outage and the departure before it where the broker did not join in between. A process that bounced
    is back at once."""
    is_back = (col("back_at") > col("left_at")) & (col("back_at") < col("noticed_at"))
    return ~is_back.fill_null(value=False)


def with_whole_stop(outages: pl.DataFrame, controller_term: pl.DataFrame) -> pl.DataFrame:
    """is_amid_stop: noticed as the whole cluster was stopped, or as it was started next: the last broker that was alive
    was controller and was shut down."""
    stops = controller_term.filter(col("ended_how") == "shutdown", col("gap_kind") == "sole_broker").select(
        "cluster_id", stop_from_at=col("ended_at") - ONE_STOP, stop_until_at=col("superseded_at") + SOON
    )
    numbered = outages.with_row_index("number")
    amid = rows_in_spans(
        stops,
        numbered.select("cluster_id", "number", "noticed_at"),
        ["cluster_id"],
        ("stop_from_at", "stop_until_at"),
        "noticed_at",
        closed="both",
    )
    return numbered.with_columns(is_amid_stop=col("number").is_in(amid["number"].implode())).drop("number")


def shut_down(controller_term: pl.DataFrame) -> pl.DataFrame:
    """(OF_TERM, shut_down_at): terms of a broker that was shut down in office, and the terms after them, by when that
    was: from then on it is not found at a start, and nobody was there to say how it left. An outage is of its own term
    where no list had it."""
    turn = ("cluster_id", "life", "controller_epoch")
    over = controller_term.filter(col("ended_how") == "shutdown").select(
        *turn, root_broker_id="controller_id", shut_down_at="ended_at"
    )
    following = over.with_columns(col("controller_epoch") + 1)
    return (
        controller_term.select(*turn, "term_id")
        .join(pl.concat([over, following]), on=turn, how="inner")
        .group_by(OF_TERM)
        .agg(col("shut_down_at").min())
    )


def with_company(outages: pl.DataFrame) -> pl.DataFrame:
    """Outages with is_chosen of those that they were noticed with: where no line tells who led a partition, and all
    that is known of the event was asked for."""
    event = ("cluster_id", *EVENT)
    is_known, is_of_brokers = col("root_broker_id").is_not_null(), col("root_event") == "broker failure"
    is_all = (col("is_chosen") | ~is_known).all().over(event) & (is_known & col("is_chosen")).any().over(
        event
    )
    return outages.with_columns(is_chosen=col("is_chosen") | (~is_known & is_of_brokers & is_all))


def with_stop(outages: pl.DataFrame) -> pl.DataFrame:
    """Outages that somebody asked for with EVENT of the first one of their stop."""
    soon = col("noticed_at") + ONE_STOP
    stop = ("cluster_id", "is_chosen", "island")
    until_at = pl.min_horizontal(pl.coalesce("ended_at", "until_at"), soon)
    islands = with_island(outages.with_columns(from_at="noticed_at", until_at=until_at), stop[:2])
    first = {name: col(name).sort_by("noticed_at", *EVENT).first().over(stop) for name in EVENT}
    return islands.with_columns(
        **{name: when("is_chosen").then(value).otherwise(name) for name, value in first.items()}
    ).drop("island", "from_at")


def with_never_seen(groups: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """is_never_seen: none of its brokers is in any list of live ones. Who lost a log directory lives."""
    seen = broker_session.group_by("cluster_id").agg(seen_brokers=col("broker_id").unique())
    none = lit([], pl.List(pl.Int32))
    was_seen = col("brokers").list.set_intersection(col("seen_brokers").fill_null(none)).list.len() > 0
    is_alive = was_seen | (col("root_event") == LOST_DIR)
    return groups.join(seen, on="cluster_id", how="left").with_columns(is_never_seen=~is_alive)
