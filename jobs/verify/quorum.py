"""Proves findings about a KRaft quorum without a leader again; knows nothing of what found them."""

import re
from collections.abc import Sequence

from jobs.verify.proof import Claim, Line, require, require_span

LEADERLESS = re.compile(r"[Ii]n the new epoch (\d+), the leader is \(none\)")
LED = re.compile(r"Becoming the active controller at epoch (\d+)|In the new epoch (\d+), the leader is \d+\.")
REFUSED = re.compile(
    r"\[RaftManager (?:id|nodeId)=(\d+)\] Insufficient remaining votes .*\(rejected by \[([\d, ]*)\]\)"
)


def quorum_without_leader(claim: Claim, lines: Sequence[Line]) -> str:
    """The first and the last epoch have no leader, none between them has one; who leads next, and who refused whom."""
    first, last = claim.number("first_epoch"), claim.number("last_epoch")
    without = {int(found[1]): line for line in lines if (found := LEADERLESS.search(line.text))}
    require({first, last} <= set(without), f"no record says that nobody leads epoch {first}, or {last}")
    require(0 < claim.number("epochs_count") <= last - first + 1, f"{first} to {last} are not so many epochs")
    led = {int(found[1] or found[2]): line.at() for line in lines if (found := LED.search(line.text))}
    require(
        not [one for one in led if first <= one <= last],
        f"a record says who leads between {first} and {last}",
    )
    since = min(line.at() for line in lines if LEADERLESS.search(line.text))
    until = min((at for epoch, at in led.items() if epoch > last), default=None)
    require(until is not None or claim.valid_until_at is None, "no record says who leads next")
    require_span(claim, since, until, claim.known_number("lasted_ms"))
    refused = [found for line in lines if (found := REFUSED.search(line.text))]
    require_ids(claim, "refused_ids", {int(found[1]) for found in refused})
    require_ids(
        claim, "refusing_ids", {int(one) for found in refused for one in re.findall(r"\d+", found[2])}
    )
    return f"epochs {first} to {last} without a leader since {since}, next led {until or 'never'}"


def require_ids(claim: Claim, name: str, found: set[int]) -> None:
    said = {int(one) for one in (claim.known(name) or "").replace(" ", "").split(",") if one}
    require(said == found, f"by the records {name} are {sorted(found)}")
