"""How long a piece of work stood in the queue, at least, where something tells when it was put there."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.partial import apart
from pipeline.gold.controller_event.pieces import CHECK, LONGEST, STARTUP, TERM
from pipeline.model.brokers.balancing import printed_broker_settings

# KafkaController.onControllerFailover: scheduleAutoLeaderRebalanceTask(delay = 5, unit = TimeUnit.SECONDS), from 0.11.
FIRST_CHECK_MS = 5_000
# With no interval known a check is not believed to be later: Kafka's default of a session with ZooKeeper.
UNKNOWN_INTERVAL_MS = 18_000
# A request to the controller is given up after it: request.timeout.ms, controller.socket.timeout.ms.
REQUEST = timedelta(seconds=30)
ANSWER, SHUTDOWN = "TopicDeletionStopReplicaResponseReceived", "ControlledShutdown"
ASKED = ("asked", "retrying")


@needs_rows_of("pieces")
def with_waits(
    pieces: pl.DataFrame,
    stop_answer: pl.DataFrame,
    node_event: pl.DataFrame,
    broker_setting: pl.DataFrame,
) -> pl.DataFrame:
    """Adds waited_ms and waited_by; rows in, rows out.

    Source: KafkaController.scheduleAutoLeaderRebalanceTask, from 0.11; RequestSendThread.doWork;
    KafkaServer.controlledShutdown.
    """
    waited = [
        timer_waits(pieces, broker_setting),
        broker_waits(pieces, ANSWER, "answer", stop_answer, ["controller_id"]),
        broker_waits(pieces, SHUTDOWN, "shutdown", asked_shutdowns(node_event), []),
    ]
    found = pl.concat(waited).filter(col("waited_ms") >= 0)
    return pieces.join(found, on=[*TERM, "work_seq"], how="left", maintain_order="left")


def timer_waits(pieces: pl.DataFrame, broker_setting: pl.DataFrame) -> pl.DataFrame:
    """Of the controller's own checks: the first is due five seconds after the start, each other one an interval after
    the end of the one before. The interval is what the controller has printed, else the shortest time between two
    checks of the term that was so twice: a clock that was set back makes a shorter one, once."""
    spaced = spaced_checks(pieces)
    said = printed_broker_settings(broker_setting, "check_interval_seconds").rename(
        {"node_id": "controller_id", "logged_at": "printed_at", "value": "interval_seconds"}
    )
    least = (
        spaced.drop_nulls("spacing_ms")
        .sort(*TERM, "began_at")
        .rolling("began_at", period=LONGEST, group_by=[*TERM])
        .agg(col("work_seq").last(), least_ms=col("spacing_ms").sort().get(1, null_on_oob=True))
        .drop("began_at")
    )
    is_first = (col("before_kind") == STARTUP) & col("before_is_end_said")
    interval_ms = pl.coalesce(col("interval_seconds") * 1000, "least_ms")
    waited = (
        when(is_first)
        .then(col("since_start_ms") - FIRST_CHECK_MS)
        .when(col("spacing_ms") <= LONGEST.total_seconds() * 1000)
        .then(col("spacing_ms") - interval_ms)
    )
    # Where the lines of a check are missing, the next one seems to be late by the time between two.
    is_believed = waited < interval_ms.fill_null(UNKNOWN_INTERVAL_MS)
    return (
        spaced.join(least, on=[*TERM, "work_seq"], how="left")
        .sort("began_at")
        .join_asof(
            said.drop_nulls("printed_at").sort("printed_at"),
            left_on="began_at",
            right_on="printed_at",
            by=["cluster_id", "controller_id"],
            check_sortedness=False,
        )
        .select(
            *TERM, "work_seq", waited_ms=when(is_believed).then(waited).cast(pl.Int64), waited_by=lit("timer")
        )
        .drop_nulls("waited_ms")
    )


def spaced_checks(pieces: pl.DataFrame) -> pl.DataFrame:
    """The checks that a timer asks for, with since_start_ms, the time since the start or check before, and spacing_ms,
    the same where it is a check."""
    is_check = (col("kind") == CHECK) & (col("asked_by") == "timer")
    before = {name: col(name).shift(1).over(TERM) for name in ("kind", "ended_at", "is_end_said")}
    since_ms = (col("began_at") - col("before_ended_at")).dt.total_milliseconds()
    return (
        pieces.filter(is_check | (col("kind") == STARTUP))
        .sort(*TERM, "work_seq")
        .with_columns(**{f"before_{name}": value for name, value in before.items()})
        .filter(col("kind") == CHECK)
        .with_columns(spacing_ms=when(col("before_kind") == CHECK).then(since_ms), since_start_ms=since_ms)
    )


def broker_waits(
    pieces: pl.DataFrame, kind: str, waited_by: str, asked: pl.DataFrame, by: list[str]
) -> pl.DataFrame:
    """Of pieces that one broker asks for: since its last line of the kind, (cluster_id, broker_id, asked_at)."""
    of_broker = pieces.filter((col("kind") == kind) & (col("subject_count") == 1)).with_columns(
        broker_id=col("subject").list.first().cast(pl.Int32, strict=False)
    )
    return (
        of_broker.sort("began_at")
        .join_asof(
            asked.sort("asked_at"),
            left_on="began_at",
            right_on="asked_at",
            by=["cluster_id", *by, "broker_id"],
            tolerance=REQUEST,
            check_sortedness=False,
        )
        .select(
            *TERM,
            "work_seq",
            waited_ms=(col("began_at") - col("asked_at")).dt.total_milliseconds(),
            waited_by=lit(waited_by),
        )
        .drop_nulls("waited_ms")
    )


@apart
def stop_answer(control_request: pl.DataFrame) -> pl.DataFrame:
    """When the controller's sender got answers to StopReplica (TRACE).

    Columns: cluster_id, controller_id, broker_id, asked_at.
    """
    is_answer = (col("event") == "controller_response_received") & (col("request") == "STOP_REPLICA")
    return (
        control_request.filter(is_answer, col("step") == "answered")
        .select("cluster_id", "controller_id", "broker_id", asked_at="logged_at")
        .unique()
    )


def asked_shutdowns(node_event: pl.DataFrame) -> pl.DataFrame:
    """When brokers asked for their shutdown, by their own lines."""
    is_asked = (col("area") == "shutdown") & col("step").is_in(ASKED)
    return node_event.filter(is_asked).select("cluster_id", broker_id="node_id", asked_at="logged_at")
