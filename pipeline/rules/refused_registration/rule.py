"""The rule refused_registration."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.wording import (
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

LINE = pl.struct("file_id", "byte_offset")
NODE = ("cluster_id", "node_id")
REFUSED = "DuplicateBrokerRegistrationException"
# A broker asks again after its session time-out at most (9 s as shipped; BrokerLifecycleManager, from 2.8).
ONE_RUN_MS = 15_000
UNDETERMINED = "undetermined"


@made_of_rows("controller_step")
def find(controller_step: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """A KRaft controller refuses a broker while the session of its process before goes on: one finding a run of them.

    The line does not name the broker: it is the one whose session ends or begins soon after.
    Source: ClusterControlManager.registerBroker, from 2.8.
    """
    apart = epoch_millis("logged_at") - epoch_millis("logged_at").shift(1).over(NODE)
    is_new = (apart > ONE_RUN_MS).fill_null(value=True)
    is_refusal = (col("step") == "event_failed") & col("exception_class").str.ends_with(REFUSED)
    runs = (
        controller_step.filter(is_refusal)
        .sort(*NODE, "logged_at", "byte_offset")
        .with_columns(run=is_new.cast(pl.Int64).cum_sum().over(NODE), evidence=pl.concat_list(LINE))
        .group_by(*NODE, "run", maintain_order=True)
        .agg(
            refused=pl.len(),
            valid_from_at=col("logged_at").min(),
            valid_until_at=col("logged_at").max(),
            evidence=kept_evidence(),
        )
        .pipe(with_broker, broker_session)
    )
    lasted_ms = epoch_millis("valid_until_at") - epoch_millis("valid_from_at")
    who = when(col("broker_id").is_not_null()).then(broker_name()).otherwise(lit("brokers"))
    one, more = ("was", "session of its former life"), ("were", "sessions of their former lives")
    were, whose = (
        when(col("broker_id").is_not_null()).then(lit(said)).otherwise(lit(other))
        for said, other in zip(one, more, strict=True)
    )
    sentence = (
        "{} {} refused {} within {} ({}): the {} had not run out (broker.session.timeout.ms, 9 s as shipped); "
        "normal after a quick restart, not if it lasts"
    )
    return runs.select(
        *("cluster_id", "valid_from_at", "valid_until_at", "evidence"),
        *severity_column("info"),
        entity=who,
        root_event=filled_text("refused at {}", col("valid_from_at").dt.epoch("s")),
        **root_columns("refused registration", "valid_from_at", "broker_id"),
        term_id=NO_TERM,
        sentence=filled_text(
            sentence,
            who,
            were,
            counted_noun("refused", "time"),
            duration_text(lasted_ms),
            lit(REFUSED),
            whose,
        ),
        facts=facts_column(
            broker_id="broker_id",
            refused_count="refused",
            lasted_ms=lasted_ms,
        ),
        certainty=lit("proved"),
    )


@needs_rows_of("runs")
def with_broker(runs: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """broker_id: of the only broker of which a session ends or begins soon after; null: of several, or where that of
    another one is in doubt."""
    sessions = [
        broker_session.select("cluster_id", "broker_id", at=name).drop_nulls("at")
        for name in ("joined_at", "left_at")
    ]
    soon = epoch_millis("at") <= epoch_millis("valid_until_at") + ONE_RUN_MS
    found = (
        runs.select(*NODE, "run", "valid_from_at", "valid_until_at")
        .join(pl.concat(sessions), on="cluster_id")
        .filter(col("at") >= col("valid_from_at"), soon)
        .group_by(*NODE, "run")
        .agg(ids=col("broker_id").unique())
        .filter(col("ids").list.len() == 1)
        .select(*NODE, "run", broker_id=col("ids").list.first())
    )
    doubtful = broker_session.filter(col("certainty") == UNDETERMINED).select(
        "cluster_id", "joined_at", "left_at", other_id="broker_id"
    )
    is_open = (col("left_at") >= col("valid_from_at")).fill_null(value=True)
    in_doubt = (
        runs.join(found, on=[*NODE, "run"], nulls_equal=True)
        .join(doubtful, on="cluster_id")
        .filter(col("other_id") != col("broker_id"), col("joined_at") <= col("valid_until_at"), is_open)
    )
    told = found.join(in_doubt, on=[*NODE, "run"], how="anti", nulls_equal=True)
    return runs.join(told, on=[*NODE, "run"], how="left", nulls_equal=True)


RULE = Rule(
    name="refused_registration",
    version=2,
    severities=("info",),
    facts=("broker_id", "refused_count", "lasted_ms"),
    find=find,
)
