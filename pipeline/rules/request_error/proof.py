"""The proof of request_error, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof

# What a broker says that it cannot carry out, and what a controller says that it answered.
FAILED = re.compile(
    r"(?:\[Broker id=|[Bb]roker )(\d+)\b.*?(?:(?P<storage>due to (?:disk|storage) (?:error|exception))"
    r"|Error while processing LeaderAndIsr|while processing LeaderAndIsr|due to an unexpected "
    r"|ZooKeeper client exception has occurred|Topic I[Dd] in memory)"
)
ANSWERED = re.compile(
    r"Received response .*?error_?[cC]ode=(?P<error>-?\w+).* \(id: (?P<id>\d+) |"
    r"Received response .*?error_?[cC]ode=(?P<code>-?\w+).*:(?P<broker>\d+),"
)
STORAGE = "KAFKA_STORAGE_ERROR"
KEPT = 5  # so many records a finding keeps


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    broker, error, count = claim.text("broker_id"), claim.known("error"), claim.number("requests_count")
    require_proof(len(lines) == min(count, KEPT), f"{len(lines)} such records for {count} requests")
    for line in lines:
        failed, answered = FAILED.search(line.text), ANSWERED.search(line.text)
        require_proof(failed or answered, f"{line.place()} tells of no error")
        if failed:
            require_proof(failed[1] == broker, f"{line.place()} is of broker {failed[1]}")
            is_storage = failed["storage"] is not None
            require_proof(is_storage == (error == STORAGE), f"{line.place()} is of another error")
        elif answered:
            found = answered["id"] or answered["broker"]
            require_proof(found == broker, f"{line.place()} is of broker {found}")
            said = answered["error"] or answered["code"]
            require_proof(said == error, f"{line.place()} is of another error")
    require_proof(claim.valid_from_at == lines[0].at(), f"the first record is of {lines[0].at()}")
    is_last = len(lines) < count or claim.valid_until_at == lines[-1].at()
    require_proof(is_last, f"the last record is of {lines[-1].at()}")
    return f"broker {broker} failed {count} times, first {lines[0].at()}"
