"""The rule missing_logs."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import OF_FIND, Rule, made_of_rows
from pipeline.rules.shared.wording import (
    NO_TERM,
    counted_noun,
    facts_column,
    filled_text,
    kept_evidence,
    partition_name_text,
    root_columns,
    severity_column,
)
from schemas.silver.log_gap import LINES_MISSING, NORMAL

LOST = "lost_in_warehouse"  # its sentence begins so
AT_ONCE = timedelta(seconds=2)  # brokers apply a change so late


@made_of_rows("log_gap")
def log_gap_findings(log_gap: pl.DataFrame) -> pl.DataFrame:
    """Lines that the verdicts would need are not there: one finding per node, log, kind and hour in which it begins,
    however many lines are missed and however many signs tell so."""
    node = when(col("node_id").is_null()).then(lit("cluster")).otherwise(filled_text("node {}", "node_id"))
    found = (
        log_gap.filter(col("kind").is_in([one for one in LINES_MISSING if one not in NORMAL]))
        .with_columns(
            entity=pl.concat_str(node, col("log") + ".log", separator=", ", ignore_nulls=True),
            since_at=pl.coalesce("from_at", "until_at"),
        )
        .filter(col("since_at").is_not_null())
        .with_columns(hour_at=col("since_at").dt.truncate("1h"))
        .sort("since_at", "sentence", "certainty", "evidence")
        .group_by("cluster_id", "entity", "kind", "hour_at", maintain_order=True)
        .agg(
            col("node_id", "log", "sentence", "certainty", "evidence").first(),
            valid_from_at=col("since_at").first(),
            valid_until_at=pl.coalesce("until_at", "since_at").max(),
        )
    )
    kind = col("kind").str.replace_all("_", " ", literal=True)
    return found.select(
        *("cluster_id", "entity", "valid_from_at", "valid_until_at", "certainty", "evidence"),
        *severity_column("info"),
        root_event=filled_text("{} since {}", "kind", col("hour_at").dt.epoch("s")),
        **root_columns(col("kind"), "hour_at", "node_id"),
        term_id=NO_TERM,
        sentence=when(col("kind") == LOST)
        .then(filled_text("{}, {}", "entity", "sentence"))
        .otherwise(filled_text("{}, {}: {}", "entity", kind, "sentence")),
        facts=facts_column(node_id="node_id", log="log", kind="kind"),
    )


@made_of_rows("leader_election")
def missing_leader_epochs(leader_election: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """KRaft: leaders of partitions that no line names, as leader epochs are missing: one finding a cluster. Not of
    those whose brokers were fenced at once: who led between two fencings never knew."""
    partition = ("cluster_id", "topic", "topic_life", "partition")
    count = col("missing_epochs")
    groups = (
        leader_election.sort(*partition, "elected_at", "leader_epoch")
        .with_columns(
            since_at=col("elected_at").shift(1).over(partition),
            led_before=col("leader").shift(1).over(partition),
            name=partition_name_text(),
        )
        .filter(count > 0, col("since_at").is_not_null())
        .pipe(without_fenced_at_once, broker_session)
        .sort(-count, "name", "elected_at")
        .group_by("cluster_id", maintain_order=True)
        .agg(
            partitions=pl.struct(partition[1:]).n_unique(),
            epochs=count.sum(),
            worst_name=col("name").first(),
            worst_epochs=count.first(),
            worst_from_at=col("since_at").first(),
            worst_until_at=col("elected_at").first(),
            valid_from_at=col("since_at").min(),
            valid_until_at=col("elected_at").max(),
            evidence=kept_evidence(),
        )
    )
    sentence = (
        "no log has {} of {}, most of {} ({}, from {} to {}): who led it then no line tells; lines of a broker are "
        "missing, or changes came at once"
    )
    epochs, partitions = counted_noun("epochs", "leader epoch"), counted_noun("partitions", "partition")
    times = (col(name).dt.strftime("%Y-%m-%d %H:%M:%S") for name in ("worst_from_at", "worst_until_at"))
    return groups.select(
        *("cluster_id", "valid_from_at", "valid_until_at", "evidence"),
        *severity_column("info"),
        entity=lit("cluster"),
        root_event=lit("leader epochs missing"),
        **root_columns("leader epochs missing", "valid_from_at"),
        term_id=NO_TERM,
        sentence=filled_text(sentence, epochs, partitions, "worst_name", "worst_epochs", *times),
        facts=facts_column(kind=lit("leader_epochs_missing"), partitions_count="partitions"),
        certainty=lit("inferred"),
    )


def without_fenced_at_once(elections: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """Elections without those of which as many brokers, led_before among them, left at once as leaders are missing, and
    one more: each fencing changes the leader once. Source: ReplicationControlManager.handleBrokerFenced."""
    left = broker_session.filter(col("left_at").is_not_null()).select("cluster_id", "broker_id", "left_at")
    together = (
        left.sort("cluster_id", "left_at")
        .rolling("left_at", period=2 * AT_ONCE, offset=-AT_ONCE, closed="both", group_by="cluster_id")
        .agg(fenced=pl.len())
        .unique(["cluster_id", "left_at"])
    )
    with_count = left.join(together, on=["cluster_id", "left_at"]).sort("left_at")
    is_told = (col("fenced") > col("missing_epochs")).fill_null(value=False)
    return (
        elections.with_row_index("place")
        .sort("elected_at")
        .join_asof(
            with_count,
            left_on="elected_at",
            right_on="left_at",
            by_left=["cluster_id", "led_before"],
            by_right=["cluster_id", "broker_id"],
            tolerance=AT_ONCE,
            check_sortedness=False,
        )
        .filter(~is_told)
        .sort("place")
        .select(elections.columns)
    )


def find(log_gap: pl.DataFrame, leader_election: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """Lines are missing: a log has a gap, or the leader epochs of a partition have one."""
    by_gap = log_gap_findings(log_gap).select(OF_FIND)
    return pl.concat([by_gap, missing_leader_epochs(leader_election, broker_session).select(OF_FIND)])


RULE = Rule(
    name="missing_logs",
    version=1,
    severities=("info",),
    facts=("node_id", "log", "kind"),
    find=find,
)
