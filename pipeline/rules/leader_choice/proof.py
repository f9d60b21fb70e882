"""The proof of leader_choice, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.elections import elected_leader, require_isr
from pipeline.rules.proving.proof import UNDECIDED, Claim, ProofLine, Unproved, require_proof


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    leader, in_sync = claim.text("leader"), claim.broker_ids("isr")
    count = claim.number("choices_count")
    require_proof(0 < len(lines) <= count, f"{len(lines)} such records for {count} choice(s)")
    require_proof(claim.valid_from_at == lines[0].at(), f"the first record is of {lines[0].at()}")
    require_proof(
        elected_leader(lines[0]) == (claim.partition(), leader),
        f"{lines[0].place()} does not choose {leader}",
    )
    by, of_epoch = lines[0].move["id"], lines[0].move["epoch"]
    require_proof(by == claim.text("controller_id"), f"{lines[0].place()} is of controller {by}")
    require_proof(of_epoch == claim.text("controller_epoch"), f"{lines[0].place()} is of epoch {of_epoch}")
    require_isr(lines[0], in_sync)
    require_proof(leader != claim.text("expected_leader"), f"{leader} is the one prescribed")
    raise Unproved(UNDECIDED, "what the rule prescribes rests on more records")
