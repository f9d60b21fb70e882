"""When and how a term ended, and what was between it and the next one."""

import polars as pl
from polars import col, lit, when

from pipeline.core.span_join import rows_in_spans
from pipeline.kafka.wording.releases import release_bits, releases_of_bits
from pipeline.model.lines.evidence import evidence_line
from pipeline.model.terms.term_steps import LIVE, MODE, TERM

CHANGED = "broker_change"
OBSERVED = "controller_observed_leader"
NEARBY_MS = 5_000
# Without an event thread nothing tells a shutdown; 0.8 does not even say that it resigns.
WITHOUT_THREAD = releases_of_bits(release_bits("0.8.0", "0.10.2"))
WITHOUT_RESIGNATION = releases_of_bits(release_bits("0.8.0", "0.8.2"))
STATES_AT_INFO = releases_of_bits(release_bits("2.6.0", "current"))
RESIGNED = ("shutdown", "session_expired", "znode_gone", "renounced", "event_failed")


def with_next_view(
    term: pl.DataFrame, broker_event: pl.DataFrame, controller_step: pl.DataFrame
) -> pl.DataFrame:
    """Terms in their turn with is_alive_next: True if the next controller found this broker alive when it started;
    is_alone: True if it is the only one that could ever be elected: no list of live brokers names another; in KRaft no
    other one was elected, or heard of a leader; is_last_alive: True if no other broker was alive at its end; and
    is_next_torn: True if lines of the next controller are read, and its election is not: they are missing;
    is_next_elected: True if it is read. is_epoch_skipped: ZooKeeper: terms are missing before the next one."""
    of_list = col("event").is_in([LIVE, CHANGED]) & col("broker_id").is_not_null()
    brokers = broker_event.filter(of_list).select("cluster_id", node_id="broker_id")
    live_next = col("live_brokers").shift(-1).over(MODE)
    is_alive = live_next.list.contains(col("controller_id"))
    others = when(col("mode") == "kraft").then("quorum").otherwise("brokers")
    is_itself = (others.list.len() == 1) & others.list.contains(col("controller_id"))
    itself = pl.concat_list("controller_id")
    is_torn = col("elected_at").is_null() & col("last_line_at").is_not_null()
    epoch = col("controller_epoch")
    is_skipped = (col("mode") == "zookeeper") & (epoch.shift(-1).over(*MODE, "life") > epoch + 1)
    is_last_alive = col("known_live_brokers").list.set_difference(itself).list.len() == 0
    return (
        term.join(node_set(brokers, "brokers"), on="cluster_id", how="left", maintain_order="left")
        .join(
            node_set(quorum_nodes(term, controller_step), "quorum"),
            on="cluster_id",
            how="left",
            maintain_order="left",
        )
        .with_columns(
            is_alive_next=when("is_succeeded").then(is_alive),
            is_alone=is_itself,
            is_last_alive=is_last_alive.fill_null(value=False),
            is_next_torn=is_torn.shift(-1).over(MODE).fill_null(value=False),
            is_epoch_skipped=is_skipped.fill_null(value=False),
            is_next_elected=col("elected_at").is_not_null().shift(-1).over(MODE).fill_null(value=False),
        )
        .drop("brokers", "quorum")
    )


def node_set(nodes: pl.DataFrame, name: str) -> pl.DataFrame:
    return nodes.group_by("cluster_id").agg(col("node_id").drop_nulls().unique().alias(name))


