"""Why a controller acts: the cause of each of its lines, by the opening line before it (causes.tsv)."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.kafka.wording.causes import cause_openers
from pipeline.model.lines.acting import SEQ_BITS

ELECTION = "preferred_election_started"
LISTING = "imbalance_not_preferred"
LISTED = "topics_not_in_preferred_replica"
IMBALANCE = ("imbalance_ratio", LISTING, "imbalance_check", "auto_preferred_election")
# What an election of preferred leaders never does: moves of replicas, and what follows from them.
BALANCING = ("automatic rebalance", "preferred election by tool")
OF_REPLICAS = ("replica_state_change_invoked", "isr_removing_replica", "replica_transition")
TERM = ("cluster_id", "term_id")
# Fields of the lines whose texts tell a cause.
TEXTS = (LISTED, "topic_partitions", "election_type", "election_trigger")
# A controller that checks balance prints more often: lines are missing, with what began by then.
UNBROKEN = timedelta(days=1)
NOTHING, NO_SEQ = "", -1  # what is listed once something else begins


def with_texts(lines: pl.DataFrame) -> pl.DataFrame:
    """The texts that tell a cause as columns, in place of all fields."""
    is_worded = col("event").is_in([ELECTION, LISTING])
    texts = (col("fields").map.get(name).alias(name) for name in TEXTS)
    worded = lines.filter(is_worded).with_columns(texts)
    return pl.concat([worded, lines.filter(~is_worded)], how="diagonal").drop("fields")


def with_causes_printed(lines: pl.LazyFrame, wording_seen: pl.DataFrame) -> pl.LazyFrame:
    """Rows (logged_at) with what the node's controller.log of that day (UTC) can tell of causes: are_causes_printed: it
    has lines; are_checks_printed: also such below INFO, as those of the controller's own checks are."""
    day = ("cluster_id", "node_id", "day_at")
    is_fine = col("level").is_in(("DEBUG", "TRACE")).fill_null(value=False)
    told = (
        wording_seen.filter(log="controller")
        .group_by(*day[:2], day_at=col("first_at").dt.truncate("1d"))
        .agg(are_causes_printed=lit(value=True), are_checks_printed=is_fine.any())
    )
    return (
        lines.with_columns(day_at=col("logged_at").dt.truncate("1d"))
        .join(told.lazy(), on=day, how="left", nulls_equal=True, maintain_order="left")
        .with_columns(col("are_causes_printed", "are_checks_printed").fill_null(value=False))
        .drop("day_at")
    )


def with_event_cause(lines: pl.LazyFrame, line_before: pl.DataFrame) -> pl.LazyFrame:
    """Adds cause, event_seq, is_checking and listed_seq. lines: of whole terms, or of their parts after line_before,
    in order of seq, with_texts(), with_causes_printed().

    line_before: per term the last line before these (its seq, event and the columns above), with listed, the text of
    the listing that listed_seq names.
    """
    before = line_before.select(
        *TERM,
        *("seq", "event", "listed", "is_checking", "listed_seq"),
        cause_before="cause",
        event_seq_before="event_seq",
        is_before=lit(value=True),
    )
    later = lines.with_columns(is_before=lit(value=False))
    both = pl.concat([before.lazy(), later], how="diagonal")
    return both.pipe(with_check).pipe(with_opener).filter(~col("is_before"))


def with_check(lines: pl.LazyFrame) -> pl.LazyFrame:
    """is_checking: the last thing begun is the controller's own check of its imbalance; listed: what the check listed
    last; previous_event; is_begun: what is going on began in lines that are read."""
    event, is_before = col("event"), col("is_before")
    others = [
        one.event for one in cause_openers() if one.is_event and one.event not in (ELECTION, *IMBALANCE)
    ]
    is_other, is_imbalance = event.is_in(others), event.is_in(IMBALANCE)
    check = when(is_before).then("is_checking").when(is_imbalance).then(lit(value=True))
    listing = when(is_before).then(col("listed").fill_null(NOTHING))
    listing_seq = when(is_before).then(col("listed_seq").fill_null(NO_SEQ))
    is_listing = event == LISTING
    ms = col("seq") // (1 << SEQ_BITS)
    is_broken = ~is_before & (ms - ms.shift(1).over(TERM) >= UNBROKEN // timedelta(milliseconds=1)).fill_null(
        value=True
    )
    last = {
        "is_begun": when(is_other | is_imbalance)
        .then(lit(value=True))
        .when(is_broken)
        .then(lit(value=False)),
        "is_checking": check.when(is_other | is_broken).then(lit(value=False)),
        "listed": listing.when(is_listing)
        .then(col(LISTED).fill_null(NOTHING))
        .when(is_other | is_broken)
        .then(lit(NOTHING)),
        "listed_seq": listing_seq.when(is_listing).then("seq").when(is_other | is_broken).then(NO_SEQ),
    }
    return lines.with_columns(
        event.shift(1).over(TERM).alias("previous_event"),
        *(mark.forward_fill().over(TERM).alias(name) for name, mark in last.items()),
    ).with_columns(
        col("is_checking").fill_null(value=False),
        col("is_begun").fill_null(value=True),
        col("listed_seq").replace(NO_SEQ, None),
    )


