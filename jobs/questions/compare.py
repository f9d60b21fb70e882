"""The state of partitions by the logs beside what kafka-topics --describe printed at that time."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import polars as pl
from polars import col

from jobs.layout import format_table, wrap_text
from jobs.questions.ask_text import leader_text
from jobs.questions.describe import Described
from jobs.text import list_text, shorten_line
from pipeline.core.errors import NotConfirmed
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row
from pipeline.views.reading.times import holds_at

SHOWN = 40
PARTITION = ("topic", "topic_life", "partition")
STATE = (
    *(
        "is_served",
        "leader",
        "replicas",
        "isr",
        "is_isr_stale",
        "is_assignment_stale",
        "is_deleting",
        "certainty",
    ),
)
Partition = tuple[str, int]
ABSENT, THERE = "not there", "there"


@dataclass(frozen=True)
class Comparison:
    """same: partitions alike in all that both tell. unknown: by reason, what the logs do not tell. differing:
    (partition, what, described, by the logs). topics_left: topics of the logs that the file does not name."""

    same: int
    unknown: Counter[str]
    differing: list[tuple[Partition, str, str, str]]
    topics_left: int


def partition_states_at(answers: Answers, at: datetime | None) -> dict[Partition, Row]:
    """Partitions that exist then and are not being deleted: leader (-1: nobody), replicas, isr, and what of these is
    not certain: is_isr_stale, is_assignment_stale, is_in_doubt (all three)."""
    led = answers.rows("gold.partition_timeline", holds_at(at), (*PARTITION, *STATE)).filter(
        ~col("is_deleting")
    )
    rows = led.with_columns(
        leader=pl.when(~col("is_served")).then(-1).otherwise("leader"),
        is_in_doubt=col("certainty") == "undetermined",
    )
    return {(row["topic"], row["partition"]): row for row in rows.to_dicts()}


def compare_partitions(told: Mapping[Partition, Described], known: Mapping[Partition, Row]) -> Comparison:
    """Leader and order of replicas as they are, ISR as a set. Of topics that the file names every partition counts."""
    topics = {topic for topic, _ in told}
    unknown: Counter[str] = Counter()
    differing: list[tuple[Partition, str, str, str]] = []
    same = 0
    for key in sorted(told.keys() | {one for one in known if one[0] in topics}):
        if key not in told or key not in known:
            sides = (THERE if key in told else ABSENT, THERE if key in known else ABSENT)
            differing.append((key, "partition", *sides))
            continue
        found = partition_difference(told[key], known[key])
        differing += [(key, what, *sides) for what, sides in found.items() if sides is not None]
        unknown.update(what for what, sides in found.items() if sides is None)
        same += not found
    return Comparison(same, unknown, differing, len({topic for topic, _ in known} - topics))


def partition_difference(told: Described, known: Row) -> dict[str, tuple[str, str] | None]:
    """What differs with both sides; None where the logs do not tell it."""
    found: dict[str, tuple[str, str] | None] = {}
    is_in_doubt = known["is_in_doubt"]
    leader = -1 if told.leader is None else told.leader
    if known["leader"] != leader:
        is_unsure = is_in_doubt or known["leader"] is None
        found["leader"] = None if is_unsure else (leader_text(leader), leader_text(known["leader"]))
    if known["replicas"] is None or list(told.replicas) != known["replicas"]:
        is_unsure = is_in_doubt or known["replicas"] is None or known["is_assignment_stale"]
        sides = (list_text(told.replicas), list_text(known["replicas"]))
        found["replicas"] = None if is_unsure else sides
    if known["isr"] is None or set(told.isr) != set(known["isr"]):
        is_unsure = is_in_doubt or known["isr"] is None or known["is_isr_stale"]
        found["isr"] = None if is_unsure else (list_text(told.isr), list_text(sorted(known["isr"])))
    return found


def comparison_lines(found: Comparison, heading: str, file: str) -> list[str]:
    unsure = ", ".join(f"{what} of {count}" for what, count in sorted(found.unknown.items()))
    partitions = len({one[0] for one in found.differing})
    lines = [
        *wrap_text(f"{heading}, beside {shorten_line(file, 80)}"),
        *wrap_text(
            f"COMPARED  {found.same} partitions the same, {partitions} differ"
            f"; not told by the logs: {unsure or 'nothing'}",
            10,
        ),
    ]
    if found.topics_left:
        lines.append(f"          {found.topics_left} topics of the logs are not in the file")
    if found.differing:
        cells = [
            (f"{shorten_line(topic, 60)}-{partition}", what, theirs, ours)
            for (topic, partition), what, theirs, ours in found.differing[:SHOWN]
        ]
        lines += ["", *format_table(("PARTITION", "what", "described", "by the logs"), cells)]
    if len(found.differing) > SHOWN:
        lines.append(f"  {len(found.differing) - SHOWN} more")
    return lines


def require_same(found: Comparison) -> None:
    """NotConfirmed: something differs."""
    if found.differing:
        raise NotConfirmed(
            expected="partitions as kafka-topics --describe has them",
            found=f"{len(found.differing)} differences",
            todo="look whether both are of the same time (--at) and whether logs are missing ('findings')",
        )
