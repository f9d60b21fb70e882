"""The rule replay_disagreement."""

import polars as pl
from polars import col

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.wording import (
    CONTROLLER,
    PARTITION,
    controller_name,
    counted_noun,
    epoch_millis,
    facts_column,
    filled_text,
    partition_name_text,
    root_columns,
    severity_column,
)

# Examples of gold.replay_check: orders-0 replica 1: Kafka OfflineReplica, replay OnlineReplica; of a refusal
# orders-0: Kafka OfflineReplica -> ReplicaDeletionIneligible, and the exception.
EXAMPLE = (
    r"^(?P<topic>.+)-(?P<partition>\d+)(?: replica (?P<replica_id>\d+))?: Kafka "
    r"(?:(?:(?P<kafka_state>\w+)|does not name it), replay (?P<replay_state>\w+)$"
    r"|(?P<from_state>\w+) -> (?P<to_state>\w+))"
)
OF_EXAMPLE = (*PARTITION, "replica_id", "kafka_state", "replay_state", "from_state", "to_state")


@made_of_rows("replay_check")
def find(replay_check: pl.DataFrame, controller_term: pl.DataFrame) -> pl.DataFrame:
    """What Kafka says of its states is not what the replay has: lines are missing, or states moved without one. Or what
    it says of a move that it refuses is not what our table of legal moves has. Moves without their request are counted
    beside the moves alone."""
    terms = controller_term.select("cluster_id", "term_id", "controller_id", "controller_epoch")
    found = replay_check.filter((col("differing_count") > 0) & (col("check") != "requests_of_moves")).join(
        terms, on=["cluster_id", "term_id"], how="inner"
    )
    check = col("check").str.replace_all("_", " ", literal=True)
    parts = col("examples").list.first().str.extract_groups(EXAMPLE)
    return found.select(
        *("cluster_id", "term_id", "evidence"),
        *severity_column("warning"),
        entity=filled_text("{} machine: {} at {}", "machine", check, epoch_millis("logged_at")),
        root_event=controller_name(),
        **root_columns("controller", broker_id="controller_id"),
        valid_from_at="logged_at",
        valid_until_at="logged_at",
        sentence=disagreement_sentence(check, parts),
        facts=facts_column(
            **CONTROLLER,
            check="check",
            machine="machine",
            said_count="said_count",
            differing_count="differing_count",
            **{name: parts.struct.field(name) for name in OF_EXAMPLE},
        ),
        certainty=pl.lit("proved"),
    )


def disagreement_sentence(check: pl.Expr, parts: pl.Expr) -> pl.Expr:
    part = parts.struct.field
    move = filled_text(
        "{} {} -> {}",
        partition_name_text(part("topic"), part("partition")),
        part("from_state"),
        part("to_state"),
    )
    refused = filled_text(
        "{} refused {} of the {} machine", controller_name(), counted_noun("said_count", "move"), "machine"
    )
    release = "first {}: see whether its release is told rightly"
    return (
        pl.when(col("check") == "refused_pair")
        .then(
            filled_text(
                f"{{}}, {{}} of them legal in the audit's table, {release}", refused, "differing_count", move
            )
        )
        .when(col("check") == "valid_previous_states")
        .then(
            filled_text(
                f"{{}} and named the states it allows, {{}} others than the audit's table, {release}",
                *(refused, counted_noun("differing_count", "time"), move),
            )
        )
        .otherwise(
            filled_text(
                "{} printed {} of the {} machine ({}), and the replay has {} of them otherwise, first {}",
                *(
                    controller_name(),
                    counted_noun("said_count", "state"),
                    "machine",
                    check,
                    "differing_count",
                ),
                col("examples").list.first(),
            )
        )
    )


RULE = Rule(
    name="replay_disagreement",
    version=2,
    severities=("warning",),
    facts=(
        "controller_id",
        "controller_epoch",
        "check",
        "machine",
        "said_count",
        "differing_count",
        "topic",
        "partition",
        "replica_id",
        "kafka_state",
        "replay_state",
        "from_state",
        "to_state",
    ),
    find=find,
)
