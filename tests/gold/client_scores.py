"""`python -m tests.gold.client_scores SHARED` prints what of the trouble of real clients the stretches of
gold.client_impact hold, by run, client and kind, and why the rest is in none."""

import sys
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import polars as pl

from tests.chain import built
from tests.gold.client_truth import (
    RUNS,
    Trouble,
    claims,
    is_long,
    rows_of_file,
    scored,
    sent_by_producers,
    troubles,
    true_records,
)
from tests.lab import folder_of

NEAR = timedelta(seconds=1)
# A start of a JVM makes everybody on the box late for so long after its first line.
STARTING = timedelta(seconds=20)
Span = tuple[datetime, datetime]


def stopped_spans(cluster: Path) -> list[Span]:
    """When a node was stopped for less than its session, as truth/busy.tsv says."""
    rows = rows_of_file(cluster / "truth" / "busy.tsv")
    return [
        (datetime.fromisoformat(one["from_at"]), datetime.fromisoformat(one["until_at"] or one["from_at"]))
        for one in rows
    ]


def starting_spans(process_run: pl.DataFrame) -> list[Span]:
    return [(at, at + STARTING) for at in process_run["started_at"].drop_nulls()]


def why_not_in(
    one: Trouble, verdict: str, stops: list[Span], starts: list[Span], others: list[Trouble]
) -> str:
    """stop: during a SIGSTOP below the session; start: while a JVM starts; longer: a stretch overlaps it, and it lasts
    longer; near: another partition is in trouble that a stretch holds; nothing."""
    for why, spans in (("stop", stops), ("start", starts)):
        if any(since - NEAR <= one.until_at and one.from_at <= until + NEAR for since, until in spans):
            return why
    if verdict == "over":
        return "longer"
    is_near = any(each.from_at <= one.until_at and one.from_at <= each.until_at for each in others)
    return "near" if is_near else "nothing"


def main(shared: Path) -> None:
    for name in RUNS:
        cluster = folder_of(shared, name)
        tables = built(true_records(cluster), "client_impact")
        impact, seen = tables["client_impact"], troubles(cluster)
        end = max(one.until_at for one in seen)
        verdicts = [(one, verdict) for one, verdict in scored(impact, seen, end) if is_long(one)]
        stops, starts = stopped_spans(cluster), starting_spans(tables["process_run"])
        held = [one for one, verdict in verdicts if verdict == "in"]
        counts: dict[str, Counter[str]] = {}
        for one, verdict in verdicts:
            why = "in" if verdict == "in" else why_not_in(one, verdict, stops, starts, held)
            counts.setdefault(f"{one.client} {one.kind}", Counter())[why] += 1
        print(name, impact.height)
        for what, each in sorted(counts.items()):
            print(f"  {what:32} {dict(each)}")
        told = claims(impact, seen, sent_by_producers(cluster), end)
        long = [(row, saw) for row, saw in told if row["low_ms"] >= 500]
        print(f"  claimed of producers that sent: {len(told)}, of 0.5 s or more {len(long)},", end=" ")
        print(f"felt {sum(saw > 0 for _, saw in long)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
