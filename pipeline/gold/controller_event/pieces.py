"""Which lines of a controller are of which piece of its work, in ZooKeeper mode."""

from datetime import timedelta
from functools import reduce

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.kafka.wording.work import kinds_of_work, lines_of_other_threads, work_lines

TERM = ("cluster_id", "term_id")
PIECE = (*TERM, "work_seq")
LINE = ("cluster_id", "file_id", "byte_offset")
# Of a line of a controller what tells of its piece.
OF_CONTROLLER = (
    *(*TERM, "seq", "controller_id", "log", "level", "event", "logged_at", "ordered_at", "cause", "file_id"),
    "byte_offset",
)
SAID = ("part", "kind", "occasion", "asked_by", "subject", "subject_count", "has_end")
# Of the line that begins a piece.
OPENED = ("kind", "ordered_at", *SAID[2:])
# No piece of work is looked at for longer, and none is put together of lines that are further apart.
LONGEST = timedelta(hours=1)
# Nor are lines with so long a silence between them, unless the later one says the end: lines may be missing.
MOST_SILENT_MS = 5_000
# A line that may begin a piece is a step of the one before it only so soon after its last line.
NEAR_MS = 200
# Of a kind that prints no end (BrokerChange up to 2.1): what its own thread prints follows at once.
AT_ONCE_MS = 1
# Two logs of one controller are out of order by so much.
TIE = timedelta(milliseconds=12)
# Where lines below INFO are printed whatever the thread begins has a line: after a silence the same piece goes on.
BELOW_INFO = ("DEBUG", "TRACE")
AUTOMATIC = "automatic rebalance"
ELECTION, RATIO = "preferred_election_started", "imbalance_ratio"
CHECK, STARTUP, BROKER_CHANGE = "AutoPreferredReplicaLeaderElection", "Startup", "BrokerChange"
# Rounds in which joining lines are decided: each decides at least one more line in a row.
ROUNDS = 8


# Of a line of a piece.
OF_LINE = (
    *(*PIECE, "seq", "controller_id", "event", "logged_at", "file_id", "byte_offset", "gap_ms", "end_at"),
    *(
        "is_end",
        "is_followed",
        "is_told_finely",
        "is_before_end",
        "is_silent",
        "opened_kind",
        "opened_occasion",
    ),
    *("opened_asked_by", "opened_subject", "opened_subject_count"),
)


def lines_of_pieces(controller_line: pl.LazyFrame, controller_work: pl.DataFrame) -> pl.DataFrame:
    """Lines of controllers that are of a piece of work, in order (OF_LINE).

    work_seq: the seq of its first line; opened_kind and so on: what that line says, opened_subject on that line alone;
    gap_ms: the time since the line before.
    """
    other_threads = sorted(lines_of_other_threads())
    parts = controller_work.filter(col("part") != "says").select(*LINE, *SAID)
    lines = (
        controller_line.filter(~col("event").is_in(other_threads))
        .select(OF_CONTROLLER)
        .join(parts.lazy(), on=LINE, how="left")
        .sort(*TERM, "seq")
        # A number for each term groups faster than its names; rows are in order.
        .with_columns(term_no=pl.struct(TERM).rle_id())
        .with_columns(gap_ms=col("ordered_at").diff().dt.total_milliseconds().over("term_no"))
        .collect(engine="in-memory")
    )
    opened = opening_lines(lines).select(
        *TERM, "seq", *(col(name).alias(f"opened_{name}") for name in OPENED)
    )
    held = when(col("opened_kind").is_not_null()).then("seq").forward_fill().over("term_no")
    of_first_line = opened.rename({"seq": "work_seq", "opened_ordered_at": "opened_at"})
    opens = opened.select(*TERM, "seq", "opened_kind").lazy()
    numbered = (
        lines.lazy()
        .drop(SAID[2:])
        .join(opens, on=[*TERM, "seq"], how="left", maintain_order="left")
        .with_columns(work_seq=held)
        .drop("opened_kind")
        .filter(col("work_seq").is_not_null())
        .join(of_first_line.lazy(), on=[*TERM, "work_seq"], how="left", maintain_order="left")
        .with_columns(when(col("seq") == col("work_seq")).then("opened_subject"))
    )
    return lines_before_end(numbered).select(OF_LINE).collect(engine="in-memory")


@needs_rows_of("lines")
def opening_lines(lines: pl.DataFrame) -> pl.DataFrame:
    """Of lines in order those that begin a piece.

    What joins stands in the piece before it, if its kind says so and nothing has ended that; else it begins one.
    """
    # Up to 2.3 no line says who asks: an election of no partitions takes over the cause of what is before it.
    is_of_check = col("occasion").is_null() | (col("event").shift(1).over("term_no") == RATIO)
    is_own = (col("cause") == AUTOMATIC) & is_of_check.fill_null(value=False)
    is_own_election = (col("event") == ELECTION) & (col("asked_by") == "AutoTriggered").fill_null(is_own)
    work = lines.with_columns(kind=when(is_own_election).then(lit(CHECK)).otherwise("kind")).filter(
        col("part").is_not_null()
    )
    work = work.with_columns(
        is_after_own=(col("kind").shift(1).over("term_no") == col("kind")),
        part_before=col("part").shift(1).over("term_no"),
    )
    is_start_line = (col("kind") == STARTUP) & ~col("is_after_own").fill_null(value=False)
    work = work.with_columns(
        is_hard=(col("part") == "opens") | ((col("part") == "joins") & is_start_line),
        is_joining=(col("part") == "joins") & ~is_start_line,
    ).pipe(with_printed_end)
    opens = work["is_hard"] | work["is_joining"]
    for _ in range(ROUNDS):
        found = work.with_columns(opens=opens).pipe(with_piece_before)
        nested = found.select(is_nested_line())["is_nested"]
        following = work["is_hard"] | (work["is_joining"] & ~nested)
        if following.equals(opens):
            break
        opens = following
    return work.filter(opens)


