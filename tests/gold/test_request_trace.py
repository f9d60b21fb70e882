"""What became of a controller's requests: the labs against a naive reading, and small cases of what is not certain."""

import csv
from collections import Counter
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars import col

from pipeline.core.frames import frame_of
from pipeline.gold.request_trace.pairing import certain_pairs
from tests.chain import built, built_of_many
from tests.gold.request_lines import (
    BACK,
    SHUT,
    controller_says,
    elected,
    handles,
    learns,
    opened,
    sends,
    story,
    tells,
)
from tests.lab import folder_of, records

TARGETS = "kafka/open-audits/targets/request_trace.tsv"
LOGS = ("controller", "state-change", "mixed", "server")
BY_ORDER = (
    "2.6.3-zk-stock",
    "2.6.3-zk-trace",
    "3.2.3-zk-stock",
    "3.2.3-zk-trace",
    "3.9.1-zk-stock",
    "3.9.1-zk-trace",
)
# Received and lost by kind, and UpdateMetadata of 0 partitions.
ARRIVED = {
    "2.6.3-zk-stock": "LEADER_AND_ISR 177 4, UPDATE_METADATA 298 8, silent 37, STOP_REPLICA 24 2",
    "2.6.3-zk-trace": "LEADER_AND_ISR 137 6, UPDATE_METADATA 241 9, silent 29, STOP_REPLICA 28 2",
    "3.2.3-zk-stock": "LEADER_AND_ISR 177 8, UPDATE_METADATA 420 9, silent 39, STOP_REPLICA 26 0",
    "3.2.3-zk-trace": "LEADER_AND_ISR 160 7, UPDATE_METADATA 346 8, silent 39, STOP_REPLICA 30 2",
    "3.9.1-zk-stock": "LEADER_AND_ISR 176 8, UPDATE_METADATA 420 8, silent 39, STOP_REPLICA 26 0",
    "3.9.1-zk-trace": "LEADER_AND_ISR 138 6, UPDATE_METADATA 302 6, silent 27, STOP_REPLICA 22 0",
}
# Requests by ids, channels, and how many were refused, or are not answered.
BY_ID = {
    "0.11.0.3-zk-stock": (1372, 26, 34, 0),
    "1.0.2-zk-stock": (1247, 24, 10, 1),
    "2.2.2-zk-stock": (685, 30, 0, 0),
    "2.5.1-zk-stock": (567, 29, 0, 1),
    "2.5.1-zk-clocks": (504, 20, 0, 2),
}


def quick_and_soak(*names: str) -> list[Any]:
    return [names[0], *(pytest.param(name, marks=pytest.mark.soak) for name in names[1:])]


@cache
def requests(shared: Path, name: str) -> pl.DataFrame:
    folder = folder_of(shared, name)
    if not folder.is_dir():
        pytest.skip(f"no run {name}")
    found: pl.DataFrame = built(records(folder, LOGS), "request_trace")["request_trace"]
    return found


def outcome_in_targets(outcome: str) -> str:
    if outcome.startswith("lost"):
        return "lost"
    return "unseen (0 partitions)" if outcome == "unseen" else "received"


@pytest.mark.parametrize("name", quick_and_soak(*BY_ORDER))
def test_every_request_is_what_a_naive_reading_gives(shared: Path, name: str) -> None:
    rows = csv.DictReader((shared / TARGETS).read_text().splitlines(), delimiter="\t")
    wanted = Counter(
        (
            row["broker"],
            row["request"],
            row["partitions"],
            row["sent_at"],
            row["correlation_id"],
            row["outcome"],
        )
        for row in rows
        if row["cluster"] == name
    )
    found = Counter(
        (
            str(row["broker_id"]),
            row["request"],
            str(row["partition_count"]),
            row["sent_at"].isoformat(timespec="milliseconds")[:23],
            str(row["correlation_id"]) if row["received_at"] else "",
            outcome_in_targets(row["outcome"]),
        )
        for row in requests(shared, name).to_dicts()
    )
    assert found == wanted


@pytest.mark.parametrize("name", quick_and_soak(*ARRIVED))
def test_what_arrived_by_kind(shared: Path, name: str) -> None:
    """Lost: 92 of 93 to brokers that were gone within 7 s; not seen of a broker that stayed: none."""
    rows = requests(shared, name)
    kinds = ("LEADER_AND_ISR", "UPDATE_METADATA", "STOP_REPLICA")
    found = Counter(
        rows.select("request", col("outcome").map_elements(outcome_in_targets, pl.String)).iter_rows()
    )
    told = [f"{kind} {found[kind, 'received']} {found[kind, 'lost']}" for kind in kinds]
    told.insert(2, f"silent {found['UPDATE_METADATA', 'unseen (0 partitions)']}")
    assert ", ".join(told) == ARRIVED[name]


@pytest.mark.parametrize("name", quick_and_soak(*BY_ORDER))
def test_what_is_lost_had_its_broker_or_controller_gone(shared: Path, name: str) -> None:
    found = requests(shared, name).filter(col("outcome").str.contains("lost|undetermined"))
    assert set(found["outcome"]) <= {"lost_broker_gone", "lost_controller_gone"}


