"""Settings that were changed in ZooKeeper, as brokers print them into server.log."""

from datetime import datetime

import polars as pl
from polars import col, lit, when

from pipeline.core.conditions import all_conditions, column_equals, is_in
from pipeline.views.changes.frames import LINE, TIME, asked_by_of_topic, change_rows, resource_text
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.times import reached_since

TABLE, STATED = "silver.config_event", "stated"
ENTITY = ("record", "resource_type", "resource_name")
OF_RECORD = {"config": "settings", "quota": "quota"}
# As it starts a broker prints once more what was changed in the last minutes: notifications stay for 15 minutes.
STARTING, STARTED, SETTLING = "starting", "started", pl.duration(seconds=2)
HEARD = pl.duration(seconds=5)  # every broker prints a change as soon as it hears of it


def of_zookeeper_settings(answers: Answers, since: datetime | None) -> list[pl.DataFrame]:
    """Where all settings of a topic, broker, user or client differ from what was stated before; what stood before the
    first statement is not known.

    Source: DynamicConfigManager (0.9.0 to 3.1), ZkConfigManager (3.2 to 3.9), ZkNodeChangeNotificationListener.
    """
    own = column_equals("step", STATED)
    if answers.rows(TABLE, all_conditions(own, reached_since("logged_at", since)), ("step",)).is_empty():
        return []
    names = ("logged_at", "node_id", "value", *ENTITY, *LINE)
    rows = answers.rows(TABLE, own, names)
    heard = rows.with_columns(at=col("logged_at").cast(TIME)).pipe(without_starts, answers)
    before, at = col("value").shift(1).over(ENTITY), col("at")
    # Another broker that lags behind prints a value that others have left already.
    is_late = (at - at.shift(1).over((*ENTITY, "value")) <= HEARD).fill_null(value=False)
    is_first = at.shift(1).over(ENTITY).is_null()
    found = (
        heard.sort(*ENTITY, "at", *LINE)
        .with_columns(is_first=is_first, is_late=is_late, before=before)
        .filter(col("is_first") | (col("value").ne_missing(col("before")) & ~col("is_late")))
    )
    topic = when(col("resource_type") == "TOPIC").then("resource_name")
    told = change_rows(
        found,
        kind=col("record").replace_strict(OF_RECORD, return_dtype=pl.String),
        topics=pl.concat_list(topic).list.drop_nulls(),
        asked_by=asked_by_of_topic(topic),
        resource=resource_text(),
        named=col("value").fill_null("none any more"),
        certainty=when("is_first").then(lit("inferred")).otherwise(lit("proved")),
    )
    return [told]


def without_starts(rows: pl.DataFrame, answers: Answers) -> pl.DataFrame:
    """Without what a broker prints as it starts (KafkaServer.startup), and just after."""
    steps = answers.rows(
        "silver.node_event", is_in("step", (STARTING, STARTED)), ("node_id", "step", "logged_at")
    )
    last = steps.select("node_id", last_step="step", step_at=col("logged_at").cast(TIME)).sort("step_at")
    found = rows.sort("at").join_asof(
        last, left_on="at", right_on="step_at", by="node_id", check_sortedness=False
    )
    is_starting = (col("last_step") == STARTING) | (col("at") - col("step_at") < SETTLING)
    return found.filter(~is_starting.fill_null(value=False))
