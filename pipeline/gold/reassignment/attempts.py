"""Attempts put together from their lines: what was wanted, when it began, how it ended."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.gold.reassignment.marks import (
    ALL_IN_SYNC,
    ATTEMPT,
    CONTINUED,
    FORGOTTEN,
    LED,
    NAME,
    REJECTED,
    TOPIC_GONE,
    WIPED,
)
from pipeline.model.lines.evidence import NO_LINES, evidence_line
from schemas.gold.reassignment import STEPS

IDS = pl.List(pl.Int32)
LEADERS = {"leader_kept": "kept", "leader_not_in_target": "re_elected", "leader_dead": "re_elected_dead"}
NAMES = {"assignment_updated": "union_written", "leader_epoch_raised": "epoch_raised", "waiting": "waiting",
         "caught_up": "caught_up", "removed": "removed", **dict.fromkeys(LED, "leader_checked")}  # fmt: skip
STEP = pl.Struct({"key": pl.String, "value": pl.Int64})
NO_STEPS = lit([], pl.List(STEP))


def reassignment_attempts(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per attempt of numbered rows (ATTEMPT)."""
    step, at = col("step"), col("at")
    is_mark = col("is_opener") | (step == "caught_up") | col("is_closer")
    is_driven = (step == "request_sent") & pl.any_horizontal(
        col(name).list.len() > 0 for name in ("adding_replicas", "removing_replicas")
    ).fill_null(value=False)  # fmt: skip
    lagging = col("lagging_replicas").is_not_null()
    found = rows.group_by(ATTEMPT, maintain_order=True).agg(
        started_at=at.first(),
        form=col("form").first(),
        opened_by=step.first(),
        target_replicas=col("target_replicas").filter("is_opener").drop_nulls().first(),
        stated_before=col("previous_replicas").filter("is_opener").first(),
        union=col("replicas").filter("is_opener").first(),
        adding=col("adding_replicas").filter("is_opener").first(),
        removing=col("removing_replicas").filter("is_opener").first(),
        caught_up_at=at.filter(step == "caught_up").last(),
        closed_at=at.filter("is_closer").first(),
        closed_by=step.filter("is_closer").first(),
        closed_with=col("replicas").filter("is_closer").first(),
        reason=col("reason").filter("is_closer").first(),
        is_cancelled=(step == "cancelled").any(),
        led=step.filter(step.is_in(LED)).last(),
        epoch_raise_count=(step == "leader_epoch_raised").sum().cast(pl.Int64),
        started_count=(step == "not_caught_up").sum().cast(pl.Int64),
        driven_count=is_driven.sum().cast(pl.Int64),
        term_ids=col("term_id").drop_nulls().unique(maintain_order=True),
        lagging_replicas=col("lagging_replicas").filter(lagging).last(),
        lagging_at=at.filter(lagging).last(),
        adding_and_removing=col("adding").list.set_intersection("removing").last(),
        last_at=at.filter(~col("is_closer")).max(),
        marks=evidence_line().filter(is_mark & col("file_id").is_not_null()),
        lagging_lines=evidence_line().filter(lagging).tail(1),
        all_in_sync_lines=evidence_line().filter(step == ALL_IN_SYNC).head(1),
    )
    return found.with_columns(
        leader_moved=col("led").replace_strict(LEADERS, default=None, return_dtype=pl.String),
        evidence=pl.concat_list(
            "marks", when(col("closed_at").is_null()).then("lagging_lines").otherwise(NO_LINES)
        ),
        resumed_count=pl.max_horizontal(pl.max_horizontal("started_count", "driven_count") - 1, 0),
    )


