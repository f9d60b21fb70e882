"""Requests that brokers got, put together of runs of lines of some topics each: as if line after line were read."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby
from random import Random
from typing import Any

import polars as pl
import pytest
from polars import col

from pipeline.core.frames import empty_frame, with_absent
from pipeline.gold.request_trace.receipt_runs import ONCE, receipt_run, whole_receipt
from pipeline.gold.request_trace.receipts import NEXT_CHANNEL, receipts_by_channel
from schemas.silver.control_request import SPEC

TOPICS = "abcd"
ISR, METADATA = "LEADER_AND_ISR", "UPDATE_METADATA"
# What brokers print of a request, of each partition or once.
EVENTS = {
    ISR: (
        ("broker_leader_and_isr_request", "received", False),
        ("broker_leader_and_isr_received", "received", True),
        ("broker_become_leader_started", "started", True),
        ("broker_become_leader_storage_error", "failed", True),
        ("broker_become_leader_completed", "applied", True),
    ),
    METADATA: (("broker_metadata_cached", "applied", True), ("broker_metadata_summary", "applied", False)),
}


def story(chance: Random) -> pl.DataFrame:
    """Lines of a broker in two files: ids that rise, begin again, come again, and some out of order."""
    lines: list[dict[str, Any]] = []
    at, correlation_id = datetime(2024, 1, 1, tzinfo=UTC), 0
    # Up to 2.5 no line is about a whole request.
    is_old = chance.choice([True, False])
    mess, missing = chance.choice([0.0, 0.1]), chance.choice([0.0, 0.3])
    for file in ("first", "second"):
        for _ in range(6):
            correlation_id = chance.choice(
                [correlation_id, correlation_id, correlation_id + 1, correlation_id + 1, 0]
            )
            at += timedelta(milliseconds=chance.choice([0, 6]))
            request, epoch = chance.choice([ISR, METADATA, METADATA]), chance.choice([1, 1, 1, 1, 1, 2])
            for event, step, is_of_partition in EVENTS[request][chance.choice([0, 0, 1]) :]:
                for topic in TOPICS if is_of_partition else [None]:
                    if chance.random() < missing or (is_old and topic is None):
                        continue
                    at += timedelta(milliseconds=chance.choice([0, 0, 0, 1, 6]))
                    of_another = 1 if chance.random() < mess else 0
                    lines.append(
                        {
                            "cluster_id": "c", "file_id": file, "byte_offset": len(lines), "logged_at": at,
                            "event": event, "step": step, "request": request, "controller_id": 7, "broker_id": 1,
                            "controller_epoch": epoch, "correlation_id": correlation_id + of_another,
                            "topic": topic, "partition": None if topic is None else 0,
                        }
                    )  # fmt: skip
    types = empty_frame(SPEC).schema
    known = pl.DataFrame(lines, {name: types[name] for name in lines[0]})
    return with_absent(known, SPEC)


def naive_requests(lines: list[dict[str, Any]]) -> Iterator[tuple[int, str, int, int]]:
    """(id, file and place of the first line, how many lines), read line after line."""
    run, before = 0, lines[0]
    for line in lines:
        run += line["correlation_id"] < before["correlation_id"]
        is_same = line["correlation_id"] == before["correlation_id"]
        line["run"], line["is_late"] = (
            run,
            is_same and line["logged_at"] - before["logged_at"] >= NEXT_CHANNEL,
        )
        before = line
    by_id = lambda line: (line["run"], line["correlation_id"])  # noqa: E731 - a key of two calls
    for _, its in groupby(sorted(lines, key=by_id), by_id):
        mark_again(list(its))
    again = 0
    for line in lines:
        again += line["is_again"]
        line["run"] += again
    for (_, name), its in groupby(sorted(lines, key=by_id), by_id):
        first, *others = its
        yield name, first["file_id"], first["byte_offset"], 1 + len(others)


def mark_again(lines: list[dict[str, Any]]) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    request, epoch, most = None, None, None
    for line in lines:
        is_other = request not in {None, line["request"]}
        request = line["request"]
        if line["event"] in ONCE:
            key = (line["event"], line["topic"])
            is_other |= epoch not in {None, line["controller_epoch"]} or (
                most is not None and counts[key] > most
            )
            most, epoch = max(most or 0, counts[key]), line["controller_epoch"]
            counts[key] += 1
        line["is_again"] = is_other and line["is_late"]


@pytest.mark.parametrize("seed", range(60))
def test_any_split_of_the_topics_gives_what_the_lines_say(seed: int) -> None:
    chance = Random(seed)  # noqa: S311
    lines = story(chance)
    shards = [[topic for topic in TOPICS if chance.random() < 0.5], []]
    shards[1] = [topic for topic in TOPICS if topic not in shards[0]]
    wanted = sorted(naive_requests(lines.to_dicts()))
    for split in ([[*TOPICS]], shards):
        of_shards = (lines.filter(col("topic").is_null() | col("topic").is_in(topics)) for topics in split)
        requests = receipts_by_channel(pl.concat(map(receipt_run, of_shards)), whole_receipt(lines))
        rows = requests.select("correlation_id", "file_id", "byte_offset", "lines_count").rows()
        assert sorted(rows) == wanted


def test_lines_that_are_alike_are_one_run() -> None:
    lines = story(Random(1)).filter(col("event") == "broker_become_leader_started")  # noqa: S311
    runs = receipt_run(lines.with_columns(correlation_id=1, controller_epoch=1))
    assert runs.select(col("byte_offsets").list.len()).rows() == [
        (count,) for count in lines.group_by("file_id", maintain_order=True).len()["len"]
    ]


def test_an_id_that_comes_again_parts_lines_of_other_topics_too() -> None:
    """Of the two of one shard none says anything again."""
    said = story(Random(1)).filter(col("event") == "broker_metadata_cached").head(4)  # noqa: S311
    at = datetime(2024, 1, 1, tzinfo=UTC)
    lines = said.with_columns(
        file_id=pl.lit("first"),
        topic=pl.Series(["a", "c", "a", "d"]),
        correlation_id=pl.lit(1, pl.Int32),
        controller_epoch=pl.lit(1, pl.Int32),
        logged_at=pl.Series([at, at, at + NEXT_CHANNEL, at + NEXT_CHANNEL], dtype=said.schema["logged_at"]),
    )
    shards = (lines.filter(col("topic").is_in(topics)) for topics in (["a"], ["c", "d"]))
    requests = receipts_by_channel(pl.concat(map(receipt_run, shards)), whole_receipt(lines))
    assert requests["lines_count"].to_list() == [2, 2]
