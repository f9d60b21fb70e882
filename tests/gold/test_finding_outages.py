"""Outages as findings: one per event, of what lasted as long as conf says, as severe as it is."""

import polars as pl
import pytest
from polars import col, lit, when

from pipeline.core.frames import empty_frame
from pipeline.model.brokers.failed_log_dirs import failed_log_dirs
from pipeline.model.brokers.marked_log_dirs import log_dir_failures_with_marks
from pipeline.rules.outage.rule import find as outage
from schemas.gold import broker_session, client_impact, controller_term, partition_outage
from schemas.silver import broker_event, node_event
from tests.frames import at, frame
from tests.rules.rows import fact_texts

OUTAGES = """
    cluster_id | topic | topic_life | partition | noticed_at | ended_at | root_event          | root_broker_id | root_left_how | term_id | certainty
    c          | a     | 1          | 0         | 10.001     | 10.500   | broker failure      | 2              | uncontrolled  | 1-1     | proved
    c          | a     | 1          | 1         | 10.002     | 11.002   | broker failure      | 2              | uncontrolled  | 1-1     | inferred
    c          | b     | 1          | 0         | 10.900     | 14.900   | broker failure      | 2              | uncontrolled  | 1-1     | proved
    c          | b     | 1          | 1         | 12         | 20       | broker failure      | 2              | controlled    | 1-1     | proved
    c          | a     | 2          | 0         | 13         |          | topic creation      |                |               | 1-1     | proved
    c          | a     | 2          | 1         | 14         | 14.999   | topic creation      |                |               | 1-1     | proved
    c          | a     | 2          | 2         | 15         | 30       | unknown             | 2              |               | 1-1     | undetermined
    c          | a     | 1          | 0         | 22         | 24       | controller start-up | 5              | missing_at_startup | 1-3 | inferred
    c          | a     | 1          | 0         | 26         | 29       | controller start-up | 6              | missing_at_startup | 1-4 | inferred
    c          | g     | 1          | 0         | 27         | 28.5     | controller start-up | 5              | missing_at_startup | 1-4 | inferred
    c          | a     | 1          | 0         | 29.1       | 30.2     | unknown             | 5              |               | 1-2     | inferred
    c          | a     | 1          | 0         | 29.5       | 30.5     | broker failure      | 5              | uncontrolled  | 1-3     | proved
    c          | d     | 1          | 0         | 30.95      |          | broker failure      | 2              | uncontrolled  | 1-4     | proved
    c          | d     | 1          | 1         | 30.95      |          | broker failure      | 2              | uncontrolled  | 1-4     | proved
    c          | e     | 1          | 0         | 12         |          | controller start-up | 9              |               | 1-1     | inferred
    c          | f     | 1          | 0         | 23         | 25       | log-dir failure     | 2              |               | 1-1     | proved
    c          | e     | 1          | 1         | 40         | 50       | broker failure      | 2              | controlled    | 1-4     | proved
    c          | h     | 1          | 0         | 40.1       | 49       | broker failure      |                |               | 1-4     | proved
    c          | e     | 1          | 2         | 45         |          | controller start-up | 5              | missing_at_startup | 1-5 | inferred
    c          | e     | 1          | 3         | 48         |          | broker failure      | 6              | uncontrolled  | 1-5     | inferred
    c          | e     | 1          | 4         | 48         |          | broker failure      | 6              | uncontrolled  | 1-5     | inferred
    c          | e     | 1          | 5         | 49         | 51.5     | log-dir failure     | 6              |               | 1-5     | inferred
"""
# Controller 5 was shut down, came back and died in the next term, found itself missing when it was elected again; controller 6 crashed.
TERMS = """
    cluster_id | term_id | life | controller_epoch | controller_id | ended_how | ended_at | mode
    c          | 1-2     | 1    | 2                | 5             | shutdown  | 21.5     |
    c          | 1-3     | 1    | 3                | 6             | crashed   | 25       |
    c          | 1-4     | 1    | 4                | 5             | shutdown  | 44.5     | kraft
    c          | 1-5     | 1    | 5                | 6             | open      |          |
"""
# 6 had asked to be shut down when it left at 48; 9 was never there.
SESSIONS = """
    cluster_id | broker_id | joined_at | left_at
    c          | 2         | 1         | 40
    c          | 5         | 1         | 45
    c          | 6         | 30        | 48
"""


# The line of broker 6 that names its directory; broker 2 has no server.log.
NO_IMPACT = empty_frame(client_impact.SPEC)
LOST = log_dir_failures_with_marks(
    failed_log_dirs(
        frame(
            node_event.SPEC,
            """
            cluster_id | node_id | file_id | byte_offset | logged_at | event          | area | step   | log_dir
            c          | 6       | f       | 1           | 48.9      | log_dir_failed | disk | failed | /b
            """,
        )
    ),
    empty_frame(broker_event.SPEC),
)
DATA_END = pl.DataFrame({"cluster_id": ["c"], "until_at": [at(31.001)]})
WHOLE = " as the whole cluster was stopped"
STOPPED = pl.DataFrame({"cluster_id": ["c"], "until_at": [at(52)]})


