"""The timeline built from a day on, with what was known before."""

from datetime import datetime
from typing import Any

import polars as pl
from polars import col

from pipeline.core.frames import declared_table, frame_of
from pipeline.core.span import Span
from pipeline.gold import partition_timeline
from schemas.gold.partition_timeline import SPEC
from tests.carried import deletion_before, reaching, session_before, timeline_before
from tests.kernel_calls import rows_of

INPUTS = (
    *("leader_and_isr", "partition_transition", "assignment", "topic_event", "controller_line", "term"),
    *("state_dump", "broker_event"),
)


KRAFT_INPUTS = ("partition_state", "broker_absence", "wording_seen", "process_run")


def from_day(tables: dict[str, Any], day: datetime) -> pl.DataFrame:
    """The table as a run builds it from that day on. The segments that a run reads may begin with the day itself:
    nothing before it is there to look back at."""
    later = {
        "partition_state": tables["partition_state"].filter(col("logged_at") >= day),
        "controller_line": tables["controller_line"].filter(reaching("ordered_at", day)),
    }
    is_in_kraft = "kraft" in tables["term"]["mode"]
    in_zookeeper = [tables["leader_and_isr"], tables["partition_transition"], tables["state_dump"]]
    said = [later["partition_state"], *([] if is_in_kraft else in_zookeeper)]
    given = {name: tables[name] for name in (*INPUTS, *KRAFT_INPUTS)} | later
    rows = rows_of(
        partition_timeline,
        **given,
        deletion_before=deletion_before(tables["topic_event"], tables["controller_line"], day),
        timeline_before=timeline_before(tables["partition_timeline"], said, day),
        session_before=session_before(tables["broker_session"], day),
        span=Span(day),
    )
    return frame_of(declared_table(rows.filter(reaching("valid_until_at", day)), SPEC))
