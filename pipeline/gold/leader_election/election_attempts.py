"""Attempts of controllers to give partitions leaders: which lines say so, and what of them others say."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.leader_election.election_lines import REMOVED, UPDATED
from pipeline.gold.leader_election.isr_removals import SOON, with_each_removal
from pipeline.gold.leader_election.leader_selectors import NOBODY
from pipeline.model.lines.acting import SEQ_BITS
from pipeline.model.partitions.controller_view import OWN
from pipeline.model.partitions.statements import SENT

EVENT = ("object", "event")
IN_EVENT = (*EVENT, "number")
# Of places within a term: a day in UTC.
DAY = 86_400_000 << SEQ_BITS
LINE = ("file_id", "byte_offset")
UNCLEAN = "elected_unclean"
UNCLEAN_NOTING = ("selector_unclean_elected", "partition_transition")


def attempted_elections(views: pl.DataFrame) -> pl.DataFrame:
    """One row per attempt, of states_held() with SAID: isr and leader_epoch that came of it, what was noted before
    it in the same event (said_selector, is_unclean_said, is_clean_said, note: the line of an unclean choice), and
    the target of a reassignment. isr_line: the line that stated the ISR last. how: move, removed or implied.

    Lines are columns of the names <name>_file_id and <name>_byte_offset. event: what the controller was doing, by its
    place; where no line tells, as of a term without controller.log, one for each day.
    """
    of_event, of_day = col("said_event_seq"), -(col("seq") // DAY)
    number = col("how").is_not_null().cum_sum().over("object")
    rows = (
        views.sort(*OWN, "seq")
        .with_columns(
            object=pl.struct(OWN).rle_id(), event=when(of_event > 0).then(of_event).otherwise(of_day)
        )
        .pipe(with_how)
        .with_columns(
            number=number,
            target=col("said_target").forward_fill().over(EVENT),
            **{f"isr_line_{name}": of_isr_before(f"said_{name}") for name in LINE},
        )
    )
    return (
        with_each_removal(rows)
        .join(what_was_sent(rows), on=IN_EVENT, how="left")
        .drop("said_selector")
        .join(what_was_noted(rows), on=IN_EVENT, how="left")
        .with_columns(
            isr=pl.coalesce("said_isr", "sent_isr"),
            leader_epoch=pl.coalesce("said_leader_epoch", "sent_leader_epoch"),
            is_unclean_said=col("is_unclean_said").fill_null(value=False),
            is_clean_said=col("is_clean_said").fill_null(value=False),
            # The request that implies a removal is the note of it.
            **{f"note_{name}": pl.coalesce(f"told_{name}", f"note_{name}") for name in LINE},
        )
    )


def of_isr_before(name: str) -> pl.Expr:
    """The value of the last line before that says an ISR."""
    return when(col("said_isr").is_not_null()).then(name).forward_fill().shift(1).over("object")


def what_was_sent(rows: pl.DataFrame) -> pl.DataFrame:
    """(IN_EVENT, sent_isr, sent_leader_epoch): of requests that tell what came of an attempt the first one counts."""
    is_telling = col("said_event").is_in(SENT) & col("said_leader_epoch").is_not_null()
    return (
        rows.filter(is_telling)
        .unique(IN_EVENT, keep="first", maintain_order=True)
        .select(*IN_EVENT, sent_isr="said_isr", sent_leader_epoch="said_leader_epoch")
    )


def what_was_noted(rows: pl.DataFrame) -> pl.DataFrame:
    """(IN_EVENT, said_selector, is_unclean_said, is_clean_said, note): what the lines since the attempt before and the
    line of the attempt itself note."""
    is_unclean = col("said_choice") == UNCLEAN
    is_noting = col("said_choice").is_not_null() | col("said_selector").is_not_null()
    return (
        rows.with_columns(number=col("number") + col("how").is_null().cast(pl.UInt32))
        .filter(is_noting)
        .sort("said_file_id", "said_byte_offset")
        .group_by(IN_EVENT)
        .agg(
            col("said_selector").max(),
            is_unclean_said=is_noted_unclean().any(),
            is_clean_said=is_noted_clean().any(),
            **{f"note_{name}": col(f"said_{name}").filter(is_unclean).first() for name in LINE},
        )
    )


def is_noted_unclean() -> pl.Expr:
    """The selector says that it went outside of the ISR (up to 1.0), or the state elected is to recover (from 3.2)."""
    return col("said_event").is_in(UNCLEAN_NOTING) & (col("said_choice") == UNCLEAN)


def is_noted_clean() -> pl.Expr:
    """The selector says that it chose from the ISR (up to 1.0)."""
    return (col("said_event") == "selector_isr_elected") & (col("said_choice") == "elected")


def with_how(rows: pl.DataFrame) -> pl.DataFrame:
    """how; said_before: how many lines before say a leader epoch.

    removed: a line says that a replica left the ISR; from 2.6 on it is written also where nothing changed, which is not
    known where leader epochs are left out before it.
    implied: up to 2.5 only the request after it tells.
    """
    is_said = col("said_leader_epoch").is_not_null()
    is_move = col("said_event") == "partition_transition"
    is_silent = is_move & ~is_said & (col("said_outcome") == "done")
    was_silent = when(is_silent).then(lit(value=True)).when(is_said).then(lit(value=False))
    numbered = rows.with_columns(
        said_before=(is_said.cum_sum() - is_said.cast(pl.UInt32)).over("object"),
        # Up to 1.0 the line of an election does not say its leader epoch.
        is_unsaid=was_silent.forward_fill().shift(1).over("object").fill_null(value=False),
    )
    rises = ((col("said_leader_epoch") > col("leader_epoch_before")) | col("is_unsaid")).fill_null(
        value=False
    )
    is_left_out = (col("said_leader_epoch") > col("leader_epoch_before") + 1).fill_null(value=False)
    is_removal = (col("said_event") == UPDATED) | ((col("said_event") == REMOVED) & rises & ~is_left_out)
    is_told = col("said_event").is_in(SENT) & rises & ~col("is_unsaid")
    gone_at = when(col("said_gone_id").is_not_null()).then("said_logged_at").forward_fill()
    since_gone = col("said_logged_at") - gone_at.over("object", "said_before")
    how = (
        when(col("said_from_state").is_not_null()).then(lit("move"))
        .when(is_removal).then(lit("removed"))
        .when(is_told & ((since_gone <= SOON) | is_isr_changed())).then(lit("implied"))
    )  # fmt: skip
    return numbered.with_columns(how=how)


def is_isr_changed() -> pl.Expr:
    """True if one election made the leader nobody, or took replicas from the ISR. Where a reassignment only raises the
    leader epoch, neither is so."""
    leader, leader_before = col("said_leader"), col("leader_before")
    is_gone = (leader == NOBODY) & (leader_before != NOBODY)
    is_shrunk = col("isr_before").list.set_difference("said_isr").list.len() > 0
    # What the first request of a term tells may be the work of a controller whose lines are missing.
    is_one = (col("said_leader_epoch") == col("leader_epoch_before") + 1) & (col("said_before") > 0)
    return (is_one & (is_gone | ((leader == leader_before) & is_shrunk))).fill_null(value=False)
