"""Starts that failed of nodes that no folder and no line names, as in a paste."""

import polars as pl
import pytest

from pipeline.core.frames import empty_frame
from pipeline.rules.fatal_fault.rule import find as fatal_fault
from schemas.gold.finding import SPEC
from tests.chain import built
from tests.gold.start_findings import Row, findings_of, only
from tests.gold.start_stories import at, begun, fault
from tests.rows import records_in
from tests.rules.rows import fact_texts

VOTERS = (
    "java.lang.IllegalStateException: Configured voter set: [0, 1, 2, 3, 4] is different from the voter set read from the "
    "state file: [0, 1, 2]. Check if the quorum configuration is up to date, or wipe out the local state file if necessary"
)
STORED = (
    "kafka.common.InconsistentNodeIdException: Configured node.id `1001` doesn't match stored node.id `1389' in "
    "meta.properties. If you moved your data, make sure your configured controller.id matches. If you intend to create a "
    "new broker, you should remove all data in your data directories (log.dirs)."
)
LATER = at(700, "WARN", "later", "kafka.server.KafkaServer")
UNNAMED_UP = at(9, "INFO", "[KafkaRaftServer nodeId=1] Kafka Server started", "kafka.server.KafkaRaftServer")


def unnamed(*logs: str) -> list[Row]:
    """Of server.log of nodes that nobody names, a file each."""
    return findings_of(records_of(*logs))


def records_of(*logs: str) -> pl.DataFrame:
    named = records_in({(node, "server"): text for node, text in enumerate(logs, 1)})
    return named.with_columns(node_id=pl.lit(None, pl.Int32))


@pytest.mark.parametrize(
    ("logs", "said", "until"),
    [
        ((only(2, VOTERS),), "a node failed to start: controller.quorum.voters says [0, 1, 2, 3, 4], and it has stored [0, 1, 2]; no line shows it up since; ", None),
        ((only(2, STORED),), "node 1001 failed to start: its disks are of node 1389, and it is set to be 1001; no line ", None),
        ((only(2, VOTERS) + only(5, VOTERS),), "a node failed to start 2 times in 3.0 s: ", None),
        ((only(2, VOTERS) + LATER,), "; whether it came up is not known; ", 2),
        ((only(2, VOTERS), LATER), "; whether it came up is not known; ", 2),
        ((only(2, VOTERS) + UNNAMED_UP,), "; it came up 7.0 s later; ", 9),
        ((only(2, VOTERS), UNNAMED_UP), "; no line shows it up since; ", None),
    ],
    ids=["voters", "its id", "a loop", "lives on", "another file goes on", "came up", "another file's start"],
)  # fmt: skip
def test_a_node_that_nobody_names(logs: tuple[str, ...], said: str, until: int | None) -> None:
    (row,) = unnamed(*logs)
    assert said in row["sentence"]
    assert (row["valid_until_at"].second if row["valid_until_at"] else None) == until
    assert fact_texts(row["facts"]).get("node_id") == ("1001" if "1001" in said else None)


@pytest.mark.parametrize("log", [begun(1) + fault(2), begun(1) + UNNAMED_UP], ids=["a fault", "a start"])
def test_what_may_be_of_several_nodes_proves_no_failed_start(log: str) -> None:
    assert unnamed(log) == []


def test_a_fault_as_it_starts_is_a_fault_of_a_node() -> None:
    log = begun(1) + fault(2)
    (row,) = fatal_fault(built(records_of(log), "node_event")["node_event"], empty_frame(SPEC)).to_dicts()
    assert row["sentence"].startswith("a fault ended the process of a node (")
