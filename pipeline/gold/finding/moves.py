"""Rules on moves of the state machines, and on what Kafka itself says of their states."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.gold.finding.wording import controller_name, kept, kept_of, rule


def moves_of_verdict(
    transition_audit: DataFrame, name: str, severity: str, condition: str, words: str
) -> DataFrame:
    """Moves with one verdict, a finding per term, machine and pair of states."""
    name_of_partition = F.concat_ws("-", "topic", "partition").alias("name")
    by = ("cluster_id", "term_id", "machine", "from_state", "to_state", "controller_id", "controller_epoch")
    groups = (
        transition_audit.where(condition)
        .groupBy(*by)
        .agg(
            F.count("*").alias("moves"),
            F.min("logged_at").alias("valid_from_at"),
            F.max("logged_at").alias("valid_until_at"),
            F.collect_list(F.struct("seq", "logged_at", "evidence", name_of_partition)).alias("each"),
        )
    )
    sentence = F.format_string(
        f"%s {words} %d %s move(s) %s -> %s, first of %s",
        controller_name(), "moves", "machine", "from_state", "to_state", kept(F.col("each"))[0]["name"],
    )  # fmt: skip
    return groups.select(
        "cluster_id", *rule(name, severity),
        F.format_string("%s %s -> %s", "machine", "from_state", "to_state").alias("entity"),
        controller_name().alias("root_event"), "term_id", "valid_from_at", "valid_until_at",
        sentence.alias("sentence"), F.lit("proved").alias("certainty"), kept_of(F.col("each")).alias("evidence"),
    )  # fmt: skip


def illegal_move(transition_audit: DataFrame) -> DataFrame:
    """A line says that a move happened which Kafka's matrix does not allow."""
    return moves_of_verdict(transition_audit, "illegal_move", "critical", "verdict = 'illegal'", "made")


def refused_move(transition_audit: DataFrame) -> DataFrame:
    """The controller refused its own attempt, and no release does that normally."""
    condition = "verdict = 'refused' AND normal IS NULL"
    return moves_of_verdict(transition_audit, "refused_move", "warning", condition, "refused")


def discontinuity(transition_audit: DataFrame) -> DataFrame:
    """A move starts from another state than the last one led to, and nothing explains it."""
    condition = "verdict = 'discontinuity'"
    return moves_of_verdict(transition_audit, "discontinuity", "warning", condition, "logged out of line")


def replay_disagreement(replay_check: DataFrame, controller_term: DataFrame) -> DataFrame:
    """What Kafka says of its states is not what the replay has: lines are missing, or states moved without one."""
    terms = controller_term.select("cluster_id", "term_id", "controller_id", "controller_epoch")
    found = replay_check.where("differing_count > 0").join(terms, on=["cluster_id", "term_id"], how="inner")
    statement = F.format_string(
        "%s machine: %s at %d", "machine", F.translate("check", "_", " "), F.unix_millis("logged_at")
    )
    sentence = F.format_string(
        "%s printed %d state(s) of the %s machine (%s), and the replay has %d of them otherwise, first %s",
        controller_name(), "said_count", "machine", F.translate("check", "_", " "), "differing_count",
        F.col("examples")[0],
    )  # fmt: skip
    return found.select(
        "cluster_id", *rule("replay_disagreement", "warning"), statement.alias("entity"),
        controller_name().alias("root_event"), "term_id", F.col("logged_at").alias("valid_from_at"),
        F.col("logged_at").alias("valid_until_at"), sentence.alias("sentence"),
        F.lit("proved").alias("certainty"), "evidence",
    )  # fmt: skip
