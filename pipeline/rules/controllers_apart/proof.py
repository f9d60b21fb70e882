"""The proof of controllers_apart, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import (
    LIVE,
    UNDECIDED,
    Claim,
    ProofLine,
    listed_ids,
    require_proof,
    require_span,
)

TAKING_OVER = re.compile(
    r"successfully elected as|starting become controller|Registering handlers|(?:Reading|Incrementing) controller epoch"
    r"|Deleting (?:log dir event|isr change) notifications|Initializing controller context|Fetching topic deletions"
    r"|Initializing topic deletion manager|Sending update metadata|Starting the controller scheduler"
    r"|[Rr]eady to serve as the new controller"
)


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """A step of the take-over of each, and the brokers that the later one finds; that the earlier one did not give up
    between the lines do not say."""
    own, other = claim.number("controller_id"), claim.number("other_id")
    require_proof(len(lines) == 3, f"{len(lines)} records are no two controllers and a list", UNDECIDED)
    found = [(line.node_id(), TAKING_OVER.search(line.text) is not None) for line in lines[:2]]
    require_proof(found == [(other, True), (own, True)], f"no record says that {other}, then {own} took over")
    listing = lines[2]
    is_list = LIVE.search(listing.text) and listing.node_id() == own
    require_proof(
        is_list and listed_ids(LIVE, listing) == [str(own)], f"no record says that {own} found itself alone"
    )
    times = [line.at() for line in lines]
    require_proof(own != other and times == sorted(times), "they are in another order")
    require_span(claim, times[1], times[2])
    return f"controller {other} {times[0]}, controller {own} alone {times[2]}"
