"""Leader elections, from bronze.log_record."""

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.families import fed, field, field_text
from pipeline.model.lines.requested import requested
from pipeline.model.lines.texts import (
    INT,
    broker_list,
    epoch,
    first,
    found,
    last_of_each,
    number,
    or_unread,
    part,
    partitions,
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
    lines = fed(log_record, "election_event").filter(is_election)
    return (
        one_each(lines.with_columns(text=field_text(), topic_id=field("topic_id")))
        .with_columns(step=refined())
        .with_columns(**leaders())
        .with_columns(**circumstances())
        .select(SPEC.columns)
    )


def one_each(lines: pl.DataFrame) -> pl.DataFrame:
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
            last_of_each(lines.filter(is_diff), leader_changes(), *PARTITION),
            others.filter(named == "task", col("text").str.contains(ELECTING_TASK)),
            *collections(others.filter(named != "task")),
        ],
        how="diagonal",
    )


def leader_changes() -> pl.Expr:
    before, after = (number(part(name)) for name in ("before", "after"))
    changes = found(col("text"), LEADER_CHANGE, "before", "after")
    return changes.list.eval(pl.struct(before=before, after=after))


def collections(lines: pl.DataFrame) -> list[pl.DataFrame]:
    """Rows of the partitions that a field lists, form by form."""
    text = col("text")
    forms = {
        "data": requested(text),
        "results": or_unread(results(), text),
        "state": or_unread(builders(), text),
    }
    own = [last_of_each(lines.filter(col("field") == name), each, *PARTITION) for name, each in forms.items()]
    rest = lines.filter(~col("field").is_in([*forms]))
    return [*own, last_of_each(rest, or_unread(partitions(text), text), *PARTITION)]


def results() -> pl.Expr:
    """`orders-2 -> Right(3)`, `orders-2 -> Left(ApiError(…))`."""
    result = pl.struct(
        topic=part("topic"),
        partition=number(part("partition")),
        after=number(part("leader")),
        said=part("error"),
    )
    return found(col("text"), RESULT, "topic", "partition", "leader", "error").list.eval(result)


def builders() -> pl.Expr:
    builder = pl.struct(topic_id=part("id"), partition=number(part("partition")))
    return found(col("text"), BUILDER, "id", "partition").list.eval(builder)


def refined() -> pl.Expr:
    """Elected uncleanly, if the line says so: in the recovery state, from 3.2."""
    words = {"leader_and_isr": "leaderRecoveryState=RECOVERING", "diff": "RECOVERED -> RECOVERING"}
    says_so = pl.any_horizontal(field(name).str.contains(text, literal=True) for name, text in words.items())
    return when((col("step") == "elected") & says_so).then(lit("elected_unclean")).otherwise("step")


def leaders() -> dict[str, pl.Expr]:
    """Of a line that names one leader it is the new one where the election was won, else the present one."""
    chosen = number(pl.coalesce(field("new_leader"), field("node"), field("preferred_replica")))
    is_new = col("step").is_in(WON) & chosen.is_null()
    diff = field("diff")
    return {
        "new_leader": pl.coalesce("after", chosen, when(is_new).then("leader")),
        "old_leader": pl.coalesce("before", when(~is_new).then("leader")),
        "leader_epoch": pl.coalesce("leader_epoch", epoch(first(diff, r"\bleaderEpoch: -?\d+ -> (-?\d+)"))),
        "isr": pl.coalesce("isr", broker_list(first(diff, r"\bisr: \[[\d, ]*\] -> (\[[\d, ]*\])"))),
        "isr_before": broker_list(first(diff, r"\bisr: (\[[\d, ]*\]) -> ")),
    }


def circumstances() -> dict[str, pl.Expr]:
    is_last_known = (col("step") == "elected_unclean") & (last_known() == col("new_leader"))
    strategy = first(col("exception_message"), r"under strategy (.+)$")
    return {
        "selector": pl.coalesce(
            when(is_last_known).then(lit(LAST_KNOWN)),
            field("election_type"),
            field("election_strategy"),
            strategy,
            "kind",
        ),
        "trigger": pl.coalesce(field("election_trigger"), field("context"), field("task")),
        "partition_count": number(pl.coalesce(field("num_partitions"), field("num_records"))),
        "live_replicas": broker_list(pl.coalesce(field("live_replicas"), field("live_broker_ids"))),
        "reason": pl.coalesce("said", "reason", field("error")),
    }


def last_known() -> pl.Expr:
    """The one replica that is left as last known leader, where the line says so (from 3.7)."""
    registered = first(field("partition_registration"), r"\belr=\[\], lastKnownElr=\[(\d+)\]")
    return number(pl.coalesce(first(field("diff"), r"\blastKnownElr: \[(\d+)\] -> \[\]"), registered))
