"""Pieces of client impact: what one event does to one partition, before audiences are told apart."""

from collections.abc import Mapping
from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.stretches import TIME
from pipeline.model.partitions.service_parts import whole_intervals
from pipeline.model.partitions.statements import PARTITION

LINE = ("file_id", "byte_offset")
# Of lines at one time the order in which they are taken.
FIRST_LINE = ("line_at", "broker_id", *(f"line_{name}" for name in LINE))
BOUNDS = ("from_at", "from_latest_at", "until_earliest_at", "until_at")
PIECE: Mapping[str, pl.DataType] = {
    "cluster_id": pl.String(),
    "topic": pl.String(),
    "topic_life": pl.Int32(),
    "partition": pl.Int32(),
    "kind": pl.String(),
    **dict.fromkeys(BOUNDS, TIME),
    "root_event": pl.String(),
    "root_broker_id": pl.Int32(),
    "root_at": TIME,
    "refused_count": pl.Int64(),
    "isr": pl.List(pl.Int32()),
    "min_isr": pl.Int32(),
    "certainty": pl.String(),
    "file_id": pl.String(),
    "byte_offset": pl.Int64(),
    "end_file_id": pl.String(),
    "end_byte_offset": pl.Int64(),
    "confirmed_by": pl.String(),
}
# In KRaft any node may print a change first: a leader's own line is so much earlier at most.
EARLIER = timedelta(seconds=3)
# A line of a leader that comes later than this is about something else.
LATER = timedelta(seconds=60)
# So long a partition may wait for a leader that says that it leads; after that no line tells since when it is served.
LONGEST = timedelta(minutes=10)


@needs_rows_of("rows")
def as_pieces(rows: pl.DataFrame, **columns: pl.Expr | str) -> pl.DataFrame:
    """Rows with the columns of a piece, null where neither they nor `columns` have them; bounds in order."""
    named = rows.with_columns(
        **{name: col(one) if isinstance(one, str) else one for name, one in columns.items()}
    )
    missing = [lit(None, kind).alias(name) for name, kind in PIECE.items() if name not in named.columns]
    from_at, end = col("from_at"), col("until_earliest_at")
    return (
        named.with_columns(*missing)
        .select(col(name).cast(kind) for name, kind in PIECE.items())
        .with_columns(isr=when(col("kind") == "below_min_isr").then("isr"))
        .with_columns(from_latest_at=pl.max_horizontal(from_at, pl.min_horizontal("from_latest_at", end)))
        .with_columns(until_earliest_at=when(end.is_not_null()).then(pl.max_horizontal(end, from_at)))
        .with_columns(until_at=when(col("until_at").is_not_null()).then(pl.max_horizontal("until_at", end)))
    )


def known_states(partition_timeline: pl.DataFrame) -> pl.DataFrame:
    """Intervals of partitions in order, each with its first line (LINE), who leads next (next_leader, next_epoch,
    since next_at, next_<LINE>: the first later interval of that life with another leader, or with one after none) and
    who led before (old_leader, at once); ended_<LINE>: the first line of the next interval; doubt_at: since when
    nothing is known for certain; life_ended_at: when its last interval ended, null: it goes on."""
    first = col("evidence").list.first().struct
    led = col("leader") >= 0
    intervals = (
        whole_intervals(partition_timeline)
        .select(
            *(*PARTITION, "interval_seq", "valid_from_at", "valid_until_at", "leader", "leader_epoch", "isr"),
            *("is_isr_stale", "is_deleting", "certainty"),
            **{name: first.field(name) for name in LINE},
        )
        .sort(*PARTITION, "interval_seq")
    )
    here = {
        "next_leader": "leader",
        "next_epoch": "leader_epoch",
        "next_at": "valid_from_at",
        **{f"next_{name}": name for name in LINE},
    }
    old = col("leader").shift(1).over(PARTITION)
    begins = led & old.ne_missing(col("leader"))
    is_doubtful = col("leader").is_null() | (col("certainty") == "undetermined")
    doubt_at = when(is_doubtful).then("valid_from_at").shift(-1).backward_fill().over(PARTITION)
    following = {
        new: when(begins.fill_null(value=False)).then(name).shift(-1).backward_fill().over(PARTITION)
        for new, name in here.items()
    }
    return intervals.with_columns(
        **following,
        doubt_at=doubt_at,
        old_leader=old,
        **{f"ended_{name}": col(name).shift(-1).over(PARTITION) for name in LINE},
        life_ended_at=col("valid_until_at").last().over(PARTITION),
    )


