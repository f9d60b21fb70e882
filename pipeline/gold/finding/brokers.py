"""Rules on brokers that come and go."""

from datetime import timedelta
from functools import reduce

import polars as pl
from polars import col, lit, when

from pipeline.gold.finding.causes import SHORT, counted_reasons, kept_reasons
from pipeline.gold.finding.rule import of_rows
from pipeline.gold.finding.wording import (
    EVIDENCE_KEPT,
    NO_TERM,
    broker_name,
    clock,
    counted,
    facts,
    kept_evidence,
    length,
    millis,
    root,
    rule,
    words,
)
from pipeline.model.brokers.departures import BOUNCED
from pipeline.model.brokers.end_reasons import CLOCKS
from pipeline.model.brokers.given_up import is_given_up_line
from pipeline.model.lines.evidence import LINE, NO_LINES, known_lines
from pipeline.model.settings import AuditLimit
from schemas.end_reasons import SIGNALLED

BROKER = ("cluster_id", "broker_id")
# Who gave up goes at once, and its session ends after its time-out at the latest.
GONE_BY = timedelta(minutes=2)


@of_rows("broker_session")
def broker_flapping(
    broker_session: pl.DataFrame, audit_limit: AuditLimit, data_end: pl.DataFrame, signs: pl.DataFrame
) -> pl.DataFrame:
    """A broker left several times in a row without having been shut down: it dies, hangs, or loses its session. One
    that had asked to be shut down was, whatever it left undone, and whether or not a controller was there to see it;
    so was one whose process was told to stop. It goes on while the broker is away, not for longer than conf allows
    between two departures, and not once it is back, though somebody may shut it down then, or a line of any log shows
    that it is up (signs: of up_signs). Each life of the cluster's metadata counts by itself."""
    within_seconds = audit_limit.flapping_minutes * 60
    left = col("left_at").dt.epoch("s")
    own = (*BROKER, "life")
    apart = left - left.shift(1).over(own)
    is_new = (apart > within_seconds).fill_null(value=True)
    is_left = col("left_at").is_not_null()
    # Where the next list is of another life of the cluster's metadata nothing says that it left.
    lives = [col(name).str.extract(r"^(\d+)-", 1) for name in ("term_id", "left_term_id")]
    is_other_life = reduce(pl.Expr.ne, lives).fill_null(value=False)
    # Of whom no list says that it bounced nothing tells if it had asked, where lines of a controller are missing.
    is_unsaid = (col("left_how") == BOUNCED) & (col("mode") == "zookeeper") & (col("certainty") != "proved")
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
            shortest_ms=(millis("left_at") - millis("joined_at")).min(),
            evidence=kept_evidence(),
        )
        .filter(col("departures") >= audit_limit.flapping_departures)
    )
    is_over = col("until_at").dt.epoch("s") - col("last_at").dt.epoch("s") > within_seconds
    is_over |= (col("back_at") > col("last_at")).fill_null(value=False)
    is_over |= (col("up_at") > col("last_at") + CLOCKS).fill_null(value=False)
    last_up = signs.group_by("cluster_id", broker_id="node_id").agg(col("up_at").max())
    joined = broker_session.group_by(BROKER).agg(back_at=col("joined_at").max())
    ends = data_end.select("cluster_id", "until_at")
    reasons = counted_reasons(tuple(SHORT))
    why = when(reasons == "").then(lit("")).otherwise(words(": {}", reasons))
    return (
        runs.join(ends, on="cluster_id")
        .join(joined, on=BROKER, how="left")
        .join(last_up, on=BROKER, how="left")
        .select(
            *("cluster_id", "valid_from_at"),
            *rule("broker_flapping", "warning", 2),
            entity=broker_name(),
            root_event=words("broker left at {}", millis("valid_from_at")),
            **root("broker left", "valid_from_at", "broker_id"),
            term_id=NO_TERM,
            valid_until_at=when(is_over).then("last_at"),
            sentence=words(
                "{} left {} times without having been shut down, the shortest stay was {}{}",
                *(broker_name(), "departures", length(col("shortest_ms")), why),
            ),
            evidence=pl.concat_list("evidence", "cause_lines"),
            facts=facts(
                broker_id="broker_id",
                departures_count="departures",
                shortest_ms="shortest_ms",
                end_reasons=when(col("end_reasons") != "").then("end_reasons"),
            ),
            certainty=lit("proved"),
        )
    )


