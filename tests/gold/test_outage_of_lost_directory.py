"""An outage in KRaft mode that a partition's own line begins has the decision at its root that took its leader away."""

from polars import col

from tests.chain import built_of_each
from tests.gold.disk_lines import lines

DIRECTORY = "tHtBXU6uvjksqDSFk0yRxw"
REPLICATION = "(org.apache.kafka.controller.ReplicationControlManager)"
ACTIVE = (
    1.0,
    "INFO [QuorumController id=9] Becoming the active controller at epoch 1, next write offset 1. (org.apache.kafka.controller.QuorumController)",
)
LED = (
    2.0,
    "INFO [Broker id=3] Leader t-0 with topic id Some(Z1m6mbttRAeUeDg0Cqmckg) starts at leader epoch 3 from offset 8 with partition epoch 4, high watermark 8, ISR [3], adding replicas [] and removing replicas [] . Previous leader Some(3) and previous leader epoch was 2. (state.change.logger)",
)
FOLLOWED = (
    2.0,
    "INFO [Broker id=1] Follower t-0 starts at leader epoch 3 from offset 8 with partition epoch 4 and high watermark 8. Current leader is 3. Previous leader Some(3) and previous leader epoch was 2. (state.change.logger)",
)


def lost_directory(second: float) -> tuple[tuple[float, str], ...]:
    return (
        (
            second,
            f"INFO [QuorumController id=9] handleDirectoriesOffline[3:{DIRECTORY}]: changing 32 partition(s) {REPLICATION}",
        ),
        (
            second,
            f"WARN [QuorumController id=9] Directories [{DIRECTORY}] in broker 3 marked offline, remaining directories: [_U-jhuZXYGOr8y7a9SU0Kg] {REPLICATION}",
        ),
    )


def without_leader(second: float) -> tuple[float, str]:
    return (
        second,
        "INFO [Broker id=1] Follower t-0 starts at leader epoch 4 from offset 8 with partition epoch 5 and high watermark 8. Current leader is -1. Previous leader Some(3) and previous leader epoch was 3. (state.change.logger)",
    )


ROOTS: dict[str, tuple[float, float, tuple[str, int | None]]] = {
    "in one millisecond": (10.0, 10.0, ("log-dir failure", 3)),
    "just after": (10.0, 10.4, ("log-dir failure", 3)),
    "long after": (10.0, 40.0, ("unknown", None)),
    "before": (10.0, 9.5, ("unknown", None)),
}


def test_the_directory_is_at_its_root() -> None:
    logs = {
        name: {
            (9, "controller"): lines(ACTIVE, *lost_directory(lost_at)),
            (3, "state-change"): lines(LED),
            (1, "state-change"): lines(FOLLOWED, without_leader(said_at)),
        }
        for name, (lost_at, said_at, _) in ROOTS.items()
    }
    tables = built_of_each(logs, "partition_outage", "finding")
    for name, (*_, root) in ROOTS.items():
        found = tables[name]["partition_outage"]
        told = tables[name]["finding"].filter(col("rule") == "outage")
        assert found.select("root_event", "root_broker_id").rows() == [root], name
        who = "for a reason that no line tells" if root[1] is None else "broker 3 lost a log directory"
        assert told["sentence"][0].split(":")[0] == who
