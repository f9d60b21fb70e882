"""The lives of topics: when each was created and served, what its deletion waited for, and how it ended."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import made_of, needs_rows_of
from pipeline.core.reach import Reach
from pipeline.core.span import Span
from pipeline.gold.topic_lifecycle.carried_lives import carried_lives
from pipeline.gold.topic_lifecycle.certainty import with_life_certainty
from pipeline.gold.topic_lifecycle.creations import with_partitions
from pipeline.gold.topic_lifecycle.deletions import deletion_lines, with_deletion
from pipeline.gold.topic_lifecycle.kraft_lives import (
    BORN,
    DELETE_ACCEPTED,
    GONE,
    OWN,
    earliest_topic_lines,
    first_decided,
    kraft_ends,
    kraft_lines,
    new_topic_lives,
)
from pipeline.gold.topic_lifecycle.partitions_of_lives import became_online, leader_lines, life_partitions
from pipeline.gold.topic_lifecycle.zookeeper_lives import (
    CREATED,
    ENDS,
    IGNORED,
    LIFE,
    LISTED,
    TOPIC,
    VANISHED,
    controller_lines_in_order,
    zookeeper_steps,
)
from pipeline.model.lines.evidence import LINE, LINES_TYPE, NO_LINES, known_lines, outermost_lines
from pipeline.model.partitions.replayed_removals import replayed_removals
from schemas.gold.topic_lifecycle import SPEC

ENDED_HOW = {"deletion_completed": "deleted", "removed": "removed_by_hand"}
SAID = ("created", "online", "serving", "requested", "put_off", "blocking", "resumed", "ended", "disabled")
ENDED = ("ended_at", "ended_how", "ended_file_id", "ended_byte_offset")
REACH = Reach.PARTITION


@made_of(
    SPEC,
    "topic_event",
    "deletion_replica",
    "assignment",
    "partition_transition",
    "leader_and_isr",
    "control_request",
    "topic_before",
)
def build(  # noqa: PLR0913, PLR0917 - the parameters of a kernel are the tables that it reads
    topic_event: pl.DataFrame,
    deletion_replica: pl.DataFrame,
    assignment: pl.DataFrame,
    partition_transition: pl.DataFrame,
    leader_and_isr: pl.DataFrame,
    control_request: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    broker_session: pl.DataFrame,
    topic_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per life of one topic: those that are open as the span begins or begin later.

    topic_before: rows of this table that begin before the span, all of them: who starts in KRaft prints topics of
    long ago once more. broker_session: all of it.
    """
    before = topic_before.filter(span.before("first_seen_at"))
    lines = controller_lines_in_order(controller_line, term)
    replayed = kraft_lines(topic_event, controller_line, term, span)
    last = before.sort("topic_life").unique(TOPIC, keep="last", maintain_order=True)
    seeds = carried_lives(before, span)
    steps = zookeeper_steps(topic_event, lines, term, open_then(last, span), span)
    told = (
        pl.concat([seeds, begun_zookeeper_lives(steps)], how="diagonal_relaxed")
        .pipe(with_replayed_topic_ids, replayed)
        .pipe(with_first_ends, ends_of_zookeeper_lives(steps))
    )
    known = pl.concat([one.select(*OWN, "topic_life") for one in (before, told)])
    lives = pl.concat([told, new_topic_lives(replayed, known)], how="diagonal_relaxed").pipe(
        first_decided, replayed
    )
    lives = lives.pipe(
        with_first_ends, kraft_ends(lives.filter(col("topic_id").is_not_null()), replayed, term)
    )
    lives = lives.pipe(with_successor).pipe(with_kraft_request, replayed)
    parts = life_partitions(
        lives,
        assignment,
        became_online(partition_transition, lines),
        leader_lines(leader_and_isr, control_request, span),
        lines,
        span,
    )
    said = deletion_lines(lives, steps, deletion_replica, lines)
    return (
        with_partitions(lives, parts, broker_session)
        .pipe(with_deletion, said, broker_session)
        .pipe(with_life_evidence)
        .with_columns(
            col("partitions", "grown", "blocking_replicas", "resumed_at", "resumed_by", "deletion_started_at")
            .fill_null([]),
            col("deletion_lines").fill_null([]),
        )
        .pipe(with_life_certainty, term, ends_replayed(replayed))
        .select(SPEC.columns)
    )  # fmt: skip


@needs_rows_of("lines")
def ends_replayed(lines: pl.DataFrame) -> pl.DataFrame:
    """replayed_removals of kraft_lines."""
    return replayed_removals(lines.filter(col("step") == GONE), lines.filter(col("step") == BORN))


def open_then(last: pl.DataFrame, span: Span) -> pl.DataFrame:
    """The last rows of their topics as they were as the span begins: what ended later had not."""
    return last.with_columns(ended_at=when(span.before("ended_at")).then("ended_at"))


