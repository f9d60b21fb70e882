"""Why a broker or a controller was gone, as findings say it: by the reason that server.log tells, and its lines."""

from collections.abc import Sequence

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.lines.evidence import LINES_TYPE, NO_LINES
from pipeline.rules.shared.causes import (
    SHORT,
    end_reason_text,
    has_sign,
    has_stopped_without_leave,
    is_known,
    with_cause_lines,
)
from pipeline.rules.shared.wording import enumerated_ids, epoch_millis, filled_text
from schemas.end_reasons import GAVE_UP


def with_outage_causes(groups: pl.DataFrame, outages: pl.DataFrame, event: Sequence[str]) -> pl.DataFrame:
    """Events of outages with cause (empty: not known), end_reasons, first_sign_ms and cause_lines: why the brokers that
    left were gone. outages: those of the events, with REASON of the departure of their root_broker_id."""
    told = (
        outages.filter(is_known(), col("root_broker_id").is_not_null())
        .sort(*event, "root_broker_id", "end_reason_at")
        .unique([*event, "root_broker_id"], keep="first", maintain_order=True)
        .join(groups.select(*event, "valid_from_at"), on=list(event), maintain_order="left")
    )
    size = pl.len().over(event)
    found = (
        told.with_columns(
            one=filled_text(", because it {}", end_reason_text("valid_from_at")),
            sign_ms=when(has_sign() & (size == 1)).then(epoch_millis("first_sign_at")),
            lines=when(size == 1).then(with_cause_lines(NO_LINES)).otherwise("end_lines"),
        )
        .group_by(event, maintain_order=True)
        .agg(
            known=pl.len(),
            one=col("one").first(),
            end_reasons=col("end_reason").drop_nulls(),
            first_sign_ms=col("sign_ms").first(),
            cause_lines=col("lines").explode(empty_as_null=False, keep_nulls=False),
        )
        .join(by_reason(told, event), on=list(event))
    )
    is_one = col("known") == 1
    several = filled_text(", because {}", col("each").list.join(", "))
    is_only = is_one & (col("brokers").list.len() == 1)
    cause = when(is_only).then("one").when(col("known") > 0).then(several).otherwise(lit(""))
    return (
        groups.join(found, on=list(event), how="left")
        .with_columns(cause=cause, cause_lines=col("cause_lines").fill_null(lit([], LINES_TYPE)))
        .drop("each", "one", "known")
    )


@needs_rows_of("told")
def by_reason(told: pl.DataFrame, event: Sequence[str]) -> pl.DataFrame:
    """(event, each): brokers 1 and 2 were killed or crashed; broker 3 was told to stop."""
    several = col("ids").list.len() > 1
    name = (
        when(several)
        .then(filled_text("brokers {} were", enumerated_ids("ids")))
        .otherwise(filled_text("broker {} was", enumerated_ids("ids")))
    )
    reason = col("end_reason").replace_strict(SHORT, default=None, return_dtype=pl.String)
    count = col("given_up").list.len()
    gave_up = when(count > 1).then(lit(GAVE_UP.replace("its", "their"))).otherwise(lit(GAVE_UP))
    some = filled_text(" ({} {})", enumerated_ids("given_up"), gave_up)
    end = (
        when(count == col("ids").list.len()).then(filled_text(" and {}", gave_up)).when(count > 0).then(some)
    )
    return (
        told.group_by(*event, "end_reason", maintain_order=True)
        .agg(
            ids=col("root_broker_id").sort(),
            given_up=col("root_broker_id").filter(has_stopped_without_leave()).sort(),
        )
        .group_by(event, maintain_order=True)
        .agg(each=filled_text("{} {}{}", name, reason, end.otherwise(lit(""))))
    )