def refused_attempts(rows: pl.DataFrame) -> pl.DataFrame:
    """The same of rows that say that one is not made: it ends as it begins."""
    is_rejected = col("reason") == REJECTED
    return rows.select(
        *NAME,
        "form", "target_replicas", "reason",
        attempt=lit(0, pl.Int64), started_at="at", closed_at="at", ended_at="at", opened_by="step",
        stated_before="previous_replicas", union="replicas", adding="adding_replicas", removing="removing_replicas",
        outcome=when(is_rejected).then(lit("failed")).otherwise(lit("skipped")),
        is_override=lit(value=False),
        epoch_raise_count=lit(0, pl.Int64), resumed_count=lit(0, pl.Int64),
        term_ids=pl.concat_list("term_id").list.drop_nulls(),
        evidence=pl.concat_list(evidence_line()),
    )  # fmt: skip


def with_attempt_outcome(found: pl.DataFrame) -> pl.DataFrame:
    """outcome and ended_at: by its own end, else by the next attempt of the partition."""
    next_by, next_at = (col(name).shift(-1).over(NAME) for name in ("opened_by", "started_at"))
    closed_by = col("closed_by")
    is_record = col("form") == "kraft"
    # The line that one is cancelled is of DEBUG; what is written at the end tells it, too.
    is_written = (col("form") == "assignment").fill_null(value=False)
    are_others = col("closed_with").list.sort() != col("target_replicas").list.sort()
    is_other = (is_record & (col("closed_with") != col("target_replicas"))) | (is_written & are_others)
    is_back = is_other.fill_null(value=False)
    is_replaced = (next_by == "overridden") | (is_record & (next_by == "changed") & ~is_ended_unseen())
    outcome = (
        when(closed_by.is_in([TOPIC_GONE, WIPED, FORGOTTEN])).then(closed_by)
        .when((closed_by == "skipped") & ~col("opened_by").is_in(CONTINUED)).then(lit("failed"))
        .when(closed_by.is_in(["failed", "skipped"])).then(closed_by)
        .when(closed_by.is_not_null() & (is_back | col("is_cancelled"))).then(lit("cancelled"))
        .when(closed_by.is_not_null()).then(lit("completed"))
        .when(is_replaced).then(lit("overridden"))
        .when(next_at.is_not_null()).then(lit("lines_missing"))
        .otherwise(lit("in_progress"))
    )  # fmt: skip
    is_over_already = col("opened_by").is_in(CONTINUED) & (closed_by == "listed_as_done")
    is_override = (col("outcome").shift(1).over(NAME) == "overridden").fill_null(value=False)
    return (
        found.filter(~is_over_already.fill_null(value=False))
        .with_columns(ended_at=pl.coalesce("closed_at", next_at), outcome=outcome)
        .with_columns(is_override=is_override)
        .with_columns(asked_from_at=when(~col("is_override")).then("started_at").forward_fill().over(NAME))
    )


def is_ended_unseen() -> pl.Expr:
    """Of KRaft: replicas that it takes away are not among those that the next one begins with."""
    union, adding = (col(name).shift(-1).over(NAME) for name in ("union", "adding"))
    begins_with = union.list.set_difference(adding.fill_null(lit([], IDS)))
    return (col("removing").list.set_difference(begins_with).list.len() > 0).fill_null(value=False)


@needs_rows_of("found")
def with_replicas(found: pl.DataFrame, partition_timeline: pl.DataFrame) -> pl.DataFrame:
    """topic_life, the four lists of replicas and kind. One that overrides another has those of before that one."""
    first = when(~col("is_override")).then(pl.coalesce("stated_before", replicas_before_attempt()))
    original, target = col("original_replicas"), col("target_replicas")
    is_known = original.is_not_null() & target.is_not_null()
    adding = when(is_known).then(target.list.set_difference(original).list.sort()).otherwise("adding")
    removing = when(is_known).then(original.list.set_difference(target).list.sort()).otherwise("removing")
    is_adding, is_removing = col("adding_replicas").list.len() > 0, col("removing_replicas").list.len() > 0
    kind = (
        when(~is_known).then(lit("unknown"))
        .when(is_adding & is_removing).then(lit("move"))
        .when(is_adding).then(lit("grow"))
        .when(is_removing).then(lit("shrink"))
        .otherwise(lit("reorder"))
    )  # fmt: skip
    return (
        found.pipe(with_held, partition_timeline)
        .with_columns(original_replicas=first.forward_fill().over(NAME))
        .with_columns(adding_replicas=adding, removing_replicas=removing)
        .with_columns(kind=kind)
    )


