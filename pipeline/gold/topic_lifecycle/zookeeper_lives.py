"""Lives of topics in ZooKeeper mode: by what controllers say of them, and by the lists of topics that they print."""

import polars as pl
from polars import col, lit, when

from pipeline.core.span import Span
from pipeline.model.terms.succession import TERM, with_superseded

TOPIC = ("cluster_id", "topic")
LIFE = (*TOPIC, "topic_life")
LINE = ("cluster_id", "file_id", "byte_offset")
ORDER = ("at", "life", "controller_epoch", "seq")
LIST, CREATED, LISTED, IGNORED = "controller_topics", "created", "listed", "deletion_ignored"
VANISHED, WIPED = "vanished", "wiped"
ENDS = ("deletion_completed", "removed", VANISHED, WIPED)
BEGINS = (CREATED, LISTED, "deletion_requested", "deletion_disabled")
# What tells of a topic only where nothing was said of it before: after its end who deleted it may say it once more.
LEFT_OVER = (
    *("deletion_listed", "deletion_started", "deletion_blocked", "deletion_halted", "deletion_deferred"),
    *("deletion_resumed", "deletion_completed", "removed"),
)
STEPS = (*BEGINS, *LEFT_OVER, IGNORED)
SEED = "seed"


def zookeeper_steps(
    topic_event: pl.DataFrame,
    lines: pl.DataFrame,
    term: pl.DataFrame,
    before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """Steps of silver.topic_event, and ends that lists imply, in order, each with the life (LIFE) that it is of.

    is_begin: the life begins with it. lines: of controller_lines_in_order(), in the span. before: the last
    row of gold.topic_lifecycle of each topic before that. A topic that is missing in the next list of a controller
    that starts is gone.
    Source: KafkaController.initializeControllerContext, processTopicChange, 0.8.1 to 3.9.
    """
    is_late = (col("at") > col("superseded_at")).fill_null(value=False)
    said = (
        topic_event.filter(col("step").is_in(STEPS))
        .select(*LINE, "topic", "topic_id", "step", "reason")
        .join(lines.drop("event"), on=LINE, how="inner")
        .filter(~(is_late & col("step").is_in([CREATED, LISTED])))
    )
    begun = metadata_wipe_marks(term).filter(span.since("at"))
    marks = pl.concat([topic_list_marks(lines.filter(~is_late)), begun], how="diagonal_relaxed")
    seeds = before.select(*TOPIC, base="topic_life", is_open=col("ended_at").is_null())
    return number_topic_steps(said, marks).pipe(with_vanished_topics, marks, seeds).pipe(with_lives, seeds)


def controller_lines_in_order(controller_line: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Lines (LINE, event) of controllers of ZooKeeper mode in their places: ORDER, term_id, controller_id,
    superseded_at."""
    terms = (
        term.filter(col("mode") == "zookeeper")
        .pipe(with_superseded)
        .select(*TERM, "life", "controller_epoch", "superseded_at")
    )
    return controller_line.select(*LINE, "term_id", "seq", "event", "controller_id", at="ordered_at").join(
        terms, on=TERM, how="inner"
    )


def topic_list_marks(lines: pl.DataFrame) -> pl.DataFrame:
    return lines.filter(col("event") == LIST).select(*LINE, *ORDER, "term_id", mark=lit(VANISHED))


def metadata_wipe_marks(term: pl.DataFrame) -> pl.DataFrame:
    """The first election of each later life of the metadata."""
    first = (
        term.filter(col("mode") == "zookeeper")
        .with_columns(at="first_seen_at")
        .sort("at")
        .unique(["cluster_id", "life"], keep="first", maintain_order=True)
        .filter(col("life") > col("life").min().over("cluster_id"))
    )
    nowhere = {"controller_epoch": lit(-1, pl.Int32), "seq": lit(-1, pl.Int64)}
    return first.select(*LINE, "at", "life", "term_id", **nowhere, mark=lit(WIPED))


def number_topic_steps(said: pl.DataFrame, marks: pl.DataFrame) -> pl.DataFrame:
    """Steps in order, with mark_no: how many marks, places at which topics end that are not named, there are until
    each; of a list its own included."""
    both = pl.concat([marks, said], how="diagonal_relaxed")
    is_mark = col("mark").is_not_null()
    return (
        both.sort("cluster_id", *ORDER, ~is_mark, "file_id", "byte_offset", "topic")
        .with_columns(mark_no=is_mark.cast(pl.Int64).cum_sum().over("cluster_id"))
        .with_row_index("place")
    )


def with_vanished_topics(both: pl.DataFrame, marks: pl.DataFrame, seeds: pl.DataFrame) -> pl.DataFrame:
    """Steps, each followed by the end of its topic where the next mark does not name it. seeds are steps before all."""
    is_mark = col("mark").is_not_null()
    ends = both.filter(is_mark).select(
        "cluster_id",
        *ORDER,
        "file_id",
        "byte_offset",
        "term_id",
        end_no="mark_no",
        step="mark",
        place="place",
    )
    known = seeds.filter("is_open").select(
        *TOPIC, step=lit(SEED), mark_no=lit(0, pl.Int64), place=lit(-1, pl.Int64)
    )
    steps = pl.concat([both.filter(~is_mark).cast({"place": pl.Int64}), known], how="diagonal_relaxed")
    counted = marks.group_by("cluster_id").agg(marks_count=pl.len().cast(pl.Int64))
    is_named = (col("step") == LISTED).cast(pl.Int64)
    following = (col("mark_no") - is_named).shift(-1).over(TOPIC)
    steps = (
        steps.sort(*TOPIC, "place")
        .join(counted, on="cluster_id", how="left", maintain_order="left")
        .with_columns(until_no=following.fill_null(col("marks_count")))
    )
    missed = steps.filter(col("until_no") > col("mark_no")).select(*TOPIC, end_no=col("mark_no") + 1)
    ended = missed.join(ends, on=["cluster_id", "end_no"]).cast({"place": pl.Int64})
    return pl.concat([steps, ended], how="diagonal_relaxed")


def with_lives(steps: pl.DataFrame, seeds: pl.DataFrame) -> pl.DataFrame:
    """topic_life, is_begin; without steps that are of no life."""
    step = col("step")
    is_end = step.is_in(ENDS)
    opens = step.is_in([*BEGINS, SEED]) | (step.is_in(LEFT_OVER) & ~is_end & ~col("is_known"))
    is_open = when(is_end).then(lit(value=False)).when(opens).then(lit(value=True)).forward_fill().over(TOPIC)
    was_open = is_open.shift(1).over(TOPIC).fill_null(value=False)
    is_first_of_all = ~col("is_known") & ~step.is_in([VANISHED, WIPED])
    is_begin = (
        ((step == CREATED) | (opens & ~col("was_open") & (step != SEED)))
        | (is_end & is_first_of_all & ~col("was_open"))
        | ((step == IGNORED) & ~col("was_open"))
    )
    number = col("base").fill_null(0) + col("is_begin").cast(pl.Int32).cum_sum().over(TOPIC)
    return (
        # What a mark ends stands behind the step before it, a list before the topics that it names.
        steps.sort(*TOPIC, "place", step.is_in([VANISHED, WIPED]), descending=[False] * 3 + [True])
        .join(seeds.select(*TOPIC, "base"), on=TOPIC, how="left", maintain_order="left")
        .with_columns(is_known=(pl.int_range(pl.len()).over(TOPIC) > 0) | col("base").is_not_null())
        .with_columns(was_open=was_open)
        .with_columns(is_begin=is_begin)
        .filter(col("was_open") | col("is_begin") | (step == SEED))
        .with_columns(topic_life=number.cast(pl.Int32))
    )
