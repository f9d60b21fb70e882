"""Lines of nodes of a quorum: votes refused, fetches timed out."""

from collections.abc import Sequence
from typing import Any

from tests.chain import found_by_each

Row = dict[str, Any]
Logs = dict[int, list[str]]

AT = "[2026-11-21 00:0{0}] INFO "


ACTIVE = AT + (
    "[QuorumController id={1}] Becoming the active controller at epoch {2}, next write offset 5. "
    "(org.apache.kafka.controller.QuorumController)"
)


RAFT = AT + "[RaftManager id={1}] {2} (org.apache.kafka.raft.KafkaRaftClient)"


FETCH = "Transitioning to Prospective state due to fetch timeout"


VOTE = "{0}=VoterState(replicaKey=ReplicaKey(id={0}, directoryId=<undefined>), state={1})"


def timed_out(node: int, clock: str, **state: str) -> str:
    votes = ", ".join(VOTE.format(name[1:], said) for name, said in state.items())
    text = (
        "Election timed out before receiving sufficient vote responses to become candidate. Current epoch election "
        f"state: EpochElection(voterStates={{{votes}}})"
    )
    return RAFT.format(clock, node, text)


def refused(node: int, clock: str) -> str:
    votes = ", ".join(VOTE.format(one, "GRANTED" if one == node else "REJECTED") for one in (1, 2, 3))
    text = f"Insufficient remaining votes to become candidate. Current epoch election state is EpochElection(voterStates={{{votes}}}). "
    return RAFT.format(clock, node, text)


def found_in(rules: Sequence[str], *stories: tuple[Logs, Logs]) -> list[list[Row]]:
    """Findings of rules, of each story: its lines by node in controller.log and in server.log. All are built at once."""
    logs = {
        f"{number}": {
            (node, log): "\n".join(lines)
            for log, of_nodes in zip(("controller", "server"), story, strict=True)
            for node, lines in of_nodes.items()
        }
        for number, story in enumerate(stories)
    }
    return [rows.sort("valid_from_at").to_dicts() for rows in found_by_each(logs, *rules).values()]
