"""What a KRaft controller was doing as it changed a leader, and by which rule it chose."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.gold.leader_election.kraft_choosing import is_last_known, is_unclean
from pipeline.gold.leader_election.kraft_marks import MARK
from pipeline.model.partitions.controller_view import first_replica

# Partitions that a topic is given so long after its first one were added.
ADDED_AFTER = pl.duration(seconds=60)
BY_BROKER = ("controlled shutdown", "broker failure", "log-dir failure")
KIND_OF_TRIGGER = {
    "topic creation": "init",
    "partitions added": "init",
    "broker failure": "offline",
    "broker start": "offline",
    "log-dir failure": "offline",
    "controlled shutdown": "controlled_shutdown",
    "reassignment": "reassign",
    "automatic rebalance": "preferred",
    "preferred election by tool": "preferred",
}
# PartitionChangeBuilder.Election
SELECTOR_OF_KIND = {
    "offline": "ONLINE",
    "controlled_shutdown": "ONLINE",
    "reassign": "ONLINE",
    "preferred": "PREFERRED",
    "offline_admin_unclean": "UNCLEAN",
}


@needs_rows_of("found")
def with_kraft_trigger(found: pl.DataFrame) -> pl.DataFrame:
    """trigger: what the controller was doing, in this order: it let the leader shut down or fenced it, or its log
    directory failed; a reassignment of the partition ended; a broker came back for which it waited; it balanced
    leaders; an admin asked. mark_: the line of the decision, as columns of MARK. Unknown where lines of the controller
    are missing, but for a creation. Whoever led before: an unclean election in the event that lets its leader back is
    of that event.

    Who is let go, fenced or moved out leaves the ISR with it, but for the last one. An admin's request for preferred
    leaders prints nothing: it is what is left where a controller prints its own runs (from 3.9).
    """
    leader, old = col("leader"), col("leader_before")
    was_led, had_none = (old >= 0).fill_null(value=False), (old < 0).fill_null(value=False)
    has_left, is_back = col("left_at").is_not_null(), col("back_at").is_not_null()
    # Of a leader whose logs are missing the other replicas print no ISR.
    is_printed = col("partition_epoch").is_not_null()
    is_unsure = was_led & (leader >= 0) & col("isr").is_null() & is_printed & has_left
    is_in_isr = when(old.is_not_null()).then(col("isr").list.contains(old))
    is_out = was_led & ((leader < 0) | ~is_in_isr.fill_null(is_printed))
    # Who stays a replica leaves the ISR for another reason, of which lines may be missing. An assignment is stale also
    # where a term is not read, and what its controller did nobody knows.
    is_stale = col("is_assignment_stale") & col("are_moves_told") & (col("certainty") == "proved")
    is_moved_out = ~col("replicas").list.contains(old) | is_stale
    is_moved = col("moved_at").is_not_null() | (col("isr").is_not_null() & (leader >= 0) & is_moved_out)
    is_added = col("valid_from_at") - col("topic_from_at") > ADDED_AFTER
    is_known = (col("is_term_read") | col("is_born")).fill_null(value=False)
    trigger = (
        when(~is_known).then(lit("unknown"))
        .when(col("is_born") & is_added).then(lit("partitions added"))
        .when(col("is_born")).then(lit("topic creation"))
        .when(is_unsure).then(lit("unknown"))
        .when(is_out & has_left).then(by_broker())
        .when(is_out & is_moved).then(lit("reassignment"))
        .when((had_none | is_unclean()) & is_back).then(lit("broker start"))
        .when(is_unclean()).then(lit("unclean election"))
        .when(is_headed() & col("run_at").is_not_null()).then(lit("automatic rebalance"))
        .when(is_headed() & col("are_runs_told")).then(lit("preferred election by tool"))
        .otherwise(lit("unknown"))
    )  # fmt: skip
    return found.with_columns(trigger=trigger).with_columns(mark_of_trigger(name) for name in MARK)


def by_broker() -> pl.Expr:
    is_let_go = col("left_step").is_in(["controlled_shutdown_granted", "shutdown_granted"])
    return (
        when(is_let_go).then(lit("controlled shutdown"))
        .when(col("left_step") == "log_dir_failed").then(lit("log-dir failure"))
        .otherwise(lit("broker failure"))
    )  # fmt: skip


def mark_of_trigger(name: str) -> pl.Expr:
    """A column of the decision that the trigger is."""
    trigger = col("trigger")
    return (
        when(trigger.is_in(BY_BROKER)).then(f"left_{name}")
        .when(trigger == "reassignment").then(f"moved_{name}")
        .when(trigger == "broker start").then(f"back_{name}")
        .when(trigger == "automatic rebalance").then(f"run_{name}")
        .alias(f"mark_{name}")
    )  # fmt: skip


def is_headed() -> pl.Expr:
    """The head of the assignment takes over from another leader."""
    leader, old = col("leader"), col("leader_before")
    return ((old >= 0) & (old != leader) & (leader == first_replica("replicas"))).fill_null(value=False)


@needs_rows_of("found")
def with_kind(found: pl.DataFrame) -> pl.DataFrame:
    """Up to 3.8 nothing tells who asked for preferred leaders (a leader that stays in the ISR was not let go); an
    unclean election that no broker brought about was, but for those of the controller's task (ElectUnclean, from 3.9).
    Where lines of the controller are missing only the creation is known."""
    trigger = col("trigger")
    of_trigger = trigger.replace_strict(KIND_OF_TRIGGER, default="unknown", return_dtype=pl.String)
    stays = col("isr").list.contains(col("leader_before")).fill_null(value=False)
    is_asked = trigger == "unclean election"
    is_known = col("is_term_read") | col("is_born")
    kind = (
        when(~is_known.fill_null(value=False)).then(lit("unknown"))
        .when(is_asked & (is_last_known() | col("task_at").is_not_null())).then(lit("offline"))
        .when(is_asked).then(lit("offline_admin_unclean"))
        .when((trigger == "unknown") & is_headed() & stays).then(lit("preferred"))
        .otherwise(of_trigger)
    )  # fmt: skip
    of_kind = col("kind").replace_strict(SELECTOR_OF_KIND, default=None, return_dtype=pl.String)
    by_kind = when(is_unclean()).then(lit("UNCLEAN")).otherwise(of_kind)
    return found.with_columns(kind=kind).with_columns(selector=pl.coalesce("said_selector", by_kind))
