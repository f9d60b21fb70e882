"""Steps in the life of brokers, from bronze.log_record."""

import polars as pl
from polars import col, element, lit, when

from pipeline.model.lines.families import family_records, field_text, printed_field
from pipeline.model.lines.texts import (
    LONG,
    broker_list,
    element_field,
    explode_elements,
    first_match,
    matched_groups,
    node_id_in,
    number_in_text,
    or_unread,
)
from schemas.silver.broker_event import SPEC

# RegisterBrokerRecord, BrokerRegistrationChangeRecord, UnfenceBrokerRecord, BrokerRegistration.
RECORD_ID = r"\b(?:brokerId|id)=(\d+)"
RECORD_EPOCH = r"\b(?:brokerEpoch|epoch)=(-?\d+)"
OWN_EPOCHS = ("new_broker_epoch", "broker_epoch")
REASONS = ("error_code", "new_offline_dirs", "offline_dir", "new_broker_state")
REGISTRATIONS = ("record", "cur_registration")
REGISTERED = ("registered", "registered_again")
# Fields that hold one broker; the others hold many.
OF_ONE = ("broker_node", "new_broker", *REGISTRATIONS)
END_POINTS = r"(?:^|[(, ])(\d+) : "
EPOCHS = r"(\d+) -> (-?\d+)"


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per broker that a line names; lists are taken apart.

    Source: KafkaController, RequestSendThread, 0.8.2 to 3.9; ClusterControlManager, BrokerHeartbeatManager,
    BrokerLifecycleManager, from 2.8.
    """
    text = col("text")
    incarnation = first_match(text, r"incarnationId=([\w-]+)")
    records = (
        family_records(log_record, "broker_event")
        .with_columns(text=field_text())
        .with_columns(
            step=refined_registration_step(text),
            said_by="kind",
            reason=pl.coalesce("reason", *map(printed_field, REASONS)),
            log_dirs=when(col("step").is_in(REGISTERED)).then(first_match(text, r"logDirs=\[([^\]]*)\]")),
            partitions=when(col("step") == "log_dir_failed").then(printed_field("topic_partitions")),
            incarnation_id=pl.coalesce(
                printed_field("incarnation_id_2"), printed_field("incarnation_id"), incarnation
            ),
            registered_offset=number_in_text(printed_field("register_broker_record_offset"), LONG),
        )
    )
    names_one = col("field").is_null() | col("field").is_in(OF_ONE)
    one = records.filter(names_one).with_columns(broker_id=broker_id(text), broker_epoch=broker_epoch(text))
    many = explode_elements(records.filter(~names_one), brokers_in_field(text), "broker_id")
    return pl.concat(rows.select(SPEC.columns) for rows in (one, many))


def broker_id(text: pl.Expr) -> pl.Expr:
    """The one broker of the field that the feed names, or of the record."""
    kind = col("field")
    in_record = number_in_text(first_match(text, RECORD_ID))
    return (
        when(kind == "broker_node").then(pl.coalesce("broker_id", node_id_in(text)))
        .when(kind == "new_broker").then(number_in_text(first_match(text, END_POINTS)))
        .when(kind.is_in(REGISTRATIONS)).then(pl.coalesce(in_record, "broker_id"))
        .otherwise("broker_id")
    )  # fmt: skip


def broker_epoch(text: pl.Expr) -> pl.Expr:
    own = pl.coalesce(*map(printed_field, OWN_EPOCHS))
    said = when(col("field").is_in(REGISTRATIONS)).then(first_match(text, RECORD_EPOCH))
    return number_in_text(when(col("field").is_null()).then(own).otherwise(said), LONG)


def brokers_in_field(text: pl.Expr) -> pl.Expr:
    """(broker_id, broker_epoch) of each broker in the field that the feed names."""
    kind = col("field")
    has_epochs, has_end_points = kind == "broker_epochs", kind.is_in(["added_brokers", "removed_brokers"])
    with_epochs, with_end_points = (when(one).then(text) for one in (has_epochs, has_end_points))
    return (
        when(has_epochs).then(or_unread(brokers_with_epochs(with_epochs), with_epochs))
        .when(has_end_points).then(or_unread(of_end_points(with_end_points), with_end_points))
        .otherwise(broker_list(text).list.eval(broker_struct(element())))
    )  # fmt: skip


def broker_struct(own_id: pl.Expr, own_epoch: pl.Expr | None = None) -> pl.Expr:
    epoch = lit(None, LONG) if own_epoch is None else number_in_text(own_epoch, LONG)
    return pl.struct(broker_id=number_in_text(own_id), broker_epoch=epoch)


def brokers_with_epochs(text: pl.Expr) -> pl.Expr:
    """`Map(1 -> 59, 3 -> 58)`."""
    return matched_groups(text, EPOCHS, "id", "epoch").list.eval(
        broker_struct(element_field("id"), element_field("epoch"))
    )


def of_end_points(text: pl.Expr) -> pl.Expr:
    """`Set(1 : (EndPoint(…)) : null : Features{…}, 2 : …)`."""
    return matched_groups(text, END_POINTS, "id").list.eval(broker_struct(element_field("id")))


def refined_registration_step(text: pl.Expr) -> pl.Expr:
    """What a replayed change of a registration changes, if it is its state. Source: BrokerRegistrationChangeRecord."""
    is_change = col("step") == "registration_changed"
    states = {
        "fenced=1": "fenced",
        "fenced=-1": "unfenced",
        "inControlledShutdown=1": "in_controlled_shutdown",
    }
    said = (
        when(is_change & text.str.contains(words, literal=True)).then(lit(step))
        for words, step in states.items()
    )
    return pl.coalesce(*said, "step")
