"""Which day a run begins to judge anew: that of the cut, or an earlier one on which a verdict rests that changes."""

from dataclasses import replace
from datetime import datetime, timedelta
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from jobs.cutting import Cut
from pipeline.core.days import begin_of_day
from pipeline.kafka.acting import SEQ_BITS
from pipeline.kafka.attempts import TRYING
from pipeline.kafka.partition_states import GRACE_SECONDS
from pipeline.kafka.statements import life
from pipeline.kafka.succession import unseen_from, unseen_stretches, with_superseded
from pipeline.store.rows import collect_one

TERM = ("cluster_id", "term_id")
# Lines that are judged by all that their controller knew: its checks of ratios, and its elections.
JUDGED_BY_VIEW = ("imbalance_ratio", *TRYING)
LATE = timedelta(seconds=GRACE_SECONDS)  # how long a line still tells of a state that another one followed


def changed_terms_at(terms: DataFrame, terms_before: DataFrame) -> datetime | None:
    """From when on verdicts change with what is known of terms, whatever their lines are; None: none does."""
    reasons = (judged_otherwise, heard_of_again, unseen_otherwise)
    return earliest(*(reason(terms, terms_before) for reason in reasons))


def with_day(
    cut: Cut,
    changed_at: datetime | None,
    terms: DataFrame,
    controller_line: DataFrame,
    replay_summary: DataFrame,
) -> Cut:
    """Adds the day of the cut, or an earlier one, and the begin of the terms that check ratios or elect from the day
    before that on. changed_at: as changed_terms_at says."""
    if cut.at is None:
        raise ValueError("all lines are built anew: there is no day to begin with")
    day = begin_of_day(cut.at - LATE)
    lines = controller_line.where(F.col("ordered_at") >= F.lit(day))
    summaries = replay_summary.where(F.col("day_at") < F.lit(day))
    traced_at = earliest(traced_again(lines, summaries), beside_a_later_life(lines, terms))
    day = min([day, *(begin_of_day(at) for at in (changed_at, traced_at) if at is not None)])
    later = controller_line.where(F.col("ordered_at") >= F.lit(day - timedelta(days=1)))
    judged = F.broadcast(later.where(F.col("event").isin(*JUDGED_BY_VIEW)).select(*TERM).distinct())
    first = earliest(terms.join(judged, on=[*TERM], how="left_semi").select(began()))
    return replace(cut, day_at=day, terms_at=day if first is None else begin_of_day(first))


def earliest(*times: DataFrame) -> datetime | None:
    every = reduce(DataFrame.unionByName, times)
    found: datetime | None = collect_one(every.agg(F.min("at").alias("at")))["at"]
    return found


def began() -> Column:
    return F.least("elected_at", "first_seen_at").alias("at")


def judged_otherwise(terms: DataFrame, terms_before: DataFrame) -> DataFrame:
    """Verdicts of a term change from its begin on with the machine of its release, and with whether it is told of
    changes of ISR."""
    judged_by = F.struct("replica_machine", "is_trace_seen", "is_isr_told")
    before = terms_before.select(*TERM, judged_by.alias("before"))
    is_other = ~judged_by.eqNullSafe(F.col("before"))
    return terms.join(before, on=[*TERM]).where(is_other).select(began())


def traced_again(lines: DataFrame, summaries: DataFrame) -> DataFrame:
    """A term's verdicts change from its last line at TRACE on, where after others such a line follows again."""
    traced = lines.where("level = 'TRACE' AND log = 'state-change'").select(*TERM).distinct()
    return (
        summaries.join(F.broadcast(traced), on=[*TERM], how="left_semi")
        .groupBy(*TERM)
        .agg(F.max("last_trace_seq").alias("traced_seq"), F.max("end_seq").alias("end_seq"))
        .where("traced_seq < end_seq")
        .select(F.timestamp_millis(F.shiftright("traced_seq", SEQ_BITS)).alias("at"))
    )


def beside_a_later_life(lines: DataFrame, terms: DataFrame) -> DataFrame:
    """A controller that acts beside those of a later life of the cluster (a migration to KRaft) moves the end of the
    earlier one."""
    lives = lines.select("cluster_id", life().alias("going_on")).distinct()
    quorums = terms.where("mode = 'kraft'").join(F.broadcast(lives), on="cluster_id")
    return quorums.where("life > going_on").select(began())


def heard_of_again(terms: DataFrame, terms_before: DataFrame) -> DataFrame:
    """What is known of brokers that a controller did not find at its start rests on the last line of the one before."""
    ended = terms_before.select(*TERM, F.col("last_seen_at").alias("ended_at"))
    others = terms.transform(with_superseded).join(ended, on=[*TERM]).where("last_seen_at <> ended_at")
    return others.where("superseded_at IS NOT NULL").select(F.col("superseded_at").alias("at"))


def unseen_otherwise(terms: DataFrame, terms_before: DataFrame) -> DataFrame:
    """Ratios are undetermined from the time on from which a term may be missing, leaders until one is stated again."""

    def unseen(some: DataFrame) -> DataFrame:
        first = some.transform(unseen_from).where("unseen_at IS NOT NULL")
        each = some.transform(unseen_stretches).select("cluster_id", F.col("from_at").alias("unseen_at"))
        return first.unionByName(each)

    now, before = unseen(terms), unseen(terms_before)
    other = now.exceptAll(before).unionByName(before.exceptAll(now))
    return other.select(F.col("unseen_at").alias("at"))
