"""Rules on elections of leaders."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.gold.finding.wording import controller_name, kept, kept_of, place, rule

LOST = "; records that it had not copied are lost"
LAST_KNOWN = (
    "unclean election: broker %d was back and made leader of %d partition(s) as their last known one "
    "(term %s: first %s); what it had not written to disk when it died is lost"
)
ONE_RETURN_MS = 1_000
# What diffs of partitions tell so, replays tell again.
SAYING_SO = ("selector_unclean_elected", "elect_unclean", "partition_transition")
OUTSIDE = "unclean election: %s got leader %s outside of its in-sync replicas"


def unclean_election(leader_election: DataFrame, election_event: DataFrame) -> DataFrame:
    """A leader from outside of the ISR was chosen: what the old leader had alone is lost.

    By gold.leader_election; what Kafka says so beside it, by the line. Of a last known leader: see last_known_leader.
    """
    found = leader_election.where("NOT is_clean").where(~is_last_known())
    # Of an election with a selector, Kafka's own word is a second line, also where it failed afterwards.
    told = leader_election.where("NOT is_clean OR size(evidence) > 1")
    saying = election_event.where(F.col("event").isin(*SAYING_SO) & (F.col("step") == "elected_unclean"))
    # Elections are as many as there ever were; lines that say so are few.
    lines = told.select(F.explode("evidence").alias("line")).select("line.*")
    known = lines.join(
        F.broadcast(saying.select("file_id", "byte_offset")), on=["file_id", "byte_offset"], how="left_semi"
    )
    outside = F.format_string(OUTSIDE, partition_name(), F.col("leader").cast("string"))
    sentence = F.concat(outside, F.format_string(" (term %s: %s)", "term_id", change_of_leader()), lost())
    elected = found.select(
        "cluster_id", *rule("unclean_election", "critical", 2), partition_name().alias("entity"),
        F.format_string("%s at %s", "trigger", F.unix_millis("elected_at")).alias("root_event"),
        "term_id", F.col("elected_at").alias("valid_from_at"), F.col("elected_at").alias("valid_until_at"),
        sentence.alias("sentence"),
        F.when(F.col("is_unclean_said"), "proved").otherwise("inferred").alias("certainty"), "evidence",
    )  # fmt: skip
    said = saying.join(F.broadcast(known), on=["file_id", "byte_offset"], how="left_anti")
    return elected.unionByName(said_unclean(said))


def lost() -> Column:
    """What an unclean election cost, as far as the ends of the two logs tell."""
    risk = F.col("records_at_risk")
    return (
        F.when(risk > 0, F.concat(F.lit(LOST), F.format_string(", at most %d", risk)))
        .when(risk == 0, F.lit("; no loss is seen: no former one came back with more records"))
        .otherwise(F.lit(LOST))
    )


def last_known_leader(leader_election: DataFrame) -> DataFrame:
    """From 4.1 on a broker that died is taken out of the eligible replicas when it comes back, and made leader as the
    last known one: its own log is all there is, and up to 4.0 the same was a clean election. A finding per return.
    """
    order = Window.partitionBy("cluster_id", "term_id", "leader").orderBy("elected_at", "topic", "partition")
    apart_ms = F.unix_millis("elected_at") - F.unix_millis(F.lag("elected_at").over(order))
    is_apart = F.coalesce(apart_ms > ONE_RETURN_MS, F.lit(True)).cast("int")
    one = F.struct("elected_at", partition_name().alias("name"), "evidence")
    returns = (
        leader_election.where("NOT is_clean")
        .where(is_last_known())
        .withColumn("is_apart", is_apart)
        .withColumn("number", F.sum("is_apart").over(order))
        .groupBy("cluster_id", "term_id", "leader", "number")
        .agg(
            F.count("*").alias("partitions"),
            F.min("elected_at").alias("valid_from_at"),
            F.max("elected_at").alias("valid_until_at"),
            F.collect_list(one).alias("each"),
        )
    )
    sentence = F.format_string(LAST_KNOWN, "leader", "partitions", "term_id", kept(F.col("each"))[0]["name"])
    return returns.select(
        "cluster_id", *rule("last_known_leader", "warning", 2), F.format_string("broker %d", "leader").alias("entity"),
        F.format_string("back at %s", F.unix_millis("valid_from_at")).alias("root_event"),
        "term_id", "valid_from_at", "valid_until_at", sentence.alias("sentence"), F.lit("proved").alias("certainty"),
        kept_of(F.col("each")).alias("evidence"),
    )  # fmt: skip


def is_last_known() -> Column:
    return F.col("selector").eqNullSafe("LAST_KNOWN_LEADER")


def partition_name() -> Column:
    return F.concat_ws("-", "topic", "partition")


def change_of_leader() -> Column:
    """Who led with which ISR, and who leads now."""

    def who(leader: str, isr: str) -> Column:
        ids = F.format_string("ISR [%s]", F.array_join(F.col(isr).cast("array<string>"), ", "))
        name = F.when(F.col(leader) >= 0, F.format_string("leader %d", leader)).otherwise("no leader")
        return F.concat_ws(", ", name, F.when(F.col(isr).isNotNull(), ids).otherwise("ISR not known"))

    return F.concat(who("old_leader", "isr_before"), F.lit(" -> "), who("leader", "isr"))


def said_unclean(said: DataFrame) -> DataFrame:
    """The same by a line alone: of the offline selector up to 1.0, a state to recover from 3.2, KRaft from 3.6."""
    leader = F.col("new_leader").cast("string")
    partition = F.concat_ws("-", F.coalesce("topic", "topic_id"), "partition")
    sentence = F.concat(F.format_string(OUTSIDE, partition, leader), F.lit(LOST))
    return said.where("logged_at IS NOT NULL").select(
        "cluster_id", *rule("unclean_election", "critical"), partition.alias("entity"),
        F.format_string("elected at %s", F.unix_millis("logged_at")).alias("root_event"),
        F.lit(None).cast("string").alias("term_id"), F.col("logged_at").alias("valid_from_at"),
        F.col("logged_at").alias("valid_until_at"), sentence.alias("sentence"),
        F.lit("proved").alias("certainty"), F.array(place()).alias("evidence"),
    )  # fmt: skip


def leader_choice(leader_election: DataFrame, controller_term: DataFrame) -> DataFrame:
    """Leaders that the rule of their election does not choose, a finding per term and kind."""
    terms = controller_term.select("cluster_id", "term_id", "controller_id")
    chosen = leader_election.where("verdict = 'differs'").join(
        F.broadcast(terms), on=["cluster_id", "term_id"], how="inner"
    )
    isr = F.array_join(F.col("isr").cast("array<string>"), ", ")
    case = F.format_string(
        "first %s: leader %d, prescribed %d, ISR [%s]", partition_name(), "leader", "expected_leader", isr
    )
    groups = chosen.groupBy("cluster_id", "term_id", "kind", "controller_id", "controller_epoch").agg(
        F.count("*").alias("choices"),
        F.min("elected_at").alias("valid_from_at"),
        F.max("elected_at").alias("valid_until_at"),
        F.max(F.col("certainty") == "inferred").alias("is_inferred"),
        F.collect_list(F.struct("seq", "elected_at", "evidence", case.alias("case"))).alias("each"),
    )
    kind = F.translate("kind", "_", " ")
    sentence = F.format_string(
        "%s made %d choice(s) of a leader (%s) that its rule does not, %s",
        controller_name(), "choices", kind, kept(F.col("each"))[0]["case"],
    )  # fmt: skip
    return groups.select(
        "cluster_id", *rule("leader_choice", "warning"), F.concat(kind, F.lit(" election")).alias("entity"),
        controller_name().alias("root_event"), "term_id", "valid_from_at", "valid_until_at",
        sentence.alias("sentence"), F.when(F.col("is_inferred"), "inferred").otherwise("proved").alias("certainty"),
        kept_of(F.col("each")).alias("evidence"),
    )  # fmt: skip