def begun_zookeeper_lives(steps: pl.DataFrame) -> pl.DataFrame:
    """Lives of ZooKeeper mode that begin with one of these steps."""
    step = col("step")
    how = (
        when(step == CREATED).then(lit("created"))
        .when(step == LISTED).then(lit("listed"))
        .when(step == IGNORED).then(lit("no_topic"))
        .otherwise(lit("lines_missing"))
    )  # fmt: skip
    is_none = step == IGNORED
    return steps.filter("is_begin").select(
        *LIFE, "topic_id", "term_id",
        mode=lit("zookeeper"),
        first_seen_at="at",
        created_at=when(step == CREATED).then("at"),
        created_how=how,
        ended_at=when(is_none).then("at"),
        **{f"created_{name}": name for name in LINE},
        **{f"ended_{name}": when(is_none).then(name) for name in LINE},
    )  # fmt: skip


def ends_of_zookeeper_lives(steps: pl.DataFrame) -> pl.DataFrame:
    """(LIFE, ENDED): how lives of ZooKeeper mode end."""
    first = steps.filter(col("step").is_in(ENDS)).unique(LIFE, keep="first", maintain_order=True)
    return first.select(
        *LIFE,
        ended_at="at",
        ended_how=col("step").replace(ENDED_HOW),
        **{f"ended_{name}": name for name in LINE},
    )


def with_first_ends(lives: pl.DataFrame, ends: pl.DataFrame) -> pl.DataFrame:
    """ENDED of lives that have no end yet."""
    absent = [lit(None, ends.schema[name]).alias(name) for name in ENDED if name not in lives.columns]
    found = lives.with_columns(absent).join(ends, on=LIFE, how="left", suffix="_new")
    is_new = col("ended_at").is_null()
    own = (when(is_new).then(f"{name}_new").otherwise(name).alias(name) for name in ENDED)
    return found.with_columns(own).drop(f"{name}_new" for name in ENDED)


def with_replayed_topic_ids(lives: pl.DataFrame, replayed: pl.DataFrame) -> pl.DataFrame:
    """The id that the record of KRaft gives a topic that ZooKeeper mode had and named no id of."""
    first = replayed.filter(col("step") == "topic_record").sort("at", *LINE)
    by_name = first.unique(TOPIC, keep="first", maintain_order=True).select(*TOPIC, given="topic_id")
    is_last = col("topic_life") == col("topic_life").max().over(TOPIC)
    is_open = is_last & (col("created_how") != "no_topic")
    return (
        lives.join(by_name, on=TOPIC, how="left")
        .with_columns(topic_id=pl.coalesce("topic_id", when(is_open).then("given")))
        .drop("given")
    )


def with_successor(lives: pl.DataFrame) -> pl.DataFrame:
    """A life of which no line tells the end ended before the next one of its name."""
    following = col("first_seen_at").shift(-1).over(TOPIC)
    is_unseen = col("ended_at").is_null() & following.is_not_null()
    return (
        lives.sort(*TOPIC, "topic_life")
        .with_columns(following=following, is_unseen=is_unseen)
        .with_columns(
            ended_at=when("is_unseen").then("following").otherwise("ended_at"),
            ended_how=when("is_unseen").then(lit(VANISHED)).otherwise("ended_how"),
        )
        .drop("following", "is_unseen")
    )


def with_kraft_request(lives: pl.DataFrame, replayed: pl.DataFrame) -> pl.DataFrame:
    """kraft_asked_at and its line: the answer that a topic will be deleted, from 4.0."""
    is_asked = (col("step") == DELETE_ACCEPTED) & col("topic_id").is_not_null()
    asked = earliest_topic_lines(replayed.filter(is_asked), "new")
    names = ("at", *LINE)
    found = lives.join(asked, on=OWN, how="left")
    both = (pl.coalesce(f"kraft_asked_{name}", f"new_{name}").alias(f"kraft_asked_{name}") for name in names)
    return found.with_columns(both).drop(f"new_{name}" for name in names)


def with_life_evidence(lives: pl.DataFrame) -> pl.DataFrame:
    """lines by what they say, and all of them."""
    found = {
        what: known_lines([f"{what}_{name}" for name in LINE])
        for what in SAID
        if what not in {"blocking", "requested"}
    }
    asked = known_lines([f"requested_{name}" for name in LINE], [f"kraft_asked_{name}" for name in LINE])
    found |= {
        "requested": asked,
        "blocking": outermost_lines(col("blocking_lines").cast(LINES_TYPE).fill_null(NO_LINES)),
    }
    entries = pl.concat_list(pl.struct(key=lit(what), value=found[what]) for what in SAID).list.filter(
        pl.element().struct.field("value").list.len() > 0
    )
    evidence = pl.concat_list(found[what] for what in SAID if what not in {"online", "serving"})
    return lives.with_columns(
        lines=entries.cast(pl.Map(pl.String, LINES_TYPE)), evidence=evidence.list.unique(maintain_order=True)
    )
