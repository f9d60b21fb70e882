"""Logs of three brokers of which one prints the times of another zone."""

from pathlib import Path

ELECTED = "[2026-11-21 {hour}:00:{at:02d},000] INFO [Controller id={by}] {by} successfully elected as the controller. Epoch incremented to {epoch} and epoch zk version is now {epoch} (kafka.controller.KafkaController)"
HEARD = "[2026-11-21 {hour}:00:{at:02d},000] INFO [Broker id={node}] Add 1 partitions and deleted 0 partitions from metadata cache in response to UpdateMetadata request sent by controller {by} epoch {epoch} with correlation id 1 (state.change.logger)"
EPOCHS = ((3, 1, 1), (1, 5, 2), (3, 20, 3), (2, 33, 4), (3, 50, 5))  # controller, second, epoch


def write_two_zones(folder: Path) -> Path:
    """Broker 3 is 5 h ahead of the others, its hours are those of Asia/Karachi."""
    for node, hour in ((1, "12"), (2, "12"), (3, "17")):
        lines = [
            (ELECTED if by == node else HEARD).format(hour=hour, at=at, by=by, epoch=epoch, node=node)
            for by, at, epoch in EPOCHS
        ]
        of_node = folder / f"broker-{node}"
        of_node.mkdir(parents=True)
        for log, wording in (("controller", "KafkaController"), ("state-change", "state.change.logger")):
            own = [line for line in lines if wording in line]
            (of_node / f"{log}.log").write_text("".join(f"{line}\n" for line in own))
    return folder
