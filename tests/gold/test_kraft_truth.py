"""Real KRaft clusters through all builds, against what their metadata log and their brokers say."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.gold.kraft_truth import ASPECTS, Imbalance, imbalances, report, stretches, true_states, wrong
from tests.lab import Row, broken_rules, built_tables, interpreted, rows_of

# cluster; partition-seconds in which the assignment is wrong: replicas that a reassignment only takes away, adding
# none, are in no line until the next change of the ISR. Snapshots of brokers that differ.
SAMPLES = (("3.9.2-kraft-separate-stock", 21),)
OTHERS = (
    ("3.3.2-kraft-combined-stock", 30),
    ("3.9.2-kraft-migration-stock", 10),
    ("4.0.0-kraft-combined-stock", 23),
    ("4.3.1-kraft-combined-trace", 0),
    ("4.3.1-kraft-separate-stock", 67),
)


@dataclass(frozen=True)
class Lab:
    """A cluster's folder, the tables built from it, and how many partition-seconds of assignment no line tells."""

    folder: Path
    tables: dict[str, DataFrame]
    untold_seconds: int

    @cached_property
    def timeline(self) -> list[Row]:
        return rows_of(self.tables["partition_timeline"])

    @cached_property
    def imbalances(self) -> list[Imbalance]:
        return list(imbalances(self.folder, rows_of(self.tables["leader_imbalance"])))


def cases() -> list[object]:
    return [
        *(pytest.param(one, id=one[0]) for one in SAMPLES),
        *(pytest.param(one, id=one[0], marks=pytest.mark.soak) for one in OTHERS),
    ]


@pytest.fixture(scope="module", params=cases())
def lab(
    request: pytest.FixtureRequest,
    spark: SparkSession,
    shared: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Lab]:
    name, untold_seconds = request.param
    folder = shared / "corpus" / "lab" / name
    with interpreted(spark):
        yield Lab(folder, built_tables(spark, folder, tmp_path_factory.mktemp("kraft")), untold_seconds)


pytestmark = pytest.mark.spark


def test_leader_at_every_instant(lab: Lab) -> None:
    report(lab.folder, lab.timeline)
    assert wrong(list(stretches(lab.folder, lab.timeline, "leader"))) == []


def test_isr_wherever_it_is_claimed(lab: Lab) -> None:
    assert wrong(list(stretches(lab.folder, lab.timeline, "isr"))) == []


def test_assignment_at_every_instant(lab: Lab) -> None:
    off = wrong(list(stretches(lab.folder, lab.timeline, "replicas")))
    assert sum(one.seconds for one in off) <= lab.untold_seconds
    assert all(set(one.true) < set(one.told) for one in off)


def test_end_state(lab: Lab) -> None:
    told = {
        (row["topic"], row["partition"]): (row["leader"], tuple(row["replicas"]))
        for row in lab.timeline
        if row["valid_until_at"] is None
    }
    true = {one: states[-1] for one, states in true_states(lab.folder).items()}
    assert told == {
        one: (state.leader, state.replicas) for one, state in true.items() if state.leader is not None
    }


def test_imbalance_is_that_of_what_brokers_describe(lab: Lab) -> None:
    pairs = [
        (one.described[broker], one.told.get(broker)) for one in lab.imbalances for broker in one.described
    ]
    equal = sum(described == told for described, told in pairs)
    print(f"{lab.folder.name}: imbalance equal {equal} of {len(pairs)}")
    assert equal == len(pairs)


def test_every_aspect_is_told_for_most_of_the_time(lab: Lab) -> None:
    for aspect in ASPECTS:
        told = [one for one in stretches(lab.folder, lab.timeline, aspect) if one.told == one.true]
        assert sum(one.seconds for one in told) > 2000, aspect


def test_declarations_hold(lab: Lab) -> None:
    assert broken_rules(lab.tables) == []
