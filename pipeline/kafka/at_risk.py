"""How many records an unclean election may have cost: what former in-sync replicas have beyond the new leader's log."""

from collections.abc import Callable

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


OWN = ("cluster_id", "topic", "partition")
DAYS = 1  # what comes back later than on the next day in UTC is not looked for


def with_risk(elections: DataFrame, replica_offset: DataFrame) -> DataFrame:
    """Adds records_at_risk to unclean elections, and its two lines to their evidence: what the log of a former
    in-sync replica (any other one where the ISR before is not known) had beyond that of the new leader when it first
    came back, the largest of all that came back by the end of the next day, at least 0; null: no two such lines.

    Who came back: where its log ends when it begins to follow (from 2.6), else as its broker loads it when it starts
    (server.log, up to 2.5). The new leader: where its log ends when it begins to lead (from 0.11, up to 2.5 in
    server.log); before that as loaded, if it has copied nothing since; else what the other one is cut off to.

    An upper bound, as not all of it was acknowledged to its producers; what is cut off up to 0.10 is all beyond the
    high watermark, part of which is copied again.
    Source: Partition.makeLeader, makeFollower; Log.truncateTo; the follower truncates to where the logs part (KIP-101).
    """
    line = F.struct("file_id", "byte_offset").alias("line")
    start = F.struct("logged_at", "broker_id", "step", "leader_epoch", "log_end_offset", line)
    starts = replica_offset.groupBy(*OWN).agg(F.sort_array(F.collect_list(start)).alias("starts"))
    is_unclean = F.coalesce(~F.col("is_clean"), F.lit(False))
    before = F.coalesce(F.when(F.size("isr_before") > 0, F.col("isr_before")), F.col("replicas"))
    others = F.array_except(before, F.array("leader"))
    told = F.array_compact(F.transform(others, beyond_leader))
    most = F.try_element_at(F.array_sort(told), F.lit(-1))
    none = F.array().cast("array<struct<file_id: string, byte_offset: bigint>>")
    return (
        elections.join(starts, on=[*OWN], how="left")
        .withColumn("most", F.when(is_unclean, most))
        .withColumn("records_at_risk", F.greatest(F.col("most.records"), F.col("most.records") * 0))
        .withColumn("evidence", F.array_distinct(F.concat("evidence", F.coalesce(F.col("most.lines"), none))))
        .drop("starts", "most")
    )


def beyond_leader(broker: Column) -> Column:
    """records, lines: of a broker that comes back; null where either end is not known."""
    own = F.coalesce(first_of(is_back(broker)), first_of(is_loaded(broker)))
    last = F.try_element_at(F.filter("starts", is_of_leader_before), F.lit(-1))
    led = F.coalesce(first_of(is_led), F.when(last["step"] == "loaded", last), cut(broker, own["logged_at"]))
    records = own["log_end_offset"] - led["log_end_offset"]
    found = F.struct(records.alias("records"), F.array(led["line"], own["line"]).alias("lines"))
    return F.when(records.isNotNull(), found)


def cut(broker: Column, since: Column) -> Column:
    """To where a broker is cut off as it comes back: what is kept at first may be out of the leader's range as soon as
    it fetches, and is cut within seconds."""
    cuts = F.filter("starts", is_cut(broker, since))
    within = F.get(cuts, F.lit(0))["logged_at"] + F.expr("INTERVAL 10 SECONDS")
    soon = F.filter(cuts, lambda one: one["logged_at"] <= within)
    lowest = F.array_min(F.transform(soon, lambda one: one["log_end_offset"]))
    return F.get(F.filter(soon, lambda one: one["log_end_offset"] == lowest), F.lit(0))


def first_of(is_wanted: Callable[[Column], Column]) -> Column:
    return F.get(F.filter("starts", is_wanted), F.lit(0))


def is_led(one: Column) -> Column:
    same = (one["broker_id"] == F.col("leader")) & (one["leader_epoch"] == F.col("leader_epoch"))
    return (one["step"] == "leads") & same & is_soon(one)


def is_back(broker: Column) -> Callable[[Column], Column]:
    def fits(one: Column) -> Column:
        is_later = (one["leader_epoch"] >= F.col("leader_epoch")) & is_soon(one)
        return (one["step"] == "follows") & (one["broker_id"] == broker) & is_later

    return fits


def is_loaded(broker: Column) -> Callable[[Column], Column]:
    return lambda one: (one["step"] == "loaded") & (one["broker_id"] == broker) & is_soon(one)


def is_of_leader_before(one: Column) -> Column:
    """Who follows anybody prints where its log is cut or kept: without that line it has copied nothing. On the same
    day in UTC, as a run that begins with that day knows no others."""
    is_its_own = (one["broker_id"] == F.col("leader")) & one["step"].isin("loaded", "cut", "kept")
    at, elected_at = one["logged_at"], F.col("elected_at")
    return is_its_own & (at <= elected_at) & (F.datediff(elected_at, at) == 0)


def is_cut(broker: Column, since: Column) -> Callable[[Column], Column]:
    def fits(one: Column) -> Column:
        is_later = (one["logged_at"] >= since) & is_soon(one)
        return one["step"].isin("cut", "kept") & (one["broker_id"] == broker) & is_later

    return fits


def is_soon(one: Column) -> Column:
    """By the end of the next day, and not before the election but for the lines of one event."""
    at, elected_at = one["logged_at"], F.col("elected_at")
    is_after = at >= elected_at - F.expr("INTERVAL 1 SECOND")
    return is_after & (F.datediff(at, elected_at) <= DAYS)
