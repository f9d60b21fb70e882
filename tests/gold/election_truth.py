"""Elections as ZooKeeper saw them: writes to the states of partitions that raise the leader epoch."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.gold.lab_runs import changes
from tests.gold.truth import Partition, ms
from tests.lab import Row

NEAR_MS = 5_000  # two lives of a topic use the same epochs; lines follow ZooKeeper by much less
VERDICTS = ("right", "undetermined", "wrong", "missed")


class Write(NamedTuple):
    """What a controller wrote; is_change: another leader than before; is_clean: it was in the ISR before, or the first.

    is_deleting: the topic was queued for deletion by then. is_last: it led last, with all that
    was acknowledged.
    """

    partition: Partition
    at_ms: int
    controller_epoch: int
    leader: int
    leader_epoch: int
    isr: tuple[int, ...]
    is_change: bool
    is_clean: bool
    is_deleting: bool
    is_last: bool


def writes(cluster: Path) -> Iterator[Write]:
    before: dict[Partition, Row] = {}
    led_by: dict[Partition, int] = {}
    deleting: set[str] = set()
    for change in changes(cluster):
        op, data = change["op"], change["data"]
        match change["path"].split("/")[1:]:
            case ["admin", "delete_topics", topic]:
                (deleting.add if op == "create" else deleting.discard)(topic)
            case ["brokers", "topics", topic, "partitions", number, "state"]:
                partition = (topic, int(number))
                last = before.pop(partition, None)
                if op != "delete":
                    before[partition] = data
                    if last is None or data["leader_epoch"] > last["leader_epoch"]:
                        is_last = led_by.get(partition) == data["leader"]
                        yield of_change(partition, change, last, deleting, is_last=is_last)
                    if data["leader"] >= 0:
                        led_by[partition] = data["leader"]


def of_change(
    partition: Partition, change: Row, last: Row | None, deleting: set[str], *, is_last: bool
) -> Write:
    data = change["data"]
    leader = data["leader"]
    return Write(
        partition, change["time_ms"], data["controller_epoch"], leader, data["leader_epoch"], tuple(data["isr"]),
        last is None or last["leader"] != leader, last is None or leader in last["isr"], partition[0] in deleting,
        is_last,
    )  # fmt: skip


def is_told(one: Write, row: Row) -> bool:
    """Whether it may be the row; up to 1.0 a row may lack its leader epoch."""
    return (
        (row["topic"], row["partition"]) == one.partition
        and (row["controller_epoch"], row["leader"]) == (one.controller_epoch, one.leader)
        and row["leader_epoch"] in {one.leader_epoch, None}
        and abs(ms(row["elected_at"]) - one.at_ms) <= NEAR_MS
    )


def compared(cluster: Path, rows: list[Row]) -> dict[str, Counter[str]]:
    """By what is compared (leader, is_clean): how many are right, undetermined, wrong, missed.

    leader: every change of a leader is told, with an epoch and a verdict; every row that tells of a leader epoch is
    one of the writes, and no choice is told to be against its rule: Kafka's never is.
    """
    done = [row for row in rows if row["outcome"] == "done"]
    by_partition: dict[Partition, list[Row]] = {}
    for row in done:
        by_partition.setdefault((row["topic"], row["partition"]), []).append(row)
    found = {"leader": Counter[str](), "is_clean": Counter[str]()}
    matched = set()
    for one in writes(cluster):
        told = [row for row in by_partition.get(one.partition, []) if is_told(one, row)]
        matched |= {(row["file_id"], row["byte_offset"]) for row in told}
        if one.is_change and not one.is_deleting:
            found["leader"][of_leader(told)] += 1
        if told and one.leader >= 0 and told[0]["kind"] != "isr_removal":
            found["is_clean"][of_cleanness(one, told[0])] += 1
    others = [row for row in done if (row["file_id"], row["byte_offset"]) not in matched]
    found["leader"]["wrong"] += len([row for row in others if row["verdict"] != "redundant"])
    return found


def of_leader(told: list[Row]) -> str:
    if not told:
        return "missed"
    if len(told) > 1:
        return "wrong"
    verdicts = {row["verdict"] for row in told}
    if "differs" in verdicts:
        return "wrong"
    is_known = told[0]["leader_epoch"] is not None and "undetermined" not in verdicts
    return "right" if is_known else "undetermined"


def of_cleanness(one: Write, told: Row) -> str:
    if told["is_clean"] is None:
        return "undetermined"
    return "right" if told["is_clean"] == one.is_clean else "wrong"
