"""Leader elections, from bronze.log_record."""

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.families import family_records, field_text, printed_field
from pipeline.model.lines.requested import requested_partitions
from pipeline.model.lines.texts import (
    INT,
    broker_list,
    element_field,
    epoch_in_text,
    explode_elements,
    first_match,
    listed_partitions,
    matched_groups,
    number_in_text,
    or_unread,
)
from schemas.silver.election_event import SPEC

RESULT = r"([A-Za-z0-9._-]+)-(\d+) -> (?:Right\((-?\d+)\)|((?:Left\()?[A-Z]\w*\([^)]*\)))"
LEADER_CHANGE = r"\bleader: (-?\d+) -> (-?\d+)"
BUILDER = r"\btopicId=([\w-]+), partitionId=(\d+)"
ELECTING_TASK = r"^elect\w+$"
LAST_KNOWN = "LAST_KNOWN_LEADER"
WON = ("elected", "elected_unclean", "result")
PARTITION = ("topic", "topic_id", "partition")


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per partition of a line about elections; collections are taken apart.

    Moves to OnlinePartition are elections, too. Diffs of a partition are one only if its leader changes.
    Source: KafkaController, PartitionStateMachine and selectors, 0.8.2 to 3.9; PartitionChangeBuilder,
    ReplicationControlManager, QuorumController, from 2.8.
    """
    is_election = col("to_state").is_null() | (col("to_state") == "OnlinePartition")
    lines = family_records(log_record, "election_event").filter(is_election)
    return (
        explode_election_partitions(lines.with_columns(text=field_text(), topic_id=printed_field("topic_id")))
        .with_columns(step=refined_election_step())
        .with_columns(**old_and_new_leader())
        .with_columns(**election_circumstances())
        .select(SPEC.columns)
    )


def explode_election_partitions(lines: pl.DataFrame) -> pl.DataFrame:
    """The partition that the line is about, or that of each element which the feed's field holds.

    before, after: its leader, as the element says; said: the error that the element names.
    """
    named = col("field").fill_null("")
    is_diff = named == "diff"
    is_one = ~is_diff & ((named == "") | col("topic").is_not_null())
    others = lines.filter(~is_one, ~is_diff).with_columns(
        topic_id=lit(None, pl.String), partition=lit(None, INT)
    )
    return pl.concat(
        [
            lines.filter(is_one),
            explode_elements(lines.filter(is_diff), leader_changes(), *PARTITION),
            others.filter(named == "task", col("text").str.contains(ELECTING_TASK)),
            *listed_partition_rows(others.filter(named != "task")),
        ],
        how="diagonal",
    )


def leader_changes() -> pl.Expr:
    before, after = (number_in_text(element_field(name)) for name in ("before", "after"))
    changes = matched_groups(col("text"), LEADER_CHANGE, "before", "after")
    return changes.list.eval(pl.struct(before=before, after=after))


def listed_partition_rows(lines: pl.DataFrame) -> list[pl.DataFrame]:
    """Rows of the partitions that a field lists, form by form."""
    text = col("text")
    forms = {
        "data": requested_partitions(text),
        "results": or_unread(election_results(), text),
        "state": or_unread(partition_builders(), text),
    }
    own = [
        explode_elements(lines.filter(col("field") == name), each, *PARTITION) for name, each in forms.items()
    ]
    rest = lines.filter(~col("field").is_in([*forms]))
    return [*own, explode_elements(rest, or_unread(listed_partitions(text), text), *PARTITION)]


def election_results() -> pl.Expr:
    """`orders-2 -> Right(3)`, `orders-2 -> Left(ApiError(…))`."""
    result = pl.struct(
        topic=element_field("topic"),
        partition=number_in_text(element_field("partition")),
        after=number_in_text(element_field("leader")),
        said=element_field("error"),
    )
    return matched_groups(col("text"), RESULT, "topic", "partition", "leader", "error").list.eval(result)


def partition_builders() -> pl.Expr:
    builder = pl.struct(topic_id=element_field("id"), partition=number_in_text(element_field("partition")))
    return matched_groups(col("text"), BUILDER, "id", "partition").list.eval(builder)


def refined_election_step() -> pl.Expr:
    """Elected uncleanly, if the line says so: in the recovery state, from 3.2."""
    words = {"leader_and_isr": "leaderRecoveryState=RECOVERING", "diff": "RECOVERED -> RECOVERING"}
    says_so = pl.any_horizontal(
        printed_field(name).str.contains(text, literal=True) for name, text in words.items()
    )
    return when((col("step") == "elected") & says_so).then(lit("elected_unclean")).otherwise("step")


def old_and_new_leader() -> dict[str, pl.Expr]:
    """Of a line that names one leader it is the new one where the election was won, else the present one."""
    chosen = number_in_text(
        pl.coalesce(printed_field("new_leader"), printed_field("node"), printed_field("preferred_replica"))
    )
    is_new = col("step").is_in(WON) & chosen.is_null()
    diff = printed_field("diff")
    return {
        "new_leader": pl.coalesce("after", chosen, when(is_new).then("leader")),
        "old_leader": pl.coalesce("before", when(~is_new).then("leader")),
        "leader_epoch": pl.coalesce(
            "leader_epoch", epoch_in_text(first_match(diff, r"\bleaderEpoch: -?\d+ -> (-?\d+)"))
        ),
        "isr": pl.coalesce("isr", broker_list(first_match(diff, r"\bisr: \[[\d, ]*\] -> (\[[\d, ]*\])"))),
        "isr_before": broker_list(first_match(diff, r"\bisr: (\[[\d, ]*\]) -> ")),
    }


def election_circumstances() -> dict[str, pl.Expr]:
    is_last_known = (col("step") == "elected_unclean") & (last_known() == col("new_leader"))
    strategy = first_match(col("exception_message"), r"under strategy (.+)$")
    return {
        "selector": pl.coalesce(
            when(is_last_known).then(lit(LAST_KNOWN)),
            printed_field("election_type"),
            printed_field("election_strategy"),
            strategy,
            "kind",
        ),
        "trigger": pl.coalesce(
            printed_field("election_trigger"), printed_field("context"), printed_field("task")
        ),
        "partition_count": number_in_text(
            pl.coalesce(printed_field("num_partitions"), printed_field("num_records"))
        ),
        "live_replicas": broker_list(
            pl.coalesce(printed_field("live_replicas"), printed_field("live_broker_ids"))
        ),
        "reason": pl.coalesce("said", "reason", printed_field("error")),
    }


def last_known() -> pl.Expr:
    """The one replica that is left as last known leader, where the line says so (from 3.7)."""
    registered = first_match(printed_field("partition_registration"), r"\belr=\[\], lastKnownElr=\[(\d+)\]")
    return number_in_text(
        pl.coalesce(first_match(printed_field("diff"), r"\blastKnownElr: \[(\d+)\] -> \[\]"), registered)
    )
