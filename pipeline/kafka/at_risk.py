"""How many records an unclean election may have cost: what former in-sync replicas have beyond the new leader's log."""

from collections.abc import Callable

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from schemas.spec import EVIDENCE_TYPE

OWN = ("cluster_id", "topic", "partition")
DAYS = 1  # what comes back later than on the next day in UTC is not looked for


def with_risk(elections: DataFrame, replica_offset: DataFrame) -> DataFrame:
    """Adds records_at_risk to unclean elections, and its two lines to their evidence: the end of the log of a former
    in-sync replica (any other one where the ISR before is not known) when it first comes back as a follower, less that
    of the new leader when it began to lead; the largest of all that came back by the end of the next day, at least 0;
    null: no two such lines (from 2.6).

    An upper bound: not all of it was acknowledged to its producers.
    Source: Partition.makeLeader, makeFollower; the follower truncates to where the two logs part (KIP-101).
    """
    line = F.struct("file_id", "byte_offset").alias("line")
    start = F.struct("logged_at", "broker_id", "is_leader", "leader_epoch", "log_end_offset", line)
    starts = replica_offset.groupBy(*OWN).agg(F.sort_array(F.collect_list(start)).alias("starts"))
    is_unclean = F.coalesce(~F.col("is_clean"), F.lit(False))
    before = F.coalesce(F.when(F.size("isr_before") > 0, F.col("isr_before")), F.col("replicas"))
    others = F.array_except(before, F.array("leader"))
    back = F.transform(others, lambda broker: F.get(F.filter("starts", is_back(broker)), F.lit(0)))
    furthest = F.try_element_at(F.array_sort(F.transform(F.array_compact(back), by_offset)), F.lit(-1))
    led = F.get(F.filter("starts", is_led), F.lit(0))
    beyond = F.col("back.log_end_offset") - F.col("led.log_end_offset")
    risk = F.when(beyond > 0, beyond).otherwise(beyond * 0)
    lines = F.when(risk.isNotNull(), F.array("led.line", "back.line"))
    return (
        elections.join(starts, on=[*OWN], how="left")
        .withColumn("led", F.when(is_unclean, led))
        .withColumn("back", F.when(is_unclean, furthest))
        .withColumn("records_at_risk", risk)
        .withColumn(
            "evidence",
            F.array_distinct(F.concat("evidence", F.coalesce(lines, F.array().cast(EVIDENCE_TYPE)))),
        )
        .drop("starts", "led", "back")
    )


def is_led(one: Column) -> Column:
    same = (one["broker_id"] == F.col("leader")) & (one["leader_epoch"] == F.col("leader_epoch"))
    return one["is_leader"] & same & is_soon(one)


def is_back(broker: Column) -> Callable[[Column], Column]:
    def fits(one: Column) -> Column:
        is_later = (one["leader_epoch"] >= F.col("leader_epoch")) & is_soon(one)
        return ~one["is_leader"] & (one["broker_id"] == broker) & is_later

    return fits


def is_soon(one: Column) -> Column:
    """By the end of the next day, and not before the election but for the lines of one event."""
    at, elected_at = one["logged_at"], F.col("elected_at")
    is_after = at >= elected_at - F.expr("INTERVAL 1 SECOND")
    return is_after & (F.datediff(at, elected_at) <= DAYS)


def by_offset(one: Column) -> Column:
    return F.struct(one["log_end_offset"].alias("log_end_offset"), one["line"].alias("line"))
