"""How many bytes a plan writes, reckoned from its steps without writing them."""

from dataclasses import replace
from itertools import chain

from tests.generated.becoming import FOLLOWS, IGNORED
from tests.generated.kraft_steps import Delta
from tests.generated.output import Step
from tests.generated.plan import CHECK_SECONDS, ROUNDS, Plan
from tests.generated.requests import Requests
from tests.generated.steps import Moves, Say

ENVELOPE = 75  # of a line besides its text: time, level, logger
MOVE, SENT, CACHED, ANSWERED = 185, 290, 325, 50
HANDLED = {IGNORED: 480, FOLLOWS: 1270}  # by what a broker makes of LeaderAndIsr, else:
OTHERWISE = 920
SKIPPED, CREATED, APPLIED = 520, 390, 260  # what a KRaft broker writes of a partition


def bytes_of(step: Step) -> int:
    if isinstance(step, Say):
        return sum(ENVELOPE + len(text) for _, _, text, _ in step.lines)
    if isinstance(step, Moves):
        return MOVE * (len(step.of_partitions) + len(step.of_replicas) + 6 * len(step.failed))
    if isinstance(step, Delta):
        all_applied = chain.from_iterable(step.applied.values())
        return sum(
            SKIPPED if one.is_known() else CREATED if one.before is None else APPLIED for one in all_applied
        )
    if not isinstance(step, Requests):
        raise TypeError(step)
    verdicts = chain.from_iterable((one[2] for one in to.items) for to in step.leaders.values())
    handled = sum(SENT + ANSWERED + HANDLED.get(verdict, OTHERWISE) for verdict in verdicts)
    stops = sum(len(one) for one in step.stops.values())
    return handled + len(step.items) * (SENT + CACHED * len(step.metadata)) + 560 * stops


def planned(wanted: int, plan: Plan, days: float = 0) -> Plan:
    """The plan with as many rounds as write about so many bytes, over so many days (0: as dense as rounds go).

    It is simulated up to the end of one turn of rounds; the rest is as those.
    """
    from tests.generated.writing import hours_of  # noqa: PLC0415

    turn = len(ROUNDS)
    begun, turned = (
        sum(bytes_of(step) for hour in hours_of(replace(plan, rounds=rounds)) for step in hour.steps())
        for rounds in (0, turn)
    )
    rounds = max(1, round((wanted - begun) / ((turned - begun) / turn)))
    if not days:
        return replace(plan, rounds=rounds)
    slot = int(days * 86_400 / (rounds + plan.first_round + 1)) // CHECK_SECONDS * CHECK_SECONDS
    return replace(plan, rounds=rounds, slot_seconds=max(plan.slot_seconds, slot))
