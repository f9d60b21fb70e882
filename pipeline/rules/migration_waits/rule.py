"""The rule migration_waits."""

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.evidence import LINE, NO_LINES, known_lines
from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.wording import (
    NO_TERM,
    clock_time,
    epoch_millis,
    facts_column,
    filled_text,
    root_columns,
    severity_column,
)

OWN = ("cluster_id", "controller_id")
RUN = (*OWN, "run")
STATE, WAITS = "driver_state", "migration_waits"
FOR_CONTROLLERS, FOR_BROKERS = "WAIT_FOR_CONTROLLER_QUORUM", "WAIT_FOR_BROKERS"
DRIVER = "other_k_raft_migration_driver_"
CONTROLLERS, KNOWN_NONE, NO_BROKER, ABSENT, OWN_METADATA = (
    f"{DRIVER}{name}"
    for name in (
        "still_waiting_for_all_controller",
        "no_brokers_are_known_to",
        "no_brokers_are_registered_in",
        "still_waiting_for_zk_brokers",
        "waiting_for_initial_metadata_publish",
    )
)
RESTART = (
    "restart them one after another with zookeeper.metadata.migration.enable=true and controller.quorum.*"
)
# event: fact waiting_for, and why and what to do in words.
REASONS = {
    KNOWN_NONE: ("brokers", f"no broker has registered with KRaft: {RESTART}"),
    ABSENT: ("brokers", f"brokers {{}} have not registered with KRaft: {RESTART}"),
    NO_BROKER: (
        "zookeeper",
        "ZooKeeper has no broker that is alive: see zookeeper.connect of the controllers",
    ),
    CONTROLLERS: ("controllers", "not all controllers can take part ({}): see their settings and releases"),
    OWN_METADATA: ("metadata", "the controller has not read its own metadata yet: see the quorum"),
}
LONG_MS = 600_000
STILL_MS = 600_000


@made_of_rows("controller_step")
def find(controller_step: pl.DataFrame, data_end: pl.DataFrame) -> pl.DataFrame:
    """A migration waits for controllers or brokers for ten minutes or longer. A warning while it goes on and has waited
    for the same so long: who restarts brokers one after another lets it wait, too, and is no warning.

    Source: KRaftMigrationDriver.areZkBrokersReadyForMigration, isControllerQuorumReadyForMigration, 3.5 to 3.9.
    """
    found = (
        migration_wait_spans(controller_step)
        .join(data_end.select("cluster_id", "until_at"), on="cluster_id")
        .with_columns(
            lasted_ms=epoch_millis("last_at") - epoch_millis("since_at"),
            is_still=col("over_at").is_null()
            & (epoch_millis("until_at") - epoch_millis("last_at") <= STILL_MS),
        )
        .filter(col("lasted_ms") >= LONG_MS)
    )
    is_over, is_still = col("over_at").is_not_null(), col("is_still")
    is_stuck = is_still & (epoch_millis("last_at") - epoch_millis("same_at") >= LONG_MS)
    end = (
        when(is_over).then(filled_text("until {}", clock_time("over_at", "since_at")))
        .when(is_still).then(filled_text("on and still did at {}", clock_time("last_at", "since_at")))
        .otherwise(filled_text("on and did at {}; no line tells what came then", clock_time("last_at", "since_at")))
    )  # fmt: skip
    return found.select(
        "cluster_id",
        *severity_column(when(is_stuck).then(lit("warning")).otherwise(lit("info"))),
        entity=filled_text("controller {}", "controller_id"),
        root_event=filled_text("{} since {}", "state", epoch_millis("since_at")),
        **root_columns("migration waits", "since_at", "controller_id"),
        term_id=NO_TERM,
        valid_from_at="since_at",
        valid_until_at=when(is_over).then("over_at").when(~is_still).then("last_at"),
        sentence=filled_text(
            "the migration from ZooKeeper waited in {} from {} {}: {}",
            *("state", clock_time("since_at", "since_at"), end, migration_wait_reason()),
        ),
        facts=facts_column(
            controller_id="controller_id",
            to_state="state",
            waiting_for=col("reason").replace_strict(
                {event: name for event, (name, _) in REASONS.items()}, default=None, return_dtype=pl.String
            ),
            broker_ids=when(col("reason") == ABSENT).then(migration_ids_text()),
            lasted_ms="lasted_ms",
        ),
        certainty=lit("proved"),
        evidence=pl.concat_list("lines", "over_line").list.unique(maintain_order=True),
    )


def migration_wait_reason() -> pl.Expr:
    told = (
        when(col("reason") == event).then(filled_text(text, *["detail"] * text.count("{}")))
        for event, (_, text) in REASONS.items()
    )
    return pl.coalesce(*told, lit("no line tells for what"))


def migration_ids_text() -> pl.Expr:
    """Of the text [2, 3]; null where the line lists none."""
    listed = col("detail").str.extract_all(r"\d+")
    return when(listed.list.len() > 0).then(listed)


def migration_wait_spans(controller_step: pl.DataFrame) -> pl.DataFrame:
    """One row per time that a driver of the migration waits: OWN, state, since_at, last_at; reason, detail: of its last
    line about it; same_at: since when that is the reason; lines; over_at, over_line: the state that followed."""
    lines = (
        controller_step.with_columns(controller_id=pl.coalesce("node_id", "controller_id"))
        .filter(col("step").is_in([STATE, WAITS]), col("controller_id").is_not_null())
        .sort(*OWN, "logged_at", *LINE)
    )
    implied = when(col("event") == CONTROLLERS).then(lit(FOR_CONTROLLERS)).otherwise(lit(FOR_BROKERS))
    state = when(col("step") == STATE).then("detail").otherwise(implied)
    reason = when(col("step") == WAITS).then(pl.struct("event", "detail"))
    is_next = col("state").ne_missing(col("state").shift(1).over(OWN))
    return (
        lines.with_columns(state=state, line=known_lines(LINE), reason=reason)
        .with_columns(run=is_next.cast(pl.Int64).cum_sum().over(OWN), **{
            f"next_{name}": col(name).shift(-1).over(OWN) for name in ("logged_at", "line")
        })
        .group_by(RUN, maintain_order=True)
        .agg(
            col("state").first(),
            since_at=col("logged_at").first(),
            last_at=col("logged_at").last(),
            told=col("reason").drop_nulls().last(),
            is_one=col("reason").drop_nulls().n_unique() <= 1,
            same_at=col("logged_at").filter(col("reason") == col("reason").drop_nulls().last()).first(),
            lines=pl.concat_list(col("line").first(), col("line").last()),
            over_at=col("next_logged_at").last(),
            over_line=col("next_line").last(),
        )
        .filter(col("state").is_in([FOR_CONTROLLERS, FOR_BROKERS]))
        .with_columns(
            reason=col("told").struct.field("event"),
            detail=col("told").struct.field("detail"),
            same_at=when("is_one").then("since_at").otherwise("same_at"),
            over_line=col("over_line").fill_null(NO_LINES),
        )
    )  # fmt: skip


RULE = Rule(
    name="migration_waits",
    version=1,
    severities=("warning", "info"),
    facts=("controller_id", "to_state", "waiting_for", "broker_ids", "lasted_ms"),
    find=find,
)