def replicas_before_attempt() -> pl.Expr:
    """What the partition's timeline has, where KRaft's record of the start, which names the replicas to be added, does
    not say otherwise: a change in one step has no line."""
    union, adding = col("union"), col("adding").fill_null(lit([], IDS))
    of_record = when(col("form") == "kraft").then(union.list.set_difference(adding))
    is_same = of_record.list.sort() == col("held_replicas").list.sort()
    return when(of_record.is_null() | is_same).then("held_replicas").otherwise(of_record)


def with_held(found: pl.DataFrame, partition_timeline: pl.DataFrame) -> pl.DataFrame:
    """topic_life that went on at the start, and held_replicas: as they were just before it."""
    held = partition_timeline.select(*NAME, "topic_life", "valid_from_at", held_replicas="replicas").sort(
        "valid_from_at"
    )
    until = held.rename({"topic_life": "life_before"})
    then = held.drop("held_replicas")
    begun = found.sort("started_at")
    before = begun.join_asof(
        until,
        left_on="started_at",
        right_on="valid_from_at",
        by=NAME,
        allow_exact_matches=False,
        coalesce=False,
        check_sortedness=False,
    ).drop("valid_from_at")
    at_start = before.join_asof(
        then, left_on="started_at", right_on="valid_from_at", by=NAME, coalesce=False, check_sortedness=False
    ).drop("valid_from_at")  # fmt: skip
    return at_start.with_columns(topic_life=pl.coalesce("topic_life", "life_before", lit(1, pl.Int32))).sort(
        ATTEMPT
    )


def with_steps(found: pl.DataFrame, rows: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """steps: ms from the start to the last line of each step; last_step_number of Kafka's twelve. others: (ATTEMPT,
    name, at) of lines that are not about reassignments.

    The line about the leader is printed when the target is in the controller's memory; the epoch that is raised then is
    the one that the replicas of the target are told.
    """
    begun = found.select(*ATTEMPT, "started_at", "caught_up_at")
    step, is_switching = col("step"), (col("at") >= col("caught_up_at")).fill_null(value=False)
    name = (
        when((step == "assignment_updated") & is_switching).then(lit("target_written"))
        .when((step == "leader_epoch_raised") & is_switching).then(lit("target_told"))
        .otherwise(step.replace_strict(NAMES, default=None, return_dtype=pl.String))
    )  # fmt: skip
    own = rows.join(begun.drop("started_at"), on=ATTEMPT, how="inner", maintain_order="left")
    named = own.select(*ATTEMPT, "at", name=name).drop_nulls("name").select(*ATTEMPT, "name", "at")
    in_memory = named.filter(col("name") == "leader_checked").with_columns(name=lit("target_in_memory"))
    number = col("name").replace_strict(STEPS, return_dtype=pl.Int32)
    steps = (
        pl.concat([named, in_memory, others])
        .join(begun.drop("caught_up_at"), on=ATTEMPT, how="inner")
        .group_by(*ATTEMPT, "name")
        .agg(at=col("at").max(), started_at=col("started_at").first())
        .with_columns(number=number, ms=col("at").dt.epoch("ms") - col("started_at").dt.epoch("ms"))
        .sort(*ATTEMPT, "number", "at", "name")
        .group_by(ATTEMPT, maintain_order=True)
        .agg(steps=pl.struct(key="name", value="ms"), last_step_number=col("number").max())
    )
    return found.join(steps, on=ATTEMPT, how="left", maintain_order="left")
