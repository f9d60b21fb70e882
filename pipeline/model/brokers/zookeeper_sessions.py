"""Sessions of brokers in ZooKeeper mode, by the lists of live brokers that controllers print in their term."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.brokers.departures import AT_STARTUP as MISSING_AT_STARTUP
from pipeline.model.brokers.departures import BOUNCED, BROKER, SESSION, with_epochs
from pipeline.model.brokers.unsaid_bounces import BEGIN_SAID, with_missing_lists, with_unsaid_bounces
from pipeline.model.lines.evidence import known_lines
from pipeline.model.terms.succession import TERM, with_superseded

LINE = ("cluster_id", "file_id", "byte_offset")
AT_STARTUP, CHANGED, EPOCHS = "controller_live_brokers", "broker_change", "controller_broker_epochs"
STEPS = ("live", "joined", "left", "bounced")
FLAGS = tuple(f"is_{step}" for step in STEPS)
FORGOTTEN = "shutdown_forgotten"  # taken from the list of brokers that are shutting down
ORDER = ("at", "life", "controller_epoch", "seq")
NOTICED = (
    *(
        "at",
        "event",
        "is_bounced",
        "is_unsaid",
        "is_missed",
        "is_left",
        "term_id",
        "event_seq",
        "file_id",
        "byte_offset",
    ),
    *("sign_file_id", "sign_byte_offset"),
)


def zookeeper_sessions(
    broker_event: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    seeds: pl.DataFrame,
    registered: pl.DataFrame,
) -> pl.DataFrame:
    """One row per session: stretches of lists that have the broker, under one registration.

    seeds: rows of gold.broker_session that begin before the time from which on lines are given, and reach it.
    registered: see own_registrations.
    Source: KafkaController.onControllerFailover, processBrokerChange (BrokerChangeListener up to 0.10.2), 0.8.2 to 3.9.
    """
    listed = brokers_by_list(broker_event, lists_in_term(controller_line, term), seeds)
    sighted = pl.concat(
        [listed.pipe(with_listed_epochs, broker_event, controller_line), seeds_as_lists(seeds)],
        how="diagonal",
    )
    in_order = sighted.pipe(with_brokers_live_before_data).sort(
        *BROKER, *ORDER, "joined_how", "file_id", "byte_offset", nulls_last=False
    )
    return (
        in_order.pipe(with_unsaid_bounces, registered)
        .pipe(sessions_of_lists)
        .pipe(with_missing_lists, in_order, seeds)
        .pipe(with_shutdowns, broker_event, controller_line)
        .pipe(with_epochs, broker_event, seeds)
        .with_columns(mode=lit("zookeeper"), broker_epoch=pl.coalesce("first_epoch", "broker_epoch"))
        .drop("first_epoch")
    )


def lists_in_term(controller_line: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Lines (LINE, ORDER, term_id, event_seq, event) that list live brokers.

    Lists of a controller that was superseded by then are left out: they tell what it knew last.
    """
    terms = (
        term.filter(col("mode") == "zookeeper")
        .pipe(with_superseded)
        .select(*TERM, "life", "controller_epoch", "superseded_at")
    )
    is_in_term = (col("at") <= col("superseded_at")).fill_null(value=True)
    return (
        controller_line.filter(col("event").is_in([AT_STARTUP, CHANGED]))
        .select(*LINE, "term_id", "seq", "event_seq", "event", at="ordered_at")
        .join(terms, on=TERM, how="inner")
        .filter(is_in_term)
        .drop("superseded_at")
    )


def brokers_by_list(broker_event: pl.DataFrame, lists: pl.DataFrame, seeds: pl.DataFrame) -> pl.DataFrame:
    """Each list with each broker of the cluster: FLAGS say what the list says of it. A list of live brokers that could
    not be taken apart is left out."""
    said = broker_event.filter(col("event").is_in([AT_STARTUP, CHANGED]), col("step").is_in(STEPS))
    unread = said.filter(col("step") == "live", col("broker_id").is_null())
    named = (
        said.filter(col("broker_id").is_not_null())
        .group_by(*LINE, "broker_id")
        .agg((col("step") == step).any().alias(flag) for step, flag in zip(STEPS, FLAGS, strict=True))
    )
    read = lists.join(unread, on=LINE, how="anti")
    listed = named.filter(col("is_live") | col("is_left")).join(read, on=LINE, how="semi")
    brokers = pl.concat([listed.select(BROKER), seeds.select(BROKER)]).unique()
    return (
        read.join(brokers, on="cluster_id", how="inner")
        .join(named, on=[*LINE, "broker_id"], how="left")
        .with_columns(col(FLAGS).fill_null(value=False))
    )


