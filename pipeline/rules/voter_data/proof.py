"""The proof of voter_data, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof
from pipeline.rules.proving.voters import BY, of_times

LOST = re.compile(r"non-monotonic update of fetch offset from nodeId (?:ReplicaKey\(id=)?(\d+)")
OWN_KEY = re.compile(BY + r".* sent a voter key .* that doesn't match the local key")
PEER_KEY = re.compile(r"didn't match the receiver's replica key: .*\(id: (\d+)")
APPEND = re.compile(BY + r"Failed to append the records")
DATA = {"lost_data": (LOST,), "key_differs": (OWN_KEY, PEER_KEY), "append_failed": (APPEND,)}


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """Each record says what is wrong with what that voter has stored."""
    patterns = DATA.get(claim.text("kind"), ())
    for line in lines:
        nodes = [int(found[1]) for one in patterns if (found := one.search(line.text))]
        require_proof(nodes == [claim.number("voter_id")], f"{line.place()} does not say so of the voter")
    return of_times(claim, lines)