def broker_lines(replica_offset: pl.DataFrame, states: pl.DataFrame, step: str) -> pl.DataFrame:
    """(PARTITION, broker_id, leader_epoch, line_at, line_<LINE>) of the lines in which brokers say that they lead (step
    leads) or follow, with the life of the topic that was so by then."""
    said = replica_offset.filter(col("step") == step).select(
        *("cluster_id", "topic", "partition", "broker_id", "leader_epoch"),
        line_at="logged_at",
        **{f"line_{name}": name for name in LINE},
        reach_at=col("logged_at") + EARLIER,
    )
    lives = states.select("cluster_id", "topic", "partition", "topic_life", reach_at="valid_from_at")
    by = ["cluster_id", "topic", "partition"]
    return (
        said.sort("reach_at")
        .join_asof(lives.sort("reach_at"), on="reach_at", by=by, check_sortedness=False)
        .filter(col("topic_life").is_not_null())
        .drop("reach_at")
    )


def with_line_of(
    rows: pl.DataFrame, lines: pl.DataFrame, broker: str, epoch: str | None, since: pl.Expr
) -> pl.DataFrame:
    """Rows with the first line (line_at, line_<LINE>) of that broker about that leader epoch of the partition, None: of
    any, from `since` on, LATER at most; null: there is none."""
    by = [*PARTITION, "asked_id", *(["asked_epoch"] if epoch else [])]
    asked = rows.with_columns(asked_at=since, asked_id=col(broker), asked_epoch=col(epoch or "partition"))
    near = lines.rename({"broker_id": "asked_id", "leader_epoch": "asked_epoch"}).drop(
        [] if epoch else ["asked_epoch"]
    )
    found = asked.sort("asked_at").join_asof(
        near.with_columns(asked_at="line_at").sort("asked_at", "line_file_id", "line_byte_offset"),
        on="asked_at",
        by=by,
        strategy="forward",
        tolerance=LATER,
        check_sortedness=False,
    )
    return found.drop("asked_at", "asked_id", "asked_epoch")


def with_served(rows: pl.DataFrame, leads: pl.DataFrame, epoch: str, since: str) -> pl.DataFrame:
    """Rows with the first line (line_at, line_epoch, line_<LINE>) of any leader of that epoch of the partition or of a
    later one, LONGEST after `since` at most: who was elected may be dead, too. Null: there is none, or the epoch is not
    known."""
    names = ("line_at", "line_epoch", *(f"line_{name}" for name in LINE))
    first = (
        leads.with_columns(line_epoch="leader_epoch")
        .sort(FIRST_LINE)
        .unique([*PARTITION, "leader_epoch"], keep="first", maintain_order=True)
        .sort("leader_epoch", descending=True)
        .with_columns(first_at=col("line_at").cum_min().over(PARTITION))
        .filter(col("line_at") == col("first_at"))
        .sort("leader_epoch")
        .select(*PARTITION, *names, asked_epoch="leader_epoch")
    )
    asked = rows.with_columns(asked_epoch=col(epoch))
    known, unknown = (
        asked.filter(one) for one in (col("asked_epoch").is_not_null(), col("asked_epoch").is_null())
    )
    found = known.sort("asked_epoch").join_asof(
        first, on="asked_epoch", by=list(PARTITION), strategy="forward", check_sortedness=False
    )
    is_near = (col("line_at") <= col(since) + LONGEST).fill_null(value=False)
    near = found.with_columns(when(is_near).then(name).alias(name) for name in names)
    return pl.concat([near, unknown], how="diagonal").drop("asked_epoch")
