"""Whether a broker can be restarted: as it was at a time of a lab, and on rows of one partition."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from jobs.questions.named.restart import is_safe_to_restart
from pipeline.core.errors import InputProblem
from tests.jobs.answering import SESSIONS, answers_of, timeline
from tests.jobs.restart_answers import scored
from tests.lab import folder_of

# By lab and time: partitions of brokers, right ones by what becomes of them. None is unknown or wrong.
LABS = {
    ("3.9.2-kraft-separate-stock", "08:04:34"): {"safe": 59, "lost": 34, "offline": 8},
    ("3.9.2-kraft-separate-stock", "08:03:51"): {"safe": 78, "last": 20, "lost": 3},
    ("3.9.1-zk-stock", "08:09:03"): {"last": 48, "safe": 30, "lost": 16, "offline": 1},
    ("3.9.1-zk-stock", "08:09:30"): {"safe": 44, "lost": 29, "offline": 16},
    ("2.2.2-zk-stock", "08:59:15"): {"safe": 57, "lost": 40, "offline": 18},
}
QUICK = ("3.9.2-kraft-separate-stock", "08:04:34")


def at(clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-11-21T{clock}").replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("lab", "clock"), [one if one == QUICK else pytest.param(*one, marks=pytest.mark.soak) for one in LABS]
)
def test_what_becomes_of_partitions_is_what_would(shared: Path, lab: str, clock: str) -> None:
    found = scored(folder_of(shared, lab), at(clock))
    assert found == Counter(right=sum(LABS[lab, clock].values()), **LABS[lab, clock])


@pytest.mark.parametrize(
    ("columns", "begin"),
    [
        (
            {},
            "Yes, by the state last known: an in-sync replica is left of 1 partition. 1 partition would have one",
        ),
        ({"isr": [1]}, "NO: 1 partition would lose the last in-sync replica."),
        ({"isr": [1, 3]}, "NO: 1 partition would lose"),  # 3 is not there
        ({"isr": [2]}, "Yes, by the state last known: an in-sync replica is left of 1 partition."),
        ({"is_isr_stale": True}, "Not enough evidence: of 1 of 1 partition"),
        ({"isr": None}, "Not enough evidence: of 1 of 1 partition"),
        ({"isr": None, "replicas": None}, "Not enough evidence: of 1 of 1 partition"),
        ({"is_served": False}, "NO: 1 of 1 partition has no leader even now; see why before a restart."),
        ({"is_deleting": True}, "Broker 1 has no replica that the logs show."),
    ],
)
def test_whether_a_broker_can_be_restarted(columns: dict[str, object], begin: str) -> None:
    answers = answers_of(partition_timeline=timeline(**columns), broker_session=SESSIONS)
    assert is_safe_to_restart(answers, 1).sentence.startswith(begin)
    with pytest.raises(InputProblem, match="found brokers 1, 2"):
        is_safe_to_restart(answers, 9)


def test_no_session_tells_nothing_of_live_brokers() -> None:
    """As where state-change.log alone was read."""
    pair = answers_of(partition_timeline=timeline(isr=[1, 2]))
    assert is_safe_to_restart(pair, 1).sentence.startswith("Not enough evidence: of 1 of 1 partition")
    alone = answers_of(partition_timeline=timeline(isr=[1]))
    assert is_safe_to_restart(alone, 1).sentence.startswith("NO: 1 partition would lose")
