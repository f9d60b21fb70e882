"""gold.client_impact of small frames: a broker that was killed, and what it led and followed."""

from typing import Any

import polars as pl

from pipeline.core.frames import empty_frame
from pipeline.core.span import ALL_TIME
from pipeline.gold.client_impact import build
from schemas.gold import (
    broker_session,
    client_impact,
    leader_election,
    partition_outage,
    partition_timeline,
    topic_lifecycle,
)
from schemas.silver import (
    broker_setting,
    client_event,
    config_event,
    process_run,
    replica_offset,
    topic_event,
)
from schemas.spec import TableSpec
from tests.frames import frame

SPECS: dict[str, TableSpec] = {
    "partition_timeline": partition_timeline.SPEC,
    "partition_outage": partition_outage.SPEC,
    "broker_session": broker_session.SPEC,
    "process_run": process_run.SPEC,
    "replica_offset": replica_offset.SPEC,
    "leader_election": leader_election.SPEC,
    "topic_lifecycle": topic_lifecycle.SPEC,
    "topic_event": topic_event.SPEC,
    "client_event": client_event.SPEC,
    "config_event": config_event.SPEC,
    "broker_setting": broker_setting.SPEC,
}
# Broker 2 leads orders-0 and is killed at 101; broker 1 leads from 110 on, and says so at 110.3.
STATES = """
    cluster_id | topic | topic_life | partition | interval_seq | part_seq | valid_from_at | valid_until_at | stated_from_at | leader | isr   | leader_epoch | is_isr_stale | is_deleting | certainty
    c          | orders | 1         | 0         | 1            | 1        | 0             | 110            | 0              | 2      | [2 1] | 0            | false        | false       | proved
    c          | orders | 1         | 0         | 2            | 1        | 110           | 140            | 110            | 1      | [1]   | 1            | false        | false       | proved
    c          | orders | 1         | 0         | 3            | 1        | 140           |                | 140            | 1      | [1 2] | 1            | false        | false       | proved
    c          | clicks | 1         | 0         | 1            | 1        | 0             | 112            | 0              | 1      | [1 2] | 0            | false        | false       | proved
    c          | clicks | 1         | 0         | 2            | 1        | 112           |                | 112            | 1      | [1]   | 0            | false        | false       | proved
"""
KILLED = """
    cluster_id | broker_id | mode      | joined_at | left_at | left_how     | silent_from_at | first_sign_at | end_reason | certainty
    c          | 2         | zookeeper | 0         | 109     | uncontrolled | 100            | 101.2         | killed     | proved
    c          | 2         | zookeeper | 130       |         |              |                |               |            | proved
"""
RUNS = """
    cluster_id | node_id | last_line_at | next_started_at
    c          | 2       | 100.5        | 129
"""
LEADS = """
    cluster_id | topic  | partition | broker_id | step  | leader_epoch | logged_at | file_id | byte_offset
    c          | orders | 0         | 1         | leads | 1            | 110.3     | f1      | 77
"""


def impact_of(**tables: str) -> pl.DataFrame:
    """Rows of the table, of tables as text; the others are empty."""
    given: dict[str, Any] = {
        name: frame(spec, tables.get(name, "cluster_id")) for name, spec in SPECS.items()
    }
    line = pl.concat_list(pl.struct(file_id=pl.lit("f"), byte_offset=pl.lit(0, pl.Int64)))
    for name in ("partition_timeline", "broker_session"):
        given[name] = given[name].with_columns(evidence=line)
    return build(**given, impact_before=empty_frame(client_impact.SPEC), span=ALL_TIME).sort(
        "topic", "audience"
    )


def dead_leader_impact() -> tuple[pl.DataFrame, str]:
    """What a broker that is killed at 101 s gives, and the timeline as text."""
    tables = {"broker_session": KILLED, "process_run": RUNS, "replica_offset": LEADS}
    return impact_of(partition_timeline=STATES, **tables), STATES
