"""The two machines of KRaft's metadata log: what is registered of a broker, and of a partition."""

from functools import cache

from pipeline.core.machine import Machine, matrix_of
from pipeline.kafka.facts import read_fact_table

BROKER_REGISTRATION, PARTITION_REGISTRATION = "broker_registration", "partition_registration"
NONE, GONE = "none", "Gone"
FENCED, ACTIVE, STOPPING, SHUT_DOWN = "Fenced", "Active", "ControlledShutdown", "ShutDown"
ONLINE, OFFLINE = "Online", "Offline"
NAMES = {BROKER_REGISTRATION: "B1", PARTITION_REGISTRATION: "Q1"}
STATES_REGISTERED = {
    BROKER_REGISTRATION: (NONE, FENCED, ACTIVE, STOPPING, SHUT_DOWN, GONE),
    PARTITION_REGISTRATION: (NONE, ONLINE, OFFLINE),
}
SOURCE = {
    BROKER_REGISTRATION: "org.apache.kafka.controller.BrokerHeartbeatManager.calculateNextBrokerState and "
    "ClusterControlManager.replay, 3.3 to 4.4",
    PARTITION_REGISTRATION: "org.apache.kafka.metadata.PartitionRegistration.merge, 3.3 to 4.4",
}


@cache
def registration_machines() -> dict[str, Machine]:
    """The machines by kind, from machines.tsv; what is not registered is in the state `none`."""
    rows = read_fact_table("machines/machines.tsv")
    return {kind: _machine_named(kind, rows) for kind in NAMES}


def _machine_named(kind: str, rows: list[dict[str, str]]) -> Machine:
    own = [row for row in rows if row["machine"] == NAMES[kind]]
    states = STATES_REGISTERED[kind]
    matrix = matrix_of(states, [(row["from_state"], row["to_state"]) for row in own])
    return Machine(NAMES[kind], states, matrix, (NONE,), own[0]["since"], own[0]["until"], SOURCE[kind])