def told(data_end: pl.DataFrame, outage_ms: int = 1000) -> pl.DataFrame:
    """Findings of the outages that a controller had noticed by then."""
    line = pl.struct(file_id=lit("f"), byte_offset=lit(1, pl.Int64))
    rows = frame(partition_outage.SPEC, OUTAGES).with_columns(evidence=pl.concat_list(line))
    noticed = rows.filter(col("noticed_at") <= data_end["until_at"].item())
    times = pl.Datetime("us", "UTC")
    asked_at = (
        when(col("broker_id") == 6).then(lit([at(47)], pl.List(times))).otherwise(lit([], pl.List(times)))
    )
    sessions = frame(broker_session.SPEC, SESSIONS).with_columns(shutdown_requested_at=asked_at)
    terms = frame(controller_term.SPEC, TERMS)
    return outage(noticed, terms, sessions, LOST, outage_ms, data_end, NO_IMPACT)


def test_an_event_that_left_partitions_without_a_leader() -> None:
    """One finding per event, of what lasted at least as long as conf says or goes on at the end of the data."""
    found = told(DATA_END)
    said = sorted(found.select("severity", "entity", "certainty", "sentence").rows())
    assert said == [
        ("critical", "a-0", "proved", "topic creation: 1 partition without a leader for 18.0 s (a-0), still without at the end of the data"),
        ("critical", "broker 9", "inferred", "broker 9 was never seen alive (was a broker's id changed?): 1 partition without a leader for 19.0 s (e-0), still without at the end of the data"),
        ("info", "broker 2", "proved", "broker 2 was shut down: 1 partition without a leader for 8.0 s (b-1)"),
        ("info", "broker 5", "inferred", "broker 5 was shut down: 1 partition without a leader for 1.1 s (a-0)"),
        ("info", "broker 5", "inferred", "broker 5 was shut down: 1 partition without a leader for 2.0 s (a-0), seen by the new controller 6"),
        ("warning", "broker 2", "inferred", "broker 2 died or hung: 2 partitions without a leader for up to 4.0 s (worst b-0)"),
        ("warning", "broker 2", "proved", "broker 2 died or hung: 2 partitions without a leader for up to 51 ms (worst d-0), all still without at the end of the data, seen by the new controller 5; since when no line tells"),
        ("warning", "broker 2", "proved", "broker 2 lost a log directory: 1 partition without a leader for 2.0 s (f-0)"),
        ("warning", "broker 5", "inferred", "broker 5 was gone: 1 partition without a leader for 1.5 s (g-0), seen by the new controller 5"),
        ("warning", "broker 5", "proved", "broker 5 died or hung: 1 partition without a leader for 1.0 s (a-0)"),
        ("warning", "broker 6", "inferred", "broker 6 was gone: 1 partition without a leader for 3.0 s (a-0), seen by the new controller 5"),
    ]  # fmt: skip
    (created,) = found.filter(entity="a-0").to_dicts()
    assert (created["valid_from_at"], created["valid_until_at"]) == (at(13), None)
    assert fact_texts(created["facts"]) == {
        "cause": "topic creation", "partitions_count": "1", "total_ms": "18001", "longest_ms": "18001",
        "topic": "a", "partition": "0", "open_count": "1",
    }  # fmt: skip
    (two,) = found.filter(col("sentence").str.contains("for up to 4.0 s")).to_dicts()
    assert fact_texts(two["facts"]) == {
        "cause": "broker failure", "broker_ids": "2", "partitions_count": "2", "total_ms": "5000",
        "longest_ms": "4000", "topic": "b", "partition": "0",
    }  # fmt: skip
    patient = told(DATA_END, outage_ms=19_002)
    assert patient["severity"].to_list() == ["warning"] * 3
    assert set(patient["valid_until_at"]) == {None}


def test_a_planned_stop_of_everything_is_one_finding_that_nobody_is_called_for() -> None:
    """Broker 2 was shut down (who led h-0 no line tells), controller 5 in office while that lasted, and 6 had asked for it, of whatever nobody is
    back."""
    (stop,) = told(STOPPED).filter(col("valid_from_at") == at(40)).to_dicts()
    assert stop["severity"] == "info"
    assert stop["sentence"] == (
        "brokers 2, 5 and 6 were shut down: 5 partitions without a leader for up to 10.0 s (worst e-1), "
        "3 still without at the end of the data"
    )
    assert (stop["entity"], stop["valid_until_at"]) == ("broker 2", None)
    assert stop["evidence"] == [{"file_id": "f", "byte_offset": 1}], (
        "a line that tells of several is there once"
    )


