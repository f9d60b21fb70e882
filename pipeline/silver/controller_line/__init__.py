"""The order of a controller's lines and what each belongs to: term, place, event, cause."""

import polars as pl
from polars import col, lit, when

from pipeline.core.reach import Reach
from pipeline.core.span import Span
from pipeline.model.lines.acting import SEQ_BITS, by_controllers
from pipeline.silver.controller_line.causing import with_causes_printed, with_event_cause, with_texts
from pipeline.silver.controller_line.marks import (
    HOLDS_NONE,
    lost_election_marks,
    term_marks,
    unseen_election_marks_of_zookeeper,
    without_file,
)
from schemas.silver.controller_line import SPEC

# These name an epoch that need not be that of their controller; KRaft controllers also one that they held once.
OF_ANOTHER_EPOCH = (
    *("controller_epoch_read", "controller_renounce", "controller_observed_leader"),
    *("controller_active", "controller_event_failed"),
)
USED = (
    "cluster_id", "node_id", "log", "file_id", "load_seq", "byte_offset", "logged_at", "level",
    "event", "controller_id", "controller_epoch", "fields",
)  # fmt: skip
# In the year 2248; what clocks set wrong say after it counts as one millisecond.
LAST_MS = (1 << 63 - SEQ_BITS) - 1
NAMED = ("cluster_id", "controller_id", "controller_epoch")
TERM = ("cluster_id", "term_id")
NODES_FILE = ("file_id", "node_id")
IN_FILES = ("file_number", "byte_offset", "rank")


def controller_record(log_record: pl.DataFrame) -> pl.DataFrame:
    """Of the records those that controllers wrote, with what build() uses of them."""
    return log_record.pipe(by_controllers).select(USED).pipe(with_texts)


REACH = Reach.NODE


