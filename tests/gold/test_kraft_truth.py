"""Real KRaft clusters through all builds, against what their metadata log and their brokers say."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import inf
from pathlib import Path

import pyarrow as pa
import pytest

from tests.gold import session_truth
from tests.gold.imbalance_twin import counted, of_rows, ratios
from tests.gold.kraft_election_truth import compared
from tests.gold.kraft_outage_truth import outages
from tests.gold.kraft_term_truth import judged
from tests.gold.kraft_truth import (
    ASPECTS,
    Imbalance,
    begin_ms,
    imbalances,
    report,
    stretches,
    true_states,
    wrong,
)
from tests.gold.outage_truth import closest, told_outages, unmatched
from tests.gold.truth import SETTLED_MS, ms, truncated
from tests.lab import Row, broken_rules, built_tables, folder_of, rows_of

SAMPLES = ("3.9.2-kraft-separate-moves", "3.9.2-kraft-separate-stock")
OTHERS = (
    "3.3.2-kraft-combined-stock",
    "3.9.2-kraft-migration-stock",
    "4.0.0-kraft-combined-moves",
    "4.0.0-kraft-combined-stock",
    "4.3.1-kraft-combined-trace",
    "4.3.1-kraft-separate-stock",
    "4.4.0-kraft-separate-stock",
)


LINGER_MS = 25  # a record has the time of its batch: up to so much before what it tells of
RATIOS_CHANGED = 50  # at least, in each of these clusters
# How much of each is told at least.
ASKED = {"leader": 0.85, "kind": 0.9, "is_clean": 0.99, "trigger": 0.65, "time": 0.65}


@dataclass(frozen=True)
class Lab:
    """A cluster's folder and the tables built from it."""

    folder: Path
    tables: dict[str, pa.Table]

    @cached_property
    def timeline(self) -> list[Row]:
        return rows_of(self.tables["partition_timeline"])

    @cached_property
    def imbalances(self) -> list[Imbalance]:
        return list(imbalances(self.folder, rows_of(self.tables["leader_imbalance"])))


def cases() -> list[object]:
    return [
        *(pytest.param(one, id=one) for one in SAMPLES),
        *(pytest.param(one, id=one, marks=pytest.mark.soak) for one in OTHERS),
    ]


@pytest.fixture(scope="module", params=cases())
def lab(
    request: pytest.FixtureRequest,
    shared: Path,
) -> Lab:
    folder = folder_of(shared, request.param)
    return Lab(folder, built_tables(folder))


def test_leader_at_every_instant(lab: Lab) -> None:
    report(lab.folder, lab.timeline)
    assert wrong(list(stretches(lab.folder, lab.timeline, "leader"))) == []


def test_isr_wherever_it_is_claimed(lab: Lab) -> None:
    assert wrong(list(stretches(lab.folder, lab.timeline, "isr"))) == []


def test_assignment_wherever_it_is_not_doubted(lab: Lab) -> None:
    """Replicas that a reassignment only takes away, adding none, are in no line until the ISR changes the next time."""
    assert wrong(list(stretches(lab.folder, lab.timeline, "replicas"))) == []


def test_another_assignment_is_of_another_partition_epoch(lab: Lab) -> None:
    """Up to 4.2 the controller's line of the change names none: it has the one after, as brokers print it then."""
    rows = sorted(lab.timeline, key=lambda row: (row["topic_id"], row["partition"], row["interval_seq"]))
    same = [
        (row["topic"], row["partition"], row["valid_from_at"])
        for before, row in pairwise(rows)
        if all(before[name] == row[name] for name in ("topic_id", "partition", "partition_epoch"))
        and any(before[name] != row[name] for name in ("adding_replicas", "removing_replicas"))
    ]
    assert same == []


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
    found = lab.imbalances
    known = [one for one in found if one.is_settled and one.certainty != "undetermined"]
    print(f"imbalance: equal {sum(one.told == one.described for one in found)} of {len(found)}", end="")
    print(f", settled and not undetermined {len(known)}")
    assert [one for one in known if one.told != one.described] == []
    assert len(known) > 10  # of a migrated cluster only those after the migration


def test_imbalance_over_time_is_that_of_the_twin(lab: Lab) -> None:
    expected = {broker: rows for broker, rows in ratios(of_rows(lab.timeline), inf).items() if rows}
    assert counted(rows_of(lab.tables["leader_imbalance"])) == expected
    assert sum(map(len, expected.values())) > RATIOS_CHANGED


