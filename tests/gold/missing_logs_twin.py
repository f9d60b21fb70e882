"""What missing logs of brokers leave in doubt, as anyone would look for it: state by state, absence by absence."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

DAY, GRACE = 86_400, 60
FOREVER = 10**9


@dataclass(frozen=True)
class State:
    """A state that a partition is in from `at` on, in seconds; known_at: since when it is known to be."""

    partition: int
    at: float
    known_at: float
    leader: int | None
    isr: tuple[int, ...]
    replicas: tuple[int, ...]
    replicas_at: float
    certainty: str
    is_assignment_stale: bool = False
    is_isr_stale: bool = False
    is_unseen: bool = False


@dataclass(frozen=True)
class Absence:
    broker: int
    out_at: int
    silent_from_at: int | None
    back_at: int | None


@dataclass(frozen=True)
class Known:
    """watched: since when a broker has a log. unseen: from when to when terms without lines went on."""

    watched: dict[int, int]
    absences: tuple[Absence, ...]
    unseen: tuple[tuple[int, int | None], ...]

    def is_missing(self, broker: int, at: float) -> bool:
        return self.watched.get(broker, FOREVER) > at + GRACE

    def is_unseen(self, since: float, at: float) -> bool:
        return any(begun <= at and (end is None or since < end) for begun, end in self.unseen)

    def of(self, broker: int) -> list[Absence]:
        return [one for one in self.absences if one.broker == broker]


def doubted(states: Iterable[State], known: Known) -> Iterator[State]:
    """The states of one partition, in order of time, and the rows more."""
    in_turn = [*states]
    stale_at = -float(FOREVER)
    for state, following in pairwise([*in_turn, None]):
        assert state is not None
        until = float(FOREVER) if following is None else following.at
        is_led = state.leader is not None and state.leader >= 0
        is_isr_stale = is_led and known.is_missing(state.leader or 0, state.known_at)
        is_unseen = known.is_unseen(state.known_at, state.at)
        is_outside = is_led and state.leader not in state.replicas and state.known_at > state.replicas_at
        stale_at = state.at if is_isr_stale or is_unseen or is_outside else stale_at
        told = replace(
            state,
            is_isr_stale=is_isr_stale,
            is_assignment_stale=state.is_assignment_stale or stale_at >= state.replicas_at,
        )
        is_alone = is_led and len(state.isr) <= 1
        ends = [*ends_of(state, known, is_alone=is_alone)]
        is_over = any(state.known_at < at <= state.at for at in ends)
        yield weaker(told, known, state.at, is_alone=is_alone, is_doubt=is_over)
        if is_over:
            continue
        begins = [begun for begun, _ in known.unseen if is_led and not is_alone]
        over_at = min((at for at in ends if at > state.known_at), default=until)
        for times, is_doubt, last in ((begins, False, min(until, over_at)), (ends, True, until)):
            inside = [at for at in times if state.at < at < last]
            if inside:
                yield weaker(told, known, min(inside), is_alone=is_alone, is_doubt=is_doubt)


def weaker(state: State, known: Known, at: float, *, is_alone: bool, is_doubt: bool) -> State:
    is_unseen = known.is_unseen(state.known_at, at)
    certainty = "inferred" if is_unseen and state.certainty == "proved" else state.certainty
    return replace(
        state,
        at=at,
        is_unseen=is_unseen,
        leader=None if is_doubt else state.leader,
        is_assignment_stale=state.is_assignment_stale or is_unseen,
        certainty="undetermined" if is_doubt or (is_alone and is_unseen) else certainty,
    )


def ends_of(state: State, known: Known, *, is_alone: bool) -> Iterator[float]:
    """When the state may be over."""
    members = set(state.replicas)
    if state.leader == -1:
        returns = [(broker, one.back_at) for broker in members for one in known.of(broker)]
        yield from (at for broker, at in returns if at is not None and known.is_missing(broker, at))
    if state.leader is None or state.leader < 0:
        return
    yield from (one.out_at for one in known.of(state.leader) if known.is_missing(state.leader, one.out_at))
    if is_alone:
        yield from (begun for begun, _ in known.unseen)
    missing = {one for one in members if known.is_missing(one, state.known_at)}
    if missing == members and members:
        yield state.known_at + 0.001
    if missing:
        for at in silences(members - missing, known, state.known_at):
            if any(known.is_missing(one, at) for one in missing):
                yield at


def silences(brokers: set[int], known: Known, known_at: float) -> Iterator[float]:
    """When one of the brokers falls silent and no other answers."""

    def since(one: Absence) -> float:
        silent_from = one.out_at if one.silent_from_at is None else one.silent_from_at
        return max(one.out_at // DAY * DAY, silent_from, known_at + 0.001)

    def is_silent(broker: int, at: float) -> bool:
        return any(since(one) <= at and (one.back_at is None or one.back_at > at) for one in known.of(broker))

    for one in (one for broker in brokers for one in known.of(broker)):
        if all(is_silent(broker, since(one)) for broker in brokers):
            yield since(one)
