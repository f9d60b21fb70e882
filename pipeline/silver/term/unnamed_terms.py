"""Terms of KRaft controllers that were in office before the first line that names a term, by what they alone print."""

from datetime import timedelta
from functools import cache

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.kafka.facts import read_fact_table
from pipeline.model.terms.term_steps import LEAVING, STARTED

NODE = ("cluster_id", "controller_id")
LINE = ("file_id", "byte_offset")
OBSERVED = "controller_observed_leader"
KRAFT_LOGGERS = r"^org\.apache\.kafka\.(?:controller|metadata\.migration)\."
TIME = pl.Datetime("us", "UTC")
LEAST = timedelta(seconds=10)
ORDER = ("first_at", *LINE)


@cache
def active_controller_events() -> list[str]:
    """Events of the lines that a KRaft controller writes in office alone."""
    return [row["event"] for row in read_fact_table("wording/in_office.tsv")]


def unnamed_terms(
    controller_step: pl.DataFrame,
    wording_seen: pl.DataFrame,
    known: pl.DataFrame,
    lives_before: pl.DataFrame,
) -> pl.DataFrame:
    """One row per KRaft controller that was in office before any known term began: columns of silver.term.

    A controller is in office for weeks, and the logs of the last days have no line of its election. Its epoch is that
    of the line by which it renounces; where it has none, 0, and below 0 those of controllers before it: no controller
    is elected with such an epoch. From the first of its lines to the last one before it gives up, its process starts
    anew, it hears of another leader, or a known term begins; none where that is so within seconds: who was frozen, and
    deposed meanwhile, writes such lines until it hears of it. One of which only the line is read by which it renounces
    is in office in that moment (given_up).
    known: (cluster_id, first_seen_at) of KRaft terms. lives_before: (cluster_id, lives_before) in
    ZooKeeper.
    Source: QuorumController, from 2.8: who replays the log decides nothing.
    """
    acts = active_controller_lines(wording_seen)
    begun = acts.sort(ORDER).unique(NODE, keep="first", maintain_order=True).pipe(before_known, known)
    spans = begun.pipe(with_latest_end, controller_step).filter(is_no_remnant()).drop("last_at")
    acting = spans.join(last_acts(spans, acts), on=NODE, how="left")
    gone = renounced_terms_of_single_lines(controller_step, begun, known).join(
        acting, on=[*NODE, "controller_epoch"], how="anti"
    )
    return (
        pl.concat([acting, gone], how="diagonal")
        .join(lives_before, on="cluster_id", how="left")
        .pipe(with_substitute_epochs)
        .with_columns(
            life=(col("lives_before").fill_null(0) + 1).cast(pl.Int32),
            mode=lit("kraft"),
            elected_at=lit(None, TIME),
            is_trace_seen=lit(value=False),
            certainty=lit("inferred"),
            first_seen_at="first_at",
            told_from_at="first_at",
            told_until_at="last_seen_at",
        )
        .with_columns(term_id=pl.format("{}-{}", "life", "controller_epoch"))
        .drop("first_at", "until_at", "known_at", "lives_before")
    )


def active_controller_lines(wording_seen: pl.DataFrame) -> pl.DataFrame:
    """(NODE, LINE, first_at, last_at) of lines that a KRaft controller writes in office alone."""
    return wording_seen.filter(
        col("event").is_in(active_controller_events()),
        col("logger").str.contains(KRAFT_LOGGERS),
        pl.all_horizontal(col("node_id", "first_at").is_not_null()),
    ).select(
        "cluster_id", "first_at", "last_at", "file_id", controller_id="node_id", byte_offset="first_offset"
    )


