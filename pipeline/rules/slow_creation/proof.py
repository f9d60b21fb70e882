"""The proof of slow_creation, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof, require_span
from pipeline.rules.proving.topics import topic_creation_time

LEADS = re.compile(
    r"become-leader transition for partition \[?(\S+?)(?:-|,)\d+\]?(?= |$)"
    r"|Leader (\S+)-\d+ (?:with topic id \S+ )?starts"
)


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    topic = claim.text("topic")
    start = topic_creation_time(lines, topic)
    found = ((one, LEADS.search(one.text)) for one in lines)
    led = [one.at() for one, match in found if match and topic in (match[1], match[2])]
    require_proof(led, f"no record says that a broker leads a partition of {topic}")
    require_span(claim, start, max(led), claim.number("lasted_ms"))
    return f"created {start}, led {max(led)}; that all others were led before it no record shows"
