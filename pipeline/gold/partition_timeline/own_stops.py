"""When nodes of a KRaft cluster were between two processes, as their own lines say."""

from datetime import timedelta

import polars as pl
from polars import col, when

from pipeline.model.partitions.partition_states import IDENTITY

STOP = ("cluster_id", "broker_id", "out_at", "silent_from_at", "back_at")
LET_IN = timedelta(seconds=20)  # from the start of a process to its registration
NODE = ("cluster_id", "node_id")
OF_DAY = (*NODE, *IDENTITY[1:], "day")
NAMED, STATED = "named", "stated"


def process_stops(process_run: pl.DataFrame, lines: pl.DataFrame) -> pl.DataFrame:
    """(STOP): of each process that another one follows, from its last line in any log to the start of the next one; of
    each that says its end, from then on; and of each that was frozen or busy for a while (skipped_epochs): what changes
    meanwhile its node prints late, or never. lines: of partition_states.lines_with_topic_id."""
    is_followed, is_said = col("next_started_at").is_not_null(), col("end_at") <= col("last_line_at")
    has_said = is_said.fill_null(value=False) | ~is_followed
    runs = (
        process_run.filter(is_followed | col("end_at").is_not_null())
        .pipe(with_last_state, lines)
        .select(
            "cluster_id",
            broker_id="node_id",
            out_at=when(has_said).then("end_at").otherwise("next_started_at"),
            silent_from_at=when(has_said)
            .then("end_at")
            .otherwise(pl.max_horizontal("last_line_at", "last_state_at")),
            back_at="next_started_at",
        )
    )
    return pl.concat([runs, created_again(lines), skipped_epochs(lines)])


def undecided_stops(
    process_run: pl.DataFrame, lines: pl.DataFrame, broker_absence: pl.DataFrame
) -> pl.DataFrame:
    """(STOP) of processes that were killed, as the start of the next one tells, while no line of a controller takes the
    broker out: that line is missing. Who leads then serves nothing from its last line on.

    Source: ClusterControlManager.registerBroker, from 2.8: another process of a broker is let in once it is fenced.
    """
    runs = process_run.filter(col("next_started_at").is_not_null(), col("end_at") > col("last_line_at"))
    stops = runs.pipe(with_last_state, lines).select(
        "cluster_id",
        broker_id="node_id",
        out_at="next_started_at",
        silent_from_at=pl.max_horizontal("last_line_at", "last_state_at"),
        back_at="next_started_at",
    )
    decided = broker_absence.filter(col("is_fence"), ~col("is_partial")).select(
        *STOP[:2], gone_at="out_at", there_at="back_at"
    )
    is_within = (col("gone_at") <= col("back_at") + LET_IN) & (
        col("there_at") >= col("silent_from_at")
    ).fill_null(value=True)
    told = stops.join(decided, on=list(STOP[:2])).filter(is_within)
    return stops.join(told, on=list(STOP[:3]), how="anti")


def with_last_state(process_run: pl.DataFrame, lines: pl.DataFrame) -> pl.DataFrame:
    """last_state_at: when the node last printed a state before the start of the next process (state-change.log)."""
    own = broker_lines_in_order(lines).select(*NODE, last_state_at="at").sort("last_state_at")
    return process_run.sort("next_started_at").join_asof(
        own, left_on="next_started_at", right_on="last_state_at", by=list(NODE), allow_exact_matches=False,
        check_sortedness=False,
    )  # fmt: skip


def created_again(lines: pl.DataFrame) -> pl.DataFrame:
    """The same by state-change.log alone (STOP): a broker that creates a partition of which it printed a state that day
    (UTC) is another process, or was no replica meanwhile; from its line before.

    Source: ReplicaManager.getOrCreatePartition, "Creating new partition", from 2.8.
    """
    is_named, is_stated = col("step") == NAMED, col("step") == STATED
    own = broker_lines_in_order(lines).with_columns(stated_before=is_stated.cum_sum().over(OF_DAY))
    return stops_before(own.filter(is_named, col("stated_before") > 0))


def skipped_epochs(lines: pl.DataFrame) -> pl.DataFrame:
    """The same of a broker that leaves out a partition epoch of which it printed the one before that day (UTC), as it
    was frozen or busy meanwhile: it applies all changes at once, and prints what came of them. From its last line
    before the last silence of a second that lies between both, else from its line before.

    Source: BrokerMetadataPublisher.onMetadataUpdate, ReplicaManager.applyDelta, from 2.8: one line per partition that a
    delta changes.
    """
    epoch, silent_from_at, at = col("partition_epoch"), col("silent_from_at"), col("at")
    is_silence = at - silent_from_at >= timedelta(seconds=1)
    life = (*OF_DAY, "created")
    own = (
        broker_lines_in_order(lines)
        .with_columns(
            created=(col("step") == NAMED).cum_sum().over(OF_DAY),
            silence_from_at=when(is_silence).then(silent_from_at).forward_fill().over(NODE),
        )
        .with_columns(last_epoch=epoch.forward_fill().shift(1).over(life), said_at=at.shift(1).over(life))
    )
    is_between = (col("silence_from_at") >= col("said_at")).fill_null(value=False)
    since = when(is_between).then("silence_from_at").otherwise("silent_from_at")
    skipping = own.filter((epoch > col("last_epoch") + 1).fill_null(value=False))
    return stops_before(skipping.with_columns(silent_from_at=since))


def broker_lines_in_order(lines: pl.DataFrame) -> pl.DataFrame:
    """What brokers print of partitions, in order, with silent_from_at: their line before."""
    is_own = col("node_id").is_not_null() & col("step").is_in([NAMED, STATED])
    return (
        lines.filter(is_own)
        .sort(*NODE, "at", "file_id", "byte_offset")
        .with_columns(day=col("at").dt.truncate("1d"), silent_from_at=col("at").shift(1).over(NODE))
    )


def stops_before(own: pl.DataFrame) -> pl.DataFrame:
    """(STOP) before these lines of broker_lines_in_order."""
    return (
        own.filter(col("silent_from_at") < col("at"))
        .select("cluster_id", "silent_from_at", broker_id="node_id", out_at="at", back_at="at")
        .select(STOP)
    )
