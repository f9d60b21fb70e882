"""What clients of lab clusters saw (truth/clients.tsv) against gold.client_impact: what of it lies in a stretch."""

import csv
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
from polars import col

from pipeline.core.frames import frame_of
from tests.lab import records

Row = dict[str, Any]
LOGS = ("controller", "state-change", "mixed", "server")
RUNS = (
    "3.9.1-zk-clients",
    "3.9.1-zk-clients-b",
    "4.0.0-kraft-separate-clients",
    "2.5.1-zk-clocks",
    "3.9.2-4.3.1-kraft-upgrade",
)
LEDGER = "tx-ledger"
# A record may be on its way when a stretch begins; below a second the box that was shared makes everybody late.
ON_ITS_WAY, SHORTEST, WARM_UP = timedelta(seconds=0.3), timedelta(seconds=1), timedelta(seconds=4)
AUDIENCES = {"producer-all": "producers_acks_all", "producer-one": "producers", "consumer": "consumers"}
LONGEST_GAP_MS = 500
TROUBLE = (
    "answer",
    "late",
    "failed",
    "commit_late",
    "commit_failed",
    "transaction_late",
    "transaction_failed",
)


@dataclass(frozen=True)
class Trouble:
    """One stretch of time in which one client had trouble with one partition, or one answer with an error."""

    client: str
    kind: str
    topic: str
    partition: int
    audience: str
    from_at: datetime
    until_at: datetime


def true_records(cluster: Path) -> pl.DataFrame:
    """bronze.log_record of the run with the clocks of its nodes set right, as truth/clocks.tsv measured them."""
    found = frame_of(records(cluster, LOGS))
    offsets: dict[int, float] = {}
    for row in rows_of_file(cluster / "truth" / "clocks.tsv"):
        zone = ZoneInfo(row["zone"]).utcoffset(datetime.fromisoformat(row["at"])) or timedelta()
        own = json.loads((cluster / "truth" / "run.json").read_text()).get("log_time_zone", "UTC")
        read_as = ZoneInfo(own).utcoffset(datetime.fromisoformat(row["at"])) or timedelta()
        offsets[int(row["node"])] = float(row["offset_ms"]) + (zone - read_as) / timedelta(milliseconds=1)
    shift = pl.duration(
        microseconds=(
            col("node_id").replace_strict(offsets, default=0.0, return_dtype=pl.Float64) * 1000
        ).cast(pl.Int64)
    )
    return found.with_columns(logged_at=(col("logged_at") - shift).cast(found.schema["logged_at"]))


