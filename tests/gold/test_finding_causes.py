"""Findings say why a broker was gone, where server.log tells it; a stop that somebody asked for is no flapping."""

import polars as pl
import pytest
from polars import col, lit

from pipeline.core.frames import empty_frame
from pipeline.model.brokers.failed_log_dirs import failed_log_dirs
from pipeline.model.brokers.marked_log_dirs import log_dir_failures_with_marks
from pipeline.model.lines.evidence import LINES_TYPE
from pipeline.rules.broker_flapping.rule import find as broker_flapping
from pipeline.rules.outage.events import with_departure
from pipeline.rules.outage.rule import find as outage
from pipeline.rules.shared.causes import because_clause
from pipeline.rules.unclean_election.rule import find as unclean_election
from schemas.gold import broker_session, client_impact, controller_term, leader_election, partition_outage
from schemas.silver import broker_event, controller_step, election_event, node_event
from tests.frames import at, frame
from tests.rules.rows import fact_texts

# Broker 1 left four times; of the last one nothing tells why. 2 and 3 left at once.
STAYS = """
    cluster_id | broker_id | mode      | joined_at | left_at | left_how     | end_reason   | end_reason_at | first_sign_at | end_detail
    c          | 1         | zookeeper | 0         | 100     | uncontrolled | killed       | 110           | 81.5          |
    c          | 1         | zookeeper | 120       | 200     | uncontrolled | session_lost | 205           |               |
    c          | 1         | zookeeper | 210       | 300     | uncontrolled | sigterm      | 290           | 290           | SIGTERM
    c          | 1         | zookeeper | 310       | 400     | uncontrolled | unknown      |               |               |
    c          | 2         | zookeeper | 0         | 500     | uncontrolled | killed       | 510           | 490           |
    c          | 3         | zookeeper | 0         | 500     | uncontrolled | killed       | 511           | 490           |
    c          | 4         | zookeeper | 0         | 500     | uncontrolled | fatal_start  | 495           | 495           | Address in use
"""
OUTAGES = """
    cluster_id | topic | topic_life | partition | noticed_at | ended_at | root_event     | root_broker_id | root_left_how | term_id | certainty
    c          | a     | 1          | 0         | 100.001    | 104      | broker failure | 1              | uncontrolled  | 1-1     | proved
    c          | a     | 1          | 0         | 300.001    | 304      | broker failure | 1              | uncontrolled  | 1-1     | proved
    c          | a     | 1          | 0         | 400.001    | 404      | broker failure | 1              | uncontrolled  | 1-1     | proved
    c          | a     | 1          | 0         | 500.001    | 504      | broker failure | 2              | uncontrolled  | 1-1     | proved
    c          | a     | 1          | 1         | 500.001    | 504      | broker failure | 3              | uncontrolled  | 1-1     | proved
    c          | a     | 1          | 2         | 500.001    | 504      | broker failure | 4              | uncontrolled  | 1-1     | proved
"""
DATA_END = pl.DataFrame({"cluster_id": ["c"], "until_at": [at(1000)]})
NO_IMPACT = empty_frame(client_impact.SPEC)


def line(name: str, of: str) -> pl.Expr:
    """A line named after the time of a column; none where there is none."""
    place = pl.concat_list(pl.struct(file_id=lit(name), byte_offset=col(of).dt.epoch("s")))
    return pl.when(col(of).is_not_null()).then(place).otherwise(lit([], LINES_TYPE)).cast(LINES_TYPE)


def stays() -> pl.DataFrame:
    return frame(broker_session.SPEC, STAYS).with_columns(
        shutdown_requested_at=lit([], pl.List(pl.Datetime("us", "UTC"))),
        term_id=lit("1-1"),
        left_term_id=lit("1-1"),
        evidence=line("left", "left_at"),
        end_lines=line("why", "end_reason_at"),
        first_sign_lines=line("sign", "first_sign_at"),
    )