def with_opener(lines: pl.LazyFrame) -> pl.LazyFrame:
    """The last opening line before each; an election of no partitions opens nothing. Who asked for one is not known up
    to 2.3 where the controller's own checks are not printed, nor behind lines that are missing; what
    state-change.log alone opens would have no end."""
    event, is_before = col("event"), col("is_before")
    has_partitions = col("topic_partitions").str.strip_chars(" ").str.len_bytes() > 0
    is_election = (event == ELECTION) & has_partitions.fill_null(value=False)
    is_own = is_election & is_automatic()
    is_unclean = (col("election_type") == "UNCLEAN").fill_null(value=False)
    causes = {one.event: one.cause or "unknown" for one in reversed(cause_openers())}
    opening = [one.event for one in cause_openers() if one.is_event]
    is_opener = (event != ELECTION) | is_election
    opens = is_opener & event.is_in(opening) & ~is_own
    are_checks_read = col("are_checks_printed") & col("is_begun")
    is_own_or_not = is_election & col("election_trigger").is_null() & ~are_checks_read
    is_untold = is_own_or_not | ~col("are_causes_printed")
    cause = (
        when(is_before)
        .then("cause_before")
        .when(is_election & is_unclean)
        .then(lit("unclean election"))
        .when(is_own)
        .then(lit("automatic rebalance"))
        .when(is_untold & is_opener)
        .then(when(event.is_in(list(causes))).then(lit("unknown")))
        .when(is_opener)
        .then(event.replace_strict(causes, default=None, return_dtype=pl.String))
    )
    begun = when(is_before).then("event_seq_before").when(opens).then("seq")
    return lines.with_columns(said_cause=cause, begun=begun).pipe(with_end_of_balancing)


def with_end_of_balancing(lines: pl.LazyFrame) -> pl.LazyFrame:
    """cause and event_seq by the last said_cause and begun before each line. What moves replicas behind an election of
    preferred leaders is another event: the line that begins it is missing, or stands in state-change.log alone.

    Source: KafkaController.onPreferredReplicaElection; processLeaderAndIsrResponseReceived, from 1.0.
    """
    is_balancing = col("said_cause").forward_fill().over(TERM).is_in(BALANCING)
    is_other = is_balancing & col("event").is_in(OF_REPLICAS) & col("said_cause").is_null()
    marked = lines.with_columns(
        is_other=is_other.fill_null(value=False), said=col("said_cause").is_not_null().cum_sum().over(TERM)
    ).with_columns(is_begin=col("is_other") & (col("is_other").cum_sum().over(*TERM, "said") == 1))
    cause = when("is_begin").then(lit("unknown")).otherwise("said_cause")
    begun = when("is_begin").then("seq").otherwise("begun")
    return marked.with_columns(
        cause=cause.forward_fill().over(TERM).fill_null("unknown"),
        event_seq=begun.forward_fill().over(TERM).fill_null(0),
    ).drop("said_cause", "said", "begun", "is_other", "is_begin")


def is_automatic() -> pl.Expr:
    """True if an election is the controller's own: from 2.4 on the line says so.

    Before, it follows a ratio line at once, or (up to 2.1, one election per partition) it is of a partition that
    the check before it listed, with nothing else begun in between.
    """
    entry = pl.concat_str("topic_partitions", lit(" -> "))
    is_listed = col("listed").str.contains(entry, literal=True).fill_null(value=False)
    follows_ratio = col("previous_event").is_in(IMBALANCE).fill_null(value=False)
    follows = col("is_checking") & (follows_ratio | is_listed)
    return (col("election_trigger") == "AutoTriggered").fill_null(follows)
