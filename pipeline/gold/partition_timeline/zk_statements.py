"""What controllers state of partitions in ZooKeeper mode, line by line, and what it tells of lines that are missing."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.partial import by_topic
from pipeline.core.span import Span
from pipeline.gold.partition_timeline.leader_writes import in_writing_order, leader_writes, with_writes
from pipeline.model.lines.acting import SEQ_BITS
from pipeline.model.partitions.said_offline import STARTED, is_news, offline_statements
from pipeline.model.partitions.service import NEW
from pipeline.model.partitions.service_parts import whole_intervals
from pipeline.model.partitions.statements import (
    LAST,
    PARTITION,
    TRACKED,
    partition_statements,
    partitions_known_before,
)
from pipeline.model.partitions.topic_lives import GONE, PARTITION_ORDER
from pipeline.model.terms.missing_moves import EPOCH_JUMP
from pipeline.model.terms.missing_terms import DOUBTS, UNDETERMINED, jumps_of_statements
from pipeline.model.terms.succession import half_read

KEPT = ("state", "leader")
ZOOKEEPER = "zookeeper"
LINE = ("file_id", "byte_offset")
INFERRED = "inferred"
PLACE = ("controller_epoch", "seq", "event_seq", "term_id")


@by_topic
def zk_statement(  # noqa: PLR0913, PLR0917 - as the kernel, which takes them all
    leader_and_isr: pl.DataFrame,
    partition_transition: pl.DataFrame,
    assignment: pl.DataFrame,
    topic_event: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    wording_seen: pl.DataFrame,
    state_dump: pl.DataFrame,
    deletion_before: pl.DataFrame,
    timeline_before: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """Statements of partitions (statements.statements), and what leaders write (leader_writes), but for those that are
    stale or say nothing new; the last interval of each partition that began before the span is one. No column where
    ZooKeeper mode never was.
    """
    if ZOOKEEPER not in set(term["mode"]):
        return pl.DataFrame()
    last = last_partition_intervals(whole_intervals(timeline_before))
    lines = (leader_and_isr, partition_transition, assignment, topic_event, controller_line, term)
    known, offline = partitions_known_before(last, span), offline_statements(partition_transition, state_dump)
    lived = partition_statements(*lines, deletion_before, known, offline)
    return (
        pl.concat([lived, seed_statements(last, term, span)], how="diagonal")
        .pipe(with_writes, leader_writes(leader_and_isr, wording_seen, span), term)
        .pipe(with_partition_number)
        .pipe(without_stale)
        .pipe(in_writing_order, is_read="server" in wording_seen["log"])
        .pipe(without_known)
        .drop("partition_no")
    )


def epoch_jump(zk_statement: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, era, day, is_end, since_at, until_at) of missing_moves.epoch_jumps: what partitions of one topic
    tell of lines that are missing holds for all."""
    if not zk_statement.columns:
        return pl.DataFrame(schema=EPOCH_JUMP)
    return jumps_of_statements(zk_statement, term)


def last_partition_intervals(timeline_before: pl.DataFrame) -> pl.DataFrame:
    """The last interval of each partition of ZooKeeper mode."""
    in_turn = timeline_before.filter(col("topic_id").is_null()).sort("interval_seq")
    return in_turn.unique(PARTITION, keep="last", maintain_order=True)


