"""The rule outage."""

import polars as pl
from polars import col, lit, when

from pipeline.core.stretches import TIME
from pipeline.model.partitions.outage_event import EVENT
from pipeline.rules.outage.events import outage_events
from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.clients import clients_text, with_clients
from pipeline.rules.shared.limits import OUTAGE
from pipeline.rules.shared.log_dirs import BROKER, NOTICED, group_log_dir_failures
from pipeline.rules.shared.outage_causes import LOST_DIR, ONE_STOP, SHUT_DOWN
from pipeline.rules.shared.wording import (
    PARTITION,
    count_above_zero,
    duration_text,
    enumerated_ids,
    facts_column,
    filled_text,
    ids_text,
    root_columns,
    severity_column,
)

START_UP = "controller start-up"
# What is said of brokers that were gone, by root_event of gold.partition_outage.
OF_BROKERS = {
    "broker failure": "died or hung",
    "broker bounced": "restarted",
    LOST_DIR: "lost a log directory",
}


@made_of_rows("partition_outage")
def find(
    partition_outage: pl.DataFrame,
    controller_term: pl.DataFrame,
    broker_session: pl.DataFrame,
    lost_log_dirs: pl.DataFrame,
    outage_ms: int,
    data_end: pl.DataFrame,
    client_impact: pl.DataFrame,
) -> pl.DataFrame:
    """One event left partitions without a leader for longer than conf allows, as noticed: critical while it goes on,
    a warning once it is over, and where the data end before that time has passed. What a controlled shutdown did is
    told, no more, also where nobody is back at the end of the data: somebody asked for it.

    lost_log_dirs: of the view. One finding per event; what may have lasted so long, by its upper bound alone, is none.
    """
    groups = (
        outage_events(partition_outage, controller_term, broker_session, outage_ms, data_end)
        .pipe(with_log_dirs, lost_log_dirs)
        .pipe(with_whole, controller_term, broker_session)
        .with_columns(valid_until_at=when(col("open") == 0).then("ended_at"))
        .pipe(with_clients, client_impact, "names", ("cluster_id", *EVENT, "is_chosen"))
    )
    has_brokers = col("brokers").list.len() > 0
    gone = col("brokers").cast(pl.List(pl.String)).list.join(",")
    severity = (
        when("is_chosen")
        .then(lit("info"))
        .when(col("open_long") > 0)
        .then(lit("critical"))
        .otherwise(lit("warning"))
    )
    cause = when("is_chosen").then(lit(SHUT_DOWN)).otherwise("root_event")
    entity = (
        when("is_chosen")
        .then(filled_text("broker {}", "first_broker"))
        .otherwise(filled_text("broker {}", gone))
    )
    return groups.select(
        *("cluster_id", "term_id", "valid_from_at", "certainty"),
        *severity_column(severity),
        entity=when(has_brokers).then(entity).otherwise("first_name"),
        root_event=filled_text("{} at {}", cause, col("second_at").dt.epoch("s")),
        **root_columns(
            cause, "valid_from_at", when(col("brokers").list.len() == 1).then(col("brokers").list.first())
        ),
        valid_until_at="valid_until_at",
        sentence=filled_text(
            "{}: {}{}{}{}", outage_root_text(), how_long(), clients_text(), seen_by(), "cause"
        ),
        evidence=pl.concat_list("evidence", "cause_lines").list.unique(maintain_order=True),
        facts=facts_column(
            cause="root_event",
            broker_ids=when(has_brokers).then("brokers"),
            log_dirs="lost_dirs",
            partitions_count="partitions",
            total_ms="lasted_ms",
            longest_ms="longest_ms",
            **PARTITION,
            open_count=count_above_zero(col("open")),
            end_reasons="end_reasons",
            first_sign_ms="first_sign_ms",
            client_ms="client_ms",
            coordinators_count=when(col("client_ms").is_not_null()).then(
                count_above_zero(col("coordinators"))
            ),
        ),
    )


def with_whole(
    groups: pl.DataFrame, controller_term: pl.DataFrame, broker_session: pl.DataFrame
) -> pl.DataFrame:
    """is_whole: of a stop in ZooKeeper mode, whose lists name all live brokers: each of two or more that were there had
    asked to be shut down, or was shut down in office, about then, and none was back so soon."""
    begun, from_at, until_at = (
        "valid_from_at",
        col("valid_from_at") - ONE_STOP,
        col("valid_from_at") + ONE_STOP,
    )
    stops = groups.filter("is_chosen", mode="zookeeper").select("cluster_id", begun).unique()
    shut_down = controller_term.filter(ended_how="shutdown").select(
        "cluster_id", broker_id="controller_id", asked_at="ended_at"
    )
    asked = pl.concat(
        [
            broker_session.select("cluster_id", "broker_id", asked_at="shutdown_requested_at")
            .explode("asked_at")
            .drop_nulls("asked_at"),
            shut_down,
        ]
    )
    is_there = (col("joined_at") <= until_at) & (col("left_at") >= from_at).fill_null(value=True)
    sessions = broker_session.select("cluster_id", "broker_id", "joined_at", "left_at")
    there = stops.join(sessions, on="cluster_id").filter(is_there)
    is_asked = col("asked_at").is_between(pl.max_horizontal(from_at, "joined_at"), until_at)
    told = there.join(asked, on=["cluster_id", "broker_id"], how="left").with_columns(is_asked=is_asked)
    each = told.group_by("cluster_id", begun, "broker_id", "joined_at").agg(
        col("is_asked").any().fill_null(value=False)
    )
    whole = (
        each.group_by("cluster_id", begun)
        .agg(is_whole=col("is_asked").all() & (col("broker_id").n_unique() > 1))
        .filter("is_whole")
    )
    is_stop = col("is_chosen") & col("is_whole").fill_null(value=False)
    return groups.join(whole, on=["cluster_id", begun], how="left", maintain_order="left").with_columns(
        is_whole=is_stop
    )


