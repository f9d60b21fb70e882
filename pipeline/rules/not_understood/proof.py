"""The proof of not_understood, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.elections import UNCLEAN, UNCLEAN_CHOICE, UNCLEAN_DIFF
from pipeline.rules.proving.proof import HEAD, MOVE, UNDECIDED, Claim, ProofLine, require_proof
from pipeline.rules.proving.terms import ELECTED, RESIGNING
from pipeline.rules.proving.topics import DELETED, NEW, PUT_OFF

KNOWN = (MOVE, ELECTED, RESIGNING, *UNCLEAN, UNCLEAN_CHOICE, UNCLEAN_DIFF, PUT_OFF, DELETED, NEW)


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    count, reason = claim.number("records_count"), claim.text("reason")
    require_proof(len(lines) <= count, f"{len(lines)} records for {count}")
    for line in lines:
        is_utf8 = reason == "bad_bytes" and line.whole.encode() == line.record.raw
        has_head = reason == "no_envelope" and HEAD.match(line.text)
        is_known = reason == "no_template" and any(one.search(line.text) for one in KNOWN)
        require_proof(not (is_utf8 or has_head or is_known), f"{line.place()} is understood")
    require_proof(
        reason in {"bad_bytes", "no_envelope"}, f"{reason} rests on wordings not known here", UNDECIDED
    )
    return f"{len(lines)} of {count} record(s) stand here"
