"""What `kafka-topics --describe` prints of partitions, of all releases."""

import re
from dataclasses import dataclass
from pathlib import Path

from jobs.text import shorten_line
from pipeline.core.errors import InputProblem

# Source: kafka.admin.TopicCommand (0.8.2 to 3.9), org.apache.kafka.tools.TopicCommand (from 3.7). Later ones have more
# behind the ISR (adding and removing replicas, ELR) and tell the topic's id before the partition.
PARTITION = re.compile(
    r"^\s*Topic:\s*(?P<topic>\S+)\s+(?:TopicId:\s*\S+\s+)?Partition:\s*(?P<partition>\d+)\s+"
    r"Leader:\s*(?P<leader>none|-?\d+)\s+Replicas:[ \t]*(?P<replicas>[\d,]*)\s+Isr:[ \t]*(?P<isr>[\d,]*)(?=\s|$)"
)
TOPIC = re.compile(r"^\s*Topic:\s*(?P<topic>\S+)\s+(?:TopicId:\s*\S+\s+)?PartitionCount:")
DELETING = re.compile(r"MarkedForDeletion:\s*true")


@dataclass(frozen=True)
class Described:
    """leader: None where there is none. isr: sorted."""

    leader: int | None
    replicas: tuple[int, ...]
    isr: tuple[int, ...]


def read_described(file: Path) -> dict[tuple[str, int], Described]:
    """By topic and partition; topics marked for deletion are left out. InputProblem: the file is not of that form."""
    try:
        text = file.read_text(errors="replace")
    except OSError as problem:
        raise InputProblem(
            expected=f"--compare with what kafka-topics --describe printed, {file}",
            found=problem.strerror or str(problem),
            todo="give a file that can be read",
        ) from None
    found: dict[tuple[str, int], Described] = {}
    deleting: set[str] = set()
    for number, line in enumerate(text.splitlines(), 1):
        one, topic = PARTITION.match(line), TOPIC.match(line)
        if topic is not None and DELETING.search(line):
            deleting.add(topic["topic"])
        if one is not None:
            leader = None if one["leader"] == "none" else int(one["leader"])
            found[one["topic"], int(one["partition"])] = Described(
                None if leader is None or leader < 0 else leader,
                parse_broker_ids(one["replicas"]),
                tuple(sorted(parse_broker_ids(one["isr"]))),
            )
        elif topic is None and line.strip().startswith("Topic:"):
            raise not_described(file, f"line {number}: {shorten_line(line.strip(), 80)}")
    if not found:
        raise not_described(file, "no line of a partition")
    return {key: one for key, one in found.items() if key[0] not in deleting}


def parse_broker_ids(text: str) -> tuple[int, ...]:
    return tuple(int(one) for one in text.split(",") if one)


def not_described(file: Path, found: str) -> InputProblem:
    return InputProblem(
        expected=f"lines of kafka-topics --describe (Topic, Partition, Leader, Replicas, Isr) in {file}",
        found=found,
        todo="write its output into the file as it is",
    )
