"""When nodes of a KRaft cluster were between two processes, as their own lines say."""

from datetime import timedelta

import polars as pl
from polars import col, when

from pipeline.core.span import Span
from pipeline.model.partitions.partition_states import IDENTITY, lines_with_topic_id
from pipeline.model.partitions.service_parts import whole_intervals

STOP = ("cluster_id", "broker_id", "out_at", "silent_from_at", "back_at")
LET_IN = timedelta(seconds=20)  # from the start of a process to its registration
NODE = ("cluster_id", "node_id")
OF_DAY = (*NODE, *IDENTITY[1:], "day")
NAMED, STATED = "named", "stated"
PLACE = ("file_id", "byte_offset")
STATE_LINE = pl.Schema(
    {
        "cluster_id": pl.String(),
        "node_id": pl.Int32(),
        "at": pl.Datetime("us", "UTC"),
        "file_id": pl.String(),
        "byte_offset": pl.Int64(),
        "said_at": pl.Datetime("us", "UTC"),
        "is_late": pl.Boolean(),
    }
)
# A while in which a node prints nothing is no pause of its own if it is shorter.
A_SILENCE = timedelta(seconds=1)


def state_line(
    partition_state: pl.DataFrame, term: pl.DataFrame, timeline_before: pl.DataFrame, span: Span
) -> pl.DataFrame:
    """(STATE_LINE) of state_lines(): when each broker printed states, of whatever topics, tells when it was silent."""
    # Where no term is read, too, brokers may be of KRaft.
    if set(term["mode"]) == {"zookeeper"}:
        return pl.DataFrame(schema=STATE_LINE)
    before = whole_intervals(timeline_before).filter(col("topic_id").is_not_null())
    return state_lines(lines_with_topic_id(partition_state, before, span))


def state_lines(lines: pl.DataFrame) -> pl.DataFrame:
    """(STATE_LINE) of partition_states.lines_with_topic_id of some topics: the first line of each moment in which a
    broker prints states of theirs, and those, is_late, that tell of another process, or of a pause (said_at: since the
    line of the partition before, of the same process)."""
    own = states_by_brokers(lines)
    first = own.unique((*NODE, "at"), keep="first", maintain_order=True)
    moments = first.with_columns(said_at=pl.lit(None, STATE_LINE["said_at"]), is_late=pl.lit(value=False))
    late = pl.concat([created_again(own), skipped_epochs(own)]).with_columns(is_late=pl.lit(value=True))
    return pl.concat([moments.select(*STATE_LINE), late.select(*STATE_LINE)])


