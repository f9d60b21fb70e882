"""Steps in the life of brokers, from bronze.log_record."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.columns import broker_list, first, found, last_of_each, node_id_in, number, or_unread
from pipeline.kafka.families import fed, field_text
from schemas.silver.broker_event import SPEC

# RegisterBrokerRecord, BrokerRegistrationChangeRecord, UnfenceBrokerRecord, BrokerRegistration.
RECORD_ID = r"\b(?:brokerId|id)=(\d+)"
RECORD_EPOCH = r"\b(?:brokerEpoch|epoch)=(-?\d+)"
# A broker's epoch is the offset of the record that registered it.
OWN_EPOCHS = ("new_broker_epoch", "broker_epoch", "register_broker_record_offset")
REGISTRATIONS = ("record", "cur_registration")
END_POINTS = r"(?:^|[(, ])(\d+) : "
EPOCHS = r"(\d+) -> (-?\d+)"


def build(log_record: DataFrame) -> DataFrame:
    """One row per broker that a line names; lists are taken apart.

    Source: KafkaController, RequestSendThread, 0.8.2 to 3.9; ClusterControlManager, BrokerHeartbeatManager,
    BrokerLifecycleManager, from 2.8.
    """
    fields = F.col("fields")
    text = field_text()
    reason = F.coalesce(
        "reason",
        fields["error_code"],
        fields["new_offline_dirs"],
        fields["offline_dir"],
        fields["new_broker_state"],
    )
    incarnation = F.coalesce(
        fields["incarnation_id_2"], fields["incarnation_id"], first(text, r"incarnationId=([\w-]+)")
    )
    return (
        fed(log_record, "broker_event")
        .select("*", F.explode(named(text)).alias("one"))
        .withColumns({"step": refined(text), "said_by": F.col("kind"), "reason": reason})
        .withColumn("incarnation_id", incarnation)
        .drop("broker_id")
        .select("*", "one.*")
        .select(*SPEC.columns)
    )


def named(text: Column) -> Column:
    """(broker_id, broker_epoch) of each broker in the field that the feed names, or of the record."""
    fields = F.col("fields")
    field = F.col("field")
    own_epoch = number(F.coalesce(*(fields[name] for name in OWN_EPOCHS)), "bigint")
    in_record = number(first(text, RECORD_ID)), number(first(text, RECORD_EPOCH), "bigint")
    all_of_them = (
        F.when(field.isNull(), F.array(broker(F.col("broker_id"), own_epoch)))
        .when(field == "broker_node", F.array(broker(F.coalesce("broker_id", node_id_in(text)), None)))
        .when(field == "new_broker", F.array(broker(number(first(text, END_POINTS)), None)))
        .when(
            field.isin(*REGISTRATIONS), F.array(broker(F.coalesce(in_record[0], "broker_id"), in_record[1]))
        )
        .when(field == "broker_epochs", or_unread(with_epochs(text), text))
        .when(field.isin("added_brokers", "removed_brokers"), or_unread(with_end_points(text), text))
        .otherwise(F.transform(broker_list(text), lambda each: broker(each, None)))
    )
    return last_of_each(all_of_them, "broker_id")


def broker(broker_id: Column, broker_epoch: Column | None) -> Column:
    epoch = F.lit(None) if broker_epoch is None else broker_epoch
    return F.struct(broker_id.alias("broker_id"), epoch.cast("bigint").alias("broker_epoch"))


def with_epochs(text: Column) -> Column:
    """`Map(1 -> 59, 3 -> 58)`."""
    pairs = found(text, EPOCHS, "id", "epoch")
    return F.transform(pairs, lambda one: broker(number(one["id"]), number(one["epoch"], "bigint")))


def with_end_points(text: Column) -> Column:
    """`Set(1 : (EndPoint(…)) : null : Features{…}, 2 : …)`."""
    return F.transform(found(text, END_POINTS, "id"), lambda one: broker(number(one["id"]), None))


def refined(text: Column) -> Column:
    """What a replayed change of a registration changes, if it is its state. Source: BrokerRegistrationChangeRecord."""
    is_change = F.col("step") == "registration_changed"
    return (
        F.when(is_change & text.contains("fenced=1"), "fenced")
        .when(is_change & text.contains("fenced=-1"), "unfenced")
        .when(is_change & text.contains("inControlledShutdown=1"), "in_controlled_shutdown")
        .otherwise(F.col("step"))
    )
