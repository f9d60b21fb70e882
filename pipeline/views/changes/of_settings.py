"""Settings, features, quotas and rights that were changed in KRaft."""

from datetime import datetime

import polars as pl
from polars import col, lit, when

from pipeline.core.conditions import IsNull, all_conditions, is_in
from pipeline.views.changes.frames import (
    LINE,
    TIME,
    asked_by_of_topic,
    change_rows,
    lines_of_active_controller,
    resource_text,
)
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.times import reached_since

# What a controller that is elected for the first time writes as the cluster was formatted.
AT_FORMAT = pl.duration(seconds=1)
MIGRATED = ("migration_begun", "migration_ended")
# Not of controllers alone: voters, and the protocol of the quorum.
VOTERS, KRAFT_VERSION, OFFSET = "voters", "kraft.version", "metadata_offset"
STATED = "stated"  # of ZooKeeper
ELIGIBLE, MINIMUM = "eligible.leader.replicas.version", "min.insync.replicas"
WITH_CREATION = OF_BATCH = "20ms"
OF_REQUEST = pl.duration(milliseconds=20)
OF_RECORD = {"config": "settings", "quota": "quota", "acl": "acl", "scram": "scram"}


def of_settings(
    answers: Answers, since: datetime | None, created: pl.DataFrame, terms: pl.DataFrame
) -> list[pl.DataFrame]:
    """Topics that were created, with the settings that were written with them, and all other records: those of one
    request about one resource as one change. What the first controller of a cluster writes at once is of its format."""
    names = (
        "logged_at",
        "record",
        "step",
        "resource_type",
        "resource_name",
        "name",
        "value",
        "controller_id",
    )
    read = answers.rows("silver.config_event", reached_since("logged_at", since), (*names, *LINE))
    rows = read.filter(~col("name").is_in([VOTERS, KRAFT_VERSION]), col("step") != STATED)
    own = (
        lines_of_active_controller(rows, answers, since)
        .with_columns(at=col("logged_at").cast(TIME), named=named_text())
        .pipe(without_format, terms)
        .pipe(without_migrated, answers)
        .pipe(without_minimum)
    )
    is_feature = col("record") == "feature"
    features = own.filter(is_feature)
    kind = when(col("step") == "removed").then(lit("feature_removed")).otherwise(lit("feature_set"))
    changed = with_birth(setting_requests(own.filter(~is_feature)), created)
    at_birth = changed.filter(col("created_at").is_not_null())
    return [
        with_settings(created, at_birth),
        change_rows(
            changed.filter(col("created_at").is_null()),
            kind=col("record").replace_strict(OF_RECORD, return_dtype=pl.String),
            topics=pl.concat_list("topic").list.drop_nulls(),
            asked_by=asked_by_of_topic(col("topic")),
            resource=resource_text(),
            outcomes=pl.concat_list(when("is_hidden").then(lit("hidden"))).list.drop_nulls(),
        ),
        change_rows(features, kind=kind),
        of_quorum(answers, since),
    ]


def of_quorum(answers: Answers, since: datetime | None) -> pl.DataFrame:
    """Sets of voters, and kraft.version, that follow another one in the metadata log: every node prints them, and again
    as it starts, so that the first line tells that it was so by then. As endpoints change, the voters stay the same."""
    is_own = all_conditions(is_in("name", (VOTERS, KRAFT_VERSION)), ~IsNull(OFFSET))
    names = ("logged_at", "name", "value", OFFSET, *LINE)
    rows = answers.rows(
        "silver.config_event", all_conditions(is_own, reached_since("logged_at", since)), names
    )
    if since is not None and len(rows):
        rows = answers.rows("silver.config_event", is_own, names)
    found = (
        rows.sort("logged_at", *LINE)
        .unique(["name", OFFSET], keep="first", maintain_order=True)
        .sort("name", OFFSET)
        .with_columns(before=col("value").shift(1).over("name"))
        .filter(col("before").is_not_null(), col("before") != col("value"))
    )
    is_voters = col("name") == VOTERS
    return change_rows(
        found,
        at=col("logged_at"),
        kind=when(is_voters).then(lit("voters_changed")).otherwise(lit("feature_set")),
        named=when(is_voters).then("value").otherwise(pl.format("{} = {}", "name", "value")),
        certainty=lit("inferred"),
    )


