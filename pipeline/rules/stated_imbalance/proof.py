"""The proof of stated_imbalance, from its records alone."""

from collections.abc import Sequence

from pipeline.rules.proving.partitions import PRINTED
from pipeline.rules.proving.proof import Claim, ProofLine, require_proof, require_span


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """Ratios of one controller and broker over the limit; the last one is not, if it is over."""
    broker, limit, controller = (
        claim.text("broker_id"),
        claim.ratio("threshold_ratio"),
        claim.text("controller_id"),
    )
    said = [(line, found) for line in lines if (found := PRINTED.search(line.text))]
    require_proof(all(found[1] == broker for _, found in said), f"a record is not of broker {broker}")
    require_proof(
        all(str(line.node_id()) == controller for line, _ in said),
        f"a record is not of controller {controller}",
    )
    ratios = sorted((line.at(), float(found[2].replace(",", "."))) for line, found in said)
    over = [(at, ratio) for at, ratio in ratios if limit < ratio <= 1]
    highest = max((ratio for _, ratio in over), default=0)
    require_proof(
        highest == claim.ratio("kafka_ratio"), f"the highest ratio that a record prints is {highest}"
    )
    require_proof(
        claim.number("checks_count") >= len(over) > 1, f"{len(over)} records print a ratio over {limit}"
    )
    require_span(claim, over[0][0], min((at for at, ratio in ratios if ratio <= limit), default=None))
    return f"{len(over)} of {claim.number('checks_count')} ratios stand in records, from {over[0][0]}"