def test_outages_are_those_that_were(lab: Lab) -> None:
    """Each is told within a second and none is invented; where an upper bound is told, none was longer."""
    rows = [
        row
        for row in rows_of(lab.tables["partition_outage"])
        if ms(row["noticed_at"]) >= begin_ms(lab.folder)
    ]
    told = told_outages(rows)
    true = outages(lab.folder, told)
    must = [one for one in true if one.lasts_over(SETTLED_MS)]
    bounded = told_outages([row for row in rows if row["unserved_from_at"] is not None])
    assert list(unmatched(must, told, SETTLED_MS)) == []
    assert list(unmatched(told, true, SETTLED_MS)) == []
    known = [one for one in must if closest(one, told) in bounded]
    print(f"outages of {lab.folder.name}: {len(must)}, told {len(told)}, bounded {len(known)}")
    assert all(closest(one, told).earliest_ms <= one.earliest_ms + LINGER_MS for one in known)


def test_elections(lab: Lab) -> None:
    """Every change of a leader is told, or a later row says that leader epochs before it are not."""
    found = compared(lab.folder, rows_of(lab.tables["leader_election"]))
    print(f"elections of {lab.folder.name}: " + ", ".join(f"{one} {dict(found[one])}" for one in found))
    for of, least in ASKED.items():
        assert found[of]["wrong"] + found[of]["missed"] == 0, of
        assert found[of]["right"] > least * found[of].total(), of


def test_terms(lab: Lab) -> None:
    found = list(judged(lab.folder, rows_of(lab.tables["controller_term"])))
    print(f"terms in {lab.folder.name}: {sorted(Counter(one[:2] for one in found).items())}")
    assert not [one for one in found if one[1] in ("wrong", "missed")]
    assert sum(one[:2] == ("election", "right") for one in found) >= 2


def test_every_aspect_is_told_for_most_of_the_time(lab: Lab) -> None:
    for aspect in ASPECTS:
        told = [one for one in stretches(lab.folder, lab.timeline, aspect) if one.told == one.true]
        assert sum(one.seconds for one in told) > 2000, aspect


def test_declarations_hold(lab: Lab) -> None:
    assert broken_rules(lab.tables) == []


def test_brokers_that_left(lab: Lab) -> None:
    """Every departure is told once, and who was told to shut down is never taken for one that died."""
    found = session_truth.compared(lab.folder, rows_of(lab.tables["broker_session"]))
    print(f"sessions of {lab.folder.name}: " + ", ".join(f"{one} {dict(found[one])}" for one in found))
    assert found["left"]["right"] > 5
    for of in found:
        assert found[of]["wrong"] + found[of]["missed"] == 0, of


def test_what_unclean_elections_cost(lab: Lab) -> None:
    """From 2.6 on: records are at risk where a broker that came back had to cut off its own, and nowhere else."""
    rows = [row for row in rows_of(lab.tables["leader_election"]) if row["records_at_risk"]]
    told = {f"{row['topic']}-{row['partition']}" for row in rows}
    print(f"at risk in {lab.folder.name}: {[(row['topic'], row['records_at_risk']) for row in rows]}")
    assert told == (set() if lab.folder.name < "2.6" else truncated(lab.folder))


def test_each_unclean_election_is_of_one_finding(lab: Lab) -> None:
    """What the controller prints when it chooses, and when it replays what came of it, is of one election; those of a
    broker that comes back are one finding."""
    unclean = [row for row in rows_of(lab.tables["leader_election"]) if row["is_clean"] is False]
    last_known = [row for row in unclean if row["selector"] == "LAST_KNOWN_LEADER"]
    others = [f"{row['topic']}-{row['partition']}" for row in unclean if row not in last_known]
    found = rows_of(lab.tables["finding"])
    assert sorted(row["entity"] for row in found if row["rule"] == "unclean_election") == sorted(others)
    told = [row for row in found if row["rule"] == "last_known_leader"]
    assert {row["entity"] for row in told} == {f"broker {row['leader']}" for row in last_known}
    counts = [int(row["sentence"].split(" partition")[0].rsplit(" ", 1)[1]) for row in told]
    assert sum(counts) == len(last_known)
