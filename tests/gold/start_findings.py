"""Findings about starts of controllers, and lines of starts that fail."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from pipeline.core.frames import frame_of
from pipeline.model.brokers.up_signs import startup_signs
from pipeline.model.lines.evidence import LINE
from pipeline.rules.failed_start.rule import find as failed_start
from pipeline.rules.proving.proof import CONFIRMED, Claim, Record
from pipeline.rules.verified import verify_claim
from tests.chain import built, records_of_many
from tests.gold.start_stories import (
    at,
)

Row = dict[str, Any]


TAKEN = ("node_event", "broker_event", "wording_seen", "controller_step", "data_end")


EXITING = "Exiting Kafka due to fatal exception"


def findings_of(lines: pl.DataFrame) -> list[Row]:
    """Each is proved by the bytes of the lines that it names."""
    tables = built(lines, *TAKEN)
    node_event, broker_event, wording_seen, controller_step, data_end = (tables[name] for name in TAKEN)
    signs = startup_signs(node_event, controller_step, broker_event, wording_seen)
    rows = (
        failed_start(node_event, broker_event, wording_seen, signs, data_end).sort("valid_from_at").to_dicts()
    )
    raw = {
        (file_id, place): one for file_id, place, *one in lines.select(*LINE, "node_id", "raw").iter_rows()
    }
    for row in rows:
        claim = Claim("failed_start", row["facts"], row["valid_from_at"], row["valid_until_at"])
        places = [(one["file_id"], one["byte_offset"]) for one in row["evidence"]]
        told = verify_claim(claim, [Record(*place, raw[place][0], "UTC", raw[place][1]) for place in places])
        assert told[0] == CONFIRMED, (told, row)
    return rows


def findings_in(logs: Sequence[str]) -> list[list[Row]]:
    """Of node 1 of so many clusters, each with a log of these, built at once."""
    stories = {f"{number}": {(1, "server"): log} for number, log in enumerate(logs)}
    rows = findings_of(frame_of(records_of_many(stories)))
    return [[row for row in rows if row["cluster_id"] == name] for name in stories]


def only(second: float, exception: str) -> str:
    return at(second, "ERROR", EXITING, "kafka.Kafka$") + f"{exception}\n\tat a.B.c(B.java:1)\n"
