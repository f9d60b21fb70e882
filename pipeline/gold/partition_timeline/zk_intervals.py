"""Who led which partition when in ZooKeeper mode: from what controllers state line by line."""

import polars as pl
from polars import col, lit, when

from pipeline.core.span import Span
from pipeline.gold.partition_timeline.leader_writes import (
    in_writing_order,
    is_followed_unseen,
    with_stale_isr,
    with_writes,
)
from pipeline.model.lines.acting import SEQ_BITS
from pipeline.model.partitions.said_offline import OFFLINE, STARTED, is_news
from pipeline.model.partitions.service import NEW
from pipeline.model.partitions.statements import LAST, PARTITION, TRACKED
from pipeline.model.partitions.topic_lives import GONE, PARTITION_ORDER
from pipeline.model.terms.missing_terms import (
    DOUBTS,
    LED,
    ORDER_WITH_DOUBT,
    UNDETERMINED,
    in_doubt,
    is_known_offline,
    with_doubt_rows,
)
from pipeline.model.terms.succession import half_read

KEPT = ("state", "leader")
LINE = ("file_id", "byte_offset")
INFERRED = "inferred"
PLACE = ("controller_epoch", "seq", "event_seq", "term_id")


def zk_intervals(
    lived: pl.DataFrame,
    writes: pl.DataFrame,
    last: pl.DataFrame,
    term: pl.DataFrame,
    wording_seen: pl.DataFrame,
    chances: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """One row per interval of a partition in ZooKeeper mode in which nothing known of it changed.

    lived: statements.statements. writes: leader_writes.leader_writes. last: the last interval of each partition that
    began before the span. chances: of missing_terms.election_chances.
    """
    return (
        pl.concat([lived, seed_statements(last, term, span)], how="diagonal")
        .pipe(with_writes, writes, term)
        .pipe(with_partition_number)
        .pipe(without_stale)
        .pipe(in_writing_order, is_read="server" in wording_seen["log"])
        .pipe(without_known)
        .pipe(with_doubt_rows, term, chances, span)
        .pipe(fill_known_statements)
        .pipe(intervals_of_statements)
        .pipe(with_stale_isr, term, wording_seen)
    )


def last_partition_intervals(timeline_before: pl.DataFrame) -> pl.DataFrame:
    """The last interval of each partition of ZooKeeper mode."""
    in_turn = timeline_before.filter(col("topic_id").is_null()).sort("interval_seq")
    return in_turn.unique(PARTITION, keep="last", maintain_order=True)


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


def fill_known_statements(lived: pl.DataFrame) -> pl.DataFrame:
    """Each statement with all that is known after it; an Offline partition keeps the leader that Kafka keeps, but for
    one that was in doubt: who led it before nobody knows then; nor has one that is New a leader of before.
    isr_<LINE>: the line that stated the ISR first, after another or an unknown one, or another write; is_isr_counted:
    it says what its leader meant to write."""
    in_turn = lived.sort("partition_no", *ORDER_WITH_DOUBT)
    anew = (is_known_offline("partition_no") | is_new()).cum_sum().over("partition_no")
    since_known = ("partition_no", "known_anew")
    known = in_turn.with_columns(known_anew=anew).with_columns(
        col(name for name in TRACKED if name not in LED).forward_fill().over("partition_no"),
        col(*LED, "partition_epoch").forward_fill().over(since_known),
        is_in_doubt=in_doubt("leader_epoch", since_known),
        is_assignment_doubted=in_doubt("replicas", "partition_no"),
        is_state_doubted=in_doubt("state", "partition_no"),
    )
    # Who leads is stated anew, and that it is Offline is not.
    is_offline_of_before = ~col("is_in_doubt") & col("is_state_doubted") & (col("state") == OFFLINE)
    known = known.with_columns(state=when(~is_offline_of_before.fill_null(value=False)).then("state"))
    is_other = (
        col(name).ne_missing(col(name).shift(1).over("partition_no")) for name in ("isr", "partition_epoch")
    )
    is_other_isr = pl.any_horizontal("is_unseen", *is_other)
    said: dict[str, pl.Expr] = {
        f"isr_{name}": when(is_other_isr).then(pl.coalesce(f"isr_{name}", name)) for name in LINE
    }
    is_counted = when(is_other_isr).then(pl.coalesce("was_counted", "is_counted"))
    # What is undetermined says no more than that on the next day.
    said |= {"is_isr_counted": when("is_in_doubt").then(lit(value=False)).otherwise(is_counted)}
    return known.with_columns(
        one.forward_fill().over("partition_no").alias(name) for name, one in said.items()
    )


def intervals_of_statements(lived: pl.DataFrame) -> pl.DataFrame:
    """One row per statement that changes what is known, but for those after which the partition is gone.

    A doubt has the place of the last statement if that is of the same day (UTC), else that of the interval before it:
    of the days before nothing is told of statements that only repeat what is known. What a leader writes has the place
    of the interval before it, too. Neither is a controller's event: event_seq is 0.
    """
    known = ("partition_no", *TRACKED, "partition_epoch", "is_in_doubt", "is_assignment_doubted")
    is_new = pl.any_horizontal("is_unseen", *(col(name).ne_missing(col(name).shift(1)) for name in known))
    has_isr = col("isr").is_not_null() & col("isr_file_id").is_not_null()
    isr_line = pl.concat_list(pl.struct(file_id="isr_file_id", byte_offset="isr_byte_offset"))
    counted = (col("first_seq").max().over("partition_no") - 1).fill_null(0)
    return (
        lived.filter(is_new)
        .with_columns(
            when(col("has_place") & ~col("is_doubt")).then("event_seq").otherwise(0).alias("event_"),
            when("has_place").then(col(PLACE)).forward_fill().over("partition_no"),
            when("has_line").then(col(LINE)).forward_fill().over("partition_no"),
        )
        .with_columns(
            is_followed_unseen=is_followed_unseen(),
            valid_until_at=col("at").shift(-1).over("partition_no"),
            ended_by=col("event").shift(-1).over("partition_no"),
        )
        .filter(col("state").ne_missing(GONE))
        .with_columns(
            interval_seq=col("at").cum_count().over("partition_no").cast(pl.Int64) + counted,
            valid_from_at="at",
            event_seq="event_",
            is_deleting=col("is_deleting").fill_null(value=False),
            is_assignment_stale=when(col("replicas").is_not_null()).then("is_assignment_doubted"),
            certainty=interval_certainty(),
            evidence=pl.concat_list(pl.struct(LINE)),
            isr_evidence=when(has_isr).then(isr_line),
        )
    )


def interval_certainty() -> pl.Expr:
    is_counted = col("is_isr_counted").fill_null(value=False)
    return (
        when("is_in_doubt")
        .then(lit(UNDETERMINED))
        .when(is_counted)
        .then(lit(INFERRED))
        .otherwise(lit("proved"))
    )
