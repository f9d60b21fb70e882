"""How the deletion of a topic went on, line by line: what holds it, and which replicas are still to be deleted."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from pipeline.views.reading.rows import Row

Replica = tuple[int, int]  # partition, broker
ASKED = ("requested", "listed")
PUT_OFF = ("blocked", "halted", "deferred")
NOT_DELETABLE = {"dead": "broker gone", "failed": "deletion failed"}


@dataclass(frozen=True)
class Stage:
    """From at on. state: queued, in_progress, put_off. left: replicas that are not deleted yet; null where the logs do
    not tell all of them. ineligible: of these the ones that the controller cannot delete now, and why."""

    at: datetime
    state: str
    left: int | None
    ineligible: dict[Replica, str]


def deletion_stage_by_line(life: Row) -> Iterator[Stage]:
    """Of a life of a topic whose deletion was asked for (row of gold.topic_lifecycle).

    As Kafka counts: a replica is ineligible from when it is found dead, or was not deleted, until its broker starts
    ("Retrying deletion" is printed without a retry); a controller that starts forgets which replicas were deleted.
    Source: TopicDeletionManager.startReplicaDeletion, failReplicaDeletion, resumeDeletionForTopics;
    KafkaController.updateMetrics (2.4 to 3.9).
    """
    named = [(one["partition"], one["replicas"]) for one in life["partitions"]]
    is_whole = bool(named) and all(replicas is not None for _, replicas in named)
    every = {(partition, broker) for partition, replicas in named for broker in replicas or ()}
    done: set[Replica] = set()
    ineligible: dict[Replica, str] = {}
    state = "queued"
    for line in life["deletion_lines"]:
        step, replica = line["step"], (line["partition"], line["broker_id"])
        if step == "listed":
            done, ineligible, state = set(), {}, "queued"
        elif step == "started":
            state = "in_progress"
        elif step in PUT_OFF:
            state = "put_off"
        elif step in NOT_DELETABLE:
            ineligible[replica] = NOT_DELETABLE[step]
        elif step == "completed" and None not in replica:
            done.add(replica)
            ineligible.pop(replica, None)
        elif step == "resumed":
            started = set((line["reason"] or "").replace(" ", "").split(","))
            ineligible = {one: why for one, why in ineligible.items() if str(one[1]) not in started}
        yield Stage(line["at"], state, len(every - done) if is_whole else None, dict(ineligible))


def stages_of_deletion(life: Row) -> list[Stage]:
    """Of several lines at once the last one; before the first line it is queued."""
    found = {one.at: one for one in deletion_stage_by_line(life)}
    asked = life["deletion_requested_at"]
    if asked not in found:
        found = {asked: Stage(asked, "queued", None, {}), **found}
    return [found[at] for at in sorted(found) if at >= asked]


def stage_at(life: Row, at: datetime) -> Stage:
    return [one for one in stages_of_deletion(life) if one.at <= at][-1]
