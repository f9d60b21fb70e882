"""The proof of fatal_fault, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.faults import faults_of
from pipeline.rules.proving.proof import Claim, ProofLine, require_proof

FATAL = "Encountered fatal fault: "
STARTED = re.compile(r"Kafka Server started|\[KafkaServer id=\d+\] started")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """Records say that the process ends, and the last one that it has started again."""
    faults = [line for line in lines if FATAL in line.text]
    others = [line for line in lines if line not in faults]
    require_proof(all(STARTED.search(line.text) for line in others), "a record says no start of a node")
    return faults_of(claim, faults, others, FATAL + claim.text("fault"))
