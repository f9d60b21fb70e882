"""The proof of replica_left_on_disk, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.partitions import is_partition_named
from pipeline.rules.proving.proof import Claim, ProofLine, require_proof
from pipeline.rules.proving.reassignments import require_begin

IGNORED = re.compile(
    r"\[Broker id=(\d+)\] Ignoring StopReplica request \(delete=true\).* matches the current leader epoch"
)


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """The first record begins it; each of the brokers says that it ignores the request to delete the replica."""
    topic, number = require_begin(claim, lines[0])
    own = [line for line in lines if is_partition_named(line, topic, number)]
    said = {found[1]: line for line in own if (found := IGNORED.search(line.text))}
    for broker in claim.broker_ids("broker_ids"):
        require_proof(
            broker in said, f"no record of broker {broker} ignores that {topic}-{number} is deleted"
        )
    return f"ignored {', '.join(str(line.at()) for line in said.values())}"
