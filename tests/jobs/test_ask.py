"""The follow-up commands: what they take, what they answer on the sample, and what they say when they cannot."""

import argparse
from datetime import UTC, datetime
from pathlib import Path

import pytest

from jobs import cli
from jobs.questions.ask import choose_finding
from jobs.questions.ask_text import evidence_lines, timeline_table
from jobs.questions.given_names import TopicPartition, node_id, topic_partition, unknown_partition
from jobs.questions.outages import outage_topic_lines
from jobs.questions.term_table import short_table
from jobs.questions.terms import after_lines, life_lines, term_step_lines
from jobs.text import command_to_see, printable_lines
from pipeline.core.errors import InputProblem
from tests.frames import at

CONTROLLER_LINE = "[2026-11-21 09:00:01,319] INFO [Controller id=1] 1 successfully elected as the controller"


@pytest.mark.parametrize(
    ("text", "topic", "partition"),
    [("orders-eu-12", "orders-eu", 12), ("a.b_c-3-4", "a.b_c-3", 4), ("x--1", "x-", 1)],
)
def test_a_partition_is_parted_at_the_last_dash(text: str, topic: str, partition: int) -> None:
    assert topic_partition(text) == TopicPartition(topic, partition)


@pytest.mark.parametrize("text", ["3", "broker-3", "broker 3", "my-cluster-kafka-3"])
def test_a_broker_is_named_as_people_name_it(text: str) -> None:
    assert node_id(text) == 3


@pytest.mark.parametrize("text", ["", "broker-", "-3", "3x", "broker3.example.com"])
def test_what_is_no_broker_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="expected the id of a broker"):
        node_id(text)


@pytest.mark.parametrize("text", ["orders", "orders-", "-1", "orders-x", "orders 1", "", "orders-²"])
def test_what_is_no_partition_is_said(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"expected TOPIC-N such as orders-0"):
        topic_partition(text)


def test_a_finding_is_known_by_number_and_by_id() -> None:
    findings = [{"finding_id": "aa11"}, {"finding_id": "bb22"}]
    assert [choose_finding(name, findings)[0] for name in ("F2", "f2", "2", "bb22")] == [2, 2, 2, 2]
    with pytest.raises(InputProblem, match=r"Expected a finding F3, found F1 to F2; take its number"):
        choose_finding("F3", findings)
    with pytest.raises(InputProblem, match="found no finding at all"):
        choose_finding("F1\x1b[31m", [])


def test_an_unknown_partition_names_what_is_near() -> None:
    counts = {"orders": 3, "payments": 1}
    assert "found orders with 3 partitions;" in str(unknown_partition(TopicPartition("order", 0), counts))
    assert "found orders with 3 partitions;" in str(unknown_partition(TopicPartition("orders", 9), counts))
    assert "found 2 topics, none" in str(unknown_partition(TopicPartition("zzz", 0), counts))


def test_nothing_in_a_log_acts_on_the_terminal() -> None:
    raw = b"[..] ERROR \x1b[2J\x07boom (x)\r\njava.lang.X: \xff\n\tat y\n"
    assert printable_lines(raw) == ["[..] ERROR ·[2J·boom (x)", "java.lang.X: \ufffd", "    at y"]
    assert printable_lines(b"a\nb\nc\n", most=2) == ["a", "b", "... 1 more lines"]
    place = {"file_id": "f", "byte_offset": 0}
    shown = evidence_lines(
        [place, {"file_id": "g", "byte_offset": 7}],
        {("f", 0): {"path": "/l/c\x1b.log", "near": "/l/c\x1b.log", "line": 3, "raw": raw}},
    )
    assert shown[0] == "  /l/c·.log:3" and not any("\x1b" in line or "$ " in line for line in shown)
    assert shown[-1] == "  file g, byte 7: its text is not kept"


def test_the_command_that_shows_a_line_works_for_every_codec() -> None:
    assert command_to_see("/l/c.log", 3, 2) == "sed -n '3,4p' /l/c.log"
    assert command_to_see("file:///l/c d.log.1.gz", 3, 1) == "zcat '/l/c d.log.1.gz' | sed -n '3,3p'"
    assert command_to_see("/l/c.zst", 1, 0) == "zstdcat /l/c.zst | sed -n '1,1p'"