def test_an_outage_says_why_its_brokers_were_gone() -> None:
    """With the first sign and the line that says so behind its evidence; what is not known is not said."""
    outages = frame(partition_outage.SPEC, OUTAGES).with_columns(evidence=line("out", "noticed_at"))
    lost_dirs = log_dir_failures_with_marks(
        failed_log_dirs(empty_frame(node_event.SPEC)), empty_frame(broker_event.SPEC)
    )
    tables = (outages, empty_frame(controller_term.SPEC), stays(), lost_dirs)
    found = outage(*tables, 1000, DATA_END, NO_IMPACT).sort("valid_from_at")
    assert found.select("severity", "sentence").rows() == [
        ("warning", "broker 1 died or hung: 1 partition without a leader for 4.0 s (a-0), because it was killed or crashed (first sign at 00:01:21, started again at 00:01:50, no shutdown between)"),
        ("info", "broker 1 was shut down: 1 partition without a leader for 4.0 s (a-0), because it got SIGTERM at 00:04:50"),
        ("warning", "broker 1 died or hung: 1 partition without a leader for 4.0 s (a-0)"),
        ("warning", "brokers 2, 3 and 4 died or hung: 3 partitions without a leader for up to 4.0 s (worst a-0), because brokers 2 and 3 were killed or crashed, broker 4 was stopped by its failed start"),
    ]  # fmt: skip
    files = [[one["file_id"] for one in row] for row in found["evidence"].to_list()]
    assert [row[-2:] for row in files] == [["sign", "why"], ["out", "why"], ["out"], ["why", "why"]]
    facts = [(one.get("end_reasons"), one.get("first_sign_ms")) for one in map(fact_texts, found["facts"])]
    assert facts[1:] == [("sigterm", None), (None, None), ("killed,killed,fatal_start", None)]


# Killed, back after 5 s, and told to stop: in KRaft it hands over what it leads before it leaves.
STAYS_OF_ONE = """
    cluster_id | broker_id | mode  | joined_at | left_at | left_how     | end_reason | end_reason_at | end_detail
    c          | 1         | kraft | 0         | 100     | uncontrolled | killed     | 104           |
    c          | 1         | kraft | 105       | 112     | controlled   | sigterm    | 108           | SIGTERM
"""
OF_RETURNED = """
    cluster_id | topic | topic_life | partition | noticed_at | ended_at | root_event     | root_broker_id | root_left_how | certainty
    c          | a     | 1          | 0         | {}         | 120      | broker failure | 1              | {}            | proved
"""


@pytest.mark.parametrize(
    ("noticed_at", "how", "reasons"),
    [
        (104, "uncontrolled", ["killed"]),
        (105, "uncontrolled", ["killed"]),
        (109, "controlled", ["sigterm"]),
        (109, "uncontrolled", ["sigterm"]),
        (112, "controlled", ["sigterm"]),
    ],
)
def test_a_broker_that_joined_again_left_anew(noticed_at: int, how: str, reasons: list[str]) -> None:
    """A departure before its return is not the one that was noticed."""
    sessions = frame(broker_session.SPEC, STAYS_OF_ONE)
    outages = frame(partition_outage.SPEC, OF_RETURNED.format(noticed_at, how))
    assert with_departure(outages, sessions)["end_reason"].to_list() == reasons


