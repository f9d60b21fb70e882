"""What brokers say of what clients get, from bronze.log_record."""

import polars as pl
from polars import col, lit, when

from pipeline.core.incremental import Incremental
from pipeline.model.lines.exception_causes import with_exception_causes
from pipeline.model.lines.families import family_records, printed_field
from pipeline.model.lines.texts import LONG, broker_list, first_match, number_in_text
from schemas.silver.client_event import SPEC

REFUSED, CREATED = "append_refused", "log_created"
GROUP, GROUPS = "group_named", "__consumer_offsets"
BELOW_MINIMUM = "cause_below_min_isr"
# `{min.insync.replicas=2, …}`, up to 2.5 `{compression.type -> producer, min.insync.replicas -> 2, …}`.
MIN_ISR = r"\bmin\.insync\.replicas(?:=| -> )(\d{1,9})\b"
TOPIC_NAME = r"^CreatableTopic\(name='([^']+)'"


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per line. Of appends that failed those alone that the minimum of in-sync replicas refused.

    Source: ReplicaManager.appendToLocalLog, Partition.appendRecordsToLeader (from 0.9.0); GroupMetadataManager (0.9.0
    to 4.0), GroupCoordinator (0.9.0 to 4.0), TransactionCoordinator (from 0.11.0), CoordinatorRuntime (from 3.6),
    TransactionStateManager (from 0.11.0); LogManager.getOrCreateLog, up to 2.5 with all settings, later with those
    that the topic overrides; AdminManager, ZkAdminManager (0.10.1 to 3.9).
    """
    fields = col("cause_fields")
    config = printed_field("log_config")
    return (
        with_exception_causes(family_records(log_record, "client_event"))
        .filter((col("step") != REFUSED) | (col("cause") == BELOW_MINIMUM).fill_null(value=False))
        .with_columns(
            topic=pl.coalesce(
                "topic",
                first_match(printed_field("creatable_topic"), TOPIC_NAME),
                when(col("step") == GROUP).then(lit(GROUPS)),
            ),
            name=pl.coalesce(printed_field("group"), printed_field("transactional_id")),
            isr=when(col("step") == REFUSED).then(broker_list(fields.map.get("isr"))),
            min_isr=when(col("step") == REFUSED)
            .then(number_in_text(fields.map.get("min_isr")))
            .when(col("step") == CREATED)
            .then(number_in_text(first_match(config, MIN_ISR))),
            took_ms=number_in_text(printed_field("elapsed_ms"), LONG),
            reason="exception_class",
        )
        .filter(col("topic").is_not_null())
        .select(SPEC.columns)
    )


INCREMENTAL = Incremental(is_taken_whole=True)