def without_format(rows: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """Without what the controller writes as it is elected for the first time: what the cluster was formatted with, and
    the minimum of in-sync replicas for eligible leader replicas (from 4.0)."""
    begun = terms.filter(col("mode") == "kraft").unique("life", keep="first", maintain_order=True)
    first = begun.select("term_id", begun_at=col("elected_at").cast(TIME))
    is_format = (col("at") - col("begun_at") < AT_FORMAT).fill_null(value=False)
    return rows.join(first, on="term_id", how="left").filter(~is_format)


def without_migrated(rows: pl.DataFrame, answers: Answers) -> pl.DataFrame:
    """Without what is taken over from ZooKeeper, while it is."""
    if rows.is_empty():
        return rows
    steps = answers.rows("silver.controller_step", is_in("step", MIGRATED), ("logged_at", "step"))
    last = (
        steps.with_columns(step_at=col("logged_at").cast(TIME))
        .select("step_at", last_step="step")
        .sort("step_at")
    )
    found = rows.sort("at").join_asof(last, left_on="at", right_on="step_at", check_sortedness=False)
    return found.filter(col("last_step").ne_missing(MIGRATED[0])).drop("last_step", "step_at")


def without_minimum(rows: pl.DataFrame) -> pl.DataFrame:
    """Without the minimum of in-sync replicas of all brokers that the controller writes by itself in the batch that
    raises eligible leader replicas. Source: ConfigurationControlManager.maybeGenerateElrSafetyRecords, from 4.0."""
    raised = rows.filter(col("name") == ELIGIBLE).select("controller_id", raised_at="at").sort("raised_at")
    is_own = (col("resource_type") == "BROKER") & col("resource_name").is_null() & (col("name") == MINIMUM)
    is_of_batch = col("raised_at").is_not_null() & is_own.fill_null(value=False)
    return (
        rows.sort("at")
        .join_asof(
            raised, left_on="at", right_on="raised_at", by="controller_id", tolerance=OF_BATCH, strategy="nearest",
            check_sortedness=False,
        )
        .filter(~is_of_batch)
        .drop("raised_at")
    )  # fmt: skip


def setting_requests(rows: pl.DataFrame) -> pl.DataFrame:
    resource = ("record", "resource_type", "resource_name", "controller_id")
    is_new = (col("at") - col("at").shift(1).over(resource) > OF_REQUEST).fill_null(value=True)
    return (
        rows.sort(*resource, "at", *LINE)
        .with_columns(number=is_new.cum_sum().over(resource))
        .group_by(*resource, "number", maintain_order=True)
        .agg(
            *(col(one).first() for one in ("at", *LINE)),
            named=col("named").unique(maintain_order=True).str.join(", "),
            is_hidden=(col("step") == "written").all(),
        )
    )


def with_birth(changed: pl.DataFrame, created: pl.DataFrame) -> pl.DataFrame:
    """topic, and created_at where it was created just then: settings of a new topic are written with it."""
    topic = when(col("resource_type") == "TOPIC").then("resource_name")
    born = created.select(topic=col("topics").list.first(), created_at="at").sort("created_at")
    return (
        changed.with_columns(topic=topic)
        .sort("at")
        .join_asof(
            born, left_on="at", right_on="created_at", by="topic", tolerance=WITH_CREATION, strategy="nearest",
            check_sortedness=False,
        )
    )  # fmt: skip


def with_settings(created: pl.DataFrame, at_birth: pl.DataFrame) -> pl.DataFrame:
    own = at_birth.group_by("topic", at="created_at").agg(own=col("named").sort().str.join(", "))
    return (
        created.with_columns(topic=col("topics").list.first())
        .join(own, on=["topic", "at"], how="left", maintain_order="left")
        .with_columns(size=pl.format("{}{}", "size", pl.format("; {}", "own").fill_null("")))
        .drop("own")
    )


def named_text() -> pl.Expr:
    """`retention.ms = 1000`, `retention.ms removed`, `a.name = [hidden]`."""
    return (
        when(col("step") == "removed").then(pl.format("{} removed", "name"))
        .when(col("value").is_not_null()).then(pl.format("{} = {}", "name", "value"))
        .otherwise("name")
    )  # fmt: skip
