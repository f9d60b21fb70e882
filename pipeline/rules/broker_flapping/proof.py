"""The proof of broker_flapping, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.brokers import is_broker_gone
from pipeline.rules.proving.proof import Claim, ProofLine, require_proof

KEPT = 5  # so many records a finding keeps


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    broker, count = claim.text("broker_id"), claim.number("departures_count")
    require_proof(len(lines) == min(count, KEPT), f"{len(lines)} such records for {count} departures")
    for line in lines:
        require_proof(
            is_broker_gone(line, broker), f"{line.place()} does not say that broker {broker} is gone"
        )
    times = [line.at() for line in lines]
    require_proof(times == sorted(set(times)), "the records are not one after the other")
    require_proof(claim.valid_from_at == times[0], f"the first record is of {times[0]}")
    is_last = len(lines) < count or claim.valid_until_at in (times[-1], None)
    require_proof(is_last, f"the last record is of {times[-1]}")
    return (
        f"gone {len(lines)} times of {count}, first {times[0]}; that it was back between them no record shows"
    )