def outage_root_text() -> pl.Expr:
    """brokers 0 and 1 died or hung; without brokers what the controller was doing."""
    count, names = col("brokers").list.len(), enumerated_ids("brokers")
    name = when(count > 1).then(filled_text("brokers {}", names)).otherwise(filled_text("broker {}", names))
    was = when(count > 1).then(lit("were")).otherwise(lit("was"))
    did = col("root_event").replace_strict(OF_BROKERS, default=None, return_dtype=pl.String)
    of_brokers = (
        when("is_whole")
        .then(filled_text("{} shut down as the whole cluster was stopped", was))
        .when("is_chosen")
        .then(filled_text("{} shut down", was))
        .when("is_never_seen")
        .then(filled_text("{} never seen alive (was a broker's id changed?)", was))
        .when(col("lost_dirs").is_not_null())
        .then(filled_text("lost log directory {}", ids_text("lost_dirs")))
        .otherwise(pl.coalesce(did, filled_text("{} gone", was)))
    )
    unknown = lit("for a reason that no line tells")
    event = when(col("root_event") == "unknown").then(unknown).otherwise("root_event")
    return when(count > 0).then(filled_text("{} {}", name, of_brokers)).otherwise(event)


def how_long() -> pl.Expr:
    """2 partitions without a leader for up to 4.0 s (worst b-0), 1 still without at the end of the data."""
    longest = duration_text(col("longest_ms"))
    one = filled_text("1 partition without a leader for {} ({})", longest, "longest_name")
    more = filled_text(
        "{} partitions without a leader for up to {} (worst {})", "partitions", longest, "longest_name"
    )
    is_one = col("partitions") == 1
    number = when(is_one).then(lit("")).when(col("open") == col("partitions")).then(lit("all ")).otherwise(
        filled_text("{} ", "open")
    )  # fmt: skip
    still = when(col("open") > 0).then(filled_text(", {}still without at the end of the data", number))
    return pl.concat_str(when(is_one).then(one).otherwise(more), still.otherwise(lit("")))


def seen_by() -> pl.Expr:
    """The controller that found it so when it started: since when it was so it can't say. In KRaft it waits for the
    whole session time-out anew, and the broker may have been silent for long."""
    is_new = col("is_since_unknown").fill_null(value=False) & (col("mode") == "kraft") & ~col("is_chosen")
    found = filled_text(", seen by the new controller {}", "controller_id")
    late = filled_text("{}; since when no line tells", found)
    is_known = col("controller_id").is_not_null()
    return (
        when(is_known & (col("root_event") == START_UP)).then(found)
        .when(is_known & is_new).then(late)
        .otherwise(lit(""))
    )  # fmt: skip


def with_log_dirs(outage_groups: pl.DataFrame, lost: pl.DataFrame) -> pl.DataFrame:
    """Adds lost_dirs: the paths of the directories whose failure left these partitions without a leader; null: no line
    names one. outage_groups: with brokers, root_event and valid_from_at."""
    named = group_log_dir_failures(lost).filter(col("log_dirs").list.len() > 0)
    numbered = outage_groups.with_row_index("_outage")
    of_disk = numbered.filter(col("root_event") == LOST_DIR, col("brokers").list.len() == 1)
    found = (
        of_disk.select(
            "_outage", "cluster_id", "valid_from_at", broker_id=col("brokers").list.first().cast(pl.Int32)
        )
        .join(named.select(*BROKER, "failed_at", "back_at", "log_dirs"), on=BROKER)
        .filter(
            col("valid_from_at").is_between(
                col("failed_at") - NOTICED, pl.coalesce("back_at", "valid_from_at").cast(TIME)
            )
        )
        .sort("failed_at")
        .group_by("_outage")
        .agg(lost_dirs=col("log_dirs").last())
    )
    return numbered.join(found, on="_outage", how="left").drop("_outage")


RULE = Rule(
    name="outage",
    version=4,
    severities=("critical", "warning", "info"),
    facts=(
        "cause",
        "broker_ids",
        "log_dirs",
        "partitions_count",
        "total_ms",
        "longest_ms",
        "open_count",
        "topic",
        "partition",
        "end_reasons",
        "first_sign_ms",
        "client_ms",
        "coordinators_count",
    ),
    find=find,
    limits=(OUTAGE,),
)