@pytest.mark.soak
@pytest.mark.parametrize("name", BY_ID)
def test_requests_by_id_are_all_there(shared: Path, name: str) -> None:
    rows = requests(shared, name)
    channels = rows.select("term_id", "broker_id", "channel_seq").n_unique()
    refused = rows.filter(col("outcome") == "refused_stale_controller").height
    assert (rows.height, channels, refused, rows["answered_at"].null_count()) == BY_ID[name]


START = elected() + opened(0.1)
SENT = tells(1, 0) + sends(2, 3) + tells(3, 4) + sends(4, 5)
GONE = controller_says(10, SHUT) + controller_says(30, BACK) + opened(30.1)
NEXT = tells(31, 0) + sends(32, 7)
GOT = handles(2.1, 1, 3) + learns(3.1, 2, 4)
STORIES = {
    "all": story(controller=START, moves=SENT, broker=GOT + handles(4.1, 3, 5)),
    # The broker's clock is an hour behind; ids tell all the same.
    "other clock": story(
        controller=START,
        moves=SENT,
        broker=(GOT + handles(4.1, 3, 5)).replace("2026-11-21 10", "2026-11-21 09"),
    ),
    "lost": story(controller=START + GONE, moves=SENT + NEXT, broker=GOT + handles(32.1, 1, 7)),
    # Nothing of the broker is there behind what it got.
    "log ends": story(controller=START + GONE, moves=SENT, broker=GOT),
    "no log": story(controller=START + GONE, moves=SENT + NEXT),
    # A line between two others of the channel is missing.
    "hole": story(controller=START, moves=SENT, broker=handles(2.1, 1, 3) + handles(4.1, 3, 5)),
    # The channel never was connected: the controller alone tells.
    "unreached": story(controller=elected() + opened(0.1, is_connected=False) + GONE, moves=SENT + NEXT),
    # Another count than was sent: these are not the same channel.
    "other": story(controller=START, moves=SENT, broker=handles(2.1, 1, 9)),
    "receiver only": story(broker=GOT),
}
WANTED = {
    "all": ["unseen", "received", "applied", "received"],
    "other clock": ["unseen", "received", "applied", "received"],
    "lost": ["unseen", "received", "applied", "lost_broker_gone", "unseen", "received"],
    "log ends": ["unseen", "received", "applied", "undetermined"],
    "no log": ["unseen", *["undetermined"] * 3, "unseen", "undetermined"],
    "hole": ["unseen", "received", "undetermined", "received"],
    "unreached": ["unseen", *["lost_broker_gone"] * 3, "unseen", "undetermined"],
    "other": ["unseen", "undetermined", "received", "undetermined", "undetermined"],
    "receiver only": ["received", "applied"],
}


@pytest.mark.soak
@pytest.mark.parametrize("name", ["3.9.1-zk-stock", "2.6.3-zk-trace", "2.5.1-zk-stock"])
@pytest.mark.parametrize(("part", "least"), [(0.2, 0.98), (0.4, 0.92), (0.6, 0.92), (0.8, 0.98)])
def test_of_logs_that_begin_in_the_middle_most_is_joined_as_in_all(
    shared: Path, name: str, part: float, least: float
) -> None:
    every = requests(shared, name)
    rows = frame_of(records(folder_of(shared, name), LOGS))
    first, last = rows["logged_at"].min(), rows["logged_at"].max()
    assert isinstance(first, datetime) and isinstance(last, datetime)
    begin = first + (last - first) * part
    late = built(rows.filter(col("logged_at") >= begin), "request_trace")["request_trace"]
    line = ["broker_id", "file_id", "byte_offset"]
    both = every.filter(pl.coalesce("sent_at", "answered_at") >= begin).join(
        late, on=line, how="left", suffix="_late"
    )
    assert both["outcome_late"].null_count() == 0
    known = both.filter(col("outcome_late") != "undetermined")
    alike = [
        col(name).eq_missing(col(f"{name}_late")) for name in ("outcome", "correlation_id", "received_at")
    ]
    assert known.filter(~pl.all_horizontal(alike)).height == 0
    assert known.height >= least * both.height


def test_less_evidence_says_less() -> None:
    rows = built_of_many(STORIES, "request_trace")["request_trace"].sort("told_at", "request_seq")
    found = {name: rows.filter(col("cluster_id") == name)["outcome"].to_list() for name in STORIES}
    assert found == WANTED


def test_sides_are_joined_by_place_in_the_channel_and_not_by_time() -> None:
    rows = built_of_many({"a": STORIES["other clock"]}, "request_trace")["request_trace"].sort("sent_at")
    hour = timedelta(hours=1) - timedelta(milliseconds=100)
    assert rows["queue_ms"].to_list() == [None, *[-int(hour.total_seconds() * 1000)] * 3]
    assert rows["correlation_id"].to_list() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("choices", "pairs"),
    [
        ({0: [0], 1: [1]}, [(0, 0), (1, 1)]),
        ({0: [0, 1], 1: [1]}, [(0, 0), (1, 1)]),
        ({0: [0, 1]}, []),
        ({0: [0, 1], 1: [0, 1]}, [(0, 0), (1, 1)]),
        ({0: [0, 1], 1: [1, 2]}, []),
        ({0: [0, 1], 1: [1, 2], 2: [2]}, [(0, 0), (1, 1), (2, 2)]),
        ({}, []),
    ],
)
def test_channels_are_pairs_only_where_their_order_leaves_one_way(
    choices: dict[int, list[int]], pairs: list[tuple[int, int]]
) -> None:
    assert certain_pairs(choices) == pairs
