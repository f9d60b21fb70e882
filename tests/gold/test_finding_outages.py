"""Outages as findings: one per event, of what lasted as long as conf says, as severe as it is."""

import polars as pl
from polars import col, lit

from pipeline.gold.finding.outages import outage
from pipeline.model.settings import AuditLimit
from schemas.gold import controller_term, partition_outage
from tests.frames import at, frame

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
    c          | a     | 1          | 0         | 29.1       | 30.2     | unknown             | 5              |               | 1-2     | inferred
    c          | a     | 1          | 0         | 29.5       | 30.5     | broker failure      | 5              | uncontrolled  | 1-3     | proved
"""
# Controller 5 was shut down, came back and died in the next term; controller 6 crashed.
TERMS = """
    cluster_id | term_id | life | controller_epoch | controller_id | ended_how
    c          | 1-2     | 1    | 2                | 5             | shutdown
    c          | 1-3     | 1    | 3                | 6             | crashed
    c          | 1-4     | 1    | 4                | 5             | open
"""


DATA_END = pl.DataFrame({"cluster_id": ["c"], "until_at": [at(31.001)]})


def test_an_event_that_left_partitions_without_a_leader() -> None:
    """One finding per event, of what lasted at least as long as conf says."""
    line = pl.struct(file_id=lit("f"), byte_offset=lit(1, pl.Int64))
    rows = frame(partition_outage.SPEC, OUTAGES).with_columns(evidence=pl.concat_list(line))
    terms = frame(controller_term.SPEC, TERMS)
    found = outage(rows, terms, AuditLimit(outage_ms=1000), DATA_END)
    said = sorted(found.select("severity", "entity", "certainty", "sentence").rows())
    assert said == [
        ("critical", "a-0", "proved", "topic creation left 1 partition(s) without a leader, 18.0 partition-seconds, longest 18.0 s (a-0); 1 still without"),
        ("info", "broker 2", "proved", "broker failure: broker 2 gone left 1 partition(s) without a leader, 8.0 partition-seconds, longest 8.0 s (b-1)"),
        ("info", "broker 5", "inferred", "controller start-up: broker 5 gone left 1 partition(s) without a leader, 2.0 partition-seconds, longest 2.0 s (a-0)"),
        ("info", "broker 5", "inferred", "unknown: broker 5 gone left 1 partition(s) without a leader, 1.1 partition-seconds, longest 1.1 s (a-0)"),
        ("warning", "broker 2", "inferred", "broker failure: broker 2 gone left 2 partition(s) without a leader, 5.0 partition-seconds, longest 4.0 s (b-0)"),
        ("warning", "broker 5", "proved", "broker failure: broker 5 gone left 1 partition(s) without a leader, 1.0 partition-seconds, longest 1.0 s (a-0)"),
        ("warning", "broker 6", "inferred", "controller start-up: broker 6 gone left 1 partition(s) without a leader, 3.0 partition-seconds, longest 3.0 s (a-0)"),
    ]  # fmt: skip
    critical = found.filter(col("severity") == "critical")
    assert critical.select("valid_from_at", "valid_until_at").rows() == [(at(13), None)]
    assert critical["facts"].to_list() == [
        {
            "cause": "topic creation", "partitions_count": "1", "total_ms": "18001", "longest_ms": "18001",
            "topic": "a", "partition": "0", "open_count": "1",
        }
    ]  # fmt: skip
    (two,) = found.filter(col("sentence").str.contains("2 partition")).to_dicts()
    assert two["facts"] == {
        "cause": "broker failure", "broker_ids": "2", "partitions_count": "2", "total_ms": "5000",
        "longest_ms": "4000", "topic": "b", "partition": "0",
    }  # fmt: skip
    patient = outage(rows, terms, AuditLimit(outage_ms=8001), DATA_END)
    assert patient["severity"].to_list() == ["critical"]