def before_known(begun: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Those that begin before any known term of their cluster; known_at: when the first of these begins."""
    first = known.group_by("cluster_id").agg(known_at=col("first_seen_at").min())
    is_before = (col("first_at") < col("known_at")).fill_null(value=True)
    return begun.join(first, on="cluster_id", how="left").filter(is_before)


@needs_rows_of("begun")
def with_latest_end(begun: pl.DataFrame, controller_step: pl.DataFrame) -> pl.DataFrame:
    """until_at: when it is over at the latest; controller_epoch: of the line by which it renounces, null without."""
    node = pl.coalesce("node_id", "controller_id")
    is_of_other = (col("event") == OBSERVED) & col("active_controller_id").ne_missing(node)
    epoch = when(col("step") == "renounced").then("controller_epoch")
    over = (
        controller_step.filter(col("step").is_in([*LEAVING, *STARTED]) | is_of_other)
        .select("cluster_id", "step", controller_id=node, over_at="logged_at", controller_epoch=epoch)
        .sort("over_at", "controller_epoch", nulls_last=True)
    )
    return (
        begun.sort("first_at")
        .join_asof(
            over, left_on="first_at", right_on="over_at", by=NODE, strategy="forward", check_sortedness=False
        )
        .with_columns(until_at=pl.min_horizontal("over_at", "known_at"))
        .drop("over_at", "step")
    )


def renounced_terms_of_single_lines(
    controller_step: pl.DataFrame, begun: pl.DataFrame, known: pl.DataFrame
) -> pl.DataFrame:
    """(NODE, controller_epoch, LINE, first_at, last_seen_at) of lines by which a controller renounces an epoch, before
    any term begins that lines tell, or another controller acts, and before a start of its process: one that was killed
    in office starts as one that renounces it."""
    node = pl.coalesce("node_id", "controller_id")
    own = controller_step.select(
        "cluster_id", "step", "controller_epoch", *LINE, controller_id=node, first_at="logged_at"
    )
    started = own.filter(col("step").is_in(STARTED)).group_by(NODE).agg(started_at=col("first_at").min())
    acting = begun.select("cluster_id", acts_at="first_at", acting_id="controller_id")
    renounced = own.filter(col("step") == "renounced", col("controller_epoch") > 0)
    is_by_other = (col("acting_id") != col("controller_id")) & (col("acts_at") <= col("first_at"))
    is_superseded = renounced.join(acting, on="cluster_id").filter(is_by_other)
    is_new = (col("started_at") <= col("first_at")).fill_null(value=False)
    return (
        renounced.pipe(before_known, known)
        .join(is_superseded, on=["cluster_id", *LINE], how="anti")
        .join(started, on=NODE, how="left")
        .filter(~is_new)
        .sort(ORDER)
        .unique([*NODE, "controller_epoch"], keep="first", maintain_order=True)
        .with_columns(last_seen_at="first_at")
        .drop("step", "started_at")
    )


def is_no_remnant() -> pl.Expr:
    return (col("until_at") - col("first_at") >= LEAST).fill_null(value=True)


def last_acts(spans: pl.DataFrame, acts: pl.DataFrame) -> pl.DataFrame:
    """(NODE, last_seen_at): the last of its lines in the span as far as their hours tell."""

    def within(at: str) -> pl.Expr:
        return when((col(at) <= col("until_at")).fill_null(value=True)).then(at)

    return (
        acts.join(spans.select(*NODE, "until_at"), on=NODE)
        .group_by(NODE)
        .agg(last_seen_at=pl.max_horizontal(within("first_at").max(), within("last_at").max()))
    )


def with_substitute_epochs(spans: pl.DataFrame) -> pl.DataFrame:
    """Fills controller_epoch where no line tells it: 0 for the last one of its cluster, one less for each before."""
    is_untold = col("controller_epoch").is_null()
    place = is_untold.cast(pl.Int32).reverse().cum_sum().reverse().over("cluster_id")
    return spans.sort("cluster_id", *ORDER).with_columns(
        controller_epoch=pl.coalesce("controller_epoch", 1 - place).cast(pl.Int32)
    )
