"""Real clusters of which the logs of one node are missing: much is then not known, and nothing is said that is not so."""

from pathlib import Path

import pyarrow.compute as pc
import pytest

from tests.gold.claims import TABLES, wrong_claims
from tests.lab import folder_of, records, rows_of, tables_of

NODES = {
    "0.11.0.3-zk-stock": (1, 2, 3),
    "1.0.2-zk-stock": (1, 2, 3),
    "2.2.2-zk-stock": (1, 2, 3),
    "2.5.1-zk-stock": (1, 2, 3),
    "2.6.3-zk-stock": (1, 2, 3),
    "2.6.3-zk-trace": (101, 102, 103),
    "3.2.3-zk-stock": (1, 2, 3),
    "3.2.3-zk-trace": (1, 2, 3),
    "3.3.2-kraft-combined-stock": (1, 2, 3),
    "3.9.1-zk-stock": (1, 2, 3),
    "3.9.1-zk-trace": (1, 2, 3),
    "3.9.2-kraft-migration-stock": (1, 2, 3, 101),
    "3.9.2-kraft-separate-moves": (1, 2, 3, 101, 102, 103),
    "3.9.2-kraft-separate-stock": (1, 2, 3, 101, 102, 103),
    "4.0.0-kraft-combined-moves": (1, 2, 3),
    "4.0.0-kraft-combined-stock": (1, 2, 3),
    "4.3.1-kraft-combined-trace": (1, 2, 3),
    "4.3.1-kraft-separate-stock": (1, 2, 3, 101, 102, 103),
    "4.4.0-kraft-separate-stock": (1, 2, 3, 101, 102, 103),
}
SAMPLES = {("2.2.2-zk-stock", 1)}
# Up to 1.0 a controller that was deposed writes on; here it did, and its logs are those that are missing.
WROTE_UNSEEN = {("0.11.0.3-zk-stock", 1), ("1.0.2-zk-stock", 2)}
# The only controller that decided anything about brokers is the one without logs.
UNDECIDED = {("4.3.1-kraft-separate-stock", 103)}
UNSEEN = pytest.mark.xfail(strict=True, reason="what a deposed controller without logs wrote is not known")
# What lay in a log directory that failed only its broker names: an outage begins as it is shut down, 7 s late.
DISK = {("3.9.2-kraft-separate-moves", 3)}
UNNAMED = pytest.mark.xfail(strict=True, reason="what lay in a lost log directory no other node says")


def marks(case: tuple[str, int]) -> list[pytest.MarkDecorator]:
    long = [] if case in SAMPLES else [pytest.mark.soak]
    if case in DISK:
        return [*long, UNNAMED]
    return [*long, UNSEEN] if case in WROTE_UNSEEN else long


CASES = [
    pytest.param(
        cluster,
        node,
        id=f"{cluster} without {node}",
        marks=marks((cluster, node)),
    )
    for cluster, nodes in NODES.items()
    for node in nodes
]


@pytest.mark.parametrize(("cluster", "node"), CASES)
def test_what_is_said_is_so(shared: Path, cluster: str, node: int) -> None:
    folder = folder_of(shared, cluster)
    lines = records(folder)
    built = tables_of(lines.filter(pc.not_equal(lines["node_id"], node)))
    rows = {name: rows_of(built[name]) for name in TABLES}
    assert rows["partition_timeline"]
    assert bool(rows["broker_session"]) is ((cluster, node) not in UNDECIDED)
    assert wrong_claims(folder, rows) == []
