"""What several tables say alike about Kafka's records, as Spark Columns."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

PREVIOUS_STATES = r"should be in (?:one of |the )([A-Za-z,]+) states"
ASSIGNMENT_ENTRY = r"\[?([A-Za-z0-9._-]+)[-,](\d+)\]? -> (?:ReplicaAssignment\(replicas=|\w+\()([\d, ]*)"


def moves(log_record: DataFrame, event: str) -> DataFrame:
    """Records of `<event>` (done) and `<event>_failed` (failed) that name both states, with their outcome.

    previous_states: what the exception of a refused move lists as valid, Kafka's own matrix.
    """
    is_move = F.col("event").isin(event, f"{event}_failed")
    listed = F.regexp_extract("exception_message", PREVIOUS_STATES, 1)
    return log_record.where(
        is_move & F.col("from_state").isNotNull() & F.col("controller_id").isNotNull()
    ).select(
        "*",
        F.when(F.col("event") == event, "done").otherwise("failed").alias("outcome"),
        F.when(F.length(listed) > 0, F.split(listed, ",")).alias("previous_states"),
    )


def broker_list(text: Column) -> Column:
    """'3,1, 2' as [3, 1, 2]; an empty text as an empty list."""
    numbers = F.filter(F.split(text, r"[,\s]+"), lambda number: F.length(number) > 0)
    return F.transform(numbers, lambda number: number.cast("int"))


def assignment_entries(text: Column) -> Column:
    """`Map(orders-0 -> Vector(1, 2), …)` in all its forms as an array of (topic, partition, replicas)."""
    groups = [F.regexp_extract_all(text, F.lit(ASSIGNMENT_ENTRY), F.lit(group)) for group in (1, 2, 3)]
    return F.transform(
        F.arrays_zip(*(group.alias(name) for group, name in zip(groups, "tpr", strict=True))),
        lambda entry: F.struct(
            entry["t"].alias("topic"),
            entry["p"].cast("int").alias("partition"),
            broker_list(entry["r"]).alias("replicas"),
        ),
    )
