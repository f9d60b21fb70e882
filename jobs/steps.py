"""Acts that wait for one another, some of them at a time."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """An act with a name; `awaited`: names of those that go before it. Names of no step are passed over."""

    name: str
    act: Callable[[], None]
    awaited: frozenset[str] = frozenset()


def in_order(steps: Sequence[Step], at_once: int) -> None:
    """Runs all, `at_once` at most beside one another, earlier ones first where several could begin.

    What a step raises is raised once those that had begun are through; no other begins then.
    ValueError: steps that wait for one another in a circle.
    """
    names = {step.name for step in steps}
    left, running = list(steps), dict[Future[None], str]()
    through: set[str] = set()
    with ThreadPoolExecutor(at_once) as pool:
        while left or running:
            ready = [step for step in left if step.awaited & names <= through][: at_once - len(running)]
            if not ready and not running:
                raise ValueError(f"steps wait for one another: {', '.join(step.name for step in left)}")
            for step in ready:
                left.remove(step)
                running[pool.submit(step.act)] = step.name
            ended, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in ended:
                through.add(running.pop(future))
                future.result()
