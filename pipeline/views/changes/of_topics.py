"""Topics created, grown, deleted, removed by hand and refused, as changes."""

from datetime import datetime

import polars as pl
from polars import col, lit, when

from pipeline.core.conditions import all_conditions, is_in
from pipeline.views.changes.frames import (
    LINE,
    asked_by_of_topic,
    change_rows,
    line_place_columns,
    lines_by_name,
)
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.times import reached_since

LIVES, EVENTS = "gold.topic_lifecycle", "silver.topic_event"
LIFE = (
    *(
        "topic",
        "topic_life",
        "mode",
        "created_at",
        "created_how",
        "partition_count",
        "replication",
        "serving_ms",
    ),
    *(
        "first_seen_at",
        "grown",
        "deletion_requested_at",
        "deletion_state",
        "deletion_ms",
        "ended_at",
        "ended_how",
        "lines",
    ),
)
REFUSED = {"create_refused": "creation_refused", "delete_refused": "deletion_refused"}
LISTED = "deletion_listed"


def of_topics(answers: Answers, since: datetime | None) -> list[pl.DataFrame]:
    lives = answers.rows(LIVES, reached_since("ended_at", since), LIFE)
    asked = all_conditions(is_in("step", (*REFUSED, LISTED)), reached_since("logged_at", since))
    events = answers.rows(EVENTS, asked, ("logged_at", "topic", "step", "reason", "controller_id", *LINE))
    return [
        topic_creation_changes(lives),
        topic_growth_changes(lives, answers),
        topic_deletion_changes(lives, events.filter(col("step") == LISTED)),
        removed_by_hand_changes(lives),
        refused_topic_changes(events.filter(col("step").is_in([*REFUSED]))),
    ]


def topic_creation_changes(lives: pl.DataFrame) -> pl.DataFrame:
    is_served = col("serving_ms").is_not_null()
    several = pl.format("{} partitions", "partition_count")
    replication = col("replication").list.eval(pl.element().cast(pl.String)).list.join(" or ")
    return change_rows(
        lives.filter(col("created_at").is_not_null(), col("created_how") == "created"),
        at=col("created_at"),
        kind=lit("topic_created"),
        topics=pl.concat_list("topic"),
        asked_by=asked_by_of_topic(col("topic")),
        size=pl.format(
            "{}, replication {}",
            when(col("partition_count") == 1)
            .then(lit("1 partition"))
            .otherwise(several)
            .fill_null("? partitions"),
            when(replication != "").then(replication).fill_null("?"),
        ),
        outcomes=pl.concat_list(when(is_served).then(lit("served")).otherwise(lit("not_served"))),
        ms=col("serving_ms"),
        **line_place_columns(lines_by_name("created")),
    )


def topic_growth_changes(lives: pl.DataFrame, answers: Answers) -> pl.DataFrame:
    added = lives.filter(col("grown").list.len() > 0).explode("grown").unnest("grown")
    is_own = all_conditions(
        is_in("topic", added["topic"].unique().to_list()), is_in("step", ("added", "created"))
    )
    names = ("topic", "logged_at", *LINE)
    lines = answers.rows("silver.assignment", is_own, names) if len(added) else pl.DataFrame(schema=names)
    first = lines.rename({"logged_at": "at"}).sort("at", *LINE).unique(["topic", "at"], keep="first")
    found = (
        added.join(first.cast({"at": added.schema["at"]}), on=["topic", "at"], how="left")
        if len(added)
        else added
    )
    return change_rows(
        found,
        kind=lit("topic_grown"),
        topics=pl.concat_list("topic"),
        asked_by=asked_by_of_topic(col("topic")),
    )


def topic_deletion_changes(lives: pl.DataFrame, listed: pl.DataFrame) -> pl.DataFrame:
    """One change for each life, by the first line that asks for its end; in KRaft up to 3.9 by that of its end. A list
    of a controller that starts says it at the latest then."""
    is_gone = col("deletion_requested_at").is_null() & (col("ended_how") == "deleted")
    is_nothing = col("created_how") == "no_topic"
    is_over = (col("ended_how") == "deleted") & (col("deletion_state") != "completed")
    nothing_at = when(is_nothing).then(pl.coalesce("deletion_requested_at", "ended_at", "first_seen_at"))
    told = lives.with_columns(
        at=pl.coalesce("deletion_requested_at", when(is_gone).then("ended_at"), nothing_at),
        asked_line=when(lines_by_name("requested").list.len() > 0)
        .then(lines_by_name("requested"))
        .otherwise(lines_by_name("ended")),
    )
    state = (
        when(is_nothing).then(None)
        .when(is_over | (is_gone & (col("deletion_ms").fill_null(0) == 0))).then(lit("done"))
        .when(col("ended_how").is_not_null() & (col("ended_how") != "deleted")).then(lit("lines_missing"))
        .otherwise("deletion_state")
    )  # fmt: skip
    found = told.filter(col("at").is_not_null()).with_columns(**line_place_columns("asked_line"))
    late = listed.select(*LINE, "topic", is_late=lit(value=True))
    return change_rows(
        found.join(late, on=[*LINE, "topic"], how="left"),
        kind=when(is_nothing).then(lit("deletion_of_nothing")).otherwise(lit("deletion")),
        topics=pl.concat_list("topic"),
        outcomes=pl.concat_list(state).list.drop_nulls(),
        ms=col("deletion_ms"),
        certainty=when("is_late").then(lit("inferred")).otherwise(lit("proved")),
    )


def removed_by_hand_changes(lives: pl.DataFrame) -> pl.DataFrame:
    return change_rows(
        lives.filter(col("ended_how") == "removed_by_hand"),
        at=col("ended_at"),
        kind=lit("topic_removed_by_hand"),
        topics=pl.concat_list("topic"),
        **line_place_columns(lines_by_name("ended")),
    )


def refused_topic_changes(events: pl.DataFrame) -> pl.DataFrame:
    return change_rows(
        events,
        at=col("logged_at"),
        kind=col("step").replace_strict(REFUSED, return_dtype=pl.String),
        topics=pl.concat_list("topic"),
        asked_by=asked_by_of_topic(col("topic")),
        outcomes=pl.concat_list(lit("refused")),
    )
