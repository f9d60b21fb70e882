"""The rule broker_flapping."""

from collections.abc import Sequence
from functools import reduce

import polars as pl
from polars import col, lit, when

from pipeline.model.brokers.departures import BOUNCED
from pipeline.model.brokers.end_reasons import CLOCKS
from pipeline.model.lines.evidence import NO_LINES
from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.causes import SHORT, is_known
from pipeline.rules.shared.limits import FLAPPING_DEPARTURES, FLAPPING_MINUTES
from pipeline.rules.shared.wording import (
    EVIDENCE_KEPT,
    NO_TERM,
    broker_name,
    counted_noun,
    duration_text,
    epoch_millis,
    facts_column,
    filled_text,
    kept_evidence,
    root_columns,
    severity_column,
)
from schemas.end_reasons import SIGNALLED

BROKER = ("cluster_id", "broker_id")


@made_of_rows("broker_session")
def find(
    broker_session: pl.DataFrame,
    flapping_departures: int,
    flapping_minutes: int,
    data_end: pl.DataFrame,
    up_signs: pl.DataFrame,
) -> pl.DataFrame:
    """A broker left several times in a row without having been shut down: it dies, hangs, or loses its session. One
    that had asked to be shut down was, whatever it left undone, and whether or not a controller was there to see it;
    so was one whose process was told to stop. It goes on while the broker is away, not for longer than conf allows
    between two departures, and not once it is back, though somebody may shut it down then, or a line of any log shows
    that it is up (up_signs: of the view). Each life of the cluster's metadata counts by itself."""
    within_seconds = flapping_minutes * 60
    left = col("left_at").dt.epoch("s")
    own = (*BROKER, "life")
    apart = left - left.shift(1).over(own)
    is_new = (apart > within_seconds).fill_null(value=True)
    is_left = col("left_at").is_not_null()
    # Where the next list is of another life of the cluster's metadata nothing says that it left.
    lives = [col(name).str.extract(r"^(\d+)-", 1) for name in ("term_id", "left_term_id")]
    is_other_life = reduce(pl.Expr.ne, lives).fill_null(value=False)
    # Of whom no list says that it bounced nothing tells if it had asked, where lines of a controller are missing.
    # A registration anew in KRaft says so as little.
    is_doubted = (col("mode") == "zookeeper") & (col("certainty") != "proved")
    # So it is of each whose end is in doubt and has no known reason: it may have asked in lines that are missing.
    is_undetermined = col("certainty") == "undetermined"
    is_unsaid = (col("left_how") == BOUNCED) & (is_doubted | is_undetermined)
    is_unsaid |= is_undetermined & ~col("end_reason").is_in(list(SHORT)).fill_null(value=False)
    is_told_to_stop = (col("end_reason") == SIGNALLED).fill_null(value=False)
    is_shut_down = (
        (col("left_how") == "controlled") | (col("shutdown_requested_at").list.len() > 0) | is_told_to_stop
    )
    runs = (
        broker_session.filter(
            is_left
            & ~is_shut_down.fill_null(value=False)
            & ~is_other_life
            & ~is_unsaid.fill_null(value=False)
        )
        .with_columns(life=pl.coalesce(*lives))
        .sort(*BROKER, "left_at", "joined_at")
        .with_columns(run=is_new.cast(pl.Int64).cum_sum().over(own), evidence=col("evidence").list.tail(1))
        .sort("left_at", "evidence")
        .group_by(*own, "run", maintain_order=True)
        .agg(
            *kept_reasons(EVIDENCE_KEPT),
            departures=pl.len(),
            valid_from_at=col("left_at").min(),
            last_at=col("left_at").max(),
            shortest_ms=(epoch_millis("left_at") - epoch_millis("joined_at")).min(),
            evidence=kept_evidence(),
        )
        .filter(col("departures") >= flapping_departures)
    )
    is_over = col("until_at").dt.epoch("s") - col("last_at").dt.epoch("s") > within_seconds
    is_over |= (col("back_at") >= col("last_at")).fill_null(value=False)
    is_over |= (col("up_at") > col("last_at") + CLOCKS).fill_null(value=False)
    last_up = up_signs.group_by("cluster_id", broker_id="node_id").agg(col("up_at").max())
    # Who was there before the data and left with its first line was not back.
    is_stay = (col("left_at") > col("joined_at")).fill_null(value=True)
    joined = broker_session.filter(is_stay).group_by(BROKER).agg(back_at=col("joined_at").max())
    ends = data_end.select("cluster_id", "until_at")
    reasons = counted_reasons(tuple(SHORT))
    why = when(reasons == "").then(lit("")).otherwise(filled_text(": {}", reasons))
    return (
        runs.join(ends, on="cluster_id")
        .join(joined, on=BROKER, how="left")
        .join(last_up, on=BROKER, how="left")
        .select(
            *("cluster_id", "valid_from_at"),
            *severity_column("warning"),
            entity=broker_name(),
            root_event=filled_text("broker left at {}", epoch_millis("valid_from_at")),
            **root_columns("broker left", "valid_from_at", "broker_id"),
            term_id=NO_TERM,
            valid_until_at=when(is_over).then("last_at"),
            sentence=filled_text(
                "{} left {} times without having been shut down, the shortest stay was {}{}",
                *(broker_name(), "departures", duration_text(col("shortest_ms")), why),
            ),
            evidence=pl.concat_list("evidence", "cause_lines"),
            facts=facts_column(
                broker_id="broker_id",
                departures_count="departures",
                shortest_ms="shortest_ms",
                end_reasons=when(col("end_reasons").list.len() > 0).then("end_reasons"),
            ),
            certainty=lit("proved"),
        )
    )


def counted_reasons(counts: Sequence[str]) -> pl.Expr:
    """killed or crashed 2 times, frozen or cut off 1 time; columns of counts by reason; empty: none is known."""
    parts = [
        when(col(one) > 0).then(filled_text(f"{SHORT[one]} {{}}", counted_noun(one, "time")))
        for one in counts
    ]
    return pl.concat_list(parts).list.drop_nulls().list.join(", ")


def kept_reasons(kept: int) -> list[pl.Expr]:
    """Of a group of rows with REASON: how many have each, end_reasons of the first ones, and their cause_lines."""
    known = is_known()
    lines = when(known.head(kept)).then(col("end_lines").head(kept)).otherwise(NO_LINES)
    return [
        *((col("end_reason") == one).sum().alias(one) for one in SHORT),
        col("end_reason").head(kept).filter(known.head(kept)).drop_nulls().alias("end_reasons"),
        lines.explode(empty_as_null=False, keep_nulls=False).alias("cause_lines"),
    ]


RULE = Rule(
    name="broker_flapping",
    version=3,
    severities=("warning",),
    facts=("broker_id", "departures_count", "shortest_ms", "end_reasons"),
    find=find,
    limits=(FLAPPING_DEPARTURES, FLAPPING_MINUTES),
)