def quorum_nodes(term: pl.DataFrame, controller_step: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, node_id) of nodes that are seen to be KRaft controllers."""
    led = term.filter(col("mode") == "kraft").select("cluster_id", node_id="controller_id")
    heard = controller_step.filter(col("event") == OBSERVED).select("cluster_id", "node_id")
    return pl.concat([led, heard])


def release_traits_of_terms(term: pl.DataFrame, release_span: pl.DataFrame) -> pl.DataFrame:
    """One row per term of which a release is known: what all the releases print that its controller may have run."""

    def is_of(names: list[str]) -> pl.Expr:
        return col("releases").list.eval(pl.element().is_in(names))

    spans = release_span.select(
        "cluster_id",
        "valid_from_at",
        "valid_until_at",
        controller_id="node_id",
        is_without_thread=is_of(WITHOUT_THREAD).list.all(),
        may_be_silent=is_of(WITHOUT_RESIGNATION).list.any(),
        is_stated_at_info=is_of(STATES_AT_INFO).list.all(),
    )
    begins_before_end = col("valid_from_at") <= col("last_seen_at")
    ends_after_begin = col("valid_until_at") > col("first_seen_at")
    return (
        term.select(*TERM, "controller_id", "first_seen_at", "last_seen_at")
        .join(spans, on=["cluster_id", "controller_id"], how="inner")
        .filter(begins_before_end & ends_after_begin)
        .group_by(TERM)
        .agg(col("is_without_thread", "is_stated_at_info").all(), col("may_be_silent").any())
    )


def vacancy_begins(term: pl.DataFrame, controller_step: pl.DataFrame) -> pl.DataFrame:
    """One row per KRaft term after which a controller heard, before a next one was active, that nobody leads.

    Source: QuorumController.QuorumMetaLogListener.handleLeaderChange, from 3.3.
    """
    is_vacant = (col("event") == OBSERVED) & col("active_controller_id").is_null()
    heard = controller_step.filter(is_vacant).select(
        "cluster_id", "logged_at", "file_id", "byte_offset", heard_epoch="controller_epoch"
    )
    terms = term.filter(col("mode") == "kraft").select(*TERM, "controller_epoch", "began_at", "superseded_at")
    is_within = col("logged_at") > col("began_at")
    is_of_later_epoch = col("heard_epoch") > col("controller_epoch")
    return (
        rows_in_spans(terms, heard, ["cluster_id"], ("began_at", "superseded_at"), "logged_at", closed="left")
        .filter(is_within & is_of_later_epoch)
        .sort(*TERM, "logged_at", "file_id", "byte_offset")
        .group_by(TERM)
        .agg(vacant_from_at=col("logged_at").first(), vacant_line=evidence_line().head(1))
    )


def with_term_end(term: pl.DataFrame) -> pl.DataFrame:
    """ended_how and when; where only silence tells, the last line of the term; is_over_before."""
    how = col("ended_how")
    is_undecided = how.is_null() & col("resigning_at").is_not_null() & ~is_over_before()
    is_by_resigning = how.is_in(RESIGNED).fill_null(value=False) | is_undecided
    # A KRaft process prints lines before the one that says that it is new: those after the next election are its.
    is_last_its_own = (how == "process_end") & (col("last_line_at") <= col("superseded_at"))
    is_last = (how == "crashed") | is_last_its_own

    def at_end(of: str) -> pl.Expr:
        return (
            when(is_by_resigning)
            .then(f"resigning_{of}")
            .when(how == "forced")
            .then(f"forced_{of}")
            .when(how == "startup_failed")
            .then(f"failed_{of}")
            .when(is_last)
            .then("last_line_at" if of == "at" else "last_line")
        )

    decided = when(col("mode") == "kraft").then(kraft_end()).otherwise(zookeeper_end())
    marked = term.with_columns(ended_how=decided, is_over_before=is_over_before())
    return marked.with_columns(ended_at=at_end("at"), end_line=at_end("line"))


def zookeeper_end() -> pl.Expr:
    """The closed list, decided in order; null where the evidence does not decide."""
    has_resigned, has_restarted = col("resigning_at").is_not_null(), col("restarted_at").is_not_null()
    is_alive, is_missed = col("is_alive_next"), ~col("is_alive_next")
    is_other = (~col("is_same_registration")).fill_null(value=False)
    # Up to 0.10.2 it says that its session expired, from 2.2 epochs tell. Between them it can have lost /controller
    # alone, or with its session: it registers anew at once, and the next controller finds it alive, which its
    # server.log would tell. So it is where a controller was elected again itself. The version of /controller_epoch is
    # told from 2.1 on.
    is_itself = (col("next_controller_id") == col("controller_id")).fill_null(value=False)
    is_old = col("epoch_zk_version").is_null() & ~is_true("is_session_told")
    is_untold = col("is_same_registration").is_null() & (is_itself | is_old) & ~is_true("is_without_thread")
    crashed_if_seen = when(col("elected_at").is_not_null()).then(lit("crashed"))
    is_proved = col("last_line_at").is_not_null() & col("unproved_from_at").is_null()
    open_if_seen = when(is_proved).then(lit("open"))
    nothing = lit(None, pl.String)
    return (
        when(col("failed_at").is_not_null())
        .then(lit("startup_failed"))
        .when(is_over_before())
        .then(nothing)
        .when(has_resigned & is_near("stopped_at"))
        .then(lit("shutdown"))
        .when(has_resigned & is_near("forced_at"))
        .then(lit("forced"))
        .when(has_resigned & (is_near("expired_at") | (is_alive & is_other)))
        .then(lit("session_expired"))
        .when(has_resigned & is_alive & is_untold)
        .then(nothing)
        .when(has_resigned & is_alive)
        .then(lit("znode_gone"))
        .when(has_resigned & is_missed & is_true("is_without_thread"))
        .then(lit("shutdown"))
        .when(has_resigned & is_missed)
        .then(lit("session_expired"))
        .when(has_resigned)
        .then(nothing)
        .when(is_unseen())
        .then(when(col("superseded_at").is_not_null()).then(lit("superseded_unseen")))
        .when(has_restarted & is_true("may_be_silent"))
        .then(nothing)
        # In the lines, or terms, that are missing it may have resigned, long before its process ended.
        .when(has_restarted & (col("is_next_torn") | is_next_missing()))
        .then(lit("superseded_unseen"))
        .when(has_restarted)
        .then(crashed_if_seen)
        .when(col("superseded_at").is_null())
        .then(open_if_seen)
        .otherwise(lit("superseded_unseen"))
    )


def is_next_missing() -> pl.Expr:
    """True if there was another term, of which no line tells the election, before the next one that is seen."""
    return col("superseded_at").is_not_null() & ~col("is_succeeded")


def is_over_before() -> pl.Expr:
    """ZooKeeper: True if a controller resigns behind the first sign of the next one, whose election is not read: its
    term was over before, how and when stands in lines that are missing, unless it says that its session expired."""
    is_behind = (col("superseded_at") < col("resigning_at")).fill_null(value=False)
    is_of_zookeeper = (col("mode") != "kraft").fill_null(value=True)
    return is_of_zookeeper & is_behind & ~col("is_next_elected") & ~is_near("expired_at")


def kraft_end() -> pl.Expr:
    """The same for KRaft; a last controller is over, nobody knows how, where another heard that nobody leads."""
    has_lines = col("last_line_at").is_not_null()
    is_by_event = col("renounced_by") == "controller_event_failed"
    resigned = when(is_by_event).then(lit("event_failed")).otherwise(lit("renounced"))
    # What tells of it may stand in server.log alone, as the migration from ZooKeeper does.
    is_told = has_lines | col("told_until_at").is_not_null()
    # Its own term was another one by then.
    is_over = (col("unproved_from_at") < col("restarted_at")).fill_null(value=False)
    open_if_led = when(is_told & col("vacant_from_at").is_null()).then(lit("open"))
    return (
        when(col("resigning_at").is_not_null())
        .then(resigned)
        .when(col("restarted_at").is_not_null() & has_lines & ~is_over)
        .then(lit("process_end"))
        .when(col("superseded_at").is_null())
        .then(open_if_led)
        .otherwise(lit("superseded_unseen"))
    )


def is_unseen() -> pl.Expr:
    """True if it had ended before its broker stopped in order, or before another start of it that is not seen."""
    is_first = col("restarted_at").is_null() | (col("stopped_without_at") < col("restarted_at"))
    return col("stopped_without_at").is_not_null() & is_first


def is_true(flag: str) -> pl.Expr:
    return col(flag).fill_null(value=False)


def is_near(mark: str) -> pl.Expr:
    """True if that was said about when it resigned."""
    gap_ms = col(mark).dt.epoch("ms") - col("resigning_at").dt.epoch("ms")
    return (gap_ms.abs() <= NEARBY_MS).fill_null(value=False)


def are_all_seen() -> pl.Expr:
    """True if no epoch of the life is missing between the first term that is seen and this one: who had it could have
    been elected again. In KRaft not every epoch has a leader."""
    of_life = (*MODE, "life")
    since_first = col("controller_epoch") - col("controller_epoch").min().over(of_life)
    seen_before = col("controller_epoch").rank("dense").over(of_life) - 1
    return (col("mode") == "kraft") | (since_first == seen_before)


def with_gap(term: pl.DataFrame) -> pl.DataFrame:
    """From the end to the next election, and why there was a gap. In KRaft a controller whose process ended has ended
    at its last line at the earliest: the gap is an upper bound, as that of one that crashed."""
    how, is_last = col("ended_how"), col("superseded_at").is_null()
    gap_ms = when("is_succeeded").then(col("superseded_at").dt.epoch("ms") - col("ended_at").dt.epoch("ms"))
    follows_itself = col("next_controller_id") == col("controller_id")
    is_sole = are_all_seen() & (
        (col("is_alone") & follows_itself) | (col("is_last_alive") & (follows_itself | (how == "shutdown")))
    )
    kind = (
        when(is_last)
        .then(lit(None, pl.String))
        .when(col("gap_ms") < 0)
        .then(lit("none"))
        .when(col("gap_ms").is_null())
        .then(lit("unknown"))
        .when(is_sole)
        .then(lit("sole_broker"))
        .when(how.is_null())
        .then(lit("unknown"))
        .when(how == "crashed")
        .then(lit("session_timeout"))
        .when("is_quorum_lost")
        .then(lit("quorum_lost"))
        .when(how == "process_end")
        .then(lit("fetch_timeout"))
        .otherwise(lit("handover"))
    )
    vacant_from_at = when(col("is_succeeded") | is_last).then("vacant_from_at")
    return term.with_columns(gap_ms=gap_ms, vacant_from_at=vacant_from_at).with_columns(gap_kind=kind)
