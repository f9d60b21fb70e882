"""Rule on partitions that got no leader as they were created, by the controller's own ERROR."""

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.evidence import LINE, NO_LINES, known_lines
from pipeline.model.terms.succession import half_read
from pipeline.rules.rule import made_of_rows
from pipeline.rules.shared.wording import (
    duration_text,
    epoch_millis,
    facts_column,
    filled_text,
    ids_text,
    root_columns,
    topic_finding_columns,
)

TOPIC = ("cluster_id", "topic")
PARTITION = (*TOPIC, "partition")
ONLINE, GONE = "OnlinePartition", "NonExistentPartition"
# The labs of 2.2 to 2.6 print an empty list, those of 0.11 and 3.2 the brokers.
ASSIGNED = r"assigned replicas are \[([\d, ]*)\]"


@made_of_rows("transition_audit")
def refused_leader_findings(
    transition_audit: pl.DataFrame,
    topic_lifecycle: pl.DataFrame,
    waited: pl.DataFrame,
    term: pl.DataFrame,
    unled_topic_ms: int,
) -> pl.DataFrame:
    """A controller says that a partition could get no leader as it was created, for none of its replicas was alive, and
    it had none for a while, or no line says that it got one. Undetermined, and no warning, where the moves of a
    controller since then are not read.

    waited: findings of topic_without_leader_since_creation, which know the creation itself.
    Source: PartitionStateMachine.initializeLeaderAndIsrForPartition, 0.8 to 1.0; doHandleStateChanges, 1.1 to 3.9.
    """
    found = leader_refusals(transition_audit, topic_lifecycle, waited).pipe(with_moves_unread, term)
    lasted_ms = epoch_millis("over_at") - epoch_millis("logged_at")
    is_told = (lasted_ms >= unled_topic_ms).fill_null(value=True)
    has_ids = col("broker_ids").list.len() > 0
    alive = (
        when(has_ids).then(filled_text(", for none of its replicas ({}) was alive", ids_text("broker_ids")))
        .when(col("exception_message").str.contains("No assigned replica is alive"))
        .then(lit(", for none of its replicas was alive"))
        .otherwise(lit(""))
    )  # fmt: skip
    is_untold = col("over_at").is_null() & col("are_moves_unread")
    end = (
        when(is_untold).then(lit("; whether it got one is not known: moves of a controller since then are not read"))
        .when(col("over_at").is_null()).then(lit("; no line says that it got one"))
        .otherwise(filled_text("; it had one, or was gone, {} later", duration_text(lasted_ms)))
    )  # fmt: skip
    severity = when(col("over_at").is_null() & ~is_untold).then(lit("warning")).otherwise(lit("info"))
    return found.filter(is_told).select(
        *topic_finding_columns(severity),
        root_event=filled_text("partition {} refused at {}", "partition", epoch_millis("logged_at")),
        **root_columns("creation", "logged_at"),
        valid_from_at="logged_at",
        valid_until_at="over_at",
        sentence=filled_text(
            "partition {} of topic {} got no leader as it was created{}{}", "partition", "topic", alive, end
        ),
        facts=facts_column(
            topic="topic",
            partition="partition",
            broker_ids=when(has_ids).then("broker_ids"),
            lasted_ms=lasted_ms,
        ),
        certainty=when(is_untold).then(lit("undetermined")).otherwise(lit("proved")),
        evidence=pl.concat_list("line", col("over_line").fill_null(NO_LINES)),
    )  # fmt: skip


def with_moves_unread(refused: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Rows with are_moves_unread: of a controller of that time or later no moves are read (half_read)."""
    unread = half_read(term).group_by("cluster_id").agg(unread_until_at=col("last_seen_at").max())
    is_so = (col("unread_until_at") >= col("logged_at")).fill_null(value=False)
    return (
        refused.join(unread, on="cluster_id", how="left", maintain_order="left")
        .with_columns(are_moves_unread=is_so)
        .drop("unread_until_at")
    )


def leader_refusals(
    transition_audit: pl.DataFrame, topic_lifecycle: pl.DataFrame, waited: pl.DataFrame
) -> pl.DataFrame:
    """One row per partition that was refused a leader, by the first line: broker_ids, those of its replicas that the
    line lists; over_at: when it came online, was served, removed, or its topic ended; null: no line tells; over_line:
    the line of its own that says so."""
    moves = transition_audit.filter(
        col("machine") == "partition", col("to_state").is_in([ONLINE, GONE]), col("logged_at").is_not_null()
    )
    is_online, is_done = col("to_state") == ONLINE, col("outcome") == "done"
    is_failing = is_online & (col("outcome") == "failed") & (col("from_state") == "NewPartition")
    refused = moves.filter(is_failing).select(PARTITION).unique()
    moves = moves.join(refused, on=PARTITION, how="semi").sort(*PARTITION, "logged_at", *LINE)
    online = when(is_online & is_done).then("logged_at")
    online_line = when(is_online & is_done).then(known_lines(LINE))
    gone = when(~is_online & is_done).then("logged_at")
    gone_line = when(~is_online & is_done).then(known_lines(LINE))
    lives = topic_lifecycle.select(*TOPIC, life_at=pl.min_horizontal("serving_at", "ended_at")).drop_nulls()
    return (
        moves.with_columns(
            online_at=online.backward_fill().over(PARTITION),
            online_line=online_line.backward_fill().over(PARTITION),
            gone_at=gone.backward_fill().over(PARTITION),
            gone_line=gone_line.backward_fill().over(PARTITION),
            line=known_lines(LINE),
            broker_ids=col("exception_message").str.extract(ASSIGNED).str.extract_all(r"\d+").cast(pl.List(pl.Int32)),
        )
        .filter(is_failing)
        .join(waited.select("cluster_id", topic=col("facts").struct.field("topic")), on=TOPIC, how="anti")
        .sort("logged_at")
        .join_asof(
            lives.sort("life_at"), left_on="logged_at", right_on="life_at", by=TOPIC, strategy="forward",
            coalesce=False, check_sortedness=False,
        )
        .with_columns(over_at=pl.coalesce("online_at", pl.min_horizontal("life_at", "gone_at")))
        .with_columns(
            over_line=when(col("over_at") == col("online_at"))
            .then("online_line")
            .when(col("over_at") == col("gone_at"))
            .then("gone_line")
        )
        .sort(*PARTITION, "logged_at", *LINE)
        .unique([*PARTITION, "over_at"], keep="first", maintain_order=True)
    )  # fmt: skip
