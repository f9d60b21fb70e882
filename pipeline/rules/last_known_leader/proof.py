"""The proof of last_known_leader, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.elections import chosen_in_kraft
from pipeline.rules.proving.proof import Claim, ProofLine, require_proof

# From 4.1: the controller lets a broker that was fenced serve again.
UNFENCED = re.compile(r"The request from broker (\d+) to unfence has been granted")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """Kafka calls each of them an unclean election, too. It begins with the record by which the broker may be back."""
    broker, count, first = claim.text("broker_id"), claim.number("partitions_count"), claim.partition()
    told = [(line.at(), named) for line in lines if (named := chosen_in_kraft(line, lines))]
    chosen = {named for _, named in told}
    back = [line.at() for line in lines if (found := UNFENCED.search(line.text)) and found[1] == broker]
    require_proof(chosen, "no record says that an election was unclean")
    require_proof({leader for _, leader in chosen} == {broker}, "it is not what the records say")
    require_proof(len(chosen) <= count, f"{len(chosen)} such records for {count} partition(s)")
    require_proof((first, broker) in chosen, f"no record is of {first}")
    first_at = min([*back, *(at for at, _ in told)])
    require_proof(claim.valid_from_at == first_at, f"the first record is of {first_at}")
    return "the controller says itself that each of these elections is unclean"
