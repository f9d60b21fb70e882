"""Leader elections, from bronze.log_record."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.columns import (
    broker_list,
    epoch,
    first,
    found,
    last_of_each,
    number,
    or_unread,
    partitions,
)
from pipeline.kafka.families import fed, field_text
from schemas.silver.election_event import SPEC

REQUESTED = "struct<partitions: array<struct<topic: string, partition: int>>>"
RESULT = r"([A-Za-z0-9._-]+)-(\d+) -> (?:Right\((-?\d+)\)|((?:Left\()?[A-Z]\w*\([^)]*\)))"
LEADER_CHANGE = r"\bleader: (-?\d+) -> (-?\d+)"
BUILDER = r"\btopicId=([\w-]+), partitionId=(\d+)"
ELECTING_TASK = r"^(elect\w+)$"
LAST_KNOWN = "LAST_KNOWN_LEADER"
WON = ("elected", "elected_unclean", "result")
ELEMENT = {
    "topic": "string",
    "topic_id": "string",
    "partition": "int",
    "before": "int",
    "after": "int",
    "said": "string",
}


def build(log_record: DataFrame) -> DataFrame:
    """One row per partition of a line about elections; collections are taken apart.

    Moves to OnlinePartition are elections, too. Diffs of a partition are one only if its leader changes.
    Source: KafkaController, PartitionStateMachine and selectors, 0.8.2 to 3.9; PartitionChangeBuilder,
    ReplicationControlManager, QuorumController, from 2.8.
    """
    is_election = F.col("to_state").isNull() | (F.col("to_state") == "OnlinePartition")
    return (
        fed(log_record, "election_event")
        .where(is_election)
        .select("*", F.explode(named(field_text())).alias("one"))
        .drop("topic", "partition")
        .select("*", "one.*")
        .withColumn("step", refined())
        .withColumns(leaders() | circumstances())
        .select(*SPEC.columns)
    )


def named(text: Column) -> Column:
    """What the line says of each partition: of the record, or of each element that the feed's field holds."""
    field = F.col("field")
    own = one(topic=F.col("topic"), topic_id=F.col("fields")["topic_id"], partition=F.col("partition"))
    requested = F.coalesce(F.from_json(text, REQUESTED)["partitions"], F.array(F.lit(None)))
    results = F.transform(found(text, RESULT, "topic", "partition", "leader", "error"), of_result)
    builders = F.transform(
        found(text, BUILDER, "id", "partition"),
        lambda each: one(topic_id=each["id"], partition=number(each["partition"])),
    )
    all_of_them = (
        F.when(field.isNull() | (F.col("topic").isNotNull() & (field != "diff")), F.array(own))
        .when(field == "diff", F.transform(found(text, LEADER_CHANGE, "before", "after"), of_diff))
        .when(field == "data", F.transform(requested, of_partition))
        .when(field == "results", or_unread(results, text))
        .when(field == "state", or_unread(builders, text))
        .when(field == "task", F.transform(found(text, ELECTING_TASK, "name"), lambda _: one()))
        .otherwise(or_unread(F.transform(partitions(text), of_partition), text))
    )
    return last_of_each(all_of_them, "topic", "topic_id", "partition")


def one(**said: Column) -> Column:
    values = {name: said.get(name, F.lit(None)).cast(kind) for name, kind in ELEMENT.items()}
    return F.struct(*(value.alias(name) for name, value in values.items()))


def of_partition(each: Column) -> Column:
    return one(topic=each["topic"], partition=each["partition"])


def of_result(each: Column) -> Column:
    """`orders-2 -> Right(3)`, `orders-2 -> Left(ApiError(…))`."""
    return one(
        topic=each["topic"],
        partition=number(each["partition"]),
        after=number(each["leader"]),
        said=F.nullif(each["error"], F.lit("")),
    )


def of_diff(each: Column) -> Column:
    return one(
        topic=F.col("topic"),
        topic_id=F.col("fields")["topic_id"],
        partition=F.col("partition"),
        before=number(each["before"]),
        after=number(each["after"]),
    )


def refined() -> Column:
    """Elected uncleanly, if the line says so: in the recovery state, from 3.2."""
    fields = F.col("fields")
    says_so = fields["leader_and_isr"].contains("leaderRecoveryState=RECOVERING") | fields["diff"].contains(
        "RECOVERED -> RECOVERING"
    )
    words = F.coalesce(says_so, *(F.lit(False),))
    return F.when((F.col("step") == "elected") & words, "elected_unclean").otherwise(F.col("step"))


def leaders() -> dict[str, Column]:
    """Of a line that names one leader it is the new one where the election was won, else the present one."""
    fields = F.col("fields")
    chosen = number(F.coalesce(fields["new_leader"], fields["node"], fields["preferred_replica"]))
    is_new = F.col("step").isin(*WON) & chosen.isNull()
    return {
        "new_leader": F.coalesce("after", chosen, F.when(is_new, F.col("leader"))),
        "old_leader": F.coalesce("before", F.when(~is_new, F.col("leader"))),
        "leader_epoch": F.coalesce(
            "leader_epoch", epoch(first(fields["diff"], r"\bleaderEpoch: -?\d+ -> (-?\d+)"))
        ),
        "isr": F.coalesce("isr", broker_list(first(fields["diff"], r"\bisr: \[[\d, ]*\] -> (\[[\d, ]*\])"))),
    }


def circumstances() -> dict[str, Column]:
    fields = F.col("fields")
    is_last_known = (F.col("step") == "elected_unclean") & (last_known() == leaders()["new_leader"])
    strategy = first(F.col("exception_message"), r"under strategy (.+)$")
    return {
        "selector": F.coalesce(
            F.when(is_last_known, LAST_KNOWN),
            fields["election_type"],
            fields["election_strategy"],
            strategy,
            "kind",
        ),
        "trigger": F.coalesce(fields["election_trigger"], fields["context"], fields["task"]),
        "partition_count": number(F.coalesce(fields["num_partitions"], fields["num_records"])),
        "live_replicas": broker_list(F.coalesce(fields["live_replicas"], fields["live_broker_ids"])),
        "reason": F.coalesce("said", "reason", fields["error"]),
    }


def last_known() -> Column:
    """The one replica that is left as last known leader, where the line says so (from 3.7)."""
    fields = F.col("fields")
    registered = first(fields["partition_registration"], r"\belr=\[\], lastKnownElr=\[(\d+)\]")
    return number(F.coalesce(first(fields["diff"], r"\blastKnownElr: \[(\d+)\] -> \[\]"), registered))