def build(
    controller_record: pl.DataFrame,
    source_file: pl.DataFrame,
    wording_seen: pl.DataFrame,
    term: pl.DataFrame,
    controller_step: pl.DataFrame,
    line_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per line that a controller wrote in its term, in the span.

    Lines of state-change.log carry their epoch; lines of controller.log belong to the last election before
    them on that node, until it resigns or its process starts anew. An election that server.log tells (up to 0.10)
    begins there with its first line in controller.log.
    Order within a term: running maximum of time per node and log (lines are up to 12 ms out of order),
    controller.log before state-change.log at equal times, then place in the file.
    controller_record: at least of all files that hold a line whose running maximum reaches the span.
    line_before: per term the last of its rows (SPEC) before the span, with listed, the text that its listed_seq
    names.
    """
    others = lost_election_marks(controller_step)
    own_files = controller_record.filter(log="controller")["file_id"].unique()
    is_of_own_file = col("file_id").is_in(own_files.implode())
    marks = pl.concat(
        [term_marks(controller_step, term), others.filter(is_of_own_file)], how="diagonal_relaxed"
    )
    files = pl.concat([one.select(NODES_FILE) for one in (controller_record, marks)], how="vertical_relaxed")
    numbered = numbered_files(files, source_file, wording_seen)
    untold = (unseen_election_marks_of_zookeeper(term), without_file(others.filter(~is_of_own_file)))
    # Each step copies the lines, millions in a large night: as one plan they stand in memory once or twice.
    told = pl.concat([controller_record.lazy().with_columns(rank=1), marks.lazy()], how="diagonal_relaxed")
    lines = pl.concat(
        [told.pipe(with_running_time, numbered), *(one.lazy() for one in untold)], how="diagonal_relaxed"
    )
    given = lines.filter((col("rank") != 1) | span.since("ordered_at"))
    placed = given.pipe(with_line_term, term).filter((col("rank") == 1) & col("term_id").is_not_null())
    return (
        placed.pipe(with_seq)
        .pipe(with_causes_printed, wording_seen)
        .pipe(with_event_cause, line_before)
        .select(SPEC.columns)
        .collect(engine="in-memory")  # the streaming engine takes seven times as much
    )


def with_running_time(lines: pl.LazyFrame, numbered: pl.DataFrame) -> pl.LazyFrame:
    """Adds ordered_at; rows in order of in_files(). numbered: numbered_files()."""
    return (
        lines.join(numbered.lazy(), on=NODES_FILE, how="left", nulls_equal=True)
        .sort(IN_FILES)
        .with_columns(
            ordered_at=col("logged_at").cum_max().forward_fill().over("cluster_id", "node_id", "log")
        )
    )


def numbered_files(
    files: pl.DataFrame, source_file: pl.DataFrame, wording_seen: pl.DataFrame
) -> pl.DataFrame:
    """One row per NODES_FILE, with file_from_at and file_number: its place among all, which sorts faster than what
    in_files() names."""
    return (
        files.unique()
        .pipe(with_node_file_begin, source_file, wording_seen)
        .sort("file_from_at", *NODES_FILE)
        .with_row_index("file_number")
    )


def with_node_file_begin(
    rows: pl.DataFrame, source_file: pl.DataFrame, wording_seen: pl.DataFrame
) -> pl.DataFrame:
    """file_from_at: the earliest time in the file, of one that several nodes wrote that of the node's own lines. The
    files of a node and log are in its order."""
    files = source_file.group_by("file_id").agg(file_from_at=col("first_logged_at").min())
    own = (
        wording_seen.filter(col("node_id").is_not_null())
        .group_by(NODES_FILE)
        .agg(own_from_at=col("first_at").min())
        .filter(pl.len().over("file_id") > 1)
    )
    return (
        rows.join(files, on="file_id", how="left")
        .join(own, on=NODES_FILE, how="left")
        .with_columns(file_from_at=pl.coalesce("own_from_at", "file_from_at"))
        .drop("own_from_at")
    )


def in_files() -> tuple[str, ...]:
    """The order of the lines and marks of a node and log, with_node_file_begin()."""
    return ("file_from_at", "file_id", "byte_offset", "rank")


def with_line_term(lines: pl.LazyFrame, term: pl.DataFrame) -> pl.LazyFrame:
    """The term by the epoch on the line, else the one that the node holds then, as long as lines prove that it goes on,
    and the line names no lower epoch; rows writing_order()."""
    node = pl.coalesce("node_id", "controller_id")
    held = col("mark").forward_fill().over("cluster_id", node)
    unproved = term.select("cluster_id", "unproved_from_at", held_id="term_id", held_epoch="controller_epoch")
    is_proved = (col("ordered_at") < col("unproved_from_at")).fill_null(value=True)
    # Of another life of the metadata, whose begin is not read.
    is_other = (stated_epoch() < col("held_epoch")).fill_null(value=False)
    return (
        lines.pipe(with_stated_term, term)
        .sort(writing_order())
        .with_columns(held_id=held.replace(HOLDS_NONE, None))
        .join(unproved.lazy(), on=["cluster_id", "held_id"], how="left", maintain_order="left")
        .with_columns(held_id=when(is_proved & ~is_other).then("held_id"))
        .with_columns(
            term_id=pl.coalesce("stated_id", "held_id"),
            controller_id=pl.coalesce("controller_id", "node_id"),
        )
        .filter(col("controller_id").is_not_null())
    )


def with_stated_term(lines: pl.LazyFrame, term: pl.DataFrame) -> pl.LazyFrame:
    """stated_id: the term of the controller and epoch that the line names, in the life of its time."""
    lives = term.select(*NAMED, from_at="first_seen_at", stated_id="term_id")
    return (
        lines.sort("logged_at")
        .join_asof(
            lives.sort("from_at").lazy(),
            left_on="logged_at",
            right_on="from_at",
            by=list(NAMED),
            strategy="backward",
            check_sortedness=False,
        )
        .with_columns(stated_id=when(stated_epoch().is_not_null()).then("stated_id"))
    )


def stated_epoch() -> pl.Expr:
    """The epoch in which the controller itself says that it writes a line."""
    return when(~col("event").is_in(OF_ANOTHER_EPOCH)).then("controller_epoch")


def writing_order() -> tuple[pl.Expr, ...]:
    """controller.log before state-change.log at equal times: openers are written before their consequences."""
    is_state_change = col("log") != "controller"
    return (col("ordered_at"), is_state_change, *map(col, IN_FILES))


def with_seq(lines: pl.LazyFrame) -> pl.LazyFrame:
    """Milliseconds since 1970 of ordered_at, then the place among the lines of that millisecond: what comes later
    in the term changes no place. Rows are writing_order()."""
    at_ms = pl.min_horizontal(col("ordered_at").dt.epoch("ms"), lit(LAST_MS))
    number = pl.int_range(pl.len()).over(TERM)
    is_first_then = col("at_ms").ne_missing(col("at_ms").shift(1).over(TERM))
    first_number = when(is_first_then).then("number").forward_fill().over(TERM)
    return lines.with_columns(at_ms=at_ms, number=number).with_columns(
        seq=col("at_ms") * (1 << SEQ_BITS) + col("number") - first_number + 1
    )
