"""What KRaft nodes say of partitions by partition epoch, from bronze.log_record."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.columns import broker_list, epoch, first, listed, number
from pipeline.kafka.families import fed, field_text
from schemas.silver.partition_state import SPEC

IN_OPTION = r"([\w-]{22})"


def build(log_record: DataFrame) -> DataFrame:
    """One row per line.

    Brokers in ZooKeeper mode print some of these wordings too, from 3.3 on: what counts is for the reader to say.
    Without a partition epoch (up to 3.2) the lines of brokers give no row.
    Source: ReplicaManager, Partition, ReplicationControlManager, from 3.0.
    """
    fields, text = F.col("fields"), field_text()
    said = {
        "teller": F.col("kind"),
        "topic_id": first(F.coalesce(fields["topic_id"], first(text, r"\btopicId=([\w-]+)")), IN_OPTION),
        "partition": F.coalesce("partition", number(first(text, r"\bpartitionId=(\d+)"))),
        "partition_epoch": F.coalesce(
            epoch(fields["partition_epoch"]), epoch(first(text, r"\bpartitionEpoch(?:=|: \d+ -> )(\d+)"))
        ),
        "leader": F.coalesce(F.when(is_leader_itself(), F.col("broker_id")), "leader", new_leader(text)),
        "leader_epoch": F.coalesce("leader_epoch", epoch(changed(text, "leaderEpoch", r"(\d+)"))),
        "isr": F.coalesce("isr", of_change(text, "isr"), listed(text, "isr")),
        "replicas": F.coalesce("replicas", of_change(text, "replicas"), listed(text, "replicas")),
        "adding_replicas": being(text, "adding"),
        "removing_replicas": being(text, "removing"),
    }
    is_placed = F.col("partition_epoch").isNotNull() | (F.col("step") != "stated")
    return (
        fed(log_record, "partition_state")
        .where("topic IS NOT NULL")
        .withColumns(said)
        .where(is_placed)
        .select(*SPEC.columns)
    )


def is_leader_itself() -> Column:
    """`Leader … starts at leader epoch` names no leader: it is the broker that prints it."""
    return F.col("event") == "broker_leader_started"


def new_leader(text: Column) -> Column:
    """Of a change record or a diff; -2 says that it stays as it was."""
    said = number(F.coalesce(changed(text, "leader", r"(-?\d+)"), first(text, r"\bleader=(-?\d+)")))
    return F.when(said > -2, said)


def changed(text: Column, name: str, value: str) -> Column:
    """The new value in `name: old -> new`."""
    return first(text, rf"(?:^|, ){name}: [^,]*? -> {value}")


def of_change(text: Column, name: str) -> Column:
    """The new list in `name: [3, 1] -> [1]`."""
    pattern = rf"(?:^|, ){name}: \[[^\]]*\] -> (\[[^\]]*\])"
    return F.when(text.rlike(pattern), broker_list(first(text, pattern)))


def being(text: Column, verb: str) -> Column:
    printed = F.col("fields")[f"{verb}_replicas"]
    return F.coalesce(
        broker_list(printed), of_change(text, f"{verb}Replicas"), listed(text, f"{verb}Replicas")
    )
