"""Controllers that take over beside each other: told where one finds itself alone, and no line tells otherwise."""

import pytest

from pipeline.rules.controllers_apart.rule import find as controllers_apart
from pipeline.rules.new_life.rule import find as new_life
from tests.chain import built
from tests.rows import records_in


def own(node: int, second: float, words: str) -> str:
    return f"    [2026-11-21 00:00:{second:06.3f}".replace(".", ",") + (
        f"] INFO [Controller id={node}] {words} (kafka.controller.KafkaController)\n"
    )


def took_over(node: int, second: float, brokers: str) -> str:
    return (
        own(node, second, "Registering handlers")
        + own(node, second + 0.2, f"Currently active brokers in the cluster: Set({brokers})")
        + own(node, second + 0.5, "Starting the controller scheduler")
    )


def told(first: str, second: str) -> list[tuple[str, int]]:
    found = built(
        records_in({(2, "controller"): first, (1, "controller"): second}),
        *("controller_step", "broker_event", "release_span"),
    )
    rows = controllers_apart(found["controller_step"], found["broker_event"], found["release_span"])
    return [(one["sentence"], len(one["evidence"])) for one in rows.to_dicts()]


def test_each_sees_only_itself() -> None:
    ((sentence, lines),) = told(took_over(2, 2, "2"), took_over(1, 7, "1"))
    assert sentence.startswith("controller 1 took over and found no broker but itself, though controller 2")
    assert lines == 3


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (took_over(2, 2, "2"), took_over(1, 7, "1, 2")),
        (took_over(2, 2, "2"), took_over(1, 59, "1")),
        (took_over(2, 2, "1, 2"), took_over(1, 7, "1")),
        (took_over(2, 2, "2") + own(2, 4, "Resigned"), took_over(1, 7, "1")),
        (
            took_over(2, 2, "2"),
            took_over(1, 7, "1")
            + own(1, 9, "Newly added brokers: 2, deleted brokers: , all live brokers: 1,2"),
        ),
    ],
    ids=["finds the other", "its session ran out", "known before", "resigned", "joins later"],
)
def test_lines_that_tell_otherwise(first: str, second: str) -> None:
    assert told(first, second) == []


def elected(node: int, second: float) -> str:
    said = (
        f"{node} successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1"
    )
    return own(node, second, said) + took_over(node, second + 0.1, str(node))


def test_nothing_began_anew_where_two_are_side_by_side() -> None:
    """Both elect with epoch 1."""
    found = built(
        records_in({(2, "controller"): elected(2, 2), (1, "controller"): elected(1, 7)}),
        *("controller_step", "broker_event", "release_span", "controller_term"),
    )
    apart = controllers_apart(found["controller_step"], found["broker_event"], found["release_span"])
    assert apart.height == 1
    assert new_life(found["controller_term"], found["controller_step"], apart).is_empty()
    assert new_life(found["controller_term"], found["controller_step"], apart.clear()).height == 1


def test_one_that_takes_over_twice_is_not_two() -> None:
    assert told("", took_over(1, 2, "1") + took_over(1, 7, "1")) == []
