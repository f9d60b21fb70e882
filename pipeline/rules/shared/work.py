"""How rules name a piece of a controller's work, and what stood behind it."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.rules.shared.wording import counted_noun, duration_text, filled_text

PIECE = ("cluster_id", "term_id", "work_seq")
TERM = ("cluster_id", "term_id")
# Of so many names a sentence tells the number.
NAMED = 3
# What each kind of work is, with the names that it is about; and with their number, where they are many.
ABOUT = {
    "BrokerModifications": ("the new addresses of broker {}", "the new addresses of {} brokers"),
    "PartitionModifications": ("new partitions {}", "{} new partitions"),
    "TopicDeletion": ("the deletion of topic {}", "the deletion of {} topics"),
    "TopicDeletionStopReplicaResponseReceived": (
        "the answer of broker {} about replicas to delete",
        "answers about replicas to delete",
    ),
    "ControlledShutdown": ("the controlled shutdown of broker {}", "controlled shutdowns"),
    "ReplicaLeaderElection": ("the election of leaders for {}", "the election of leaders for {} partitions"),
    "PartitionReassignment": ("the reassignment of {}", "the reassignment of {} partitions"),
    "PartitionReassignmentIsrChange": ("the end of the reassignment of {}", "the end of reassignments"),
    "IsrChangeNotification": (
        "the changed in-sync replicas of {}",
        "changed in-sync replicas of {} partitions",
    ),
    "AlterPartition": ("the changed in-sync replicas of {}", "changed in-sync replicas of {} partitions"),
    "LeaderAndIsrResponseReceived": ("an error that broker {} answered", "errors that brokers answered"),
    "UpdateMetadataResponseReceived": ("an error that broker {} answered", "errors that brokers answered"),
    "LogDirEventNotification": (
        "a failed log directory of broker {}",
        "failed log directories of {} brokers",
    ),
    "UncleanLeaderElectionEnable": (
        "unclean elections that were allowed for {}",
        "unclean elections that were allowed",
    ),
}
BY_OCCASION = {
    "arrival": ("the arrival of broker {}", "the arrival of {} brokers"),
    "departure": ("the loss of broker {}", "the loss of {} brokers"),
    "bounce": ("the restart of broker {}", "the restart of {} brokers"),
    "arrival and departure": ("the loss and arrival of brokers {}", "the loss and arrival of {} brokers"),
    "creation": ("the creation of topic {}", "the creation of {} topics"),
    "removal": ("the removal of topic {}", "the removal of {} topics"),
}
PLAIN = {
    "Startup": "its start",
    "Resignation": "its resignation",
    "AutoPreferredReplicaLeaderElection": "its check of leader balance",
    "TopicDeletionStopReplicaResponseReceived": "an answer about replicas to delete",
    "AllocateProducerIds": "a block of producer ids",
    "BrokerChange": "a change of brokers",
    "TopicChange": "a change of topics",
}


def work_text() -> pl.Expr:
    """What a row of gold.controller_event was busy with: the loss of broker 4."""
    names, count = col("subject").list.join(", "), col("subject_count")
    named = (
        when((col(key) == value) & ((count <= NAMED) if is_few else (count > NAMED)) & (count > 0)).then(
            filled_text(text, names if is_few else count) if "{}" in text else lit(text)
        )
        for key, texts in (("occasion", BY_OCCASION), ("kind", ABOUT))
        for value, pair in texts.items()
        for is_few, text in zip((True, False), pair, strict=True)
    )
    return pl.coalesce(*named, col("kind").replace(PLAIN))


@needs_rows_of("slow")
def with_waiting_work(slow: pl.DataFrame, controller_event: pl.DataFrame) -> pl.DataFrame:
    """Adds waiting_count and waiting, a text: of the events of the same controller those that are known to have stood
    in the queue while it was busy with this one. Rows in, rows out."""
    queued = controller_event.filter(col("waited_ms") > 0).select(
        *TERM,
        queued_seq="work_seq",
        queued_at=col("began_at") - pl.duration(milliseconds="waited_ms"),
        taken_at="began_at",
        queued_ms="waited_ms",
        queued_text=work_text(),
    )
    behind = (
        slow.select(*PIECE, "began_at", "ended_at")
        .join(queued, on=list(TERM))
        .filter(
            col("queued_seq") > col("work_seq"),
            col("queued_at") < col("ended_at"),
            col("taken_at") >= col("ended_at"),
        )
        .sort("queued_ms", descending=True)
        .group_by(PIECE, maintain_order=True)
        .agg(
            waiting_count=pl.len().cast(pl.Int64),
            longest=col("queued_text").first(),
            ms=col("queued_ms").first(),
        )
    )
    said = filled_text(
        "; {} waited, {} for {}", counted_noun("waiting_count", "event"), "longest", duration_text(col("ms"))
    )
    return slow.join(
        behind.with_columns(waiting=said).drop("longest", "ms"), on=list(PIECE), how="left"
    ).with_columns(col("waiting").fill_null(""))
