"""The earliest line that shows that a broker or controller was going, before others noticed that it was gone."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.span_join import rows_in_spans
from pipeline.core.stretches import FAR, TIME
from pipeline.model.brokers.end_reasons import CLOCKS, LONGEST, NODE
from pipeline.model.lines.evidence import LINE, LINES_TYPE, NO_LINES, evidence_line
from schemas.end_reasons import KILLED, MAJORITY, NOT_BACK, SESSION, UNKNOWN

# What peers print as they lose a node (7 to 96 ms after a kill, 0.7 to 5.9 s after it froze), and the node itself when
# it wakes. That a connection cannot be opened is told as long as the node is away, and by those that come after it.
OF_PEERS = ("lost", "request_cancelled", "fetch_failed", "timed_out")
OWN = "silent"
OWN_LAST = "own_last_at"
SIGN = ("first_sign_at", "first_sign_lines")
SIGN_BEFORE = ("sign_before_at", "sign_before_lines")
SIGN_OF_TERM = {
    "cluster_id": pl.String(),
    "term_id": pl.String(),
    "sign_before_at": TIME,
    "sign_before_lines": LINES_TYPE,
}


def with_last_line_of_broker(
    sessions: pl.DataFrame, controller_line: pl.DataFrame, process_run: pl.DataFrame
) -> pl.DataFrame:
    """Sessions of brokers (broker_id, joined_at, left_at) with OWN_LAST: the last line that the node wrote as the
    controller in office, before others noticed that it was gone and before its process began anew; null: none."""
    broker = ("cluster_id", "broker_id")
    written = controller_line.select("cluster_id", broker_id="controller_id", **{OWN_LAST: "logged_at"})
    starts = process_run.select("cluster_id", broker_id="node_id", anew_at="started_at").drop_nulls("anew_at")
    return (
        sessions.sort("joined_at")
        .join_asof(
            starts.sort("anew_at"), left_on="joined_at", right_on="anew_at", by=broker, strategy="forward",
            allow_exact_matches=False, coalesce=False, check_sortedness=False,
        )
        .with_columns(gone_by_at=pl.min_horizontal(col("left_at") + CLOCKS, "anew_at"))
        .sort("gone_by_at")
        .join_asof(
            written.sort(OWN_LAST), left_on="gone_by_at", right_on=OWN_LAST, by=broker,
            allow_exact_matches=False, coalesce=False, check_sortedness=False,
        )
        .drop("anew_at", "gone_by_at")
    )  # fmt: skip


def with_first_end_sign(
    ends: pl.DataFrame, process_run: pl.DataFrame, connection_event: pl.DataFrame
) -> pl.DataFrame:
    """Ends with REASON and SIGN. Of a node that was stopped, or told an error, that is its own line; else the first one
    of peers since it can have been silent, of a node that was killed, or is not back, since its own last line; null: no
    line is there, or nothing tells what became of its process.
    OWN_LAST, if given: its last line in controller.log; server.log, which may be quiet long before, has another one.

    Signs that were found before (SIGN_BEFORE) count where lines of their time may not be given.
    Source: NetworkClient.processDisconnection, handleTimedOutRequests; AbstractFetcherThread.processFetchRequest.
    """
    own_last = [] if OWN_LAST in ends.columns else [lit(None, TIME).alias(OWN_LAST)]
    numbered = (
        ends.drop(SIGN, strict=False).pipe(with_signs_before).with_columns(own_last).with_row_index("number")
    )
    # Of a node that is not back the log has to tell of the time since it was there.
    is_not_back = (col("end_unknown_why") == NOT_BACK) & (col("run_last_at") >= col("begin_at") - CLOCKS)
    is_silent = (col("end_reason") == KILLED) | is_not_back
    is_of_peers = (is_silent | col("end_reason").is_in([SESSION, MAJORITY])).fill_null(value=False)
    said = connection_signs(connection_event, process_run)
    windows = (
        numbered.filter(is_of_peers)
        .select(
            "number",
            *NODE,
            from_at=pl.max_horizontal(
                "begin_at",
                pl.coalesce("silent_from_at", col("end_at") - LONGEST),
                when(is_silent).then(pl.max_horizontal("run_last_at", OWN_LAST)),
            ),
            until_at=pl.min_horizontal(
                col("end_at") + CLOCKS, when(col("end_reason") == KILLED).then("end_reason_at")
            ),
            before_at="sign_before_at",
        )
        .filter(col("from_at") <= col("until_at"))
    )
    found = (
        rows_in_spans(windows, said, NODE, ("from_at", "until_at"), "sign_at", closed="both")
        .sort("number", "sign_at", *LINE)
        .group_by("number", maintain_order=True)
        .agg(sign_at=col("sign_at").first(), sign_lines=evidence_line().head(1))
    )
    is_own = col("end_reason_at").is_not_null() & ~is_of_peers
    is_earlier = (col("sign_before_at") < col("sign_at")).fill_null(col("sign_before_at").is_not_null())
    kept = windows.filter(col("before_at").is_between("from_at", "until_at")).select(
        "number", sign_kept=lit(value=True)
    )
    is_kept = is_earlier & col("sign_kept").fill_null(value=False)
    return (
        numbered.join(found, on="number", how="left")
        .join(kept, on="number", how="left")
        .sort("number")
        .with_columns(
            sign_at=when(is_kept).then("sign_before_at").otherwise("sign_at"),
            sign_lines=when(is_kept).then("sign_before_lines").otherwise("sign_lines"),
        )
        .with_columns(
            first_sign_at=when(is_own).then("end_reason_at").otherwise("sign_at"),
            first_sign_lines=when(is_own).then("end_lines").otherwise(col("sign_lines").fill_null(NO_LINES)),
        )
        .drop("number", "sign_at", "sign_lines", "sign_kept", *SIGN_BEFORE, "run_last_at", OWN_LAST)
    )


def with_signs_before(ends: pl.DataFrame) -> pl.DataFrame:
    """With SIGN_BEFORE, null where none is known."""
    if set(SIGN_BEFORE) <= set(ends.columns):
        return ends
    return ends.with_columns(sign_before_at=lit(None, TIME), sign_before_lines=lit(None, LINES_TYPE))


@needs_rows_of("connection_event")
def connection_signs(connection_event: pl.DataFrame, process_run: pl.DataFrame) -> pl.DataFrame:
    """(NODE, sign_at, LINE): by the node that they are about. A peer that is stopping loses its connections itself."""
    of_peers = (
        connection_event.filter(
            col("step").is_in(OF_PEERS),
            col("peer_id").is_not_null(),
            col("node_id").is_not_null(),
            col("peer_id") != col("node_id"),
        )
        .sort("logged_at")
        .join_asof(
            stopping_spans(process_run),
            left_on="logged_at",
            right_on="stopping_at",
            by=NODE,
            check_sortedness=False,
        )
        .filter((col("logged_at") >= col("stopped_until_at")).fill_null(value=True))
    )
    own = connection_event.filter(col("step") == OWN, col("node_id").is_not_null())
    return pl.concat(
        [
            of_peers.select("cluster_id", *LINE, node_id="peer_id", sign_at="logged_at"),
            own.select("cluster_id", *LINE, "node_id", sign_at="logged_at"),
        ]
    )


def stopping_spans(process_run: pl.DataFrame) -> pl.DataFrame:
    """(NODE, stopping_at, stopped_until_at): from the first line that ends a run until the next start."""
    is_told = ~col("end_reason").is_in([KILLED, UNKNOWN])
    return (
        process_run.filter(is_told.fill_null(value=False))
        .select(
            *NODE, stopping_at="end_at", stopped_until_at=col("next_started_at").fill_null(lit(FAR, TIME))
        )
        .sort("stopping_at")
    )
