"""What becomes of partitions when a broker stops, by the logs up to a time and by the truth of a lab cluster then."""

from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from polars import col

from jobs.questions.named.restart import SESSION, STATE, TIMELINE, can_have, restart_fate
from pipeline.core.frames import frame_of
from pipeline.views.reading.times import holds_at
from tests.gold.kraft_truth import in_effect, true_states
from tests.gold.lab_runs import changes
from tests.gold.truth import Partition, ms, true_values
from tests.jobs.answering import answers_of_records
from tests.lab import records

READ = ("controller", "state-change", "mixed", "server")


class Held(NamedTuple):
    leader: int
    isr: tuple[int, ...]
    replicas: tuple[int, ...]


def scored(cluster: Path, at: datetime) -> Counter[str]:
    """Of each broker and each partition that it has a replica of: right, unknown, wrong; and the kinds that were right.
    One in-sync replica left, or several, is both safe."""
    lines = records(cluster, READ)
    is_before = (col("logged_at") < at).fill_null(value=False)
    answers = answers_of_records(
        cluster, lines.filter(frame_of(lines).select(is_before).to_series().to_arrow())
    )
    sessions = answers.rows(SESSION, None, ("broker_id", "left_at"))
    live = set(sessions.filter(col("left_at").is_null())["broker_id"])
    held, alive = states(cluster, ms(at)), live_at(cluster, ms(at))
    found = Counter[str]()
    for row in answers.rows(TIMELINE, holds_at(None), STATE).to_dicts():
        true = held.get((row["topic"], row["partition"]))
        for broker in {*sessions["broker_id"]} if true and not row["is_deleting"] else ():
            if can_have(row, broker):
                said, is_so = restart_fate(row, broker, live), true_fate(true, broker, alive) if true else ""
                outcome = "right" if said == is_so else "unknown" if said == "unknown" else "wrong"
                found += Counter([outcome, is_so])
    return found


def true_fate(one: Held, broker: int, alive: set[int]) -> str:
    if one.leader not in alive:
        return "offline"
    others = ({*one.isr} - {broker}) & alive
    return "safe" if len(others) > 1 or broker not in one.isr else "last" if others else "lost"


def states(cluster: Path, at_ms: int) -> dict[Partition, Held]:
    if (cluster / "truth" / "metadata-log.jsonl").exists():
        last = {
            name: [one for one in all_ if one.at <= at_ms][-1:] for name, all_ in true_states(cluster).items()
        }
        return {
            name: Held(one.leader, one.isr, one.replicas)
            for name, ones in last.items()
            for one in ones
            if one.leader is not None
        }
    columns = [true_values(cluster, name) for name in ("leader", "isr", "replicas")]
    found = {}
    for name in columns[0]:
        leader, isr, replicas = (
            [value for when, value in each.get(name, []) if when <= at_ms][-1:] for each in columns
        )
        if leader and isr and replicas and isinstance(leader[0], int) and isinstance(isr[0], tuple):
            found[name] = Held(leader[0], isr[0], replicas[0] if isinstance(replicas[0], tuple) else ())
    return found


def live_at(cluster: Path, at_ms: int) -> set[int]:
    found: set[int] = set()
    if not (cluster / "truth" / "metadata-log.jsonl").exists():
        for change in changes(cluster):
            match change["path"].split("/")[1:]:
                case ["brokers", "ids", broker] if change["time_ms"] <= at_ms:
                    (found.discard if change["op"] == "delete" else found.add)(int(broker))
        return found
    for when, record in in_effect(cluster):
        if when <= at_ms and record["type"] == "REGISTER_BROKER_RECORD":
            found.discard(record["data"]["brokerId"])
        elif when <= at_ms and record["type"] == "BROKER_REGISTRATION_CHANGE_RECORD":
            fenced = record["data"].get("fenced")
            if fenced:
                (found.add if fenced < 0 else found.discard)(record["data"]["brokerId"])
    return found
