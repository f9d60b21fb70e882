"""Rules on terms of controllers."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.gold.finding.wording import controller_name, rule

RULES_OF_NORMAL = ("resignation_tail",)  # it heard of the next one and did nothing but resign
WROTE = "zombie_wrote"


def limited(controller_term: DataFrame, audit_limit: DataFrame, condition: str) -> DataFrame:
    return controller_term.join(F.broadcast(audit_limit), on="cluster_id", how="inner").where(condition)


def of_term(
    terms: DataFrame, named: tuple[Column, ...], sentence: Column, since: str, until: str, evidence: Column
) -> DataFrame:
    """Findings about the controller of a term, for which the term is the root event."""
    return terms.select(
        "cluster_id", *named, controller_name().alias("entity"), controller_name().alias("root_event"), "term_id",
        F.col(since).alias("valid_from_at"), F.col(until).alias("valid_until_at"), sentence.alias("sentence"),
        "certainty", F.array_distinct(evidence).alias("evidence"),
    )  # fmt: skip


def lines(*names: str) -> Column:
    """The records of a term that say so, in that order."""
    none = F.slice(F.col("evidence"), 1, 0)
    return F.concat(*(F.coalesce(F.try_element_at("lines", F.lit(name)), none) for name in names))


def controller_outlived(controller_term: DataFrame, audit_limit: DataFrame) -> DataFrame:
    """A controller acted long after the next one was elected: two at once. That it only resigns so late is what any
    does that was frozen; that it wrote is another rule's. In KRaft nothing that it does then takes effect (Raft)."""
    late = limited(controller_term, audit_limit, "-gap_ms > overlap_ms AND mode = 'zookeeper'").where(
        ~F.coalesce(F.col("overlap").isin(*RULES_OF_NORMAL, WROTE), F.lit(False))
    )
    did = (
        F.when(F.col("writes_after_count") > 0, F.format_string("%d writes after", "writes_after_count"))
        .when(F.col("writes_after_count").isNull(), "whether it wrote is not known")
        .when(F.col("overlap") == "zombie_talked", "no write seen, but requests to brokers")
        .otherwise("no write seen")
    )
    sentence = F.format_string(
        "%s resigned %.1f s after the next controller was elected; %s",
        controller_name(), F.col("gap_ms") / -1000, did,
    )  # fmt: skip
    named = rule("controller_outlived", "warning", 2)
    return of_term(late, named, sentence, "superseded_at", "ended_at", F.col("evidence"))


def deposed_controller_wrote(controller_term: DataFrame, audit_limit: DataFrame) -> DataFrame:
    """Up to 2.0: a controller wrote leaders of partitions after the next one was elected, who does not know of them.

    Source: KafkaController up to 2.0; from 2.1 on each write asks for the version of /controller_epoch (KAFKA-6082).
    """
    wrote = limited(controller_term, audit_limit, "-gap_ms > overlap_ms").where(F.col("overlap") == WROTE)
    late = F.unix_millis("last_write_at") - F.unix_millis("superseded_at")
    sentence = F.format_string(
        "%s wrote leaders of partitions %d time(s) after the next controller was elected, the last %.1f s after: the "
        "next one does not know of them",
        controller_name(), "writes_after_count", late / 1000,
    )  # fmt: skip
    evidence = lines("elected", "wrote_after", "next_elected")
    named = rule("deposed_controller_wrote", "critical")
    return of_term(wrote, named, sentence, "superseded_at", "last_write_at", evidence)


def controller_powerless(controller_term: DataFrame, audit_limit: DataFrame) -> DataFrame:
    """From 2.1: a controller held /controller while ZooKeeper refused what it wrote, as /controller_epoch was no longer
    its own, and nobody was elected in its place.

    Source: KafkaZkClient with the version of /controller_epoch, KafkaController.maybeResign.
    """
    over = F.coalesce("fenced_until_at", "until_at")
    alone_ms = F.unix_millis(F.least(over, "superseded_at")) - F.unix_millis("fenced_from_at")
    powerless = limited(controller_term, audit_limit, "fenced_from_at IS NOT NULL").where(
        alone_ms > F.col("overlap_ms")
    )
    until = F.when(F.col("ended_how") == "open", "still is").otherwise(
        F.format_string("was so for %.1f s", alone_ms / 1000)
    )
    sentence = F.format_string(
        "%s held /controller and could write nothing, ZooKeeper refused its epoch %d time(s); it %s",
        controller_name(), "fenced_count", until,
    )  # fmt: skip
    end = F.when(F.col("ended_at").isNull(), lines("next_elected")).otherwise(lines("ended"))
    evidence = F.concat(lines("elected", "fenced"), end)
    named = rule("controller_powerless", "warning")
    return of_term(powerless, named, sentence, "fenced_from_at", "fenced_until_at", evidence)


def no_controller(controller_term: DataFrame, audit_limit: DataFrame) -> DataFrame:
    """Between the end of a term and the next election lies longer than a session time-out explains.

    Not where a cluster has one broker: while it is down there is nobody to elect, whatever the limit. A KRaft
    controller prints little: of one whose process ended it counts from when another heard that nobody leads; if that
    is the last that is told of the quorum, until the end of the logs.
    """
    is_by_end = F.col("gap_ms").isNotNull() & (F.col("gap_kind") != "fetch_timeout")
    from_at = F.coalesce("vacant_from_at", F.when(is_by_end, F.col("ended_at")))
    ms = F.unix_millis(F.coalesce("superseded_at", "until_at")) - F.unix_millis(from_at)
    is_of_several = "coalesce(gap_kind, '') <> 'sole_broker'"
    gap = limited(controller_term, audit_limit, is_of_several).where(ms > F.col("no_controller_ms"))
    bound = F.when(F.col("vacant_from_at").isNotNull(), "at least").otherwise("up to")
    length = F.format_string("%s %.1f s", bound, ms / 1000)
    how_long = F.when(F.col("superseded_at").isNull(), "as long as the logs go on").otherwise(length)
    sentence = F.format_string("no controller for %s after %s", how_long, controller_name())
    basis = F.when(F.col("vacant_from_at").isNotNull(), lines("elected", "vacant", "next_elected"))
    return gap.select(
        "cluster_id", *rule("no_controller", "warning", 2), F.lit("controller").alias("entity"),
        controller_name().alias("root_event"), "term_id", from_at.alias("valid_from_at"),
        F.col("superseded_at").alias("valid_until_at"), sentence.alias("sentence"),
        F.lit("inferred").alias("certainty"), F.coalesce(basis, "evidence").alias("evidence"),
    )  # fmt: skip


def failover_slow(controller_term: DataFrame, audit_limit: DataFrame) -> DataFrame:
    """From its election until it was ready a controller took long: meanwhile no leader was elected."""
    slow = limited(controller_term, audit_limit, "ready_ms > failover_slow_ms")
    sentence = F.format_string(
        "%s was ready only %.1f s after its election, longest in %s",
        controller_name(), F.col("ready_ms") / 1000, F.translate(longest_step(), "_", " "),
    )  # fmt: skip
    named = rule("failover_slow", "warning")
    return of_term(slow, named, sentence, "elected_at", "ready_at", lines("elected", "ready"))


def longest_step() -> Column:
    by_length = F.transform(
        F.map_entries("steps"), lambda one: F.struct(one["value"].alias("ms"), one["key"].alias("step"))
    )
    return F.array_max(by_length)["step"]
