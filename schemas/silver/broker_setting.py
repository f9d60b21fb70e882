"""What brokers print of their own settings that the audit goes by, into server.log."""

from schemas.spec import RECORD, TableSpec, nullable_field, required_field
from schemas.types import STRING

PER_BROKER = "leader.imbalance.per.broker.percentage"
INTERVAL = "leader.imbalance.check.interval.seconds"
ENABLE = "auto.leader.rebalance.enable"
SESSION_TIMEOUT = "zookeeper.session.timeout.ms"
MIN_ISR = "min.insync.replicas"
NAMES = (PER_BROKER, INTERVAL, ENABLE, SESSION_TIMEOUT, MIN_ISR)
STEPS = (
    "listed",  # among all settings, when the broker starts or its settings are changed (from 0.9)
    "overridden",  # alone, as its server.properties has it (up to 0.8.2)
)

SPEC = TableSpec(
    name="silver.broker_setting",
    grain="One setting of automatic leader balancing, the session time-out or the minimum of in-sync replicas, in one "
    "record of a broker that prints its own.",
    key=("file_id", "byte_offset", "name"),
    fields=(
        *RECORD,
        required_field("step", STRING, "How the broker prints it.", accepted=STEPS),
        required_field("name", STRING, "Kafka's name of the setting.", accepted=NAMES),
        nullable_field("value", STRING, "Its value as printed."),
    ),
)