def test_a_lost_log_directory_is_no_stop() -> None:
    """Also of a broker that had been shut down before."""
    (lost,) = told(STOPPED).filter(col("valid_from_at") == at(49)).to_dicts()
    sentence = "broker 6 lost log directory /b: 1 partition without a leader for 2.5 s (e-5)"
    assert (lost["severity"], lost["sentence"]) == ("warning", sentence)
    assert fact_texts(lost["facts"])["log_dirs"] == "/b"


@pytest.mark.parametrize(
    ("noticed", "gap_kind", "left_how", "event", "severity"),
    [
        ("40", "sole_broker", "", "controller start-up", "info"),
        ("500", "sole_broker", "missing_at_startup", "controller start-up", "info"),
        ("40", "handover", "", "controller start-up", "warning"),
        ("40", "sole_broker", "uncontrolled", "broker failure", "warning"),
        ("520", "sole_broker", "", "controller start-up", "warning"),
    ],
    ids=[
        "amid the stop",
        "at the start after it",
        "others went on",
        "it was seen to die",
        "long after the start",
    ],
)
def test_how_a_broker_left_that_no_line_tells_is_as_the_cluster_was_stopped(
    noticed: str, gap_kind: str, left_how: str, event: str, severity: str
) -> None:
    """The last controller, alone by then, was shut down at 45 and elected anew at 499; the log of node 1 is not there."""
    outages = frame(
        partition_outage.SPEC,
        f"""
        cluster_id | topic | partition | noticed_at | ended_at | low_ms | root_event | root_broker_id | root_left_how | term_id | certainty
        c          | a     | 0         | {noticed}  | 900      | 10000  | {event}    | 1              | {left_how}    | 1-4     | inferred
        """,
    ).with_columns(evidence=pl.concat_list(pl.struct(file_id=lit("f"), byte_offset=lit(1, pl.Int64))))
    terms = frame(
        controller_term.SPEC,
        f"""
        cluster_id | term_id | life | controller_epoch | controller_id | mode      | ended_how | ended_at | superseded_at | gap_kind
        c          | 1-4     | 1    | 4                | 3             | zookeeper | shutdown  | 45       | 499           | {gap_kind}
        """,
    )
    data_end = pl.DataFrame({"cluster_id": ["c"], "until_at": [at(1000)]})
    found = outage(outages, terms, empty_frame(broker_session.SPEC), LOST, 1000, data_end, NO_IMPACT)
    assert found["severity"].to_list() == [severity]


@pytest.mark.parametrize(
    ("more", "mode", "expected"),
    [
        ("", "zookeeper", WHOLE),
        ("c | 4 | 1 | 30 ", "zookeeper", ""),
        ("c | 4 | 1 | 130 ", "zookeeper", ""),
        ("c | 4 | 1 | 5 ", "zookeeper", WHOLE),
        ("c | 2 | 110 | ", "zookeeper", ""),
        ("c | 2 | 500 | ", "zookeeper", WHOLE),
        ("", "kraft", ""),
    ],
    ids=[
        "all three",
        "one died before",
        "one was there",
        "one was long gone",
        "one is back",
        "next day",
        "kraft",
    ],
)
def test_a_stop_of_every_broker_that_was_there_is_told_as_that(more: str, mode: str, expected: str) -> None:
    """Brokers 1 and 2 had asked for it; 3, the controller, is gone with no list that says so."""
    outages = frame(
        partition_outage.SPEC,
        """
        cluster_id | topic | partition | noticed_at | root_event     | root_broker_id | root_left_how | term_id | certainty
        c          | a     | 0         | 90         | broker failure | 1              | controlled    | 1-4     | inferred
        """,
    ).with_columns(evidence=pl.concat_list(pl.struct(file_id=lit("f"), byte_offset=lit(1, pl.Int64))))
    terms = frame(
        controller_term.SPEC,
        f"""
        cluster_id | term_id | life | controller_epoch | controller_id | mode   | ended_how | ended_at
        c          | 1-4     | 1    | 4                | 3             | {mode} | shutdown  | 95
        """,
    )
    rows = f"""
        cluster_id | broker_id | joined_at | left_at
        c          | 1         | 1         | 90
        c          | 2         | 1         | 91
        c          | 3         | 1         |
        {more}
    """
    times = pl.List(pl.Datetime("us", "UTC"))
    has_asked = col("broker_id").is_in([1, 2]) & (col("joined_at") == at(1))
    asked_at = when(has_asked).then(lit([at(89)], times)).otherwise(lit([], times))
    sessions = frame(broker_session.SPEC, rows).with_columns(shutdown_requested_at=asked_at)
    data_end = pl.DataFrame({"cluster_id": ["c"], "until_at": [at(100)]})
    (found,) = outage(outages, terms, sessions, LOST, 1000, data_end, NO_IMPACT)["sentence"]
    assert found.startswith(f"broker 1 was shut down{expected}: ")
