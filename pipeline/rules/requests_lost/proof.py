"""The proof of requests_lost, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import UNDECIDED, Claim, ProofLine, Unproved, require_proof

SENT = re.compile(
    r"\[Controller id=\d+ epoch=(\d+)\] Sending (?:LeaderAndIsr request to broker (\d+) with "
    r"|UpdateMetadata request to brokers \w+\(([\d, ]*)\) for |StopReplica request for \d+ replicas to broker (\d+)\b)"
)
KEPT = 5  # so many records a finding keeps


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    node_id, broker = claim.number("controller_id"), claim.text("broker_id")
    count = claim.number("requests_count")
    require_proof(len(lines) == min(count, KEPT), f"{len(lines)} such records for {count} requests")
    for line in lines:
        require_proof(line.node_id() == node_id, f"{line.place()} is of controller {line.node_id()}")
        said = SENT.search(line.text)
        require_proof(said, f"{line.place()} sends no request")
        brokers = re.findall(r"\d+", " ".join(one or "" for one in said.groups()[1:])) if said else []
        require_proof(broker in brokers, f"{line.place()} sends nothing to broker {broker}")
        epoch = claim.known("controller_epoch")
        require_proof(epoch is None or (said and said[1] == epoch), f"{line.place()} is of another epoch")
    require_proof(claim.valid_from_at == lines[0].at(), f"the first record is of {lines[0].at()}")
    raise Unproved(UNDECIDED, "that none arrived is shown by what the broker does not print")
