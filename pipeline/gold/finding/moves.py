"""Rules on moves of the state machines, and on what Kafka itself says of their states."""

import polars as pl
from polars import col

from pipeline.gold.finding.rule import of_rows
from pipeline.gold.finding.wording import (
    CONTROLLER,
    PARTITION,
    controller_name,
    counted,
    facts,
    kept_evidence,
    millis,
    partition_name,
    root,
    rule,
    words,
)

# Examples of gold.replay_check: orders-0 replica 1: Kafka OfflineReplica, replay OnlineReplica; of a refusal
# orders-0: Kafka OfflineReplica -> ReplicaDeletionIneligible, and the exception.
EXAMPLE = (
    r"^(?P<topic>.+)-(?P<partition>\d+)(?: replica (?P<replica_id>\d+))?: Kafka "
    r"(?:(?:(?P<kafka_state>\w+)|does not name it), replay (?P<replay_state>\w+)$"
    r"|(?P<from_state>\w+) -> (?P<to_state>\w+))"
)
OF_EXAMPLE = (*PARTITION, "replica_id", "kafka_state", "replay_state", "from_state", "to_state")
GROUP = ("cluster_id", "term_id", "machine", "from_state", "to_state", "controller_id", "controller_epoch")


def moves_of_verdict(
    transition_audit: pl.DataFrame, named: tuple[pl.Expr, ...], condition: pl.Expr, did: str, why: str = ""
) -> pl.DataFrame:
    """Moves with one verdict, a finding per term, machine and pair of states."""
    groups = (
        transition_audit.filter(condition)
        .with_columns(name=partition_name())
        .sort("seq", "logged_at", "evidence", "name")
        .group_by(GROUP, maintain_order=True)
        .agg(
            col(*PARTITION, "certainty").first(),
            moves=pl.len(),
            first_name=col("name").first(),
            valid_from_at=col("logged_at").min(),
            valid_until_at=col("logged_at").max(),
            evidence=kept_evidence(),
        )
    )
    pair = words("{} -> {}", "from_state", "to_state")
    noun = pl.when(col("moves") == 1).then(pl.lit("move")).otherwise(pl.lit("moves"))
    return groups.select(
        *("cluster_id", "term_id", "valid_from_at", "valid_until_at", "certainty", "evidence"),
        *named,
        entity=words("{} {}", "machine", pair),
        root_event=controller_name(),
        **root("controller", broker_id="controller_id"),
        sentence=words(
            f"{{}} {did} {{}} {{}} {{}} {{}}{why}, first of {{}}",
            *(controller_name(), "moves", "machine", noun, pair, "first_name"),
        ),
        facts=facts(
            **CONTROLLER,
            machine="machine",
            moves_count="moves",
            from_state="from_state",
            to_state="to_state",
            **PARTITION,
        ),
    )


@of_rows("transition_audit")
def illegal_move(transition_audit: pl.DataFrame) -> pl.DataFrame:
    """A line says that a move happened which Kafka's matrix does not allow."""
    is_illegal = col("verdict") == "illegal"
    return moves_of_verdict(transition_audit, rule("illegal_move", "critical"), is_illegal, "made")


@of_rows("transition_audit")
def refused_move(transition_audit: pl.DataFrame) -> pl.DataFrame:
    """The controller refused its own attempt, and no release does that normally."""
    is_refused = (col("verdict") == "refused") & col("normal").is_null()
    return moves_of_verdict(transition_audit, rule("refused_move", "warning"), is_refused, "refused")


@of_rows("transition_audit")
def discontinuity(transition_audit: pl.DataFrame) -> pl.DataFrame:
    """A move starts from another state than the last one led to, and nothing explains it."""
    is_out_of_line = col("verdict") == "discontinuity"
    why = ", not from the state that it had led to before"
    return moves_of_verdict(
        transition_audit, rule("discontinuity", "warning", 2), is_out_of_line, "logged", why
    )


@of_rows("replay_check")
def replay_disagreement(replay_check: pl.DataFrame, controller_term: pl.DataFrame) -> pl.DataFrame:
    """What Kafka says of its states is not what the replay has: lines are missing, or states moved without one. Or what
    it says of a move that it refuses is not what our table of legal moves has."""
    terms = controller_term.select("cluster_id", "term_id", "controller_id", "controller_epoch")
    found = replay_check.filter(col("differing_count") > 0).join(
        terms, on=["cluster_id", "term_id"], how="inner"
    )
    check = col("check").str.replace_all("_", " ", literal=True)
    parts = col("examples").list.first().str.extract_groups(EXAMPLE)
    return found.select(
        *("cluster_id", "term_id", "evidence"),
        *rule("replay_disagreement", "warning", 2),
        entity=words("{} machine: {} at {}", "machine", check, millis("logged_at")),
        root_event=controller_name(),
        **root("controller", broker_id="controller_id"),
        valid_from_at="logged_at",
        valid_until_at="logged_at",
        sentence=disagreement(check, parts),
        facts=facts(
            **CONTROLLER,
            check="check",
            machine="machine",
            said_count="said_count",
            differing_count="differing_count",
            **{name: parts.struct.field(name) for name in OF_EXAMPLE},
        ),
        certainty=pl.lit("proved"),
    )


def disagreement(check: pl.Expr, parts: pl.Expr) -> pl.Expr:
    part = parts.struct.field
    move = words(
        "{} {} -> {}", partition_name(part("topic"), part("partition")), part("from_state"), part("to_state")
    )
    refused = words(
        "{} refused {} of the {} machine", controller_name(), counted("said_count", "move"), "machine"
    )
    release = "first {}: see whether its release is told rightly"
    return (
        pl.when(col("check") == "refused_pair")
        .then(
            words(
                f"{{}}, {{}} of them legal in the audit's table, {release}", refused, "differing_count", move
            )
        )
        .when(col("check") == "valid_previous_states")
        .then(
            words(
                f"{{}} and named the states it allows, {{}} others than the audit's table, {release}",
                *(refused, counted("differing_count", "time"), move),
            )
        )
        .otherwise(
            words(
                "{} printed {} of the {} machine ({}), and the replay has {} of them otherwise, first {}",
                *(controller_name(), counted("said_count", "state"), "machine", check, "differing_count"),
                col("examples").list.first(),
            )
        )
    )
