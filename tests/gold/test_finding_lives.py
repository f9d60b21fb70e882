"""Findings about clusters that begin anew, and about brokers that may not come back yet."""

from typing import Any

import polars as pl
import pytest

from pipeline.core.frames import empty_frame
from pipeline.rules.new_life.rule import find as new_life
from pipeline.rules.refused_registration.rule import find as refused_registration
from pipeline.silver.term import lives_of
from schemas.gold.finding import SPEC
from tests.chain import built
from tests.frames import at
from tests.rows import records_in
from tests.rules.rows import fact_texts

Row = dict[str, Any]
QUORUM = "(org.apache.kafka.controller.QuorumController)"
FORMATTED = f"""
    [2026-11-21 00:00:10,000] INFO [QuorumController id=1] Creating new QuorumController with clusterId aaaaaaaaaaaaaaaaaaaaaa {QUORUM}
    [2026-11-21 00:00:11,000] INFO [QuorumController id=1] Becoming the active controller at epoch 3, next write offset 9. {QUORUM}
    [2026-11-21 00:00:20,000] INFO [QuorumController id=1] Creating new QuorumController with clusterId aaaaaaaaaaaaaaaaaaaaaa {QUORUM}
    [2026-11-21 00:00:21,000] INFO [QuorumController id=1] Becoming the active controller at epoch 4, next write offset 9. {QUORUM}
    [2026-11-21 00:00:30,000] INFO [QuorumController id=1] Creating new QuorumController with clusterId bbbbbbbbbbbbbbbbbbbbbb {QUORUM}
    [2026-11-21 00:00:31,000] INFO [QuorumController id=1] Becoming the active controller at epoch 1, next write offset 1. {QUORUM}
"""
ELECTED = "    [2026-11-21 00:0{minute}:00,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to {epoch} and epoch zk version is now {epoch} (kafka.controller.KafkaController)\n"
REFUSED = f"    [2026-11-21 00:00:{{second}},000] INFO [QuorumController id=1] registerBroker: event failed with DuplicateBrokerRegistrationException in 125 microseconds. Exception message: Another broker is registered with that broker id. {QUORUM}\n"
FENCING = "    [2026-11-21 00:00:{second},000] INFO [QuorumController id=1] Fencing broker {broker} at epoch 72 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)\n"


def tables_of(text: str) -> dict[str, pl.DataFrame]:
    return built(
        records_in({(1, "controller"): text}), "controller_term", "controller_step", "broker_session"
    )


def told(text: str) -> list[Row]:
    found = tables_of(text)
    return new_life(found["controller_term"], found["controller_step"], empty_frame(SPEC)).to_dicts()


def elected(*epochs: int) -> str:
    return "".join(ELECTED.format(minute=minute, epoch=epoch) for minute, epoch in enumerate(epochs))


def test_a_cluster_whose_id_changes_was_formatted_anew() -> None:
    """Its epochs begin again, too, which is told with it."""
    (row,) = told(FORMATTED)
    begin = (
        "node 1 was formatted anew before 2026-11-21 00:00:30 (cluster id aaaaaaaaaaaaaaaaaaaaaa, then "
        "bbbbbbbbbbbbbbbbbbbbbb): what was before is another cluster"
    )
    assert row["sentence"].startswith(begin)
    assert fact_texts(row["facts"]).keys() == {"node_id", "old_cluster", "new_cluster"}


def test_a_cluster_whose_epochs_begin_again_began_anew() -> None:
    (row,) = told(elected(10, 11, 1, 2))
    assert "before 2026-11-21 00:02:00 (controller epochs 11, then 1)" in row["sentence"]


@pytest.mark.parametrize(
    "epochs", [(1, 2, 3), (10, 11, 8), (10, 11, 10)], ids=["as ever", "put back", "put back, once more"]
)
def test_epochs_that_only_go_back_are_no_other_cluster(epochs: tuple[int, ...]) -> None:
    """As where ZooKeeper's data were put back from a snapshot."""
    assert told(elected(*epochs)) == []


@pytest.mark.parametrize(
    ("epochs", "lives"),
    [
        ((1, 2, 3), [1, 1, 1]),
        ((7, 1, 2), [1, 2, 2]),
        ((4, 3, 4, 9, 1, 2, 1), [1, 1, 2, 2, 3, 3, 4]),
        ((1, 2, 2, 3, 1), [1, 1, 2, 2, 3]),
    ],
)
def test_lives_begin_with_epoch_1_and_with_epochs_that_come_again(
    epochs: tuple[int, ...], lives: list[int]
) -> None:
    """Of as many controllers."""
    assert lives_of([("c", "zookeeper", *one, at(0)) for one in enumerate(epochs)]) == lives
    with_another = [("c", mode, *one, at(0)) for one in enumerate(epochs) for mode in ("zookeeper", "kraft")]
    assert lives_of(with_another)[::2] == lives


@pytest.mark.parametrize(
    ("fenced", "who"), [((0,), "broker 0 was"), ((0, 2), "brokers were"), ((), "brokers were")], ids=str
)
def test_refusals_of_a_broker_are_told_once(fenced: tuple[int, ...], who: str) -> None:
    refusals = "".join(REFUSED.format(second=second) for second in (10, 11, 13))
    fencing = "".join(FENCING.format(second=19, broker=one) for one in fenced)
    found = tables_of(refusals + fencing)
    (row,) = refused_registration(found["controller_step"], found["broker_session"]).to_dicts()
    assert row["sentence"].startswith(f"{who} refused 3 times within 3.0 s (DuplicateBroker")
    assert (row["entity"], row["severity"], len(row["evidence"])) == (who.rpartition(" ")[0], "info", 3)
