"""The event at the root of outages, in words."""

from datetime import datetime

from jobs.layout import wrap_text
from jobs.text import clock_by, format_count, length_text
from pipeline.views.reading.rows import Row

LOST_DIR = "log-dir failure"  # its broker lives
FAILED, ASKED = "broker failure", "controlled"
HANG = 7


def event_of(row: Row) -> str:
    """What was at the root: who had asked to be shut down did not fail."""
    is_asked = row["root_event"] == FAILED and row["root_left_how"] == ASKED
    return "controlled shutdown" if is_asked else str(row["root_event"])


def event_lines(event: Row, last: datetime) -> list[str]:
    at = clock_by(event["noticed_at"], last)
    return wrap_text(
        f"{HANG * ' '}{at} {event_of(event)}{gone_brokers_text(event)}"
        f"  {format_count(event['partitions'], 'partition')}  {length_text(event['noticed_ms'])} in total"
        f"  longest {length_text(event['longest_ms'])}{'  [undetermined]' if event['is_unsure'] else ''}",
        HANG + len(at) + 1,
    )


def broker_ids(outage: Row) -> list[int]:
    return [] if outage["root_broker_id"] is None else [outage["root_broker_id"]]


def gone_brokers_text(event: Row) -> str:
    brokers = ",".join(str(one) for one in event["brokers"])
    is_there = event["root_event"] == LOST_DIR
    noun = "brokers" if len(event["brokers"]) > 1 else "broker"
    return f": {noun} {brokers}{'' if is_there else ' gone'}" if brokers else ""
