"""Records of the sample, written in other layouts and read back."""

import re
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.kafka.writing import LINES, Record, written

SAMPLE = Path(__file__).parents[1] / "data" / "sample"


STOCK = re.compile(r"\[(.{23})\] ([A-Z]+) (.*) \(([\w.$-]+)\)")


NOON = datetime.fromisoformat("2024-03-01T12:00:00")


OWN = {"byte_offset", "byte_length", "line_count", "raw", "logged_local"}


SECONDS = {
    name for name in LINES if not re.search(r"\.\d{3}|,\d{3}", LINES[name](Record(NOON, "A", "a", "", "")))
}


def stock_records(text: str) -> list[Record]:
    """A plain reading of a stock log, line by line."""
    found: list[Record] = []
    for line in text.splitlines():
        head = STOCK.fullmatch(line)
        if head:
            time = datetime.fromisoformat(head[1].replace(",", "."))
            found.append(Record(time, head[2], head[4], head[3], "", "controller-event-thread"))
        elif found:
            found[-1].rest += ("\n" if found[-1].rest else "") + line
    return found


def some_records() -> list[Record]:
    """Of both logs every fortieth record, and the first ones with a stack trace."""
    folder = next(SAMPLE.glob("*/broker-2"))
    found: list[Record] = []
    for name in ("controller.log", "state-change.log"):
        records = stock_records((folder / name).read_text())
        found += records[::40] + [one for one in records if one.rest][:5]
    assert any(one.rest for one in found) and len(found) > 40
    return found


RECORDS = some_records()


BARE = written(RECORDS, "stock")


FEW = RECORDS[:2] + [one for one in RECORDS if one.rest][:1] + RECORDS[-1:]


def said(rows: list[dict[str, Any]], *, without_millis: bool = False) -> list[dict[str, Any]]:
    """What is the same in every envelope."""
    result = [{key: value for key, value in row.items() if key not in OWN} for row in rows]
    for row in result:
        row["logged_at"] = row["logged_at"].replace(microsecond=0) if without_millis else row["logged_at"]
    return result


LONG = Record(NOON, "INFO", "kafka.controller.KafkaController", "", "")
