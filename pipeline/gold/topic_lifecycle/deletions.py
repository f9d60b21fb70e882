"""How the deletion of a topic went in ZooKeeper mode: what lines say of it, what put it off, and what made it go on."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.gold.topic_lifecycle.creations import creation_millis, live_at
from pipeline.gold.topic_lifecycle.partitions_of_lives import of_life
from pipeline.gold.topic_lifecycle.zookeeper_lives import LIFE, LINE, ORDER
from pipeline.model.lines.evidence import LINE as PLACE

FIELDS = ("at", "step", "reason", "partition", "broker_id", *PLACE)
OF_TOPIC = (
    "requested",
    "listed",
    "started",
    "blocked",
    "halted",
    "deferred",
    "resumed",
    "disabled",
    "ignored",
)
PUT_OFF = ("blocked", "halted", "deferred")
BLOCKING = ("dead", "failed", "answered")
OF_REPLICA = (*BLOCKING, "completed")
STORAGE_ERROR = "KAFKA_STORAGE_ERROR"
DRIVE = (*LIFE, "drive")


def deletion_lines(
    lives: pl.DataFrame, steps: pl.DataFrame, deletion_replica: pl.DataFrame, lines: pl.DataFrame
) -> pl.DataFrame:
    """(LIFE, FIELDS, number) of lines about deletions of lives, in order; what says the same as the line before it is
    left out. lives have `told`: those of before. steps: of zookeeper_steps()."""
    step = col("step").str.strip_prefix("deletion_")
    by_controller = when(step == "listed").then(col("controller_id").cast(pl.String)).otherwise("reason")
    of_topic = steps.filter(col("step").str.starts_with("deletion_") & step.is_in(OF_TOPIC)).select(
        *LIFE, *ORDER, *PLACE, step=step, reason=by_controller
    )
    of_replica = (
        deletion_replica.filter(col("step").is_in(OF_REPLICA), col("partition").is_not_null())
        .select(*LINE, "topic", "step", "partition", broker_id="replica_id", reason="error")
        .join(lines.select(*LINE, *ORDER), on=LINE, how="inner")
        .pipe(of_life, lives)
    )
    order = (*ORDER, "byte_offset", "partition", "broker_id")
    new = pl.concat([of_topic, of_replica], how="diagonal_relaxed").sort(order)
    told = lives.select(*LIFE, "told").explode("told", empty_as_null=False, keep_nulls=False).unnest("told")
    both = pl.concat(
        [told.select(*LIFE, *FIELDS), new.select(*LIFE, *FIELDS)], how="diagonal_relaxed"
    ).with_row_index("number")
    is_replica = col("step").is_in(OF_REPLICA)
    is_same = pl.all_horizontal(
        col(name).eq_missing(col(name).shift(1).over(LIFE)) for name in ("step", "reason")
    )
    is_asked_again = (col("step") == "requested") & (col("step") == "requested").cum_sum().over(LIFE).gt(1)
    return both.filter(~is_asked_again).filter(is_replica | ~is_same)


def with_deletion(lives: pl.DataFrame, lines: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """Lives with what lines (of deletion_lines) tell of their deletions."""
    told = lines.sort("number").with_columns(
        drive=(col("step") == "started").cast(pl.Int32).cum_sum().over(LIFE)
    )
    each = told.group_by(LIFE, maintain_order=True).agg(deletion_lines=pl.struct(FIELDS))
    found = lives.drop("told").join(each, on=LIFE, how="left")
    for part in (
        deletion_times(told),
        put_off(told, broker_session),
        replicas_blocking_deletion(told),
        deletion_resumptions(told),
        deletion_waiting_time(told),
    ):
        found = found.join(part, on=LIFE, how="left")
    return found.pipe(with_deletion_outcome)


def deletion_times(told: pl.DataFrame) -> pl.DataFrame:
    step = col("step")
    is_asked = step.is_in(["requested", "listed"])
    last_drive = col("drive") == col("drive").max()
    return told.group_by(LIFE, maintain_order=True).agg(
        asked_at=col("at").filter(is_asked).first(),
        deletion_started_at=col("at").filter(step == "started"),
        is_disabled=(step == "disabled").any(),
        deleted_at=col("at").filter(step == "completed").last(),
        is_put_off=(step.is_in(PUT_OFF) & last_drive).any(),
        put_off_at=col("at").filter(step.is_in(PUT_OFF)).first(),
        **{f"requested_{name}": col(name).filter(is_asked).first() for name in PLACE},
        **{f"put_off_{name}": col(name).filter(step.is_in(PUT_OFF)).first() for name in PLACE},
        **{f"disabled_{name}": col(name).filter(step == "disabled").first() for name in PLACE},
    )


@needs_rows_of("told")
def put_off(told: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """blocked_by: by the lines until the first that puts it off, since it was started. A replica that is out of reach
    though its broker is live lies in a log directory that failed (from 1.0); which ones those are DEBUG tells alone. Of
    a broker whose session is in doubt nobody knows if it was.

    A broker counts as dead as soon as it asks to be shut down. Source: ControllerContext.isReplicaOnline."""
    step, reason = col("step"), col("reason").fill_null("")
    first = told.filter(step.is_in(PUT_OFF)).unique(LIFE, keep="first", maintain_order=True)
    until = first.select(*DRIVE, until_number="number")
    drive = told.join(until, on=DRIVE).filter(col("number") <= col("until_number"))
    asked_at = col("shutdown_requested_at").list.min()
    sessions = broker_session.with_columns(left_at=pl.min_horizontal("left_at", asked_at))
    is_live = col("is_live").fill_null(value=False)
    of_dead = drive.filter(step == "dead")
    dead = live_at(of_dead, sessions).group_by(LIFE).agg(is_disk=is_live.all())
    in_doubt = sessions.filter(col("certainty") == "undetermined")
    doubted = live_at(of_dead, in_doubt).group_by(LIFE).agg(is_in_doubt=is_live.any())
    said = drive.group_by(LIFE).agg(
        has_error=((step == "answered") & (reason == STORAGE_ERROR)).any(),
        has_failed=(step == "failed").any() | (reason == "replica deletion failure").any(),
        has_dead=(step == "dead").any(),
    )
    why = (
        when(step == "deferred").then(lit("reassignment"))
        .when("has_error").then(lit("storage_error"))
        .when("has_failed").then(lit("replica_deletion_failed"))
        .when("is_in_doubt").then(lit("unknown"))
        .when("is_disk").then(lit("storage_error"))
        .when("has_dead").then(lit("dead_replica"))
        .otherwise(lit("unknown"))
    )  # fmt: skip
    both = dead.join(doubted, on=LIFE, how="left")
    return first.join(said, on=LIFE).join(both, on=LIFE, how="left").select(*LIFE, blocked_by=why)


@needs_rows_of("told")
def replicas_blocking_deletion(told: pl.DataFrame) -> pl.DataFrame:
    """blocking_replicas: of the last drive, from one start of a deletion to the next, with lines about replicas out of
    reach, or not deleted; with the errors that their brokers answered. Answers up to 2.2 do not say whose they are.

    When a broker dies all its replicas are said to have failed, those too that it had deleted before.
    Source: TopicDeletionManager.failReplicaDeletion, KafkaController.onReplicasBecomeOffline.
    """
    done = told.filter(col("step") == "completed").group_by(*LIFE, "partition", "broker_id").agg(
        done_number=col("number").min()
    )  # fmt: skip
    of_replicas = (
        told.filter(col("step").is_in(BLOCKING))
        .join(done, on=[*LIFE, "partition", "broker_id"], how="left", maintain_order="left")
        .filter(~(col("done_number") < col("number")).fill_null(value=False))
    )
    last = of_replicas.filter(col("drive") == col("drive").max().over(LIFE))
    replica = ("partition", "broker_id")
    is_answer = col("step") == "answered"
    answers = last.filter(is_answer).select(*LIFE, *replica, error="reason").unique(
        [*LIFE, *replica], keep="last", maintain_order=True
    )  # fmt: skip
    nameless = answers.filter(col("broker_id").is_null()).select(*LIFE, "partition", any_error="error")
    named = answers.filter(col("broker_id").is_not_null())
    replicas = pl.concat(
        [last.filter(~is_answer).select(*LIFE, *replica), named.select(*LIFE, *replica)]
    ).unique()
    alone = nameless.join(replicas, on=[*LIFE, "partition"], how="anti").select(
        *LIFE, "partition", broker_id=lit(None, pl.Int32), error="any_error"
    )
    errors = (
        replicas.join(named, on=[*LIFE, *replica], how="left")
        .join(nameless, on=[*LIFE, "partition"], how="left")
        .select(*LIFE, *replica, error=pl.coalesce("error", "any_error"))
    )
    places = last.unique([*LIFE, *PLACE], maintain_order=True).group_by(LIFE, maintain_order=True)
    return (
        pl.concat([errors, alone])
        .sort(*LIFE, "broker_id", "partition")
        .group_by(LIFE, maintain_order=True)
        .agg(blocking_replicas=pl.struct(*replica, "error"))
        .join(places.agg(blocking_lines=pl.struct(PLACE)), on=LIFE)
    )


def deletion_resumptions(told: pl.DataFrame) -> pl.DataFrame:
    """resumed_at, resumed_by: a broker that started, another controller that found it queued, or a start after a
    reassignment that it waited for."""
    step, before = col("step"), col("step").shift(1).over(LIFE)
    brokers = col("reason").str.replace_all(r",\s*", ", ")
    by = (
        when(step == "resumed").then(pl.format("broker {}", brokers))
        .when((step == "listed") & before.is_not_null()).then(pl.format("controller {}", "reason"))
        .when((step == "started") & (before == "deferred")).then(lit("reassignment"))
    )  # fmt: skip
    found = told.with_columns(by=by).filter(col("by").is_not_null())
    last = (col(name).last().alias(f"resumed_{name}") for name in PLACE)
    return found.group_by(LIFE, maintain_order=True).agg(
        col("at").alias("resumed_at"), col("by").alias("resumed_by"), *last
    )


def deletion_waiting_time(told: pl.DataFrame) -> pl.DataFrame:
    """waiting_ms: from the first line of each drive that puts it off until the next drive."""
    began = told.group_by(DRIVE, maintain_order=True).agg(
        began_at=col("at").first(), off_at=col("at").filter(col("step").is_in(PUT_OFF)).first()
    )
    waited = creation_millis("began_at").shift(-1).over(LIFE) - creation_millis("off_at")
    return began.with_columns(waited=waited).group_by(LIFE).agg(waiting_ms=col("waited").sum())


def with_deletion_outcome(lives: pl.DataFrame) -> pl.DataFrame:
    started = col("deletion_started_at").list
    is_deleted = col("ended_how") == "deleted"
    completed_at = when(is_deleted).then("ended_at")
    asked_at = pl.coalesce("kraft_asked_at", "asked_at")
    state = (
        when(col("created_how") == "no_topic").then(lit("ignored_nonexistent"))
        .when(is_deleted).then(lit("completed"))
        .when("is_put_off").then(lit("put_off"))
        .when(started.len() > 0).then(lit("in_progress"))
        .when(asked_at.is_not_null()).then(lit("requested"))
        .when("is_disabled").then(lit("disabled"))
        .otherwise(lit("none"))
    )  # fmt: skip
    total = creation_millis("completed_at") - creation_millis("deletion_requested_at")
    queued = started.first().dt.epoch("ms") - creation_millis("deletion_requested_at")
    waiting = col("waiting_ms").fill_null(0)
    removing = (creation_millis("completed_at") - creation_millis("deleted_at")).fill_null(0)
    stopping = total - queued - waiting - removing
    spans = {"queued": queued, "stopping_replicas": stopping, "waiting": waiting, "removing_znodes": removing}
    entries = pl.concat_list(pl.struct(key=lit(name), value=value) for name, value in spans.items())
    is_timed = total.is_not_null() & queued.is_not_null()
    steps = when(is_timed).then(entries).cast(pl.Map(pl.String, pl.Int64))
    return (
        lives.with_columns(completed_at=completed_at, deletion_requested_at=asked_at, deletion_state=state)
        .with_columns(deletion_ms=total, deletion_steps=steps)
    )  # fmt: skip
