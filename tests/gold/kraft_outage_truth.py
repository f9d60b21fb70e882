"""Outages of a KRaft cluster as its metadata log has them: partitions whose record says that nobody leads."""

from pathlib import Path

from tests.gold.kraft_truth import true_states
from tests.gold.outage_truth import Outage
from tests.gold.truth import NOBODY, json_lines


def outages(cluster: Path) -> list[Outage]:
    """All of them; earliest_ms: when the broker that led was killed, frozen or cut off, where that is why."""
    found: list[Outage] = []
    silenced = silences(cluster)
    for partition, states in true_states(cluster).items():
        leader: int | None = None
        begun: Outage | None = None
        for state in states:
            if state.leader == NOBODY and begun is None:
                earliest = went_silent(silenced, leader, state.at)
                begun = Outage(partition, state.at, None, earliest, leader is None)
            elif state.leader != NOBODY and begun is not None:
                found.append(begun._replace(until_ms=state.at))
                begun = None
            leader = state.leader
        found += [begun] if begun is not None else []
    return found


def silences(cluster: Path) -> dict[int, list[tuple[int, bool]]]:
    """By node when it went silent (true) or came back."""
    found: dict[int, list[tuple[int, bool]]] = {}
    for act in json_lines(cluster / "truth" / "actions.jsonl"):
        if act["kind"] in ("start", "signal") and "node" in act["args"]:
            is_silent = act["args"].get("signal") in ("SIGKILL", "SIGSTOP")
            if is_silent or act["kind"] == "start" or act["args"]["signal"] == "SIGCONT":
                found.setdefault(act["args"]["node"], []).append((act["end_ms"], is_silent))
    return found


def went_silent(silenced: dict[int, list[tuple[int, bool]]], broker: int | None, at: int) -> int:
    """When the broker went silent of which the controller took notice at that time; else that time itself."""
    last = [one for one in silenced.get(-1 if broker is None else broker, []) if one[0] <= at]
    return last[-1][0] if last and last[-1][1] else at