def test_lives_of_a_topic_are_told_where_there_are_several() -> None:
    start = datetime(2026, 11, 21, 23, 59, tzinfo=UTC)
    row = {
        "topic_life": 1, "valid_from_at": start, "valid_until_at": datetime(2026, 11, 22, 0, 1, tzinfo=UTC),
        "state": None, "leader": -1, "isr": [], "replicas": None, "leader_epoch": 4, "ended_by": "x",
        "certainty": "proved", "is_isr_stale": False, "is_assignment_stale": None,
        "is_served": False, "unserved_why": "no_leader", "is_deleting": False,
    }  # fmt: skip
    assert timeline_table([row])[1].split() == [
        "2026-11-21", "23:59:00.000", "2026-11-22", "00:01:00.000", "?", "none", "NO:", "no", "leader", "[]", "?", "4", "x",
    ]  # fmt: skip
    again = row | {"topic_life": 2, "valid_until_at": None, "leader": None}
    assert timeline_table([row, again])[0].startswith("LIFE") and "(open)" in timeline_table([row, again])[2]
    doubtful = row | {"certainty": "undetermined", "replicas": [1, 2]}
    assert timeline_table([doubtful])[1].split()[5:11] == ["none?", "NO:", "no", "leader", "[]?", "[1,2]?"]
    stale = row | {"is_isr_stale": True, "is_assignment_stale": True, "replicas": [1, 2]}
    assert timeline_table([stale])[1].split()[8:11] == ["leader", "[]?", "[1,2]?"]
    dead = row | {"leader": 3, "unserved_why": "leader_gone"}
    assert timeline_table([dead])[1].split()[5:9] == ["3", "NO:", "leader", "gone"]
    served, unknown, deleting = (
        row | {"is_served": one, "is_deleting": is_deleting}
        for one, is_deleting in ((True, False), (None, False), (None, True))
    )
    cells = [timeline_table([one])[1].split()[6] for one in (served, unknown, deleting)]
    assert cells == ["yes", "?", "-"]


