"""Times without a leader of a KRaft quorum that votes asked for in vain tell of, in server.log alone from 4.0 on."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.span_join import rows_in_spans
from pipeline.core.stretches import TIME
from pipeline.model.lines.evidence import NO_LINES
from pipeline.rules.shared.quorum_epochs import STILL_MS
from pipeline.rules.shared.quorum_votes import ASKED, IN_TURN, MAJORITY_LOST, REFUSED, listed_voters
from pipeline.rules.shared.wording import epoch_millis

TERM = ("cluster_id", "term_id")
# A leader that hears from no majority says so, and resigns at once.
BEFORE_END = timedelta(seconds=5)
LEAST_ASKED = 2
PROCESS_END = "process_end"
# What only a controller in office does.
ACTS = ("failover", "error")


@needs_rows_of("signs")
def gaps_of_terms(
    signs: pl.DataFrame, controller_term: pl.DataFrame, process_run: pl.DataFrame, data_end: pl.DataFrame
) -> pl.DataFrame:
    """Of each KRaft term that ended the votes asked for in vain right before the next election, or at the end:
    since_at, over_at, over_line, begin_line, last_line, last_at, is_begun (the leader said that it lost its majority).

    Of a controller whose process ended the end is not known, only that it is behind its last line. There votes that
    others refused are no sign: they may have heard the leader that the one who asked did not.
    """
    end_at = pl.min_horizontal("ended_at", "vacant_from_at")
    ended = (
        controller_term.filter(col("mode") == "kraft", end_at.is_not_null())
        .join(data_end.select("cluster_id", "until_at"), on="cluster_id")
        .select(
            *(*TERM, "mode", "controller_id", "controller_epoch", "until_at"),
            is_bound=(col("ended_how") == PROCESS_END).fill_null(value=False),
            end_at=end_at,
            begin_at=end_at - BEFORE_END,
            vacant_at="vacant_from_at",
            vacant_line=col("lines").map.get("vacant").fill_null(NO_LINES),
            elected_line=col("lines").map.get("elected").fill_null(NO_LINES),
            over_at="superseded_at",
            over_line=pl.concat_list(
                col("lines").map.get("next_elected").fill_null(NO_LINES), "next_state_line"
            ),
            to_at=pl.coalesce("superseded_at", "until_at"),
        )
    )
    is_own = (col("step") == MAJORITY_LOST) & (col("node_id") == col("controller_id"))
    told = rows_in_spans(
        ended.pipe(with_last_life, process_run),
        signs,
        ["cluster_id"],
        ("begin_at", "to_at"),
        "at",
        closed="both",
    )
    is_behind = col("at") >= pl.max_horizontal("end_at", "alive_at")
    is_sign = ~(col("is_bound") & (col("step") == REFUSED))
    return told.filter((is_behind | is_own) & is_sign).pipe(last_chain, TERM)


def with_last_life(ended: pl.DataFrame, process_run: pl.DataFrame) -> pl.DataFrame:
    """alive_at: the last line in server.log of a controller whose process ended before the next one's start; null:
    none."""
    runs = process_run.select(
        "cluster_id",
        controller_id="node_id",
        run_from_at=pl.coalesce("started_at", "first_line_at"),
        run_last_at="last_line_at",
    )
    is_after = col("is_bound") & (col("run_last_at") >= col("end_at"))
    return (
        ended.sort("end_at")
        .join_asof(
            runs.sort("run_from_at"), left_on="end_at", right_on="run_from_at",
            by=["cluster_id", "controller_id"], check_sortedness=False,
        )
        .with_columns(alive_at=when(is_after).then(pl.min_horizontal("run_last_at", "to_at")))
        .drop("run_from_at", "run_last_at")
        .sort(TERM)
    )  # fmt: skip


@needs_rows_of("signs")
def gaps_at_end(
    signs: pl.DataFrame,
    said: pl.DataFrame,
    states: pl.DataFrame,
    controller_step: pl.DataFrame,
    data_end: pl.DataFrame,
) -> pl.DataFrame:
    """The same of clusters in which nobody was heard to lead since, with no line of the end of a term: half of the
    voters or more ask, or all that print, are not refused, and no other controller acts. said, states: who was heard to
    lead, as quorum_epochs.heard and quorum_states.led_states have it."""
    led = (
        pl.concat([one.select("cluster_id", "at", "is_led") for one in (said, states)])
        .filter("is_led")
        .group_by("cluster_id")
        .agg(led_at=col("at").max())
    )
    later = (
        signs.filter(col("step") != REFUSED)
        .join(led, on="cluster_id", how="left")
        .filter((col("at") > col("led_at")).fill_null(value=True))
    )
    printing = signs.group_by("cluster_id").agg(printing_count=col("node_id").n_unique())
    ends = data_end.select("cluster_id", "until_at")
    acts = controller_step.filter(col("area").is_in(ACTS)).select(
        "cluster_id", "node_id", acted_at="logged_at"
    )
    found = (
        later.join(ends, on="cluster_id")
        .with_columns(
            term_id=lit(None, pl.String), controller_id=lit(None, pl.Int32), mode=lit("kraft"),
            controller_epoch=lit(None, pl.Int32), vacant_at=lit(None, TIME), vacant_line=NO_LINES,
            elected_line=NO_LINES, over_at=lit(None, TIME), over_line=NO_LINES,
        )
        .pipe(last_chain, ("cluster_id",))
        .join(printing, on="cluster_id")
        .join(listed_voters(signs, controller_step), on="cluster_id", how="left")
    )  # fmt: skip
    half = (col("voter_ids").list.len() + 1) // 2
    needed = pl.min_horizontal("printing_count", half.fill_null(2))
    of_others = (col("acted_at") > col("since_at") + BEFORE_END) & ~col("asker_ids").list.contains(
        col("node_id")
    )
    led = found.join(acts, on="cluster_id").filter(of_others).select("cluster_id")
    return found.filter(col("asker_ids").list.len() >= needed).join(led, on="cluster_id", how="anti")


def last_chain(told: pl.DataFrame, key: tuple[str, ...]) -> pl.DataFrame:
    """One row for the last signs of each, as long as they go on up to the end, none of them far from the next."""
    next_at = pl.coalesce(col("at").shift(-1).over(key), "over_at")
    is_far = (next_at.dt.epoch("ms") - epoch_millis("at") > STILL_MS).fill_null(value=False)
    is_asked = col("step").is_in(ASKED)
    of_term = (*TERM, "mode", "controller_id", "controller_epoch", "until_at", "elected_line")
    own = (*of_term, "over_at", "over_line")
    is_vacant_first = (col("vacant_at").first() < col("at").first()).fill_null(value=False)
    return (
        told.sort(IN_TURN)
        .with_columns(breaks=is_far.cast(pl.Int64).cum_sum(reverse=True).over(key))
        .filter(col("breaks") == 0)
        .group_by(key, maintain_order=True)
        .agg(
            *(col(name).first() for name in own if name not in key),
            since_at=pl.min_horizontal(col("at").first(), col("vacant_at").first()),
            is_begun=(col("step").first() == MAJORITY_LOST) & ~is_vacant_first,
            begin_line=when(is_vacant_first).then(col("vacant_line").first()).otherwise(col("line").first()),
            last_line=col("line").last(),
            last_at=col("at").max(),
            asked_count=is_asked.sum(),
            asker_ids=col("node_id").filter(is_asked).unique(),
        )
        .filter(col("asked_count") >= LEAST_ASKED)
    )


def long_ones(gaps: pl.DataFrame, least_ms: int) -> pl.DataFrame:
    end_at = pl.coalesce("over_at", "last_at")
    return gaps.filter(end_at.dt.epoch("ms") - epoch_millis("since_at") > least_ms)
