"""Proves findings about terms of controllers again; knows nothing of what found them."""

import re
from collections.abc import Sequence
from datetime import datetime

from pipeline.rules.proving.proof import NOT_CONFIRMED, UNDECIDED, Claim, ProofLine, Unproved, require_proof

ELECTED = re.compile(r"(\d+) (?:successfully elected as|starting become controller)")
EPOCH = re.compile(r"(?:Epoch incremented|ncremented epoch) to (\d+)")
RESIGNING = re.compile(r"\]:? (?:Resigning|Controller resigning, broker id \d+)(?: \(|$)")
FENCED = re.compile(r"Controller (?:moved to another broker when|has already moved when)")
ACTIVE = re.compile(r"Becoming the active controller at epoch (\d+)")


def controller_of(claim: Claim) -> tuple[int, int]:
    """Its id and epoch."""
    return claim.number("controller_id"), claim.number("controller_epoch")


def elected_controller(lines: Sequence[ProofLine], epoch: int) -> tuple[int, datetime]:
    """Who was elected with that epoch, and when. Up to 2.0 the epoch stands on a later line of that controller."""
    for line in lines:
        if found := ELECTED.search(line.text):
            later = [one for one in lines if one.node_id() == int(found[1]) and one.at() >= line.at()]
            epochs = [
                number[1] for one in sorted(later, key=ProofLine.at) if (number := EPOCH.search(one.text))
            ]
            if epochs[:1] == [str(epoch)]:
                require_proof(
                    line.record.node_id in (None, int(found[1])), f"{line.place()} is of another node"
                )
                return int(found[1]), line.at()
    is_named = any(re.search(rf"epoch(?:=| | to ){epoch}\b", line.text) for line in lines)
    raise Unproved(UNDECIDED if is_named else NOT_CONFIRMED, f"no record elects one with epoch {epoch}")
