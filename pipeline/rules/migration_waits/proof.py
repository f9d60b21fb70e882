"""The proof of migration_waits, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import Claim, ProofLine, require_lasted, require_proof

STATE = re.compile(r"\b(\d+) transitioning from (\w+) to (\w+) state")
DRIVER = re.compile(r"\[KRaftMigrationDriver id=(\d+)\]")
# What the lines of a wait say, by what it is for; the brokers where they list them.
WAITS = {
    "controllers": re.compile(r"Still waiting for all controller nodes ready"),
    "brokers": re.compile(r"No brokers are known to KRaft|Still waiting for ZK brokers \[([\d, ]*)\]"),
    "zookeeper": re.compile(r"No brokers are registered in ZK"),
    "metadata": re.compile(r"Waiting for initial metadata publish"),
}


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """It entered that state, or waited in it, at the first record, waited at the last one, and for that."""
    controller, state, waiting_for = (
        claim.number("controller_id"),
        claim.text("to_state"),
        claim.known("waiting_for"),
    )
    ordered = sorted(lines, key=ProofLine.at)
    for line in ordered:
        found = STATE.search(line.text) or DRIVER.search(line.text)
        require_proof(
            found and int(found[1]) == controller, f"{line.place()} is not of controller {controller}"
        )
    over = [line for line in ordered if (found := STATE.search(line.text)) and found[3] != state]
    within = [line for line in ordered if line not in over]
    require_proof(
        within and not any(one.at() < within[-1].at() for one in over), "no record says that it waits"
    )
    told = [
        (name, found) for one in within for name, text in WAITS.items() if (found := text.search(one.text))
    ]
    require_proof((told[-1][0] if told else None) == waiting_for, f"by the records it waits for {told}")
    listed = re.findall(r"\d+", told[-1][1][1] or "") if told and told[-1][1].re.groups else []
    require_proof(
        listed == claim.texts("broker_ids"), f"by the records it waits for brokers {','.join(listed)}"
    )
    first, last = within[0].at(), within[-1].at()
    require_proof(first == claim.valid_from_at, f"by the records it waits since {first}")
    require_lasted(first, last, claim.number("lasted_ms"))
    require_proof(
        claim.valid_until_at in {None, last, *(one.at() for one in over)}, "no record is of its end"
    )
    return f"the migration waited from {first}, and did at {last}"
