"""Stays of brokers as ZooKeeper's log or the metadata log of a lab cluster has them, and how told ones compare."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.gold.kraft_truth import in_effect
from tests.gold.lab_runs import changes, noticed_ms, without_controller
from tests.gold.truth import ms
from tests.lab import Row, json_lines

NOTICED_MS = 8_000  # a controller that dies with a broker has a successor by then, which does not find it
SETTLED_MS = 2_000


class Departure(NamedTuple):
    """A broker left; is_asked: somebody had told it to shut down. since_ms: as at_ms, but for one that went while most
    controllers were down, who wrote it down later: from its asking to be shut down on."""

    broker_id: int
    at_ms: int
    is_asked: bool
    since_ms: int


def departures(cluster: Path) -> list[Departure]:
    is_kraft = (cluster / "truth" / "metadata-log.jsonl").exists()
    return list(in_kraft(cluster) if is_kraft else in_zookeeper(cluster))


def in_zookeeper(cluster: Path) -> Iterator[Departure]:
    """Registrations that were deleted, or ended with their session."""
    asked = [
        (act["broker"], act["start_ms"], act["end_ms"])
        for act in json_lines(cluster / "truth" / "actions.jsonl")
        if act["kind"] == "controlled_shutdown"
    ]
    for change in changes(cluster):
        match change["path"].split("/")[1:]:
            case ["brokers", "ids", number] if change["op"] == "delete":
                at = change["time_ms"]
                is_asked = any(
                    broker == int(number) and begun <= at <= ended + SETTLED_MS
                    for broker, begun, ended in asked
                )
                yield Departure(int(number), at, is_asked, at)


def in_kraft(cluster: Path) -> Iterator[Departure]:
    """Records that fence a broker; it asked if the metadata log says so before."""
    live: set[int] = set()
    leaving: dict[int, int] = {}
    late: set[int] = set()  # who asked while nothing was committed
    for at, record in in_effect(cluster):
        if record["type"] != "BROKER_REGISTRATION_CHANGE_RECORD":
            continue
        data = record["data"]
        broker = data["brokerId"]
        if data.get("inControlledShutdown") == 1:
            leaving[broker] = record["timestamp"]
            late = late | {broker} if record["timestamp"] < at else late - {broker}
        if data.get("fenced") == -1:
            live.add(broker)
        elif data.get("fenced") == 1 and broker in live:
            live.remove(broker)
            yield Departure(broker, at, broker in leaving, leaving[broker] if broker in late else at)
            leaving.pop(broker, None)
            late -= {broker}


def silences(cluster: Path) -> dict[int, list[tuple[int, bool]]]:
    """By node when it was killed or frozen (true), or started or thawed."""
    found: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    for act in json_lines(cluster / "truth" / "actions.jsonl"):
        args = act.get("args", act)
        signal = args.get("signal")
        is_silent = signal in ("SIGKILL", "SIGSTOP")
        nodes = args.get("brokers") or [args.get("node", args.get("broker"))]
        if is_silent or signal == "SIGCONT" or act["kind"].startswith("start"):
            for node in nodes:
                found[node].append((act["end_ms"], is_silent))
    return found


def went_silent(silenced: dict[int, list[tuple[int, bool]]], broker: int | None, at: int) -> int:
    """When the broker was killed or frozen, of which somebody took notice at that time; else that time itself."""
    last = [one for one in silenced.get(-1 if broker is None else broker, []) if one[0] <= at]
    return last[-1][0] if last and last[-1][1] else at


def is_back(cluster: Path, one: Departure, by_ms: int) -> bool:
    """True if the broker was registered again before a controller could notice that it was not."""
    path = f"/brokers/ids/{one.broker_id}"
    return by_ms > one.at_ms and any(
        change["op"] == "create" and one.at_ms < change["time_ms"] <= by_ms
        for change in changes(cluster)
        if change["path"] == path
    )


def told(cluster: Path, sessions: list[Row]) -> Iterator[tuple[Departure, Row | None, bool]]:
    """Each departure with the session that tells of it, if one does; and whether somebody saw that it was gone.

    Departures after the last thing that any row tells of were seen by nobody: all brokers were killed.
    """
    mode = "kraft" if (cluster / "truth" / "metadata-log.jsonl").exists() else "zookeeper"
    sessions = [row for row in sessions if row["mode"] == mode]
    ended = [row for row in sessions if row["left_at"] is not None]
    times = [ms(row["left_at"]) for row in ended] + [ms(row["joined_at"]) for row in sessions]
    last = max(times, default=0)
    by_broker: dict[int, list[Row]] = defaultdict(list)
    for row in ended:
        by_broker[row["broker_id"]].append(row)
    matched = set()
    spans = without_controller(cluster) if mode == "zookeeper" else []
    for one in departures(cluster):
        could_ms = noticed_ms(spans, one.at_ms) or one.at_ms
        latest_ms = max(NOTICED_MS, could_ms + SETTLED_MS - one.at_ms)
        near = [
            row
            for row in by_broker[one.broker_id]
            if one.since_ms - SETTLED_MS <= ms(row["left_at"]) <= one.at_ms + latest_ms
            and (row["broker_id"], row["left_at"]) not in matched
        ]
        if not near:
            yield one, None, one.at_ms < last - NOTICED_MS and not is_back(cluster, one, could_ms)
            continue
        row = min(near, key=lambda each: abs(ms(each["left_at"]) - one.at_ms))
        matched.add((row["broker_id"], row["left_at"]))
        yield one, row, True


def compared(cluster: Path, sessions: list[Row]) -> dict[str, Counter[str]]:
    """left: departures that are told, and told ones that were none; is_clean: against what the broker was told to do;
    silent: whether it was silent no earlier than it is told to have been."""
    mode = "kraft" if (cluster / "truth" / "metadata-log.jsonl").exists() else "zookeeper"
    found = {name: Counter[str]() for name in ("left", "is_clean", "silent")}
    silenced, matched = silences(cluster), set()
    for one, row, is_seen in told(cluster, sessions):
        if row is None:
            found["left"]["missed" if is_seen else "unseen"] += 1
            continue
        matched.add((row["broker_id"], row["left_at"]))
        is_unsaid = row["certainty"] == "undetermined"
        found["left"]["undetermined" if is_unsaid else "right"] += 1
        is_clean = row["is_clean"]
        is_right = is_clean == one.is_asked
        found["is_clean"]["undetermined" if is_clean is None else "right" if is_right else "wrong"] += 1
        silent_ms = ms(row["silent_from_at"]) if row["silent_from_at"] else None
        is_held = silent_ms is not None and silent_ms <= went_silent(silenced, one.broker_id, one.at_ms)
        found["silent"]["undetermined" if silent_ms is None else "right" if is_held else "wrong"] += 1
    ended = [row for row in sessions if row["mode"] == mode and row["left_at"] is not None]
    unmatched = [row for row in ended if (row["broker_id"], row["left_at"]) not in matched]
    found["left"]["wrong"] += len([row for row in unmatched if row["certainty"] != "undetermined"])
    return found
