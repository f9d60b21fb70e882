"""What the controller's event thread works off: the lines that begin and end its pieces of work, as data."""

from dataclasses import dataclass
from functools import cache

from pipeline.kafka.facts import read_fact_table

# Where each watch of ZooKeeper looks.
PATHS = {
    "controller": "/controller",
    "brokers": "/brokers/ids",
    "broker": "/brokers/ids/{id}",
    "topics": "/brokers/topics",
    "topic": "/brokers/topics/{topic}",
    "deletions": "/admin/delete_topics",
    "reassignments": "/admin/reassign_partitions",
    "preferred elections": "/admin/preferred_replica_election",
    "ISR": "/isr_change_notification",
    "log directories": "/log_dir_event_notification",
}


@dataclass(frozen=True)
class WorkLine:
    """A line and its part in a piece of work; parts and kinds: work.tsv."""

    event: str
    part: str
    kind: str
    nests_in: tuple[str, ...]
    listener: str | None
    wording: str
    subject: tuple[str, ...]


@cache
def work_lines() -> tuple[WorkLine, ...]:
    """Rows of work.tsv."""
    return tuple(
        WorkLine(
            event=row["event"],
            part=row["part"],
            kind=row["kind"],
            nests_in=split_names(row["nests_in"]),
            listener=row["listener"] or None,
            wording=row["wording"],
            subject=split_names(row["subject"]),
        )
        for row in read_fact_table("wording/work.tsv")
    )


@cache
def lines_of_other_threads() -> frozenset[str]:
    """Events that other threads of a controller print into its log."""
    return frozenset(one.event for one in work_lines() if one.part == "aside")


@cache
def kinds_of_work(part: str) -> tuple[str, ...]:
    """The kinds that have a line of that part."""
    return tuple(dict.fromkeys(one.kind for one in work_lines() if one.part == part))


def split_names(text: str) -> tuple[str, ...]:
    return tuple(text.split("|")) if text else ()