def with_listed_epochs(
    listed: pl.DataFrame, broker_event: pl.DataFrame, controller_line: pl.DataFrame
) -> pl.DataFrame:
    """Lists with the broker_epoch that the controller tells in the same event, null up to 2.1 and where it does not;
    sign_file_id, sign_byte_offset: the line that tells it."""
    event = ("cluster_id", "term_id", "event_seq")
    is_told = (col("event") == EPOCHS) & (col("event_seq") > 0)
    lines = controller_line.filter(is_told).select(*LINE, "term_id", "event_seq", "seq")
    told = (
        broker_event.filter(col("step") == "epoch", col("broker_id").is_not_null())
        .select(*LINE, "broker_id", "broker_epoch")
        .join(lines, on=LINE)
        .sort("seq")
        .unique([*event, "broker_id"], keep="last", maintain_order=True)
        .select(
            *(*event, "broker_id", "broker_epoch"), sign_file_id="file_id", sign_byte_offset="byte_offset"
        )
    )
    return listed.join(told, on=[*event, "broker_id"], how="left")


@needs_rows_of("seeds")
def seeds_as_lists(seeds: pl.DataFrame) -> pl.DataFrame:
    """Seeds as lists that have their broker."""
    opening = col("evidence").list.first().struct
    return seeds.select(
        *BROKER,
        "term_id",
        "joined_how",
        "broker_epoch",
        at="joined_at",
        file_id=opening.field("file_id"),
        byte_offset=opening.field("byte_offset"),
        **{flag: lit(flag == "is_live") for flag in FLAGS},
        **{BEGIN_SAID: col("joined_how").is_in(["joined", "bounced"])},
    )


def with_brokers_live_before_data(sighted: pl.DataFrame) -> pl.DataFrame:
    """A broker of which the first that is heard is that it left was live until then."""
    until_then = sighted.filter("is_left").with_columns(
        seq=col("seq") - 1,
        is_live=lit(value=True),
        is_left=lit(value=False),
        joined_how=lit("before_data"),
    )
    return pl.concat([sighted, until_then])


def sessions_of_lists(in_order: pl.DataFrame) -> pl.DataFrame:
    """Stretches of lists that have the broker, parted where it bounced. The line that ends one follows its last.
    A list comes before a stranger who is put to its place."""
    is_live = col("is_live")
    was_live = is_live.shift(1, fill_value=False).over(BROKER)
    is_new_process = is_live & col("is_bounced")
    end = (col(name).shift(-1).over(BROKER).alias(f"end_{name}") for name in NOTICED)
    return (
        in_order.filter((is_live != was_live) | is_new_process)
        .with_columns(end)
        .filter("is_live")
        .select(
            *BROKER,
            "term_id",
            first_epoch="broker_epoch",
            joined_at="at",
            joined_how=pl.coalesce("joined_how", joined_how()),
            left_at="end_at",
            left_how=left_how(),
            left_term_id="end_term_id",
            left_event_seq="end_event_seq",
            certainty=session_certainty(),
            is_missed="end_is_missed",
            evidence=known_lines(
                ("file_id", "byte_offset"),
                ("end_sign_file_id", "end_sign_byte_offset"),
                ("end_file_id", "end_byte_offset"),
            ),
        )
    )


def joined_how() -> pl.Expr:
    return (
        when(col("event") == AT_STARTUP)
        .then(lit("listed_at_startup"))
        .when("is_bounced")
        .then(lit(BOUNCED))
        .when("is_joined")
        .then(lit("joined"))
        .otherwise(lit("listed"))
    )


def left_how() -> pl.Expr:
    return (
        when("end_is_bounced")
        .then(lit(BOUNCED))
        .when(col("end_event") == AT_STARTUP)
        .then(lit(MISSING_AT_STARTUP))
        .when("end_is_left")
        .then(lit("uncontrolled"))
        .when(col("end_event").is_not_null())
        .then(lit("missing_in_list"))
    )


def session_certainty() -> pl.Expr:
    is_bounced = col("end_is_bounced")
    is_said = col("end_event").is_null() | col("end_is_left") | (is_bounced & ~col("end_is_unsaid"))
    return (
        when(is_said)
        .then(lit("proved"))
        .when(is_bounced | (col("end_event") == AT_STARTUP))
        .then(lit("inferred"))
        .otherwise(lit("undetermined"))
    )


def with_shutdowns(
    found: pl.DataFrame, broker_event: pl.DataFrame, controller_line: pl.DataFrame
) -> pl.DataFrame:
    """left_how: controlled where the event that noticed the departure takes the broker off the shutting ones."""
    event = (*BROKER, "left_term_id", "left_event_seq")
    lines = controller_line.select(*LINE, left_term_id="term_id", left_event_seq="event_seq")
    forgotten = (
        broker_event.filter(col("step") == FORGOTTEN, col("broker_id").is_not_null())
        .select(*LINE, "broker_id")
        .join(lines, on=LINE, how="inner")
        .select(*event, is_forgotten=lit(value=True))
        .unique()
    )
    is_controlled = col("is_forgotten") & (col("left_how") == "uncontrolled")
    return (
        found.join(forgotten, on=event, how="left")
        .with_columns(left_how=when(is_controlled).then(lit("controlled")).otherwise("left_how"))
        .drop("is_forgotten")
    )


def without_momentary_sessions(sessions: pl.DataFrame) -> pl.DataFrame:
    """Of sessions of a broker that begin in one millisecond the one that lasts."""
    in_order = sessions.sort(*SESSION, "left_at", "mode", nulls_last=True)
    return in_order.unique(SESSION, keep="last", maintain_order=True)
