"""Why a controller acts: the cause of each of its lines, by the opening line before it (causes.tsv)."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from pipeline.kafka.causes import openers

ELECTION = "preferred_election_started"
LISTING = "imbalance_not_preferred"
LISTED = "topics_not_in_preferred_replica"
IMBALANCE = ("imbalance_ratio", LISTING, "imbalance_check", "auto_preferred_election")
TERM = ("cluster_id", "term_id")


def with_cause(lines: DataFrame, line_before: DataFrame) -> DataFrame:
    """Adds cause, event_seq, is_checking and listed_seq. lines: of whole terms, or of their parts after line_before.

    line_before: per term the last line before these (its seq, event and the columns above), with listed, the text of
    the listing that listed_seq names.
    """
    both = lines.withColumn("is_before", F.lit(False)).unionByName(
        line_before.select(
            *TERM, "seq", "event", "listed", "is_checking", "listed_seq",
            F.col("cause").alias("cause_before"), F.col("event_seq").alias("event_seq_before"),
            F.lit(True).alias("is_before"),
        ),
        allowMissingColumns=True,
    )  # fmt: skip
    return both.transform(with_check).transform(with_opener).where("NOT is_before")


def with_check(lines: DataFrame) -> DataFrame:
    """is_checking: the last thing begun is the controller's own check of its imbalance; listed: what the check listed
    last; previous_event."""
    of_term = Window.partitionBy(*TERM).orderBy("seq")
    until_now = of_term.rowsBetween(Window.unboundedPreceding, 0)
    others = [opener.event for opener in openers() if opener.is_event and opener.event != ELECTION]
    event = F.col("event")
    begins_or_ends = F.when(event.isin(*IMBALANCE), F.lit(True)).when(event.isin(*others), F.lit(False))
    listing = F.when(
        event == LISTING,
        F.struct(
            F.col("fields")[LISTED].alias("listed"),
            F.col("seq").alias("listed_seq"),
        ),
    ).when(
        event.isin(*others) & ~event.isin(*IMBALANCE),
        F.struct(F.lit(None).cast("string").alias("listed"), F.lit(None).cast("long").alias("listed_seq")),
    )
    marked = lines.withColumns(
        {
            "check_mark": F.when(F.col("is_before"), F.col("is_checking")).otherwise(begins_or_ends),
            "listing_mark": F.when(F.col("is_before"), F.struct("listed", "listed_seq")).otherwise(listing),
        }
    ).drop("is_checking", "listed", "listed_seq")
    return (
        marked.withColumn("previous_event", F.lag("event").over(of_term))
        .withColumn(
            "is_checking", F.coalesce(F.last("check_mark", ignorenulls=True).over(until_now), F.lit(False))
        )
        .withColumn("last_listing", F.last("listing_mark", ignorenulls=True).over(until_now))
        .withColumns({"listed": F.col("last_listing.listed"), "listed_seq": F.col("last_listing.listed_seq")})
    )


def with_opener(lines: DataFrame) -> DataFrame:
    """The last opening line before each; an election of no partitions opens nothing."""
    until_now = Window.partitionBy(*TERM).orderBy("seq").rowsBetween(Window.unboundedPreceding, 0)
    is_election = (F.col("event") == ELECTION) & (F.length(F.trim(elected_partitions())) > 0)
    is_own = is_election & is_automatic()
    is_unclean = F.coalesce(F.col("fields")["election_type"] == "UNCLEAN", F.lit(False))
    cause = F.when(is_election & is_unclean, "unclean election").when(is_own, "automatic rebalance")
    opens = F.lit(False)
    for opener in openers():
        is_it = is_election if opener.event == ELECTION else F.col("event") == opener.event
        cause = cause.when(is_it, F.lit(opener.cause or "unknown"))
        opens = opens | is_it if opener.is_event else opens
    begun = F.when(opens & ~is_own, F.col("seq"))
    return (
        lines.withColumn("own_cause", F.when(F.col("is_before"), F.col("cause_before")).otherwise(cause))
        .withColumn("begun", F.when(F.col("is_before"), F.col("event_seq_before")).otherwise(begun))
        .withColumn("stated_cause", F.last("own_cause", ignorenulls=True).over(until_now))
        .withColumn("cause", F.coalesce("stated_cause", F.lit("unknown")))
        .withColumn("event_seq", F.coalesce(F.max("begun").over(until_now), F.lit(0).cast("long")))
    )


def is_automatic() -> Column:
    """Whether an election is the controller's own: from 2.4 on the line says so.

    Before, it follows a ratio line at once, or (up to 2.1, one election per partition) it is of a partition that
    the check before it listed, with nothing else begun in between.
    """
    is_listed = F.contains(F.col("listed"), F.concat(elected_partitions(), F.lit(" -> ")))
    follows = F.col("is_checking") & (F.col("previous_event").isin(*IMBALANCE) | is_listed)
    is_said = F.col("fields")["election_trigger"] == "AutoTriggered"
    return F.coalesce(is_said, follows, F.lit(False))


def elected_partitions() -> Column:
    return F.coalesce(F.col("fields")["topic_partitions"], F.lit(""))
