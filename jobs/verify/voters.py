"""Proves findings about single voters of a quorum again; knows nothing of what found them."""

import re
from collections.abc import Sequence

from jobs.verify.proof import Claim, Line, require, require_lasted

KEPT = 5  # so many records a finding keeps: the first four and the last
BY = r"\[RaftManager (?:id|nodeId)=(\d+)\] "
LOST = re.compile(r"non-monotonic update of fetch offset from nodeId (?:ReplicaKey\(id=)?(\d+)")
OWN_KEY = re.compile(BY + r".* sent a voter key .* that doesn't match the local key")
PEER_KEY = re.compile(r"didn't match the receiver's replica key: .*\(id: (\d+)")
APPEND = re.compile(BY + r"Failed to append the records")
REQUEST = re.compile(r"Request .* failed due to (authentication|unsupported version) error")
DESTINATION = re.compile(r"destination(?:Id=|=[^ ]* \(id: )(\d+)")
CONNECTION = re.compile(BY + r"Connection to node \d+ .* failed authentication due to")
CONNECTED = re.compile(r"Connection to node (\d+) ")
KINDS = {"authentication": "authentication", "unsupported version": "version"}
FETCH = re.compile(BY + r".* due to fetch timeout")
VOTES = re.compile(
    BY + r"(?:Insufficient remaining|Election (?:has )?timed out|Election was not|Re-elect as)"
)
VOTE = re.compile(r"ReplicaKey\(id=(\d+), directoryId=[^)]*\), state=(\w+)")
REJECTED = re.compile(r"\(rejected by \[([\d, ]*)\]\)")
OTHER_CLUSTER = re.compile(BY + r"Unexpected error INCONSISTENT_CLUSTER_ID in \w+ response: ")
SOURCE = re.compile(r"source(?:Id=|=[^ ]* \(id: )(\d+)")
DATA = {"lost_data": (LOST,), "key_differs": (OWN_KEY, PEER_KEY), "append_failed": (APPEND,)}


def voter_data(claim: Claim, lines: Sequence[Line]) -> str:
    """Each record says what is wrong with what that voter has stored."""
    patterns = DATA.get(claim.text("kind"), ())
    for line in lines:
        nodes = [int(found[1]) for one in patterns if (found := one.search(line.text))]
        require(nodes == [claim.number("voter_id")], f"{line.place()} does not say so of the voter")
    return of_times(claim, lines)


def voter_refused(claim: Claim, lines: Sequence[Line]) -> str:
    """Each record says that another node of the quorum refuses that one, and which."""
    peers: set[int] = set()
    for line in lines:
        request, other = REQUEST.search(line.text), OTHER_CLUSTER.search(line.text)
        by = CONNECTION.search(line.text) or other
        kind = KINDS[request[1]] if request else "cluster_id" if other else "authentication"
        is_so = (request or by) and kind == claim.text("kind")
        require(is_so, f"{line.place()} refuses nothing of the kind")
        node = int(by[1]) if by else line.record.node_id
        require(node in (claim.number("voter_id"), None), f"{line.place()} is of node {node}")
        found = [one.search(line.text) for one in (CONNECTED, DESTINATION, SOURCE)]
        peers |= {int(one[1]) for one in found if one}
    said = {int(one) for one in (claim.known("refusing_ids") or "").split(",") if one}
    require(peers <= said, f"by the records nodes {sorted(peers)} refuse it")
    require(
        said <= peers or claim.number("failures_count") > KEPT, f"no record tells of all of {sorted(said)}"
    )
    return of_times(claim, lines)


def voter_out_of_touch(claim: Claim, lines: Sequence[Line]) -> str:
    """Records say that this voter heard nothing in time, and how the others answered as it asked for votes."""
    voter, asked = claim.number("voter_id"), [line for line in lines if VOTES.search(line.text)]
    others = [line for line in lines if line not in asked]
    for line in (*others, *asked):
        found = (VOTES if line in asked else FETCH).search(line.text)
        require(found and int(found[1]) == voter, f"{line.place()} does not say so of the voter")
    for name, state in (("refusing_ids", "REJECTED"), ("unanswered_ids", "UNRECORDED")):
        answers = [one for line in asked for one in VOTE.findall(line.text)]
        listed = [
            one for line in asked for one in re.findall(r"\d+", (REJECTED.search(line.text) or ["", ""])[1])
        ]
        found_ids = {int(one) for one, said in answers if said == state}
        found_ids |= {int(one) for one in listed if state == "REJECTED"}
        said_ids = {int(one) for one in (claim.known(name) or "").split(",") if one}
        require(said_ids == found_ids, f"by the records {name} are {sorted(found_ids)}")
    told = of_times(claim, others)
    if claim.valid_until_at is not None:
        require_lasted(claim.valid_from_at, claim.valid_until_at, claim.number("lasted_ms"))
    return told


def of_times(claim: Claim, lines: Sequence[Line]) -> str:
    count, times = claim.number("failures_count"), sorted(line.at() for line in lines)
    require(len(times) == min(count, KEPT), f"{len(times)} such records for {count}")
    require(times[0] == claim.valid_from_at, f"the first record is of {times[0]}")
    require(claim.valid_until_at in (times[-1], None), f"the last record is of {times[-1]}")
    return f"{len(times)} of {count} records from {times[0]} to {times[-1]}"
