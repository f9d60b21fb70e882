"""Proves again why a broker or a controller was gone, as findings say it, from the bytes of their last records."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, proof_millis, require_proof

# What Kafka prints, by reason.
SAID = {
    "sigterm": r"Terminating process due to signal SIG|\[Kafka Server \d+\], shutting down",
    "killed": (
        r"Registered signal handlers|\bstarting \(|Starting (?:broker|controller|SharedServer)\b"
        r"|(?:Recovering \d+|Attempting recovery for all) logs (?:from|in) .* since no clean shutdown file"
    ),
    # What a broker says of its ZooKeeper session, or any line of a process that was not heard and lives on.
    "session_lost": r"",
    "majority_lost": r"Did not receive fetch request from the majority of the voters",
    "disk_failed": (
        r"log dirs? .*failed|none of the specified log dirs|Disk error|Halting |highwatermark file|metadata log dir"
    ),
    "fatal_start": r"Fatal error during|SharedServer|Exiting Kafka|during logs loading|metadata publishers",
    "fatal_fault": r"Encountered fatal fault",
}
SIGN = re.compile(
    r"Client session timed out, have not heard|leaderId=(\d+)|Node (\d+) disconnected"
    r"|due to node (\d+) being disconnected|ReplicaFetcherThread-\d+-(\d+)"
    r"|node (\d+) due to request timeout|fetch to broker (\d+)"
    r"|FetchSessionHandler.* node (\d+)|node (\d+):"
)
# Whose reasons they are, by the first of these facts; of an election that of its leader before.
NODES = ("broker_id", "controller_id", "broker_ids", "old_leader", "isr_before")


def without_reasons(claim: Claim, lines: Sequence[ProofLine]) -> Sequence[ProofLine]:
    """The records but for those of its reasons, which are the last ones, behind the one of the first sign."""
    reasons = claim.texts("end_reasons")
    sign_ms = claim.known_number("first_sign_ms")
    count = len(reasons) + (sign_ms is not None)
    require_proof(len(lines) > count, f"{len(lines)} records for {count} of its reasons")
    others, own = lines[: len(lines) - count], lines[len(lines) - count :]
    nodes = next((found for name in NODES if (found := claim.known_broker_ids(name))), [])
    if sign_ms is not None:
        require_sign(own[0], sign_ms, nodes)
    for reason, line in zip(reasons, own[len(own) - len(reasons) :], strict=True):
        is_so = re.search(SAID.get(reason, r"(?!)"), line.whole) and is_of(line, nodes)
        require_proof(is_so, f"{line.place()} does not say {reason} of node {' or '.join(nodes)}")
    return others


def is_of(line: ProofLine, nodes: Sequence[str]) -> bool:
    return line.record.node_id is None or not nodes or str(line.record.node_id) in nodes


def require_sign(line: ProofLine, sign_ms: int, nodes: Sequence[str]) -> None:
    found = SIGN.search(line.whole)
    named = [one for one in (found.groups() if found else ()) if one]
    is_own = not named and is_of(line, nodes)
    require_proof(
        found and (is_own or set(named) & set(nodes)), f"{line.place()} shows nothing of node {nodes}"
    )
    require_proof(proof_millis(line.at()) == sign_ms, f"{line.place()} is of {line.at()}")
