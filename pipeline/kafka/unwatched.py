"""What nobody prints in KRaft mode as the logs of a broker are missing: what it did while it led, and its return."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.core.days import day_of
from pipeline.kafka.kraft_offices import unseen_of
from pipeline.kafka.partition_states import GRACE_SECONDS, HELD, IDENTITY

NOBODY = -1
ENDED_BY = "lines_missing"
KNOWN = ("watched", "absences", "unseen")
OWN = ("known_at", "replicas_at", "following_at", "begins", "ends", "is_alone", "is_over", "is_stale", "step")
UNKNOWN = ("state", "partition_epoch", *HELD)


def with_unwatched(
    rows: DataFrame, wording_seen: DataFrame, broker_absence: DataFrame, offices: DataFrame
) -> DataFrame:
    """States of partitions (at, state, HELD, known_at, replicas, replicas_at, gone_at, is_assignment_stale), one after
    another, with is_isr_stale and is_unseen (a controller was in office since whose lines are missing); and rows more:
    undetermined ones from where on a state may be over unseen, and where such an office begins.

    Who leads prints changes of the ISR and of the assignment: where its logs are missing both are stale. Replicas print
    another leader: it is in doubt from the decision on to fence such a broker or to let it go, and where nobody leads
    from the return on of such a replica. Nobody prints another leader while all the other replicas are silent.
    """
    order = Window.partitionBy(*IDENTITY).orderBy("at", F.col("partition_epoch").asc_nulls_last())
    so_far = order.rowsBetween(Window.unboundedPreceding, 0)
    stale_at = F.max(F.when(F.col("is_isr_stale") | is_unseen(), F.col("at"))).over(so_far)
    is_over = F.exists("ends", lambda at: (at > F.col("known_at")) & (at <= F.col("at")))
    return (
        rows.join(F.broadcast(known(wording_seen, broker_absence, offices)), on="cluster_id", how="left")
        .withColumn("following_at", F.lead("at").over(order))
        .withColumns(times())
        .withColumn("is_over", is_over)
        .withColumn("is_stale", F.coalesce(stale_at >= F.col("replicas_at"), stale_at.isNotNull()))
        .transform(in_steps)
        .drop(*OWN, *KNOWN)
    )


def in_steps(states: DataFrame) -> DataFrame:
    """Each state with the rows more; of one that is over before it begins only its beginning."""
    steps = F.array(
        step(F.col("at"), "itself"),
        step(F.array_min(F.filter("begins", is_inside)), "begin"),
        step(F.array_min(F.filter("ends", is_inside)), "end"),
    )
    is_itself = F.col("step.kind") == "itself"
    is_doubt = F.col("is_over") | (F.col("step.kind") == "end")
    is_unsure = is_doubt | (F.col("is_alone") & F.col("is_unseen"))
    is_weak = F.col("is_unseen") & (F.col("certainty") == "proved")
    return (
        states.withColumn("step", F.explode(F.filter(steps, lambda one: one["at"].isNotNull())))
        .where(is_itself | ~F.col("is_over"))
        .withColumns({name: F.when(~is_doubt, F.col(name)) for name in UNKNOWN})
        .withColumn("at", F.col("step.at"))
        .withColumn("is_unseen", is_unseen())
        .withColumns(
            {
                "event": F.when(is_itself, F.col("event")).otherwise(ENDED_BY),
                "is_assignment_stale": F.col("is_assignment_stale") | F.col("is_stale") | F.col("is_unseen"),
                "certainty": F.when(is_unsure, "undetermined")
                .when(is_weak, "inferred")
                .otherwise(F.col("certainty")),
            }
        )
    )


def step(at: Column, kind: str) -> Column:
    """A row: of the state itself, or one more where it begins to be less certain, or ends unseen."""
    return F.struct(at.alias("at"), F.lit(kind).alias("kind"))


def times() -> dict[str, Column]:
    """Of a state: begins, of terms without lines, while another replica in sync could take over; ends: when it may be
    over; is_alone: none could; is_isr_stale."""
    leader, none = F.col("leader"), F.array().cast("array<timestamp>")
    is_led = F.coalesce(leader >= 0, F.lit(False))
    is_unwatched = is_led & is_missing(leader)
    is_alone = is_led & (F.coalesce(F.size("isr"), F.lit(1)) <= 1)
    members = F.array_union(*(F.coalesce(name, F.array().cast("array<int>")) for name in ("replicas", "isr")))
    missing = F.filter(members, is_missing)
    backs = F.flatten(F.transform(missing, lambda one: decided(one, "back_at")))
    decisions = F.when(is_unwatched, decided(leader, "out_at")).when(leader == NOBODY, backs).otherwise(none)
    begins = F.coalesce(F.transform("unseen", lambda one: one["from_at"]), none)
    watched = F.array_except(members, missing)
    silences = F.when(is_led & (F.size(missing) > 0), quiet(watched)).otherwise(none)
    return {
        "begins": F.when(is_led & ~is_alone, begins).otherwise(none),
        "ends": F.concat(decisions, silences, F.when(is_alone, begins).otherwise(none)),
        "is_alone": is_alone,
        "is_isr_stale": is_unwatched,
    }


def quiet(brokers: Column) -> Column:
    """Times from which on none of the brokers may answer, of those after known_at: one of them falls silent, or is
    by then without having said so."""

    def since(one: Column) -> Column:
        # What stands before the day of the decision is not changed any more.
        earliest = F.greatest(day_of(one["out_at"]), F.coalesce(one["silent_from_at"], one["out_at"]))
        return F.greatest(earliest, F.col("known_at") + F.make_dt_interval(secs=F.lit(0.001)))

    def is_silent(broker: Column, at: Column) -> Column:
        def holds(one: Column) -> Column:
            return (since(one) <= at) & (one["back_at"].isNull() | (one["back_at"] > at))

        return F.coalesce(F.exists(F.col("absences")[broker], holds), F.lit(False))

    nothing = F.array().cast("array<timestamp>")
    begun = F.flatten(
        F.transform(brokers, lambda one: F.coalesce(F.transform(F.col("absences")[one], since), nothing))
    )
    return F.filter(begun, lambda at: F.forall(brokers, lambda one: is_silent(one, at)))


def is_inside(at: Column) -> Column:
    until = F.least("following_at", "gone_at")
    return (at > F.col("at")) & (until.isNull() | (at < until))


def known(wording_seen: DataFrame, broker_absence: DataFrame, offices: DataFrame) -> DataFrame:
    """(cluster_id, watched, absences, unseen): by broker since when it has a state-change.log, and its absences; when
    controllers were in office whose lines are missing."""
    begun = (
        wording_seen.where("log = 'state-change' AND node_id IS NOT NULL AND first_at IS NOT NULL")
        .groupBy("cluster_id", "node_id")
        .agg(F.min("first_at").alias("first_at"))
        .groupBy("cluster_id")
        .agg(F.map_from_entries(F.collect_list(F.struct("node_id", "first_at"))).alias("watched"))
    )
    absences = (
        broker_absence.groupBy("cluster_id", "broker_id")
        .agg(F.collect_list(F.struct("out_at", "silent_from_at", "back_at")).alias("each"))
        .groupBy("cluster_id")
        .agg(F.map_from_entries(F.collect_list(F.struct("broker_id", "each"))).alias("absences"))
    )
    both = begun.join(F.broadcast(absences), on="cluster_id", how="left")
    return both.join(F.broadcast(offices.transform(unseen_of)), on="cluster_id", how="left")


def is_unseen() -> Column:
    """Whether an office without lines was held between known_at and at, or goes on then."""

    def holds(office: Column) -> Column:
        goes_on = office["next_at"].isNull() | (F.col("known_at") < office["next_at"])
        return (office["from_at"] <= F.col("at")) & goes_on

    return F.coalesce(F.exists("unseen", holds), F.lit(False))


def is_missing(broker: Column) -> Column:
    """Whether it had no state-change.log by then; a state is told a little before its last broker prints it."""
    late = F.make_dt_interval(secs=F.lit(GRACE_SECONDS))
    return ~F.coalesce(F.col("watched")[broker] <= F.col("at") + late, F.lit(False))


def decided(broker: Column, what: str) -> Column:
    """Times of its absences: out_at or back_at."""
    nothing = F.array().cast("array<timestamp>")
    return F.coalesce(F.array_compact(F.col("absences")[broker][what]), nothing)
