"""The proof of quorum_flapping, from its records alone."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import (
    NOT_CONFIRMED,
    UNDECIDED,
    Claim,
    ProofLine,
    proof_millis,
    require_proof,
    require_span,
)

ELECTED = re.compile(r"Becoming the active controller at epoch (\d+)")
NODE = r"\[RaftManager (?:id|nodeId)=(\d+)\] "
FETCH = re.compile(NODE + r".* due to fetch timeout")
LOST = re.compile(NODE + r"Did not receive fetch request from the majority")
GAVE_UP = re.compile(r"Renouncing (?:the )?leadership")
FATAL = "Encountered fatal fault: "
KEPT = 5  # so many elections a finding keeps
ALIVE_MS = 1_000  # a controller that gave up so soon after a vote was there
VOTER, SILENT, UNSAID = "voter_out_of_touch", "leader_silent", {"process_ended", "unknown"}


def prove(claim: Claim, lines: Sequence[ProofLine]) -> str:
    """Controllers were elected one after another, and before each election records say what ended the term before."""
    elected = sorted((line for line in lines if ELECTED.search(line.text)), key=ProofLine.at)
    count = claim.number("elections_count")
    require_proof(len(elected) == min(count, KEPT), f"{len(elected)} such records for {count} elections")
    epochs = [int(found[1]) for line in elected if (found := ELECTED.search(line.text))]
    require_proof(epochs == sorted(set(epochs)), "their epochs are not one after the other")
    is_whole = len(elected) == count
    last_at = elected[-1].at() if is_whole else claim.valid_until_at
    require_span(claim, elected[0].at(), last_at, claim.number("lasted_ms"))
    told = term_end_causes(lines, elected)
    require_causes(claim, [cause for cause, _ in told], is_whole=is_whole)
    require_gaps(claim)
    require_suspect(claim, {who for _, who in told}, NOT_CONFIRMED if is_whole else UNDECIDED)
    return f"elected {len(elected)} times of {count}, after {', '.join(cause for cause, _ in told)}"


def term_end_causes(lines: Sequence[ProofLine], elected: Sequence[ProofLine]) -> list[tuple[str, int | None]]:
    """What ended each term, by the records between the elections; and who hung or was cut off then."""
    told, before = [], None
    for line in elected:
        own = [one for one in lines if one not in elected and one.at() <= line.at()]
        told.append(term_end_cause([one for one in own if before is None or one.at() > before.at()], before))
        before = line
    return told


def term_end_cause(own: Sequence[ProofLine], before: ProofLine | None) -> tuple[str, int | None]:
    fetches = {int(found[1]): one for one in own if (found := FETCH.search(one.text))}
    gave_up = [proof_millis(one.at()) for one in own if GAVE_UP.search(one.text)]
    if any(FATAL in one.text for one in own):
        return "fault", None
    if len(fetches) == 1 and gave_up:
        [(node, line)] = fetches.items()
        require_proof(
            gave_up[0] - proof_millis(line.at()) <= ALIVE_MS,
            f"the controller gave up long after {line.place()}",
        )
        return VOTER, node
    if fetches:
        return SILENT, before.node_id() if before else None
    return ("majority_lost" if any(LOST.search(one.text) for one in own) else "unknown"), None


def require_causes(claim: Claim, found: Sequence[str], *, is_whole: bool) -> None:
    said = {one["cause"]: one["count"] for one in claim.structs("causes")}
    count = claim.number("elections_count")
    require_proof(sum(said.values()) == count, f"it tells {sum(said.values())} causes of {count}")
    for cause in {*found, *said} - UNSAID:
        proved, times = found.count(cause), said.get(cause, 0)
        is_so = proved == times if is_whole else proved <= times
        require_proof(is_so, f"by the records it was {cause} {proved} times, not {times}")


def require_gaps(claim: Claim) -> None:
    """That it tells the longest time without a leader only where it counts some; it keeps no records of them."""
    gaps, longest_ms = claim.known_number("gaps_count"), claim.known_number("longest_gap_ms")
    require_proof(gaps is None or gaps > 0, "it counts no time without a leader")
    is_of_some = longest_ms is None or (gaps is not None and longest_ms > 0)
    require_proof(is_of_some, "the longest time without a leader is of none")


def require_suspect(claim: Claim, found: set[int | None], otherwise: str) -> None:
    suspect = claim.known_number("suspect_id")
    require_proof(suspect is None or suspect in found, f"no record accuses node {suspect}", otherwise)