@pytest.mark.parametrize(
    "argv", [[], ["shwo"], ["show"], ["partition", "orders"], ["brokers", "--at", "noon"]]
)
def test_wrong_arguments_end_with_2(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(argv)
    assert ended.value.code == 2
    assert "kafka-controller-audit" in capsys.readouterr().err


def test_what_nothing_bounds_is_no_number() -> None:
    known = {"partitions": 1, "outages": 2, "noticed_ms": 60_000, "longest_ms": 1000, "open": 0}
    lines = outage_topic_lines(
        [{"topic": "a", **known, "most_ms": 90_000}, {"topic": "b", **known, "most_ms": None}]
    )
    assert [line.split()[4] for line in lines[2:]] == ["1.50", "?"]


@pytest.mark.usefixtures("sample_in_memory")
def test_outages_of_the_sample(capsys: pytest.CaptureFixture[str]) -> None:
    """By the event at their root, and by topic; as worked out by hand for the mock-up of the first screen."""
    assert cli.main(["outages"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith(
        "OUTAGE 38 of 1 s or more, 2 min 53 s in total over all partitions, from 15 events; open 0"
    )
    assert (
        "08:59:33.439 controller start-up: broker 3 gone  13 partitions  51.6 s in total  longest 4.1 s"
        in lines[2]
    )
    assert "08:59:14.438 controller start-up: brokers 1,2 gone  10 partitions" in lines[3]
    assert cli.main(["outages", "--topic", "search-index"]) == 0
    of_topic = capsys.readouterr().out.splitlines()
    assert of_topic[-1].split() == ["search-index", "1", "3", "0.29", "0.71", "8.6", "s"]
    assert cli.main(["outages", "--topic", "serch-index"]) == 4
    printed = capsys.readouterr()
    assert (
        "Expected a topic serch-index in the logs read, found search-index with 1 partitions" in printed.err
    )
    assert printed.out == ""
    assert cli.main(["outages", "--open"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[1:] == ["OPEN   no partition is without a leader at the end of the data"]


@pytest.mark.usefixtures("sample_in_memory")
def test_a_term_of_the_sample(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["term", "3"]) == 0
    said = capsys.readouterr().out
    lines = [line.split() for line in said.splitlines()]
    assert [
        "FENCED",
        "08:58:11.215",
        "to",
        "08:58:17.217:",
        "ZooKeeper",
        "refused",
        "its",
        "writes",
        "(5",
        "lines)",
    ] in lines
    assert ["READY", "08:57:59.702,", "91", "ms", "after,", "serving", "08:57:59.711"] in lines
    assert ["initializing", "context", "28", "ms"] in lines
    assert any(line[:1] == ["FINDING"] for line in lines)
    assert cli.main(["term", "1-7"]) == 0
    assert "two at once for 3.8 s" in capsys.readouterr().out
    assert cli.main(["term", "99"]) == 4
    assert capsys.readouterr().err.startswith("term: Expected a term 99, found the terms 1-1, 1-2, ")


def test_a_term_that_little_is_known_of() -> None:
    row = dict.fromkeys(("elected_at", "ready_at", "last_step", "ended_at", "ended_how", "epoch_zk_version",
                         "superseded_at", "gap_ms", "gap_kind", "resigned_at", "steps", "fenced_from_at", "overlap",
                         "acts_after_count", "writes_after_count"))  # fmt: skip
    row |= {"term_id": "1-7", "life": 1, "controller_id": 2, "controller_epoch": 7, "ready_ms": None,
            "refused_count": 0, "lines": {}}  # fmt: skip
    assert life_lines(row, None) == ["  ELECTED   no line of it was read", "  ENDED     not known how"]
    assert after_lines(row) == [] and term_step_lines(row) == []
    assert short_table([row], [{"term_id": "1-7"}])[1].split() == [
        "7",
        "2",
        "not",
        "seen",
        "-",
        "not",
        "known",
        "F1",
    ]
    assert short_table([row | {"resigned_at": at(5)}], [])[1].split()[-1] == "resigned"
    stopped = row | {"last_step": "initializing_context", "overlap": None, "acts_after_count": 2}
    assert "never; the last step begun was initializing context" in life_lines(stopped, None)[1]
    assert "whether it wrote is not known: what it came to is not known" in after_lines(stopped)[0]
    crashed = row | {"ended_how": "crashed", "gap_ms": 6563, "gap_kind": "session_timeout"}
    assert "none for <=6.6 s" in short_table([crashed], [])[1]


@pytest.mark.spark
def test_a_finding_is_shown_with_its_lines(sample_warehouse: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", "F16", "--warehouse", sample_warehouse]) == 0
    said = capsys.readouterr().out
    assert "3.8 s after the next controller was elected, by clocks at most 1 ms apart; no write seen" in said
    assert "broker-1/controller.log:1\n" in said and CONTROLLER_LINE in said
    assert cli.main(["show", "F99", "--warehouse", sample_warehouse]) == 4
    assert capsys.readouterr().err.startswith("show: Expected a finding F99, found F1 to F")


@pytest.mark.usefixtures("sample_in_memory")
def test_a_partition_is_told_interval_by_interval(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["partition", "audit_log-0"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("lab-2.2.2  audit_log-0\n") and "08:59:35.967" in said
    assert cli.main(["partition", "audit_lag-0"]) == 4
    assert "found audit_log with " in capsys.readouterr().err


@pytest.mark.usefixtures("sample_in_memory")
def test_brokers_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["brokers", "--at"]
    assert cli.main([*ask, "2026-11-21T09:00:13"]) == 0
    first_broker = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("1 "))
    assert first_broker.split() == ["1", "1", "1", "14", "13", "0.929", "0.100", "BREACH"]
    assert cli.main([*ask, "2020-01-01"]) == 4
    assert "found 2020-01-01 00:00:00.000 UTC" in capsys.readouterr().err


@pytest.mark.spark
def test_terms_of_the_only_cluster_and_of_none(
    sample_warehouse: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["terms", "--warehouse", sample_warehouse]) == 0
    assert "session expired  3.8 s BEFORE its end" in capsys.readouterr().out
    assert cli.main(["terms", "--warehouse", sample_warehouse, "--cluster", "prod"]) == 4
    assert "found clusters: lab-2.2.2;" in capsys.readouterr().err
    assert cli.main(["terms", "--warehouse", str(tmp_path / "none")]) == 4
    assert "found clusters: none;" in capsys.readouterr().err