def test_an_unclean_election_says_why_the_leader_before_was_gone() -> None:
    """Of the second broker 2 is back, or had never left; of the third no line tells who led."""
    elections = frame(leader_election.SPEC, """
        cluster_id | term_id | topic | partition | kind    | trigger      | elected_at | old_leader | isr_before | leader | isr | is_clean | is_unclean_said
        c          | 1-6     | a     | 0         | offline | broker start | 101        | -1         | [1]        | 2      | [2] | false    | true
        c          | 1-6     | a     | 1         | offline | broker start | 450        | 2          | [2]        | 3      | [3] | false    | true
        c          | 1-6     | a     | 2         | offline | broker start | 450        | -1         | [1 2]      | 3      | [3] | false    | true
    """).with_columns(evidence=line("elected", "elected_at"))  # fmt: skip
    said = unclean_election(
        elections, empty_frame(election_event.SPEC), stays(), empty_frame(controller_step.SPEC), NO_IMPACT
    ).sort("valid_from_at", "entity")
    assert said["sentence"][0] == (
        "unclean election: a-0 got leader 2 outside of its in-sync replicas (term 1-6: no leader, ISR [1] -> leader 2, "
        "ISR [2]); broker 1 was killed or crashed (first sign at 00:01:21, started again at 00:01:50, no shutdown between)"
        "; records that it had not copied are lost"
    )
    assert not said["sentence"][1:].str.contains("killed").any()
    assert [[one["file_id"] for one in row] for row in said["evidence"].to_list()] == [
        ["elected", "sign", "why"], ["elected"], ["elected"],
    ]  # fmt: skip


def test_a_broker_that_flaps_says_why_and_was_not_told_to_stop() -> None:
    no_signs = stays().clear().select("cluster_id", node_id="broker_id", up_at="joined_at")
    found = broker_flapping(stays(), 3, 60, DATA_END, no_signs).to_dicts()
    assert [row["sentence"] for row in found] == [
        "broker 1 left 3 times without having been shut down, the shortest stay was 80.0 s: "
        "killed or crashed 1 time, frozen or cut off 1 time"
    ]
    assert [one["file_id"] for one in found[0]["evidence"]] == ["left", "left", "left", "why", "why"]
    assert fact_texts(found[0]["facts"])["end_reasons"] == "killed,session_lost"


@pytest.mark.parametrize(
    ("reason", "detail", "said"),
    [
        ("sigterm", None, ", because it was shut down at 00:00:10"),
        ("sigterm", "SIGINT", ", because it got SIGINT at 00:00:10"),
        ("sigterm", "SIGINT; gave up its controlled shutdown", ", because it got SIGINT at 00:00:10 and gave up its controlled shutdown"),
        ("sigterm", "gave up its controlled shutdown", ", because it was shut down at 00:00:10 and gave up its controlled shutdown"),
        ("disk_failed", None, ", because it halted at 00:00:10, its log directories had failed"),
        ("fatal_fault", "x", ", because it met a fatal fault at 00:00:10: x"),
        ("majority_lost", None, ", because it was frozen or cut off (no majority of the quorum heard it, it says at 00:00:10)"),
        ("unknown", None, ""),
        (None, None, ""),
    ],
)  # fmt: skip
def test_what_is_said_of_each_reason(reason: str | None, detail: str | None, said: str) -> None:
    rows = pl.DataFrame(
        {
            "end_reason": [reason], "end_reason_at": [at(10)], "end_detail": [detail], "first_sign_at": [None],
            "end_lines": [[]], "first_sign_lines": [[]],
        },
        schema_overrides={
            "end_reason": pl.String, "end_detail": pl.String, "first_sign_at": pl.Datetime("us", "UTC"),
            "end_lines": LINES_TYPE, "first_sign_lines": LINES_TYPE,
        },
    )  # fmt: skip
    assert rows.select(said=because_clause(lit(at(0))))["said"].to_list() == [said]


def test_a_time_of_another_day_is_told_with_its_day() -> None:
    day = 24 * 3600
    rows = stays().filter(col("left_at") == at(100))
    said = [
        rows.select(said=because_clause(lit(told_at)))["said"].item()
        for told_at in (at(100), at(100 + 2 * day))
    ]
    assert said == [
        ", because it was killed or crashed (first sign at 00:01:21, started again at 00:01:50, no shutdown between)",
        ", because it was killed or crashed (first sign at 2026-11-21 00:01:21, started again at 2026-11-21 00:01:50, no "
        "shutdown between)",
    ]
