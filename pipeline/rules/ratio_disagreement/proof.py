"""The proof of ratio_disagreement, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.partitions import PRINTED
from pipeline.rules.proving.proof import UNDECIDED, Claim, ProofLine, Unproved, require_proof


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    ratio, controller = claim.ratio("kafka_ratio"), claim.text("controller_id")
    printed = PRINTED.search(lines[0].text)
    require_proof(printed, f"{lines[0].place()} prints no ratio")
    told = (printed[1], float(printed[2].replace(",", "."))) if printed else ("", 0.0)
    is_so = told == (claim.text("broker_id"), ratio)
    require_proof(is_so, f"{lines[0].place()} prints {told[1]} for broker {told[0]}")
    require_proof(
        str(lines[0].node_id()) == controller, f"{lines[0].place()} is of controller {lines[0].node_id()}"
    )
    require_proof(claim.valid_from_at == lines[0].at(), f"{lines[0].place()} is of {lines[0].at()}")
    is_other = claim.known("imbalance_ratio") is None or claim.ratio("imbalance_ratio") != ratio
    require_proof(is_other, "both ratios are the same")
    raise Unproved(UNDECIDED, "Kafka printed it so; what its lines give rests on more records")
