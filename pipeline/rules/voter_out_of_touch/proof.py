"""The proof of voter_out_of_touch, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_lasted, require_proof
from pipeline.rules.proving.voters import BY, of_times

FETCH = re.compile(BY + r".* due to fetch timeout")
VOTES = re.compile(
    BY + r"(?:Insufficient remaining|Election (?:has )?timed out|Election was not|Re-elect as)"
)
VOTE = re.compile(r"ReplicaKey\(id=(\d+), directoryId=[^)]*\), state=(\w+)")
REJECTED = re.compile(r"\(rejected by \[([\d, ]*)\]\)")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """Records say that this voter heard nothing in time, and how the others answered as it asked for votes."""
    voter, asked = claim.number("voter_id"), [line for line in lines if VOTES.search(line.text)]
    others = [line for line in lines if line not in asked]
    for line in (*others, *asked):
        found = (VOTES if line in asked else FETCH).search(line.text)
        require_proof(found and int(found[1]) == voter, f"{line.place()} does not say so of the voter")
    for name, state in (("refusing_ids", "REJECTED"), ("unanswered_ids", "UNRECORDED")):
        answers = [one for line in asked for one in VOTE.findall(line.text)]
        listed = [
            one for line in asked for one in re.findall(r"\d+", (REJECTED.search(line.text) or ["", ""])[1])
        ]
        found_ids = {int(one) for one, said in answers if said == state}
        found_ids |= {int(one) for one in listed if state == "REJECTED"}
        said_ids = {int(one) for one in claim.texts(name)}
        require_proof(said_ids == found_ids, f"by the records {name} are {sorted(found_ids)}")
    told = of_times(claim, others)
    if claim.valid_until_at is not None:
        require_lasted(claim.valid_from_at, claim.valid_until_at, claim.number("lasted_ms"))
    return told