def with_printed_end(work: pl.DataFrame) -> pl.DataFrame:
    """is_end_printed: a line says the end of the piece that was surely begun last."""
    number = col("is_hard").cum_sum().over("term_no")
    kind = when("is_hard").then("kind").forward_fill().over("term_no")
    is_its_end = (col("part") == "ends") & (col("kind") == kind)
    return work.with_columns(number=number, is_its_end=is_its_end.fill_null(value=False)).with_columns(
        is_end_printed=col("is_its_end").any().over("term_no", "number")
    )


def with_piece_before(work: pl.DataFrame) -> pl.DataFrame:
    """kind_open, at_open: the piece begun last before the line; is_over: its end has been said."""
    opened = work.with_columns(
        kind_opened=when("opens").then("kind"),
        opened_at=when("opens").then("ordered_at"),
        ended_seq=when(col("part") == "ends").then("seq"),
        opened_seq=when("opens").then("seq"),
    )
    before = {
        "kind_open": "kind_opened", "at_open": "opened_at", "seq_open": "opened_seq", "seq_ended": "ended_seq"
    }  # fmt: skip
    held = [col(of).forward_fill().shift(1).over("term_no").alias(name) for name, of in before.items()]
    return opened.with_columns(held).with_columns(
        is_over=(col("seq_ended") > col("seq_open")).fill_null(value=False)
    )


def is_nested_line() -> pl.Expr:
    """True for lines that are a step of the piece that goes on, by nests_in of work.tsv."""
    kind_open, gap = col("kind_open"), col("gap_ms").fill_null(0)
    has_end = kind_open.is_in(kinds_of_work("ends"))
    is_near = (
        when((kind_open == STARTUP) | (has_end & col("is_end_printed")))
        .then(lit(value=True))
        .when(kind_open == BROKER_CHANGE)
        .then(gap <= AT_ONCE_MS)
        .otherwise(gap <= NEAR_MS)
    )
    is_recent = (col("ordered_at") - col("at_open")) <= LONGEST
    may_nest = reduce(
        lambda found, one: found | ((col("event") == one.event) & kind_open.is_in(one.nests_in)),
        (one for one in work_lines() if one.part == "joins"),
        lit(value=False),
    )
    # Its first line has the same kind, and nothing stands between the two.
    is_second = (kind_open == col("kind")) & (col("part_before") == "opens") & col("is_after_own")
    is_own_kind = when(col("event") == "imbalance_check").then(is_second).otherwise(lit(value=True))
    is_of_check = (col("kind") == CHECK) & (kind_open == CHECK)
    is_of_start = (kind_open == STARTUP) & ~col("is_over")
    nested = (
        when(col("event") == ELECTION)
        .then(is_of_check | is_of_start)
        .otherwise(may_nest & is_own_kind & is_near & ~(has_end & col("is_over")))
    )
    return (nested & is_recent & col("is_joining")).fill_null(value=False).alias("is_nested")


def lines_before_end(lines: pl.LazyFrame) -> pl.LazyFrame:
    """Of the lines since a piece began those that are its own: up to its end, where a line says it; else as long as no
    silence parts them. A short silence does not where lines below INFO are printed and the kind prints no end; one in
    which a file of the log ended always does, as another file may be missing between the two."""
    is_end = (col("part") == "ends") & (col("kind") == col("opened_kind"))
    is_fine = col("level").is_in(BELOW_INFO) & (col("log") == "controller")
    fine_at = when(is_fine).then("ordered_at").forward_fill().over("term_no")
    following_at = col("ordered_at").shift(-1).over("term_no")
    is_told_finely = (col("ordered_at") - fine_at <= LONGEST).shift(1).over("term_no").fill_null(value=False)
    other_file = (col("file_id") != col("file_id").shift(1).over("term_no", "log")).fill_null(value=False)
    most_silent = when(col("is_told_finely") & ~col("opened_has_end")).then(MOST_SILENT_MS)
    return (
        lines.with_columns(
            is_end=is_end.fill_null(value=False),
            is_followed=(following_at - col("ordered_at") <= LONGEST).fill_null(value=False),
            piece=(col("seq") == col("work_seq")).cum_sum(),
            is_told_finely=is_told_finely,
            is_other_file=other_file,
            gap_ms=when(col("seq") != col("work_seq")).then("gap_ms"),
        )
        .with_columns(
            # A number for what (cluster_id, term_id, work_seq) name, which groups faster; rows are in order.
            end_at=when("is_end").then("ordered_at").min().over("piece"),
            end_seq=when("is_end").then("seq").min().over("piece"),
        )
        .with_columns(is_before_end=(col("seq") <= col("end_seq")).fill_null(value=False))
        .with_columns(
            is_silent=(col("gap_ms") > NEAR_MS).fill_null(value=False),
            is_parted=(col("gap_ms") > most_silent.otherwise(NEAR_MS)) & ~col("is_before_end"),
        )
        .with_columns(
            is_parted=col("is_parted").fill_null(value=False) | (col("is_silent") & col("is_other_file"))
        )
        .with_columns(is_apart=col("is_parted").cum_max().over("piece"))
        .filter(
            ~col("is_apart"),
            col("ordered_at") - col("opened_at") <= LONGEST,
            (col("ordered_at") <= col("end_at") + TIE).fill_null(value=True),
        )
    )
