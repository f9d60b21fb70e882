"""Where the logs of a node are missing, context and gauges say that they do not know, and nothing that is wrong."""

from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

from tests.jobs.cluster_scores import Compared
from tests.lab import folder_of

NODES = (
    *(("2.6.3-zk-stock", f"broker-{one}") for one in (1, 2, 3)),
    *(("0.11.0.3-zk-stock", f"broker-{one}") for one in (1, 2, 3)),
    *(("4.0.0-kraft-combined-stock", f"node-{one}") for one in (1, 2, 3)),
    *(("3.9.2-kraft-separate-stock", f"node-{one}") for one in (101, 102, 103, 1)),
)


@pytest.mark.soak
@pytest.mark.parametrize(("name", "node"), NODES)
def test_without_the_logs_of_a_node_nothing_is_wrong(
    shared: Path, tmp_path: Path, name: str, node: str
) -> None:
    left = copytree(folder_of(shared, name), tmp_path / name, ignore=ignore_patterns(node))
    compared = Compared(left)
    scores = compared.gauges()
    assert {gauge: one.wrong for gauge, one in scores.items() if one.wrong} == {}
    assert any(one.at_once for one in scores.values())
    assert {part: count for part, count in compared.silently_wrong().items() if count} == {}
