"""The proof of quorum_not_reached, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_lasted, require_proof

KINDS = {
    "no_high_watermark": re.compile(
        r"\[MetadataLoader id=(\d+)\] .* still don't know the high water mark yet"
    ),
    "not_registered": re.compile(
        r"\[ControllerRegistrationManager id=(\d+) .*: (?:channel manager timed out|authentication|unsupported API)"
    ),
}
REACHED = {
    "no_high_watermark": re.compile(
        r"\[(?:MetadataLoader|RaftManager) id=(\d+)\] (?:.*[Tt]he loader finished|.* the high water mark is \d"
        r"|.* and high water mark is \d|High watermark set to )"
    ),
    "not_registered": re.compile(r"\[ControllerRegistrationManager id=(\d+) .* controller acknowledged "),
}
UNREACHED = re.compile(
    r"\[(?:RaftManager (?:id|nodeId)=(?P<node>\d+)|NodeToControllerChannelManager id=(?P<own>\d+) name=registration)\]"
    r".* (?:to node|due to node) (?:\S+ \(id: )?(?P<peer>-?\d+)\b"
)


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """Its first and its last line say so of this node, it could not connect to those, and none says that it did."""
    kind, node = claim.text("kind"), claim.number("node_id")
    require_proof(kind in KINDS, f"the lines of {kind} are not known here")
    said, reached, unanswered = [], [], set()
    for line in lines:
        found = [one.search(line.text) for one in (KINDS[kind], REACHED[kind], UNREACHED)]
        told = [one for one in found if one]
        require_proof(told, f"{line.place()} says nothing of it")
        own = told[0][1] or told[0]["own"]
        require_proof(int(own) == node, f"{line.place()} is of node {own}")
        said += [line] if found[0] else []
        reached += [line] if found[1] else []
        unanswered |= {int(found[2]["peer"])} if found[2] else set()
    require_proof(said, f"no record says that node {node} does not reach it")
    first, last = min(line.at() for line in said), max(line.at() for line in said)
    require_proof(first == claim.valid_from_at, f"by the records it was so from {first}")
    require_lasted(first, last, claim.number("lasted_ms"))
    require_proof(
        claim.valid_until_at in {None, last, *(line.at() for line in reached)},
        f"no record is of {claim.valid_until_at}",
    )
    listed = {int(one) for one in claim.known_broker_ids("unanswered_ids") or ()}
    require_proof(
        listed == {one for one in unanswered if one >= 0}, f"by the records they are {sorted(unanswered)}"
    )
    return f"node {node} did not reach the quorum from {first} to {last}"
