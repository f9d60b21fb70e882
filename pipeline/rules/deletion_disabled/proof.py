"""The proof of deletion_disabled, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof, require_span

DISABLED = re.compile(r"Removing (\S+) since delete topic is disabled")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    topic = claim.text("topic")
    found = ((one, DISABLED.search(one.text)) for one in lines)
    dropped = [one.at() for one, match in found if match and topic in re.split(r"[/,()]", match[1])]
    require_proof(dropped, f"no record drops a request to delete topic {topic}")
    require_span(claim, dropped[0], dropped[0])
    return f"dropped {dropped[0]}"
