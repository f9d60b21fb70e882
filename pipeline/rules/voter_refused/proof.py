"""The proof of voter_refused, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof
from pipeline.rules.proving.voters import BY, KEPT, of_times

REQUEST = re.compile(r"Request .* failed due to (authentication|unsupported version) error")
DESTINATION = re.compile(r"destination(?:Id=|=[^ ]* \(id: )(\d+)")
CONNECTION = re.compile(BY + r"Connection to node \d+ .* failed authentication due to")
CONNECTED = re.compile(r"Connection to node (\d+) ")
KINDS = {"authentication": "authentication", "unsupported version": "version"}
OTHER_CLUSTER = re.compile(BY + r"Unexpected error INCONSISTENT_CLUSTER_ID in \w+ response: ")
SOURCE = re.compile(r"source(?:Id=|=[^ ]* \(id: )(\d+)")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """Each record says that another node of the quorum refuses that one, and which."""
    peers: set[int] = set()
    for line in lines:
        request, other = REQUEST.search(line.text), OTHER_CLUSTER.search(line.text)
        by = CONNECTION.search(line.text) or other
        kind = KINDS[request[1]] if request else "cluster_id" if other else "authentication"
        is_so = (request or by) and kind == claim.text("kind")
        require_proof(is_so, f"{line.place()} refuses nothing of the kind")
        node = int(by[1]) if by else line.record.node_id
        require_proof(node in (claim.number("voter_id"), None), f"{line.place()} is of node {node}")
        found = [one.search(line.text) for one in (CONNECTED, DESTINATION, SOURCE)]
        peers |= {int(one[1]) for one in found if one}
    said = {int(one) for one in claim.texts("refusing_ids")}
    require_proof(peers <= said, f"by the records nodes {sorted(peers)} refuse it")
    require_proof(
        said <= peers or claim.number("failures_count") > KEPT, f"no record tells of all of {sorted(said)}"
    )
    return of_times(claim, lines)
