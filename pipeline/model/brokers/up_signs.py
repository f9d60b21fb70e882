"""Lines that show that a node was up, in any log: of the node itself and of controllers that name it."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.span_join import rows_in_spans
from pipeline.model.lines.evidence import LINES_TYPE, known_lines
from pipeline.model.terms.term_steps import LIVE

NODE = ("cluster_id", "node_id")
STARTED, JOINED = "started", "joined"
ELECTED, WRITES, LISTED, REGISTERED = "elected", "state-change.log", "listed", "registered"
# How findings name the lines that only bound when the node came up.
IN_WORDS = {
    ELECTED: "it was elected controller at {}",
    WRITES: "it printed into state-change.log at {}",
    LISTED: "a controller found it alive at {}",
    REGISTERED: "it registered at {}",
}
REGISTERING = ("broker_registered_in_zk", "broker_reregistered")
JOINING = ("joined", "bounced", "unfence_granted")
# A list that a controller reads as it starts; of later ones one that was superseded may print what it knew.
# Who left no session behind is not in the list: a session outlives its process by this at most.
GHOST = timedelta(seconds=40)
# A start that comes up says so itself soon after the first sign of it.
ONE_START = timedelta(seconds=60)


def startup_signs(
    node_event: pl.DataFrame,
    controller_step: pl.DataFrame,
    broker_event: pl.DataFrame,
    wording_seen: pl.DataFrame,
) -> pl.DataFrame:
    """One row per sign: NODE, up_at, up_line (a list), sign.

    A broker is elected, and prints into state-change.log, only once it is registered, from 1.1 on; up to 1.0 it asks
    to be elected before (KafkaServer.startup). Not among them is what a start that fails prints, too: threads that
    start and end, elections that others won, and a resignation without an office; nor what a KRaft controller replays,
    or a list of brokers that an earlier one may be of.
    """
    step, is_decision = col("step"), col("said_by") == "decision"
    named = broker_event.filter(is_decision).with_columns(node_id="broker_id")
    elected = controller_step.filter(step == "elected").with_columns(
        node_id=pl.coalesce("node_id", "controller_id")
    )
    written = wording_seen.filter(col("log") == "state-change")
    said = (
        (node_event.filter((col("area") == "process") & (step == "started")), STARTED),
        (named.filter(step.is_in(JOINING)), JOINED),
        (named.filter(col("event") == LIVE), LISTED),
        (elected, ELECTED),
        (node_event.filter(col("event").is_in(REGISTERING)), REGISTERED),
        (written.with_columns(logged_at="first_at", byte_offset="first_offset"), WRITES),
        (written.with_columns(logged_at="last_at", byte_offset="last_offset"), WRITES),
    )
    lines = [
        one.select(*NODE, up_at="logged_at", up_line=known_lines(("file_id", "byte_offset")), sign=lit(sign))
        for one, sign in said
    ]
    return pl.concat(lines).drop_nulls(["node_id", "up_at"]).sort("up_at")


def without_failing(signs: pl.DataFrame, failing: pl.DataFrame) -> pl.DataFrame:
    """Signs outside of the starts that failed: (NODE, begin_at, over_at)."""
    numbered = signs.with_row_index("sign_no")
    within = rows_in_spans(
        failing.select(*NODE, "begin_at", "over_at"),
        numbered.select(*NODE, "sign_no", "up_at"),
        NODE,
        ("begin_at", "over_at"),
        "up_at",
        closed="both",
    )
    return numbered.join(within.select("sign_no").unique(), on="sign_no", how="anti").drop("sign_no")


def with_first_up_sign(gone: pl.DataFrame, signs: pl.DataFrame, since: str) -> pl.DataFrame:
    """Rows (NODE) with up_at, up_line and sign of the first sign after `since`; null: there is none. Where the node
    itself, or a controller that sees it join, says at about that time when it came up, it is that line."""
    exact = signs.filter(col("sign").is_in((STARTED, JOINED)))
    is_ghost = (col("sign") == LISTED) & (col("up_at") <= pl.col(since) + GHOST)
    found = gone.with_row_index("gone_no")
    after = rows_in_spans(
        found.with_columns(end=lit(None, signs.schema["up_at"])).select("gone_no", *NODE, since, "end"),
        signs, NODE, (since, "end"), "up_at", closed="right",
    ).filter(~is_ghost.fill_null(value=False))  # fmt: skip
    first = (
        after.sort("up_at")
        .unique("gone_no", keep="first", maintain_order=True)
        .select("gone_no", *NODE, "up_at", "up_line", "sign")
    )
    said = first.sort("up_at").join_asof(
        exact.select(*NODE, said_at="up_at", said_line="up_line", said_sign="sign"),
        left_on="up_at",
        right_on="said_at",
        by=NODE,
        strategy="forward",
        check_sortedness=False,
        coalesce=False,
    )
    is_said = (col("said_at") - col("up_at") <= ONE_START).fill_null(value=False)
    told = said.select(
        "gone_no",
        *(
            when(is_said).then(f"said_{end}").otherwise(name).alias(name)
            for name, end in (("up_at", "at"), ("up_line", "line"), ("sign", "sign"))
        ),
    )
    return (
        found.join(told, on="gone_no", how="left")
        .sort("gone_no")
        .drop("gone_no")
        .with_columns(col("up_line").fill_null(lit([], LINES_TYPE)))
    )
