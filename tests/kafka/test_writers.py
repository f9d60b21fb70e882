"""Who wrote a record, by what it calls itself."""

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from pipeline.kafka.reading.writers import message_writers
from tests.lab import folder_of
from tests.writing_nodes import contents

MESSAGE = re.compile(r"^\[\d[^\]]*\] [A-Z]+ (.*)$", re.MULTILINE)
LABS = ("2.6.3-zk-stock", "4.0.0-kraft-combined-stock")

CASES = [
    ("[GroupCoordinator 1]: Startup complete.", 1),
    ("[GroupCoordinator id=1] Scheduling loading of metadata from __consumer_offsets-3 with epoch 2", 1),
    ("[RaftManager id=3] Node 2 disconnected.", 3),
    ("[Partition t-0 broker=2] ISR updated to 2,3 and version updated to 5", 2),
    ("[ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Starting", 2),
    ("[ReplicaFetcherManager on broker 2] Removed fetcher for partitions Set(t-0)", 2),
    ("[Controller id=1, targetBrokerId=2] Connection to node 2 could not be established.", 1),
    ("[MetadataCache brokerId=2] Updated cache from existing <empty>", 2),
    ("[broker-2-to-controller-heartbeat-channel-manager]: Recorded new KRaft controller", 2),
    ("[BrokerToControllerChannelManager broker=1 name=alterPartition]: Recorded new controller", 1),
    # 4.0 says so at any node.
    ("[ExpirationReaper-0-null]: Starting", None),
    # The node that is asked.
    ("[Transaction Marker Request Completion Handler 2]: Sending 1's markers", None),
    ("[Log partition=t-1, dir=/data/broker-1] Loading producer state till offset 0", None),
    ("starting", None),
]


@pytest.mark.parametrize(("message", "node"), CASES)
def test_a_record_is_of_the_node_that_it_names(message: str, node: int | None) -> None:
    assert message_writers(pa.array([message])).to_pylist() == [node]


@pytest.mark.parametrize("name", LABS)
def test_no_record_of_a_lab_names_another_node(shared: Path, name: str) -> None:
    """Most of server.log names its own."""
    told = total = 0
    for path, data in contents(folder_of(shared, name)).items():
        messages = MESSAGE.findall(data.decode("utf-8", "replace"))
        named = message_writers(pa.array(messages, pa.string()))
        node = int(path.split("/")[0].partition("-")[2])
        assert pc.unique(named.drop_null()).to_pylist() in ([], [node]), path
        if "server.log" in path:
            total, told = total + len(named), told + len(named) - named.null_count
    assert told > 0.4 * total