@needs_rows_of("last")
def seed_statements(last: pl.DataFrame, term: pl.DataFrame, span: Span) -> pl.DataFrame:
    """The last interval of each partition before the span as a statement; if it ended by then, its end as another."""
    line = col("evidence").list.first().struct
    place = (
        "controller_epoch",
        "seq",
        "event_seq",
        "term_id",
        line.field("file_id"),
        line.field("byte_offset"),
    )
    # An assignment that is stale under a leader that is certain, or of whose controller no moves are read: it may still
    # state it.
    is_of_half_read = col("term_id").is_in(half_read(term)["term_id"].implode())
    is_known = ((col("certainty") != UNDETERMINED) | is_of_half_read).cast(pl.Int32)
    begun = last.select(
        *PARTITION,
        *TRACKED,
        *place,
        "partition_epoch",
        at="valid_from_at",
        first_seq="interval_seq",
        was_counted=col("certainty") == INFERRED,
        is_of_write=is_of_write(),
        **{f"isr_{name}": col("isr_evidence").list.first().struct.field(name) for name in LINE},
        **{
            DOUBTS["leader_epoch"]: when(col("certainty") == UNDETERMINED).then("controller_epoch"),
            DOUBTS["replicas"]: when("is_assignment_stale").then(col("controller_epoch") - is_known),
        },
    )
    is_over = span.before("valid_until_at")
    # The last interval may have ended in the instant in which it began.
    ended = (
        last.filter(is_over)
        .select(*PARTITION, *place, at="valid_until_at", state=lit(GONE), event="ended_by")
        .with_columns(controller_epoch=lit(LAST, pl.Int32))
    )
    return pl.concat([begun, ended], how="diagonal")


def is_of_write() -> pl.Expr:
    """True of an interval that began as its leader wrote the ISR: its line states the ISR, no event of a controller is
    its own, and its place is that of a statement before it."""
    is_own_line = col("isr_evidence").list.first() == col("evidence").list.first()
    stated_ms = col("seq") // (1 << SEQ_BITS)
    is_later = col("valid_from_at").dt.epoch("ms") > stated_ms
    return (is_own_line & (col("event_seq") == 0) & is_later).fill_null(value=False)


def with_partition_number(lived: pl.DataFrame) -> pl.DataFrame:
    """partition_no: a number of each partition, as names take four times as long to sort by."""
    partitions = lived.select(PARTITION).unique().with_row_index("partition_no")
    return lived.join(partitions, on=PARTITION)


def without_stale(lived: pl.DataFrame) -> pl.DataFrame:
    """Statements but for those with a lower leader epoch than one of the partition before them, since it was New, or a
    controller of a later epoch stated it anew: it reads what is in ZooKeeper, and the topic was deleted and created
    again in lines that are missing."""
    in_turn = lived.sort("partition_no", *PARTITION_ORDER)
    names = ("leader_epoch", "partition_epoch", "controller_epoch")
    of_leaders = {name: when(col("leader_epoch").is_not_null()).then(name) for name in names}
    before = {
        name: said.cum_max().forward_fill().shift(1).over("partition_no") for name, said in of_leaders.items()
    }
    is_lower = (col("leader_epoch") < before["leader_epoch"]) & (
        col("partition_epoch") < before["partition_epoch"]
    )
    is_later = col("controller_epoch") > before["controller_epoch"]
    is_stated_anew = (is_lower & is_later).fill_null(value=False)
    lives = in_turn.with_columns(born=(is_new() | is_stated_anew).cum_sum().over("partition_no"))
    highest_before = col("leader_epoch").cum_max().forward_fill().shift(1).over("partition_no", "born")
    is_current = (col("leader_epoch") >= highest_before).fill_null(value=True)
    return lives.filter(is_current).drop("born")


def is_new() -> pl.Expr:
    """Leader epochs begin anew, also where nothing tells that its topic was deleted before."""
    return (col("state") == NEW).fill_null(value=False)


def without_known(lived: pl.DataFrame) -> pl.DataFrame:
    """Statements, sorted as without_stale leaves them, but for those of a start that say nothing new."""
    of_start = lived.filter(col("event") == STARTED).select("partition_no").unique()
    asked = lived.join(of_start, on="partition_no", how="semi", maintain_order="left")
    before = {f"{name}_before": col(name).forward_fill().shift(1).over("partition_no") for name in KEPT}
    told = asked.with_columns(**before).filter(is_news()).drop(before)
    return pl.concat([lived.join(of_start, on="partition_no", how="anti"), told])
