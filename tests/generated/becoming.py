"""What a broker of Kafka 2.2 writes of a LeaderAndIsr request (ReplicaManager.becomeLeaderOrFollower)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.generated.held import NO_LEADER, Held, commas
from tests.generated.output import Output, after

# What a broker makes of a partition of LeaderAndIsr.
LEADS, STILL_LEADS, FOLLOWS, LEADERLESS, IGNORED, NO_REPLICA = range(6)

Section = tuple[str, list[str]]  # level, texts: one line a partition


@dataclass(frozen=True)
class ToBroker:
    """LeaderAndIsr to one broker. items: with what the broker makes of each."""

    correlation: int
    items: Sequence[tuple[str, Held, int]]
    is_new: bool = False
    is_stopping: bool = False

    def of(self, verdict: int) -> list[tuple[str, Held]]:
        return [(name, held) for name, held, one in self.items if one == verdict]


def write_leaders(out: Output, at: int, controller: int, term: int, request: ToBroker) -> int:
    """When it is done."""
    by, with_id = f"controller {controller} epoch {term}", f"with correlation id {request.correlation}"
    request_id = f"LeaderAndIsr request correlationId {request.correlation} from {by}"
    for level, texts in (
        *received(request, by, f"from controller {controller} {with_id} epoch {term} for partition"),
        *led(request, request_id, f"{with_id} from {by}", f"request from {by} {with_id} for partition"),
        *followed(request, request_id, by, with_id),
    ):
        out.lines(at, f"{level} [Broker id={out.node}] ", texts)
        at = after(at, len(texts))
    return at


def received(request: ToBroker, by: str, ignored: str) -> Iterator[Section]:
    tail = f"correlation id {request.correlation} from {by} for partition"
    new = "true" if request.is_new else "false"
    yield (
        "TRACE",
        [
            f"Received LeaderAndIsr request {of_leaders(held, new)} {tail} {name}"
            for name, held, _ in request.items
        ],
    )
    yield (
        "WARN",
        [
            f"Ignoring LeaderAndIsr request {ignored} {name} since its associated leader epoch {held.epoch} is not higher "
            f"than the current leader epoch {held.epoch}"
            for name, held in request.of(IGNORED)
        ],
    )
    replicas = "as itself is not in assigned replica list"
    yield (
        "WARN",
        [
            f"Ignoring LeaderAndIsr request {ignored} {name} {replicas} {commas(held.replicas)}"
            for name, held in request.of(NO_REPLICA)
        ],
    )


def led(request: ToBroker, request_id: str, skipped: str, stopped: str) -> Iterator[Section]:
    names = sorted(name for name, _, verdict in request.items if verdict in (LEADS, STILL_LEADS))
    yield (
        "TRACE",
        [
            f"Handling {request_id} starting the become-leader transition for partition {name}"
            for name in names
        ],
    )
    yield (
        "INFO",
        [
            f"Skipped the become-leader state change after marking its partition as leader {skipped} for partition {name} "
            f"(last update controller epoch {held.term}) since it is already the leader for the partition."
            for name, held in request.of(STILL_LEADS)
        ],
    )
    yield (
        "TRACE",
        [
            f"Stopped fetchers as part of become-leader {stopped} {name} (last update controller epoch {held.term})"
            for name, held in request.of(LEADS)
        ],
    )
    yield (
        "TRACE",
        [f"Completed {request_id} for the become-leader transition for partition {name}" for name in names],
    )


def followed(request: ToBroker, request_id: str, by: str, with_id: str) -> Iterator[Section]:
    follows, leaderless = request.of(FOLLOWS), request.of(LEADERLESS)
    both = [f"{name} with leader {held.leader}" for name, held in sorted(follows + leaderless)]
    transition = "the become-follower transition for partition"
    yield "TRACE", [f"Handling {request_id} starting {transition} {one}" for one in both]
    yield (
        "ERROR",
        [
            f"Received LeaderAndIsrRequest {with_id} from {by} for partition {name} (last update controller epoch "
            f"{held.term}) but cannot become follower since the new leader {NO_LEADER} is unavailable."
            for name, held in leaderless
        ],
    )
    named = [f"{name} with leader {held.leader}" for name, held in follows]
    of_request = f"as part of become-follower request from {by} {with_id} for partition"
    yield "TRACE", [f"Stopped fetchers {of_request} {one}" for one in named]
    yield (
        "TRACE",
        [
            f"Truncated logs and checkpointed recovery boundaries for partition {name} as part of become-follower request "
            f"{with_id} from {by} with leader {held.leader}"
            for name, held in follows
        ],
    )
    skipped = f"Skipped the adding-fetcher step of the become-follower state change {with_id} from {by} for partition"
    if request.is_stopping:
        yield "TRACE", [f"{skipped} {one} since it is shutting down" for one in named]
    else:
        yield "TRACE", [f"Started fetcher to new leader {of_request} {one}" for one in named]
    yield "TRACE", [f"Completed {request_id} for {transition} {one}" for one in both]


def of_leaders(held: Held, new: str) -> str:
    """A partition's state as LeaderAndIsr is printed."""
    return (
        f"PartitionState(controllerEpoch={held.term}, leader={held.leader}, leaderEpoch={held.epoch}, "
        f"isr={commas(held.isr)}, zkVersion={held.version}, replicas={commas(held.replicas)}, isNew={new})"
    )
