"""The rule quorum_not_reached."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.span_join import rows_in_spans
from pipeline.model.brokers.connections import OF_QUORUM, OF_REGISTRATION
from pipeline.model.lines.evidence import LINE, NO_LINES, known_lines
from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.quorum_votes import STOPPING, UNREACHED
from pipeline.rules.shared.wording import (
    NO_TERM,
    clock_time,
    enumerated_nodes,
    epoch_millis,
    facts_column,
    filled_text,
    root_columns,
    severity_column,
)

NODE = ("cluster_id", "node_id")
RUN = (*NODE, "kind", "run")
WAITS, REFUSED = "no_high_watermark", "not_registered"
# What says it, and what says that it is so no more.
SAID = {
    WAITS: ("high_watermark_unknown", ("high_watermark_known", "catching_up", "caught_up")),
    REFUSED: ("not_acknowledged", ("acknowledged",)),
}
BEGIN = "handlers_registered"
# Lines of one wait are this close: of the loader a tenth of a second, of registrations two minutes at most.
APART_MS = {WAITS: 60_000, REFUSED: 300_000}
# A start waits for seconds; where its connections fail, too, and nothing comes after it, less says enough.
LONG_MS, SHORT_MS = 60_000, 5_000
STILL_MS = 600_000
NEAR = timedelta(seconds=10)
# A start that gives up does so by initial.broker.registration.timeout.ms and the like.
FOLLOWS = timedelta(minutes=10)
# Findings that tell of the same with more of it.
OF_QUORUM_ITSELF = ("quorum_without_leader", "no_controller", "quorum_flapping")


@made_of_rows("node_event", "connection_event")
def find(
    node_event: pl.DataFrame, connection_event: pl.DataFrame, earlier: pl.DataFrame, data_end: pl.DataFrame
) -> pl.DataFrame:
    """A node knows of no committed offset of the metadata quorum for a minute (five seconds, where it cannot connect
    and its log ends so), or a controller does not get itself registered: it neither serves nor can be elected.

    earlier: findings of other rules; where the quorum itself has no leader, or the start failed, it is told by that.
    Source: MetadataLoader.stillNeedToCatchUp, from 3.5; ControllerRegistrationManager, from 3.7.
    """
    waits = pl.concat([quorum_not_reached_runs(node_event, kind) for kind in SAID])
    found = (
        waits.pipe(with_peers, connection_event)
        .join(data_end.select("cluster_id", "until_at"), on="cluster_id")
        .with_columns(
            lasted_ms=epoch_millis("last_at") - epoch_millis("since_at"),
            is_still=col("end_step").is_null()
            & (epoch_millis("until_at") - epoch_millis("last_at") <= STILL_MS),
        )
        .filter(is_unexplained())
        .pipe(without_explained_runs, earlier)
    )
    is_over, is_still = col("over_at").is_not_null(), col("is_still")
    # A node that begins anew did not stay out of reach.
    is_left = ~is_over & col("end_step").is_in(STOPPING) & ~col("is_back")
    has_ids = col("peer_ids").list.len() > 0
    return found.select(
        "cluster_id",
        *severity_column(when(is_still | is_left).then(lit("warning")).otherwise(lit("info"))),
        entity=filled_text("node {}", "node_id"),
        root_event=filled_text("{} since {}", "kind", epoch_millis("since_at")),
        **root_columns("quorum not reached", "since_at", "node_id"),
        term_id=NO_TERM,
        valid_from_at="since_at",
        valid_until_at=when(is_over).then("over_at").when(~is_still).then("last_at"),
        sentence=quorum_not_reached_sentence(),
        facts=facts_column(
            node_id="node_id",
            kind="kind",
            lasted_ms="lasted_ms",
            unanswered_ids=when(has_ids).then("peer_ids"),
        ),
        certainty=lit("proved"),
        evidence=pl.concat_list("lines", col("peer_line").fill_null(NO_LINES), "over_line").list.unique(
            maintain_order=True
        ),
    )


def quorum_not_reached_sentence() -> pl.Expr:
    span = filled_text(
        " from {} to {}", clock_time("since_at", "since_at"), clock_time("last_at", "since_at")
    )
    end = (
        when(col("over_at").is_not_null())
        .then(filled_text("; by {} that was over", clock_time("over_at", "since_at")))
        .when("is_still")
        .then(lit(", still so at the end of its log"))
        .otherwise(lit(", and no line tells what came then"))
    )
    at = filled_text(" at {}", clock_time("since_at", "since_at"))
    times = when(col("count") > 1).then(filled_text(" {} times{}", "count", span)).otherwise(at)
    unreached = (
        when(col("peer_ids").list.len() > 0)
        .then(filled_text("; it could not connect to {}", enumerated_nodes("peer_ids")))
        .when(col("peer_line").is_not_null())
        .then(lit("; it could not connect to the servers that it is set to ask"))
        .otherwise(lit(""))
    )
    waits = "node {} does not reach the metadata quorum: it knows of no high watermark{}{}{}"
    refused = "controller {} could not register with the controller in office{}{}{}"
    return (
        when(col("kind") == WAITS)
        .then(filled_text(waits, "node_id", span, end, unreached))
        .otherwise(filled_text(refused, "node_id", times, end, unreached))
    )


def is_unexplained() -> pl.Expr:
    """True where no start explains it: by how long it was so, or as nothing came after it."""
    is_long = col("lasted_ms") >= LONG_MS
    is_cut_off = col("peer_line").is_not_null() & (col("lasted_ms") >= SHORT_MS)
    return is_long | (col("is_still") & (is_cut_off | (col("kind") == REFUSED)))


def quorum_not_reached_runs(node_event: pl.DataFrame, kind: str) -> pl.DataFrame:
    """One row per time of which lines say it one after another: NODE, kind, since_at, last_at, count, lines (the first
    and the last one); end_step: what its node said next; over_at, over_line: that it is so no more; is_back: its
    process begins anew later, or says so."""
    step, ends = SAID[kind]
    is_of_process = (col("area") == "process") & col("step").is_in((BEGIN, *STOPPING))
    is_end = col("area").is_in(("quorum", "registration")) & col("step").is_in(ends)
    is_it = col("area").is_in(("quorum", "registration")) & (col("step") == step)
    ordered = node_event.filter(is_it | is_end | is_of_process, col("node_id").is_not_null()).sort(
        *NODE, "logged_at", *LINE
    )
    apart = epoch_millis("logged_at") - epoch_millis("logged_at").shift(1).over(NODE)
    is_first = (is_it & (col("step").shift(1).over(NODE) != step)) | (apart > APART_MS[kind])
    is_over = col("end_step").is_in(ends).fill_null(value=False)
    return (
        ordered.with_columns(
            kind=lit(kind),
            run=is_first.fill_null(value=True).cast(pl.Int64).cum_sum().over(NODE),
            line=known_lines(LINE),
            end_step=col("step").shift(-1).over(NODE),
            end_at=col("logged_at").shift(-1).over(NODE),
            back_at=col("logged_at").filter(col("step").is_in((BEGIN, *ends))).max().over(NODE),
        )
        .with_columns(end_line=col("line").shift(-1).over(NODE))
        .filter(col("step") == step)
        .group_by(RUN, maintain_order=True)
        .agg(
            since_at=col("logged_at").first(),
            last_at=col("logged_at").last(),
            count=pl.len(),
            first_line=col("line").first(),
            **{name: col(name).last() for name in ("line", "end_step", "end_at", "end_line", "back_at")},
        )
        .select(
            *(*NODE, "kind", "since_at", "last_at", "count", "end_step"),
            lines=pl.concat_list("first_line", "line"),
            over_at=when(is_over).then("end_at"),
            over_line=when(is_over).then("end_line").otherwise(NO_LINES),
            is_back=(col("back_at") > col("last_at")).fill_null(value=False),
        )
    )


def with_peers(waits: pl.DataFrame, connection_event: pl.DataFrame) -> pl.DataFrame:
    """peer_ids: voters that it could not connect to meanwhile, those of a registration from shortly before; peer_line:
    the first line of each, null: there is none. Below 0 are servers of which it knows no id yet."""
    is_of_quorum = col("client").str.starts_with(OF_QUORUM)
    is_registering = col("client").str.contains(OF_REGISTRATION)
    failing = connection_event.filter(
        is_of_quorum | is_registering, col("step").is_in(UNREACHED), col("node_id").is_not_null()
    ).select(
        *(*NODE, "peer_id"),
        at="logged_at",
        line=known_lines(LINE),
        of_kind=when(is_registering).then(lit(REFUSED)).otherwise(lit(WAITS)),
    )
    begun_at = when(col("kind") == REFUSED).then(col("since_at") - NEAR).otherwise("since_at")
    spans = waits.with_row_index("nr").select(
        "nr", *NODE, "kind", from_at=begun_at, to_at=col("last_at") + NEAR
    )
    told = (
        rows_in_spans(spans, failing, list(NODE), ("from_at", "to_at"), "at", closed="both")
        .filter(col("kind") == col("of_kind"))
        .sort("nr", "at", "peer_id", col("line").list.first())
        .unique(["nr", "peer_id"], keep="first", maintain_order=True)
        .group_by("nr", maintain_order=True)
        .agg(
            peer_ids=col("peer_id").filter(col("peer_id") >= 0).sort(),
            peer_line=col("line").explode(),
        )
    )
    return waits.with_row_index("nr").join(told, on="nr", how="left", maintain_order="left")


def without_explained_runs(found: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """Those that no finding of the quorum, and none of a start of this node that failed, overlaps."""
    node = col("facts").struct.field("node_id")
    is_start = col("rule") == "failed_start"
    times = told.filter(col("rule").is_in(OF_QUORUM_ITSELF) | is_start).select(
        "cluster_id",
        is_start=is_start,
        told_id=when(is_start).then(node),
        from_at=when(is_start).then(col("valid_from_at") - FOLLOWS).otherwise("valid_from_at"),
        to_at="valid_until_at",
    )
    begins_before_end = (col("since_at") <= col("to_at")).fill_null(value=True)
    is_its = ~col("is_start") | (col("told_id") == col("node_id")).fill_null(value=False)
    same = found.join(times, on="cluster_id").filter(
        is_its, begins_before_end, col("last_at") >= col("from_at")
    )
    return found.join(same.select("nr").unique(), on="nr", how="anti")


RULE = Rule(
    name="quorum_not_reached",
    version=1,
    severities=("warning", "info"),
    facts=("node_id", "kind", "lasted_ms", "unanswered_ids"),
    find=find,
    after=("no_controller", "quorum_without_leader", "quorum_flapping", "failed_start"),
)
