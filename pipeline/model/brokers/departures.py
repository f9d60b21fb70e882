"""What came before a broker left, and what its leaving did: requests to shut down, partitions that it led, handling."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.span_join import rows_in_spans
from pipeline.core.stretches import FAR, TIME
from pipeline.model.partitions.statements import PARTITION
from pipeline.model.terms.kraft_terms import decisions_in_effect, kraft_terms
from pipeline.model.terms.succession import unseen_stretches

BROKER = ("cluster_id", "broker_id")
SESSION = (*BROKER, "joined_at")
ASKED = ("shutdown_requested", "controlled_shutdown_granted")
AT_STARTUP, BOUNCED, FOUND = "missing_at_startup", "bounced", "listed_at_startup"
END_OF_CHANGE, END_OF_STARTUP = "controller_broker_epochs", "partition_state_machine_started"
# Of a KRaft controller: a broker may begin to stop, and its leaders are moved; it may exit.
MAY_BEGIN, MAY_EXIT = "broker_controlled_shutdown_granted", "broker_shutdown_granted"
NOTICED = ("controller start-up", "broker start", "broker failure", "broker bounced", "unknown")
SOON = timedelta(seconds=1)  # lines of one event


def with_requests(
    sessions: pl.DataFrame, broker_event: pl.DataFrame, term: pl.DataFrame, seeds: pl.DataFrame
) -> pl.DataFrame:
    """shutdown_requested_at: when the broker asked to be shut down, each attempt, in order; empty: it did not.

    In KRaft when it was granted. seeds: earlier sessions, which know the requests before.
    Source: KafkaController.shutdownBroker, doControlledShutdown; BrokerHeartbeatManager, from 2.8.
    """
    is_asked = (col("said_by") == "decision") & col("step").is_in(ASKED)
    said = broker_event.filter(is_asked, col("broker_id").is_not_null())
    asked = said.pipe(decisions_in_effect, term).select(*BROKER, "at")
    before = seeds.select(*BROKER, at="shutdown_requested_at").explode("at").drop_nulls("at")
    own = (
        sessions.select(*SESSION, "left_at")
        .pipe(
            rows_in_spans,
            pl.concat([asked, before]).unique(),
            BROKER,
            ("joined_at", "left_at"),
            "at",
            closed="both",
        )
        .group_by(SESSION)
        .agg(shutdown_requested_at=col("at").unique().sort())
    )
    none = lit([], pl.List(TIME))
    return sessions.join(own, on=SESSION, how="left").with_columns(
        col("shutdown_requested_at").fill_null(none)
    )


def with_epochs(sessions: pl.DataFrame, broker_event: pl.DataFrame, seeds: pl.DataFrame) -> pl.DataFrame:
    """broker_epoch where the controller lists epochs (from 2.2): the first one that is listed in the session, or just
    before the list of brokers with which a controller starts. Metadata that were wiped use epochs again."""
    is_listed = (col("step") == "epoch") & col("broker_id").is_not_null()
    listed = broker_event.filter(is_listed).select(*BROKER, "broker_epoch", listed_at="logged_at")
    known = seeds.filter(col("broker_epoch").is_not_null()).select(
        *BROKER, "broker_epoch", listed_at="joined_at"
    )
    epochs = (
        pl.concat([listed, known])
        .sort(*BROKER, "listed_at", "broker_epoch", nulls_last=False)
        .unique([*BROKER, "listed_at"], keep="first", maintain_order=True)
    )
    is_at_start = col("joined_how") == "listed_at_startup"
    is_over = (pl.max_horizontal("listed_at", "joined_at") > col("left_at")).fill_null(value=False)
    return (
        sessions.with_columns(from_at=when(is_at_start).then(col("joined_at") - SOON).otherwise("joined_at"))
        .sort(*BROKER, "from_at")
        .join_asof(
            epochs,
            left_on="from_at",
            right_on="listed_at",
            by=BROKER,
            strategy="forward",
            coalesce=False,
            check_sortedness=False,
        )
        .with_columns(broker_epoch=when(~is_over).then("broker_epoch"))
        .drop("from_at", "listed_at")
    )


def is_listed_at_start() -> pl.Expr:
    """True of a session at whose end a starting controller found its broker under another registration."""
    following = (
        col(name).shift(-1).over(BROKER, order_by="joined_at") for name in ("joined_how", "joined_at")
    )
    how, joined_at = following
    return ((col("left_how") == BOUNCED) & (how == FOUND) & (joined_at == col("left_at"))).fill_null(
        value=False
    )


def with_handled(sessions: pl.DataFrame, controller_line: pl.DataFrame) -> pl.DataFrame:
    """handled_until_at: the line that ends the controller's event which noticed that the broker left, where it prints
    one (from 2.2, and at its start), else the last line before the next event."""
    event = ("cluster_id", "left_term_id", "left_event_seq")

    def last(name: str) -> pl.Expr:
        return col("ordered_at").filter(col("event") == name).max()

    ends = (
        controller_line.filter(col("cause").is_in(NOTICED), col("event_seq") > 0)
        .select("cluster_id", "event", "ordered_at", left_term_id="term_id", left_event_seq="event_seq")
        .join(sessions.select(event), on=event, how="semi")
        .group_by(event)
        .agg(change_at=last(END_OF_CHANGE), startup_at=last(END_OF_STARTUP), last_at=col("ordered_at").max())
    )
    is_start = (col("left_how") == AT_STARTUP) | is_listed_at_start()
    its_end = when(is_start).then("startup_at").otherwise("change_at")
    return (
        sessions.join(ends, on=event, how="left")
        .with_columns(handled_until_at=pl.coalesce(its_end, "last_at"))
        .drop("change_at", "startup_at", "last_at")
    )


def with_led(sessions: pl.DataFrame, leaderships: pl.DataFrame) -> pl.DataFrame:
    """led_count: partitions that it led when it left; unmoved_count: of these the ones with more replicas, which a
    shutdown moves; led_before_count: partitions that it led when it first asked to be shut down. Null where the leader
    of a partition with a replica on it is in doubt then. leaderships: rows of leaderships_by_broker()."""
    asked = sessions.with_columns(asked_at=col("shutdown_requested_at").list.first())
    moments = pl.concat([asked.select(*BROKER, at=name) for name in ("left_at", "asked_at")])
    counts = led_at(moments.drop_nulls().unique(), leaderships)
    at_left = counts.rename({"at": "left_at"})
    at_asked = counts.select(*BROKER, asked_at="at", led_before_count="led_count")
    return (
        asked.join(at_left, on=[*BROKER, "left_at"], how="left")
        .join(at_asked, on=[*BROKER, "asked_at"], how="left")
        .drop("asked_at")
    )


def led_at(moments: pl.DataFrame, leaderships: pl.DataFrame) -> pl.DataFrame:
    """Moments (BROKER, at) with led_count and unmoved_count: a partition counts once, though it may have two intervals
    at one instant. An interval that ends with the event itself counts, too."""
    partition = PARTITION[1:]
    held = leaderships.pipe(
        rows_in_spans, moments, BROKER, ("valid_from_at", "valid_until_at"), "at", closed="right"
    )
    is_replicated, is_in_doubt = col("is_replicated"), col("is_in_doubt")
    found = (
        held.group_by(*BROKER, "at", *partition)
        .agg(is_replicated.any(), is_in_doubt.any(), is_unmoved_in_doubt=(is_replicated & is_in_doubt).any())
        .group_by(*BROKER, "at")
        .agg(
            led_count=when(~is_in_doubt.any()).then(pl.len()),
            unmoved_count=when(~col("is_unmoved_in_doubt").any()).then(is_replicated.sum()),
        )
    )
    is_leader_of_none = col("found").is_null()
    none = {name: when(is_leader_of_none).then(0).otherwise(name) for name in ("led_count", "unmoved_count")}
    return (
        moments.join(found.with_columns(found=1), on=[*BROKER, "at"], how="left")
        .with_columns(**none)
        .drop("found")
    )


def leaderships_by_broker(partition_timeline: pl.DataFrame) -> pl.DataFrame:
    """Intervals by the broker that leads, and where that is in doubt by each one that may: (BROKER, PARTITION,
    valid_from_at, valid_until_at, is_replicated, is_in_doubt)."""
    is_in_doubt = col("certainty") == "undetermined"
    replicas = col("replicas").fill_null(lit([], pl.List(pl.Int32)))
    own = pl.concat_list("leader")
    may_lead = replicas.list.set_union(own).list.drop_nulls()
    return (
        partition_timeline.filter((col("leader") >= 0) | is_in_doubt, ~col("is_deleting"))
        .select(
            *PARTITION,
            "valid_from_at",
            "valid_until_at",
            broker_id=when(is_in_doubt).then(may_lead).otherwise(own),
            is_replicated=(col("replicas").list.len() > 1).fill_null(value=False),
            is_in_doubt=is_in_doubt,
        )
        .explode("broker_id")
        .drop_nulls("broker_id")
    )


def with_torn(sessions: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """is_torn: lines of a controller are missing meanwhile: the broker may have asked it to be shut down, or have left
    and come back unseen. In ZooKeeper mode they are from the last line that names a term; what that controller lists
    later, in lines that name no term, is not torn by it. So is what are_lists_missing says, null in KRaft."""
    mode = ("cluster_id", "mode")
    in_zookeeper = (
        unseen_stretches(term)
        .pipe(with_next_term, term)
        .select(
            "cluster_id", "from_at", mode=lit("zookeeper"), next_at="from_at", told_again_at="told_again_at"
        )
    )
    in_kraft = (
        kraft_terms(term)
        .filter("is_unseen")
        .select("cluster_id", "from_at", mode=lit("kraft"), next_at="next_at", told_again_at="next_at")
    )
    missing = (
        pl.concat([in_zookeeper, in_kraft])
        .sort(*mode, "from_at")
        .select(
            *mode,
            missing_from_at="from_at",
            missing_until_at=col("next_at").fill_null(FAR).cum_max().over(mode),
            told_again_at=col("told_again_at").fill_null(FAR).cum_max().over(mode),
        )
    )
    is_in_other_term = col("left_term_id").ne_missing(col("term_id"))
    until_at = when(is_in_other_term).then("told_again_at").otherwise("missing_until_at")
    sessions = with_absent_flag(sessions)
    are_missing = col("are_lists_missing").fill_null(value=False)
    is_torn = (until_at >= col("joined_at")).fill_null(value=False) | are_missing
    return (
        sessions.with_columns(until_at=col("left_at").fill_null(FAR))
        .sort(*mode, "until_at")
        .join_asof(
            missing,
            left_on="until_at",
            right_on="missing_from_at",
            by=mode,
            coalesce=False,
            check_sortedness=False,
        )
        .with_columns(is_torn=is_torn)
        .drop("until_at", "missing_from_at", "missing_until_at", "told_again_at", "are_lists_missing")
    )


def with_absent_flag(sessions: pl.DataFrame) -> pl.DataFrame:
    """Sessions of KRaft alone say nothing of lists."""
    if "are_lists_missing" in sessions.columns:
        return sessions
    return sessions.with_columns(are_lists_missing=lit(value=False))


def with_next_term(unseen: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """told_again_at: when the next term began of which lines are there; null: there is none."""
    later = term.filter(col("mode") == "zookeeper").select(
        "cluster_id", "life", "controller_epoch", told_again_at="first_seen_at"
    )
    return unseen.sort("epoch").join_asof(
        later.sort("controller_epoch"), left_on="epoch", right_on="controller_epoch", by=["cluster_id", "life"],
        strategy="forward", allow_exact_matches=False, coalesce=False, check_sortedness=False,
    )  # fmt: skip


def with_cleanness(sessions: pl.DataFrame) -> pl.DataFrame:
    """is_clean: it was let go, and nothing that another replica could lead was left to it. Of one that left
    while there was no controller only that it had asked is known, and nothing of a session that may be several."""
    how, is_torn = col("left_how"), col("is_torn")
    is_moved = col("unmoved_count") == 0
    has_asked = col("shutdown_requested_at").list.len() > 0
    is_let_go_unheard = (how == AT_STARTUP) & has_asked & is_moved & ~is_torn
    is_clean = (
        when(how == "controlled")
        .then(is_moved)
        .when((how == "uncontrolled") & ~is_torn)
        .then(lit(value=False))
        .when(is_let_go_unheard)
        .then(lit(value=True))
    )
    certainty = when(is_torn).then(lit("undetermined")).otherwise("certainty")
    return sessions.with_columns(is_clean=is_clean, certainty=certainty)
