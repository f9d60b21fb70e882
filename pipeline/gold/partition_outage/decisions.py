"""The root of an outage in KRaft: the decision of a controller that took its leader out."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.gold.partition_outage.certainty import UNTOLD
from pipeline.model.brokers.departures import MAY_BEGIN, MAY_EXIT

LINE = ("cluster_id", "line_file_id", "line_byte_offset")
LOST_DIR = "log-dir failure"
BROKER_FAILURE = "broker failure"
PRINTED_LATER = timedelta(seconds=3)  # from a decision to the first broker that prints what came of it


def with_root_decision(
    found: pl.DataFrame, broker_absence: pl.DataFrame, broker_session: pl.DataFrame
) -> pl.DataFrame:
    """The root of an outage that begins with a decision of a KRaft controller about its leader, or about the last
    replica in sync, which led unsaid; else the decision about its leader just before the partition's own line. Whose
    session is in doubt may have been let go before it is fenced for its silence."""
    is_partial = col("is_partial").fill_null(value=False)
    # Who may exit is fenced as it is let go.
    is_unasked = col("is_fence") & (col("event") != MAY_EXIT).fill_null(value=True)
    how = (
        when("is_partial").then(None).when(is_unasked).then(lit("uncontrolled")).otherwise(lit("controlled"))
    )
    stay = ("cluster_id", "broker_id", "back_at")
    begun = broker_absence.filter(event=MAY_BEGIN).select(*stay, is_begun=lit(value=True)).unique()
    decided = broker_absence.join(begun, on=stay, how="left", nulls_equal=True).select(
        "cluster_id",
        line_file_id="file_id",
        line_byte_offset="byte_offset",
        fenced_id="broker_id",
        fenced_how=how,
        is_partial="is_partial",
        is_exit_alone=(col("event") == MAY_EXIT) & col("is_begun").is_null(),
    )
    found = found.join(decided, on=LINE, how="left").pipe(with_decision_before, broker_absence, decided)
    in_doubt = broker_session.filter(col("certainty") == "undetermined", col("left_at").is_not_null())
    left = in_doubt.select(
        "cluster_id", fenced_id="broker_id", noticed_at="left_at", is_in_doubt_by_then=lit(value=True)
    )
    found = found.join(
        left.unique(), on=["cluster_id", "fenced_id", "noticed_at"], how="left", maintain_order="left"
    )
    is_fenced = col("fenced_id").is_not_null()
    is_unsaid = (col("fenced_how") == "uncontrolled") & col("is_in_doubt_by_then")
    fenced_how = when(~is_unsaid.fill_null(value=False)).then("fenced_how")
    root = when(is_partial).then(lit(LOST_DIR)).otherwise(lit(BROKER_FAILURE))
    return found.with_columns(
        root_broker_id=pl.coalesce("fenced_id", "root_broker_id"),
        root_left_how=when(~is_partial).then(pl.coalesce(fenced_how, "root_left_how")),
        root_event=when(is_fenced).then(root).otherwise("root_event"),
        certainty=when(is_fenced).then(lit("inferred")).otherwise("certainty"),
    ).drop("is_in_doubt_by_then")


def with_decision_before(
    found: pl.DataFrame, broker_absence: pl.DataFrame, decided: pl.DataFrame
) -> pl.DataFrame:
    """fenced_id, fenced_how, is_partial, where no other root is known, of the last decision about the old leader so
    shortly before the outage that other brokers print what came of it: in one millisecond their lines hide it."""
    names = ("fenced_id", "fenced_how", "is_partial")
    line = {"line_file_id": "file_id", "line_byte_offset": "byte_offset"}
    times = broker_absence.select("cluster_id", decided_at="out_at", **line).join(decided, on=LINE)
    before = times.select(
        "cluster_id", "decided_at", decided_id="fenced_id", **{f"{name}_before": name for name in names}
    )
    is_untold = (col("root_event") == UNTOLD) & col("root_broker_id").is_null() & col("fenced_id").is_null()
    return (
        found.sort("noticed_at")
        .join_asof(
            before.sort("decided_at"), left_on="noticed_at", right_on="decided_at", tolerance=PRINTED_LATER,
            by_left=("cluster_id", "old_leader"), by_right=("cluster_id", "decided_id"), coalesce=False,
            check_sortedness=False,
        )
        .with_columns(when(is_untold).then(f"{name}_before").otherwise(name).alias(name) for name in names)
        .select(*found.columns)
    )  # fmt: skip