def rows_of_file(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as text:
        yield from csv.DictReader(text, delimiter="\t")


def troubles(cluster: Path) -> list[Trouble]:
    """What the clients logged after their warm-up; of transactions once for each partition that they may wait for."""
    rows = list(rows_of_file(cluster / "truth" / "clients.tsv"))
    first = json.loads((cluster / "truth" / "client-events.jsonl").open(encoding="utf-8").readline())
    begin = datetime.fromtimestamp(first["at_ms"] / 1000, datetime.fromisoformat(rows[0]["from_at"]).tzinfo)
    found = []
    for row in rows:
        since, until = (datetime.fromisoformat(row[name]) for name in ("from_at", "until_at"))
        audience = audience_of(row)
        if row["kind"] in TROUBLE and row["partition"] and audience and since >= begin + WARM_UP:
            found.append(
                Trouble(
                    row["client"], row["kind"], row["topic"], int(row["partition"]), audience, since, until
                )
            )
    return found


def audience_of(row: dict[str, str]) -> str:
    """Whom the row tells of: commits of the group, transactions of their coordinator or of the ledger."""
    if row["topic"] == "__consumer_offsets":
        return "groups"
    if row["client"] == "transactions":
        return "transactions" if row["topic"] == "__transaction_state" else "producers_acks_all"
    return AUDIENCES.get(row["client"], "")


def scored(impact: pl.DataFrame, seen: list[Trouble], end: datetime) -> list[tuple[Trouble, str]]:
    """Each trouble with `in` (in the bounds of a stretch), `over` (a stretch overlaps it, and it lasts longer) or
    `none`."""
    by_subject: dict[tuple[str, int, str], list[Row]] = {}
    for row in impact.filter(col("partition").is_not_null()).to_dicts():
        by_subject.setdefault((row["topic"], row["partition"], row["audience"]), []).append(row)
    found = []
    for one in seen:
        subjects = [(one.topic, one.partition, one.audience)]
        if one.client == "transactions":
            subjects += [(LEDGER, part, "producers_acks_all") for part in range(3)]
        near = [row for subject in subjects for row in by_subject.get(subject, []) if overlaps(row, one, end)]
        is_in = any(
            row["from_at"] - ON_ITS_WAY <= one.from_at and one.until_at <= last_of(row, end) for row in near
        )
        found.append((one, "in" if is_in else "over" if near else "none"))
    return found


def last_of(row: Row, end: datetime) -> datetime:
    """The latest that clients can have felt it; the end of the data where no line bounds it."""
    high = row["high_ms"]
    return end + timedelta(seconds=10) if high is None else row["from_at"] + timedelta(milliseconds=high)


def overlaps(row: Row, one: Trouble, end: datetime) -> bool:
    return bool(row["from_at"] - ON_ITS_WAY <= one.until_at and one.from_at <= last_of(row, end))


def is_long(one: Trouble) -> bool:
    return one.kind == "answer" or one.until_at - one.from_at >= SHORTEST


def counted(verdicts: list[tuple[Trouble, str]]) -> dict[str, dict[str, int]]:
    """By client and kind how many of each verdict: answers, and stretches of a second or more."""
    found: dict[str, Counter[str]] = {}
    for one, verdict in verdicts:
        if is_long(one):
            found.setdefault(f"{one.client} {one.kind}", Counter())[verdict] += 1
    return {name: dict(counts) for name, counts in sorted(found.items())}


def sent_by_producers(cluster: Path) -> dict[tuple[str, int, str], list[float]]:
    """When plain producers began to send, ms since 1970, by topic, partition and audience."""
    found: dict[tuple[str, int, str], list[float]] = {}
    with gzip.open(cluster / "truth" / "client-records.tsv.gz", "rt", encoding="utf-8") as text:
        for row in csv.DictReader(text, delimiter="\t"):
            if row["what"] in AUDIENCES and row["what"].startswith("producer"):
                subject = (row["topic"], int(row["partition"]), AUDIENCES[row["what"]])
                found.setdefault(subject, []).append(float(row["began_ms"]))
    return found


def claims(
    impact: pl.DataFrame, seen: list[Trouble], sent: dict[tuple[str, int, str], list[float]], end: datetime
) -> list[tuple[Row, float]]:
    """Stretches of what plain producers use and sent records to while each could be felt for certain: all of the time
    but gaps of half a second. Each with the milliseconds of trouble that they had in it; those that go on at the end
    of the data are left out."""
    mine: dict[tuple[str, int, str], list[Trouble]] = {}
    for one in seen:
        if one.client.startswith("producer"):
            mine.setdefault((one.topic, one.partition, one.audience), []).append(one)
    first, last = min(one.from_at for one in seen), max(one.until_at for one in seen)
    found = []
    for row in impact.to_dicts():
        subject = (row["topic"], row["partition"], row["audience"])
        is_over = row["low_ms"] is not None and first <= row["from_at"] and row["until_earliest_at"] < last
        if subject in sent and is_over and was_sent_throughout(row, sent[subject]):
            near = [one for one in mine.get(subject, []) if overlaps(row, one, end)]
            found.append((row, milliseconds_covered(near)))
    return found


def was_sent_throughout(row: Row, began_ms: list[float]) -> bool:
    """Records were sent while it could be felt for certain, with no gap of half a second; a producer that waits sends
    its next ones at the latest a second after."""
    since, until = (row[name].timestamp() * 1000 for name in ("from_latest_at", "until_earliest_at"))
    inside = [since, *(at for at in sorted(began_ms) if since <= at <= until), until]
    return all(b - a <= LONGEST_GAP_MS for a, b in pairwise(inside))


def milliseconds_covered(stretches: list[Trouble]) -> float:
    """How long at least one of them lasts."""
    covered, reached = timedelta(), None
    for one in sorted(stretches, key=lambda each: each.from_at):
        since = one.from_at if reached is None else max(one.from_at, reached)
        covered += max(one.until_at - since, timedelta())
        reached = one.until_at if reached is None else max(reached, one.until_at)
    return covered / timedelta(milliseconds=1)
