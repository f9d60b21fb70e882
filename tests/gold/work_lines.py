"""Lines of a controller in ZooKeeper mode about its own work, as 2.3 and later print them."""

CONTROLLER = "kafka.controller.KafkaController"
CHECKED = "Processing automatic preferred replica leader election"
CHECKING = "Checking need to trigger auto leader balancing"
EPOCHS = "Updated broker epochs cache: HashMap(1 -> 24, 2 -> 48)"
SILENT = "Removed List() from list of shutting down brokers."


def line(seconds: float, text: str, level: str = "INFO") -> str:
    clock = f"10:{int(seconds // 60):02}:{seconds % 60:06.3f}".replace(".", ",")
    return f"[2026-11-21 {clock}] {level} [Controller id=1] {text} ({CONTROLLER})\n"


def started(seconds: float, epoch: int = 1) -> str:
    said = f"1 successfully elected as the controller. Epoch incremented to {epoch} and epoch zk version is now {epoch}"
    return line(seconds, said) + line(seconds + 0.2, "Starting the controller scheduler")


def change(seconds: float, came: str = "", went: str = "") -> str:
    return line(
        seconds,
        f"Newly added brokers: {came}, deleted brokers: {went}, bounced brokers: , all live brokers: 1,2,3",
    )
