"""Where controllers begin their terms and are out of them, as marks among their lines."""

import polars as pl
from polars import col, lit, when

from pipeline.model.terms.elections import controller_elections

LEAVING = ("resigned", "renounced")
STARTING = ("starting", "thread_starting", "created")
HOLDS_NONE = ""  # the mark of a node that is out of its term
# What a broker prints that asks to be elected: one that was in office has resigned before.
# Source: KafkaController.elect, Reelect, from 0.11; ZookeeperLeaderElector.elect before it.
OTHERS_OFFICE = ("controller_election_lost", "controller_election_exists")


def term_marks(controller_step: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Where a node begins a term (mark: the term, before the first line of its election that is not in server.log) or
    is out of it (mark: empty, after the line that leaves, before the line of a start)."""
    line = ("cluster_id", "file_id", "byte_offset")
    begun = controller_elections(controller_step).select(
        *line, own_file_id="own_file_id", own_byte_offset="own_byte_offset"
    )
    opened = (
        term.filter(col("elected_at").is_not_null())
        .join(begun, on=line)
        .select("cluster_id", file_id="own_file_id", byte_offset="own_byte_offset", opened_id="term_id")
    )
    is_out = col("step").is_in([*LEAVING, *STARTING])
    is_leaving = col("step").is_in(LEAVING)
    said = (
        controller_step.join(opened, on=line, how="left")
        .filter(col("opened_id").is_not_null() | is_out)
        .select(
            "cluster_id", "node_id", "controller_id", "file_id", "load_seq", "byte_offset", "logged_at",
            log=lit("controller"),
            mark=col("opened_id").fill_null(HOLDS_NONE),
            rank=when(is_leaving).then(2).otherwise(0),
        )
    )  # fmt: skip
    return pl.concat([said, unseen_election_marks(term)], how="diagonal_relaxed")


def unseen_election_marks(term: pl.DataFrame) -> pl.DataFrame:
    """Marks of KRaft terms whose election was not seen, before the first line that its controller writes in office:
    that of a controller in office for weeks."""
    return terms_with_unseen_election(term, "kraft").select(
        "cluster_id", "controller_id", "file_id", "byte_offset",
        node_id="controller_id", logged_at="told_from_at", log=lit("controller"), mark="term_id", rank=lit(0),
    )  # fmt: skip


def unseen_election_marks_of_zookeeper(term: pl.DataFrame) -> pl.DataFrame:
    """The same in ZooKeeper mode, where lines of state-change.log carry the epoch, and brokers name it of requests that
    they got: what controller.log says from the first one on is of that term, too. The line of such a term may be
    another node's: a mark has its time alone.

    Not of a KRaft controller that takes a cluster over from ZooKeeper: it holds an epoch of ZooKeeper, too, and prints
    its own lines in its KRaft term.
    """
    of_kraft = (
        term.filter(col("mode") == "kraft")
        .group_by("cluster_id", "controller_id")
        .agg(kraft_from_at=col("first_seen_at").min())
    )
    marked = terms_with_unseen_election(term, "zookeeper").join(
        of_kraft, on=["cluster_id", "controller_id"], how="left"
    )
    is_of_broker = (col("last_seen_at") < col("kraft_from_at")).fill_null(value=True)
    return marked.filter(is_of_broker).select(
        "cluster_id", "controller_id",
        node_id="controller_id", logged_at="first_seen_at", ordered_at="first_seen_at",
        log=lit("controller"), mark="term_id", rank=lit(0),
    )  # fmt: skip


def lost_election_marks(controller_step: pl.DataFrame) -> pl.DataFrame:
    """Where a node is out of its term, before a line by which another broker is the controller: how its term ended
    stands in lines that are missing."""
    node = pl.coalesce("node_id", "controller_id")
    is_other = (col("active_controller_id") != node).fill_null(value=False)
    return controller_step.filter(col("event").is_in(OTHERS_OFFICE) & is_other).select(
        "cluster_id", "controller_id", "file_id", "load_seq", "byte_offset", "logged_at",
        node_id=node, log=lit("controller"), mark=lit(HOLDS_NONE), rank=lit(0),
    )  # fmt: skip


def without_file(marks: pl.DataFrame) -> pl.DataFrame:
    """Marks by their time alone: of a line of server.log (up to 0.10)."""
    return marks.drop("file_id", "load_seq", "byte_offset").with_columns(ordered_at="logged_at")


def terms_with_unseen_election(term: pl.DataFrame, mode: str) -> pl.DataFrame:
    is_in_office = col("elected_at").is_null() & col("told_from_at").is_not_null()
    return term.filter(is_in_office & (col("mode") == mode))
