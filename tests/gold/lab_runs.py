"""What the truth beside a lab cluster says beyond writes to znodes: stops, disks, elections that lost, a second life."""

import csv
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pyarrow as pa

from pipeline.core.frames import frame_of
from tests.lab import READ, Row, json_lines, records

Span = tuple[int, int | None]  # ms UTC; None: it goes on


def rows(cluster: Path, name: str) -> list[dict[str, str]]:
    """Rows of truth/<name>.tsv; none where it is not there: the stock labs have actions alone."""
    path = cluster / "truth" / f"{name}.tsv"
    return list(csv.DictReader(path.read_text().splitlines(), delimiter="\t")) if path.exists() else []


def wiped_ms(cluster: Path) -> int | None:
    """When ZooKeeper and all brokers were emptied."""
    acts = json_lines(cluster / "truth" / "actions.jsonl")
    return next((act["start_ms"] for act in acts if act["kind"] == "wipe"), None)


def changes(cluster: Path) -> list[Row]:
    """Writes to ZooKeeper in order; of a cluster that was wiped those before."""
    every, until_ms = json_lines(cluster / "truth" / "znodes_txn.jsonl"), wiped_ms(cluster)
    return [one for one in every if until_ms is None or one["time_ms"] < until_ms]


def first_life(cluster: Path, logs: Collection[str] = READ) -> pa.Table:
    """bronze.log_record of the logs; of a cluster that was wiped what was logged before."""
    lines, until_ms = records(cluster, logs), wiped_ms(cluster)
    if until_ms is None:
        return lines
    is_before = (pl.col("logged_at").dt.epoch("ms") < until_ms).fill_null(value=True)
    return lines.filter(frame_of(lines).select(is_before).to_series().to_arrow())


def stopped(cluster: Path) -> dict[int, list[Span]]:
    """By broker when it was frozen by SIGSTOP."""
    found: dict[int, list[Span]] = {}
    for one in rows(cluster, "stops"):
        if one["how"] == "sigstop":
            span = int(one["from_ms"]), int(one["to_ms"]) if one["to_ms"] else None
            found.setdefault(int(one["broker"]), []).append(span)
    return found


def kept_its_session(cluster: Path, broker: int, at_ms: int) -> bool:
    """True if the broker that was frozen then did not lose its session."""
    return any(
        one["how"] == "sigstop" and not one["session_gone_ms"] and int(one["from_ms"]) == at_ms
        for one in rows(cluster, "stops")
        if int(one["broker"]) == broker
    )


def without_controller(cluster: Path) -> list[Span]:
    """When no controller was in office that could notice anything: none was elected, or it was frozen."""
    found: list[Span] = []
    frozen, since = stopped(cluster), 0
    for one in changes(cluster):
        if one["path"] == "/controller" and one["op"] == "create":
            found += [(since, one["time_ms"]), *frozen.get(one["data"]["brokerid"], [])]
        elif one["path"] == "/controller" and one["op"] == "delete":
            since = one["time_ms"]
            found.append((since, None))
    return [one for one in found if one[1] is not None or one[0] == since]


def noticed_ms(spans: list[Span], at_ms: int) -> int | None:
    """When a controller can notice what happens at that time; None: never."""
    for since, until in sorted(spans, key=lambda one: one[0]):
        if since <= at_ms and (until is None or at_ms < until):
            if until is None:
                return None
            at_ms = until
    return at_ms


def failed_disks(cluster: Path) -> list[tuple[int, int, int]]:
    """(broker, from_ms, until_ms) of log directories that failed while their broker lived."""
    return [
        (int(one["broker"]), int(one["from_ms"]), int(one["to_ms"]))
        for one in rows(cluster, "stops")
        if one["how"] == "disk"
    ]


class Unclean(NamedTuple):
    """An election outside of the ISR; is_harmless: of the last leader, or of the only replica."""

    topic: str
    partition: int
    at_ms: int
    leader: int
    is_harmless: bool

    def named(self) -> tuple[str, int, int, bool]:
        """Without its time."""
        return self.topic, self.partition, self.leader, self.is_harmless


def unclean_elections(cluster: Path) -> list[Unclean]:
    return [
        Unclean(
            one["topic"],
            int(one["partition"]),
            int(one["time_ms"]),
            int(one["leader"]),
            one["harmless"] == "yes",
        )
        for one in rows(cluster, "unclean")
        if one["life"] == "1"
    ]
