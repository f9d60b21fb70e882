"""The rule event_failed."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.wording import (
    epoch_millis,
    facts_column,
    filled_text,
    kept_evidence,
    root_columns,
    severity_column,
)

# What each kind of event is about, and who hears nothing of it.
ABOUT = {
    "BrokerChange": "brokers that had come or gone: they got no orders",
    "BrokerModifications": "addresses of brokers: others were not told of them",
    "TopicChange": "topics that had come or gone: new partitions got no leader",
    "PartitionModifications": "partitions that had been added: they got no leader",
    "TopicDeletion": "topics to be deleted: they stay",
    "AlterPartition": "in-sync replicas that leaders asked for: these ask again",
    "moves of partitions": "leaders: partitions may be without one",
    "moves of replicas": "replicas: brokers may have got no orders for some",
}
# Wordings that name no event: up to 0.10, of what leaders ask for, and of moves in the midst of any event.
KIND_OF_EVENT = {
    "broker_change_error": "BrokerChange",
    "topic_change_error": "TopicChange",
    "partitions_add_error": "PartitionModifications",
    "alter_partition_error": "AlterPartition",
    "partition_state_change_error": "moves of partitions",
    "replica_state_change_error": "moves of replicas",
}
FAILED = ("controller_event_error", *KIND_OF_EVENT)
STEPS = ("event_failed", "state_change_failed")
# Told elsewhere, or what every stop does: it is no controller any more. Releases up to 2.0 ask machines that the
# resignation has stopped (StateChangeFailedException).
NO_FAILURE = r"(?:ControllerMoved|Interrupted|Expired|Shutdown)\w*Exception$"
STOPPED = "state machine has not started"
CASE = ("cluster_id", "controller_id", "term_id", "name", "exception_class")


@made_of_rows("controller_step")
def find(controller_step: pl.DataFrame, controller_term: pl.DataFrame) -> pl.DataFrame:
    """A controller in ZooKeeper mode ran into an exception while it handled an event: the rest of it was not done, nor
    is it tried again before the next fail-over or the next event of the kind. One finding per term, kind and exception.
    What fails once another one is elected, or it resigns, is none: it could do nothing any more.

    Source: ControllerEventThread.doWork, from 0.11; BrokerChangeListener, TopicChangeListener,
    PartitionModificationsListener up to 0.10; KafkaController.processAlterPartition, from 2.7;
    PartitionStateMachine and ReplicaStateMachine.handleStateChanges: a batch of moves, the event goes on without it.
    """
    is_harmless = col("exception_class").str.contains(NO_FAILURE) | col("exception_message").str.contains(
        STOPPED, literal=True
    )
    kind = col("event").replace_strict(KIND_OF_EVENT, default=None, return_dtype=pl.String)
    failed = controller_step.filter(
        col("event").is_in(FAILED), col("step").is_in(STEPS), ~is_harmless.fill_null(value=False)
    ).with_columns(
        controller_id=pl.coalesce("controller_id", "node_id"),
        name=pl.coalesce(kind, col("detail").str.extract(r"^(\w+)"), lit("an event")),
        line=pl.struct("file_id", "byte_offset"),
    )
    found = (
        with_term_of_failure(failed, controller_term)
        .sort("logged_at", "file_id", "byte_offset")
        .group_by(CASE, maintain_order=True)
        .agg(
            failures=pl.len(),
            valid_from_at=col("logged_at").min(),
            valid_until_at=col("logged_at").max(),
            message=col("exception_message").first(),
            evidence=kept_evidence(pl.concat_list("line")),
        )
    )
    about = col("name").replace_strict(ABOUT, default=None, return_dtype=pl.String)
    why = pl.concat_str(
        col("exception_class").str.extract(r"(\w+)$"), col("message"), separator=": ", ignore_nulls=True
    )
    return found.select(
        *("cluster_id", "term_id", "valid_from_at", "valid_until_at", "evidence"),
        *severity_column("warning"),
        entity=filled_text("controller {}", "controller_id"),
        root_event=filled_text("{} failed at {}", "name", epoch_millis("valid_from_at")),
        **root_columns(col("name"), "valid_from_at", "controller_id"),
        sentence=filled_text(
            "controller {} failed while it handled {} ({}){}{}",
            "controller_id",
            "name",
            why,
            when(about.is_not_null()).then(filled_text(", about {}", about)).otherwise(lit("")),
            when(col("failures") > 1).then(filled_text("; {} times", "failures")).otherwise(lit("")),
        ),
        facts=facts_column(
            controller_id="controller_id",
            event="name",
            exception_class="exception_class",
            failures_count="failures",
        ),
        certainty=lit("proved"),
    )


@needs_rows_of("failed")
def with_term_of_failure(failed: pl.DataFrame, controller_term: pl.DataFrame) -> pl.DataFrame:
    """term_id: the term of that controller in which it was; null: in none that is seen. Without those of a term that
    was over, or was being given up."""
    is_seen = (col("mode") == "zookeeper") & col("elected_at").is_not_null()
    begun = controller_term.filter(is_seen).select(
        *("cluster_id", "controller_id", "term_id", "elected_at"),
        over_at=pl.min_horizontal("superseded_at", "resigning_at"),
    )
    is_over = (col("logged_at") > col("over_at")).fill_null(value=False)
    return (
        failed.sort("logged_at")
        .join_asof(
            begun.sort("elected_at"),
            left_on="logged_at",
            right_on="elected_at",
            by=["cluster_id", "controller_id"],
            check_sortedness=False,
        )
        .filter(~is_over)
    )


RULE = Rule(
    name="event_failed",
    version=1,
    severities=("warning",),
    facts=("controller_id", "event", "exception_class", "failures_count"),
    find=find,
)