def process_stops(process_run: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """(STOP): of each process that another one follows, from its last line in any log to the start of the next one; of
    each that says its end, from then on; and of each that was frozen or busy for a while (skipped_epochs): what changes
    meanwhile its node prints late, or never. told: state_lines() of all topics."""
    is_followed, is_said = col("next_started_at").is_not_null(), col("end_at") <= col("last_line_at")
    has_said = is_said.fill_null(value=False) | ~is_followed
    runs = (
        process_run.filter(is_followed | col("end_at").is_not_null())
        .pipe(with_last_state, told)
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
    return pl.concat([runs, stops_before(told)])


def undecided_stops(
    process_run: pl.DataFrame, told: pl.DataFrame, broker_absence: pl.DataFrame
) -> pl.DataFrame:
    """(STOP) of processes that were killed, as the start of the next one tells, while no line of a controller takes the
    broker out: that line is missing. Who leads then serves nothing from its last line on. told: state_lines() of all
    topics.

    Source: ClusterControlManager.registerBroker, from 2.8: another process of a broker is let in once it is fenced.
    """
    runs = process_run.filter(col("next_started_at").is_not_null(), col("end_at") > col("last_line_at"))
    stops = runs.pipe(with_last_state, told).select(
        "cluster_id",
        broker_id="node_id",
        out_at="next_started_at",
        silent_from_at=pl.max_horizontal("last_line_at", "last_state_at"),
        back_at="next_started_at",
        started_at="started_at",
    )
    decided = broker_absence.filter(col("is_fence"), ~col("is_partial")).select(
        *STOP[:2], gone_at="out_at", there_at="back_at"
    )
    # Who was taken out before it started, and led since, was let in by a line that is missing.
    is_of_run = (col("gone_at") >= col("started_at")).fill_null(value=True)
    is_back_since = (col("there_at") >= col("silent_from_at")).fill_null(is_of_run)
    is_within = (col("gone_at") <= col("back_at") + LET_IN) & is_back_since
    told_of = stops.join(decided, on=list(STOP[:2])).filter(is_within)
    return stops.join(told_of, on=list(STOP[:3]), how="anti").select(STOP)


def with_last_state(process_run: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """last_state_at: when the node last printed a state before the start of the next process (state-change.log)."""
    own = told.select(*NODE, last_state_at="at").sort("last_state_at")
    return process_run.sort("next_started_at").join_asof(
        own, left_on="next_started_at", right_on="last_state_at", by=list(NODE), allow_exact_matches=False,
        check_sortedness=False,
    )  # fmt: skip


def created_again(own: pl.DataFrame) -> pl.DataFrame:
    """Lines (NODE, at, PLACE, said_at: null) of states_by_brokers() by which, by state-change.log alone, a broker was
    between two processes: one that creates a partition of which it printed a state that day (UTC) is another process,
    or was no replica meanwhile; from its line before.

    Source: ReplicaManager.getOrCreatePartition, "Creating new partition", from 2.8.
    """
    is_named, is_stated = col("step") == NAMED, col("step") == STATED
    again = own.with_columns(stated_before=is_stated.cum_sum().over(OF_DAY)).filter(
        is_named, col("stated_before") > 0
    )
    return again.select(*NODE, "at", *PLACE, said_at=pl.lit(None, STATE_LINE["said_at"]))


def skipped_epochs(own: pl.DataFrame) -> pl.DataFrame:
    """The same of a broker that leaves out a partition epoch of which it printed the one before (said_at) that day
    (UTC), as it was frozen or busy meanwhile: it applies all changes at once, and prints what came of them. From its
    last line before the last silence of a second that lies between both, else from its line before.

    Source: BrokerMetadataPublisher.onMetadataUpdate, ReplicaManager.applyDelta, from 2.8: one line per partition that a
    delta changes.
    """
    epoch, life = col("partition_epoch"), (*OF_DAY, "created")
    lives = own.with_columns(created=(col("step") == NAMED).cum_sum().over(OF_DAY))
    said = lives.with_columns(
        last_epoch=epoch.forward_fill().shift(1).over(life), said_at=col("at").shift(1).over(life)
    )
    skipping = said.filter((epoch > col("last_epoch") + 1).fill_null(value=False))
    return skipping.select(*NODE, "at", *PLACE, "said_at")


def states_by_brokers(lines: pl.DataFrame) -> pl.DataFrame:
    """What brokers print of partitions, in order, with their day (UTC)."""
    is_own = col("node_id").is_not_null() & col("step").is_in([NAMED, STATED])
    return lines.filter(is_own).sort(*NODE, "at", *PLACE).with_columns(day=col("at").dt.truncate("1d"))


def stops_before(told: pl.DataFrame) -> pl.DataFrame:
    """(STOP) before the lines of state_lines() that are late: from the line of the node before, whatever its topic."""
    at, silent_from_at = col("at"), col("silent_from_at")
    is_silence = at - silent_from_at >= A_SILENCE
    moments = (
        told.sort(*NODE, "at", *PLACE)
        .unique((*NODE, "at"), keep="first", maintain_order=True)
        .select(*NODE, "at", first_file_id="file_id", first_byte_offset="byte_offset")
        .with_columns(silent_from_at=at.shift(1).over(NODE))
        .with_columns(silence_from_at=when(is_silence).then(silent_from_at).forward_fill().over(NODE))
    )
    is_first = pl.all_horizontal(col(name) == col(f"first_{name}") for name in PLACE)
    is_between = (col("silence_from_at") >= col("said_at")).fill_null(value=False)
    since = when(is_between).then("silence_from_at").when(is_first).then(silent_from_at)
    return (
        told.filter("is_late")
        .join(moments, on=[*NODE, "at"])
        .with_columns(silent_from_at=since)
        .filter(silent_from_at < at)
        .select("cluster_id", "silent_from_at", broker_id="node_id", out_at="at", back_at="at")
        .select(STOP)
    )
