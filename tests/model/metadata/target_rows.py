"""What a replay says of a cluster, written as the rows of the targets of another replay."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime

from pipeline.model.metadata.intervals import recorded_outages, recorded_sessions
from pipeline.model.metadata.joining import JoinedLog, find_silences
from pipeline.model.metadata.replay import MetadataReplay
from pipeline.model.metadata.states import PartitionRegistration

Rows = list[tuple[str, str]]


def target_rows(replay: MetadataReplay, joined: JoinedLog) -> dict[str, Rows]:
    """By kind of fact key and value, sorted."""
    states = defaultdict(list)
    for one in replay.states:
        states[f"{one.topic}-{one.partition} {one.topic_id}"].append(one)
    found = {
        "move": [(f"{kind}: {a} -> {b}", str(n)) for (kind, a, b), n in replay.judged.counts().items()],
        "session": session_rows(replay),
        "registration": registration_rows(replay),
        "leaders": [(key, leader_text(some)) for key, some in states.items()],
        "isr": [(key, isr_text(some)) for key, some in states.items()],
        "partition": partition_rows(replay, joined, states),
        "topic": [
            (
                one.name,
                f"{one.topic_id} created {iso(one.created_at_ms)} removed {iso(one.deleted_at_ms)}".strip(),
            )
            for one in replay.lives
        ],
        "no_controller": [
            (
                f"{iso(one.from_ms)} epoch {one.epoch_before} -> {one.epoch_after}",
                f"{one.until_ms - one.from_ms} ms",
            )
            for one in find_silences(joined)
        ],
    }
    return {what: sorted(rows) for what, rows in found.items()}


def iso(at_ms: int | None) -> str:
    if at_ms is None:
        return ""
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at_ms % 1000:03d}"


def clock(at_ms: int) -> str:
    return iso(at_ms)[11:]


def listed(ids: Iterable[int] | None) -> str:
    return ",".join(map(str, ids or []))


def session_rows(replay: MetadataReplay) -> Rows:
    rows = []
    for one in recorded_sessions(replay.registrations):
        stopping = f", stopping from {iso(one.stopping_ms)}" if one.stopping_ms else ""
        key = f"{one.broker_id} epoch {one.broker_epoch} joined {iso(one.joined_ms)}"
        rows.append((key, f"left {iso(one.left_ms)} {one.left_how or 'still there'}{stopping}"))
    return rows


def registration_rows(replay: MetadataReplay) -> Rows:
    states = defaultdict(list)
    for one in replay.registrations:
        states[one.broker_id].append(f"{one.state}@{clock(one.decided_at_ms)}")
    return [(f"broker {broker}", " ".join(some)) for broker, some in states.items()]


def leader_text(states: Iterable[PartitionRegistration]) -> str:
    elected = [one for one in states if one.is_elected]
    return " ".join(f"{one.leader_epoch}:{one.leader}@{clock(one.decided_at_ms)}" for one in elected)


def isr_text(states: Iterable[PartitionRegistration]) -> str:
    told, before = [], None
    for one in states:
        if (one.isr, one.elr) != before:
            before = one.isr, one.elr
            elr = f"+[{listed(one.elr)}]" if one.elr else ""
            told.append(f"{one.partition_epoch}:[{listed(one.isr)}]{elr}@{clock(one.decided_at_ms)}")
    return " ".join(told)


def partition_rows(
    replay: MetadataReplay, joined: JoinedLog, states: dict[str, list[PartitionRegistration]]
) -> Rows:
    """How many states, how long without a leader, and the last one."""
    end = int(joined.marks["at_ms"][-1])
    lengths: dict[tuple[str, int], int] = defaultdict(int)
    for outage in recorded_outages(replay):
        until = end if outage.until_ms is None else outage.until_ms
        lengths[outage.topic_id, outage.partition] += until - outage.from_ms
    rows = []
    for key, some in states.items():
        one = replay.partitions.get(some[-1].key, some[-1])
        lists = "ISR [{}] replicas [{}] ELR [{}] adding [{}] removing [{}]".format(
            *map(listed, (one.isr, one.replicas, one.elr, one.adding, one.removing))
        )
        without = lengths[one.key]
        said = f"last: epoch {one.partition_epoch} leader {one.leader} {lists}"
        rows.append((key, f"states {len(some)} without leader {without} ms; {said}"))
    return rows