@of_rows("broker_session")
def unclean_shutdown(broker_session: pl.DataFrame, node_event: pl.DataFrame) -> pl.DataFrame:
    """A broker asked to be shut down and was gone before all that others could lead was theirs: the shutdown was cut
    short, no other replica was in sync, or no controller answered, so that it gave up, as its server.log says.

    node_event: its lines of a controlled shutdown that it gave up.
    """
    has_asked = col("shutdown_requested_at").list.len() > 0
    has_unmoved = col("unmoved_count") > 0
    is_given_up = col("given_up_at").is_not_null()
    cut_short = (
        broker_session.pipe(with_given_up, node_event)
        .filter(has_asked | is_given_up, ~col("is_clean") & has_unmoved)
        .with_columns(
            asked_at=pl.min_horizontal(
                "left_at", pl.coalesce(col("shutdown_requested_at").list.first(), "begun_at", "given_up_at")
            )
        )
    )
    led_count = pl.max_horizontal("led_before_count", "unmoved_count")
    lasted_ms = millis("left_at") - millis("asked_at")
    given_up = words("; it gave up its controlled shutdown at {}", clock("given_up_at", "asked_at"))
    return cut_short.select(
        *("cluster_id", "certainty"),
        *rule("unclean_shutdown", "warning", 2),
        entity=broker_name(),
        root_event=words("broker left at {}", millis("left_at")),
        **root("broker left", "left_at", "broker_id"),
        term_id="left_term_id",
        valid_from_at="asked_at",
        valid_until_at="left_at",
        sentence=words(
            "{} was shut down within {} and left {} of {} that it led without a leader; they have other replicas{}",
            *(broker_name(), length(lasted_ms), "unmoved_count", counted(led_count, "partition")),
            when(is_given_up).then(given_up).otherwise(lit("")),
        ),
        facts=facts(
            broker_id="broker_id",
            unmoved_count="unmoved_count",
            led_count=led_count,
            lasted_ms=lasted_ms,
            is_given_up=when(is_given_up).then(lit("true")),
        ),
        evidence=pl.concat_list("evidence", col("given_up_line").fill_null(NO_LINES)),
    )


def with_given_up(broker_session: pl.DataFrame, node_event: pl.DataFrame) -> pl.DataFrame:
    """given_up_at, given_up_line: the broker's own line that its controlled shutdown came to nothing, soon before it
    was noticed that it had left; begun_at: when it says that this shutdown began; null: none."""
    own = node_event.filter(col("area") == "shutdown", col("node_id").is_not_null()).sort("logged_at", *LINE)
    begun_at = when(col("step") == "asked").then("logged_at").forward_fill().over("cluster_id", "node_id")
    lines = (
        own.with_columns(begun_at=begun_at)
        .filter(is_given_up_line())
        .select(
            "cluster_id",
            "begun_at",
            broker_id="node_id",
            given_up_at="logged_at",
            given_up_line=known_lines(LINE),
        )
    )
    soon_at = col("left_at") + CLOCKS
    is_its_own = (col("given_up_at") >= pl.max_horizontal("joined_at", soon_at - GONE_BY)).fill_null(
        value=False
    )
    told = ("begun_at", "given_up_at", "given_up_line")
    return (
        broker_session.with_columns(soon_at=soon_at)
        .sort("soon_at")
        .join_asof(
            lines,
            left_on="soon_at",
            right_on="given_up_at",
            by=BROKER,
            check_sortedness=False,
            coalesce=False,
        )
        .with_columns(when(is_its_own).then(name).alias(name) for name in told)
        .drop("soon_at")
    )
