"""The proof of quorum_without_leader, from its records alone."""

import re
from collections.abc import Sequence
from datetime import datetime

from pipeline.rules.proving.proof import Claim, ProofLine, require_proof, require_span

LEADERLESS = re.compile(r"[Ii]n the new epoch (\d+), the leader is \(none\)")
LED = re.compile(
    r"Becoming the active controller at epoch (\d+)|In the new epoch (\d+), the leader is \d+\."
    r"|Completed transition to (?:Leader(?:State)?|FollowerState)\(.*?\bepoch=(\d+)"
)
ELECTED = re.compile(r"Becoming the active controller at epoch (\d+)")
NODE = r"\[RaftManager (?:id|nodeId)=(\d+)\] "
REFUSED = re.compile(
    NODE + r"Insufficient remaining votes (?:.*\(rejected by \[([\d, ]*)\]\)|to become .* election state)"
)
ASKED = re.compile(
    NODE + r"(?:Insufficient remaining|Election (?:has )?timed out|Election was not|Re-elect as)"
)
SIGN = re.compile(NODE + r"(?:.* due to fetch timeout|Did not receive fetch request from the majority)")
UNREACHED = re.compile(
    NODE + r"(?:Connection to|Disconnecting from|Error connecting to) node (?:\S+ \(id: )?(\d+)"
)
VOTE = re.compile(r"ReplicaKey\(id=(\d+), directoryId=[^)]*\), state=(\w+)")


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """By epochs: the first and the last have no leader, none between them has one. By votes: voters have no leader, or
    no majority. Who leads next, who asked for votes, who refused them, and who did not answer."""
    led = {
        int(found[1] or found[2] or found[3]): line.at() for line in lines if (found := LED.search(line.text))
    }
    is_race = claim.known("first_epoch") is not None
    since, until = leaderless_span_of_epochs(claim, lines, led) if is_race else of_votes(claim, lines, led)
    require_proof(until is not None or claim.valid_until_at is None, "no record says who leads next")
    require_span(claim, since, until, claim.known_number("lasted_ms"))
    require_votes(claim, lines)
    return f"no leader since {since}, next led {until or 'never'}"


Span = tuple[datetime, datetime | None]


def leaderless_span_of_epochs(claim: Claim, lines: Sequence[ProofLine], led: dict[int, datetime]) -> Span:
    first, last = claim.number("first_epoch"), claim.number("last_epoch")
    without = {int(found[1]): line for line in lines if (found := LEADERLESS.search(line.text))}
    require_proof({first, last} <= set(without), f"no record says that nobody leads epoch {first}, or {last}")
    require_proof(
        0 < claim.number("epochs_count") <= last - first + 1, f"{first} to {last} are not so many epochs"
    )
    require_proof(
        not [one for one in led if first <= one <= last],
        f"a record says who leads between {first} and {last}",
    )
    since = min(line.at() for line in lines if LEADERLESS.search(line.text))
    return since, min((at for epoch, at in led.items() if epoch > last), default=None)


def of_votes(claim: Claim, lines: Sequence[ProofLine], led: dict[int, datetime]) -> Span:
    node, epoch = claim.known_number("controller_id"), claim.known_number("controller_epoch")
    elected = [(line.node_id(), int(found[1])) for line in lines if (found := ELECTED.search(line.text))]
    require_proof(
        epoch is None or (node, epoch) in elected, f"no record elects controller {node} with epoch {epoch}"
    )
    signs = [line.at() for line in lines if is_sign(line)]
    require_proof(signs, "no record says that nobody leads")
    last = claim.valid_until_at if claim.valid_until_at in signs else None  # it is told of up to there
    return min(signs), min((at for one, at in led.items() if one > (epoch or 0)), default=last)


def is_sign(line: ProofLine) -> bool:
    return any(one.search(line.text) for one in (SIGN, ASKED, LEADERLESS))


def require_votes(claim: Claim, lines: Sequence[ProofLine]) -> None:
    asking = {int(found[1]) for line in lines if (found := ASKED.search(line.text))}
    refused = {int(found[1]): line for line in lines if (found := REFUSED.search(line.text))}
    refusing = {
        int(one)
        for line in refused.values()
        for one in re.findall(r"\d+", (REFUSED.search(line.text) or [""] * 3)[2] or "")
    }
    refusing |= {one for line in refused.values() for one in voters_of(line, "REJECTED")}
    missing = {one for line in lines if ASKED.search(line.text) for one in voters_of(line, "UNRECORDED")}
    missing |= {int(found[2]) for line in lines if (found := UNREACHED.search(line.text))}
    require_ids(claim, "asking_ids", asking)
    require_ids(claim, "refused_ids", set(refused))
    require_ids(claim, "refusing_ids", refusing)
    require_ids(claim, "unanswered_ids", missing - asking - refusing)


def voters_of(line: ProofLine, state: str) -> set[int]:
    return {int(voter) for voter, said in VOTE.findall(line.text) if said == state}


def require_ids(claim: Claim, name: str, found: set[int]) -> None:
    said = {int(one) for one in claim.texts(name)}
    require_proof(said == found, f"by the records {name} are {sorted(found)}")
