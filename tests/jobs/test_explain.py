"""The command explain: real lines of many releases and modes, in files and pasted, and what cannot be explained."""

import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs import cli
from jobs.docs import EXAMPLE, explained_example
from pipeline.kafka.explaining import explained
from pipeline.kafka.legal_moves import move_law
from pipeline.kafka.pasted import pasted, rows_of
from pipeline.kafka.wording import matcher
from tests.conftest import REPOSITORY

SAMPLE = REPOSITORY / "tests" / "data" / "sample" / "lab-2.2.2" / "broker-2"
ROLLED = SAMPLE / "state-change.log.2026-11-21-08.gz"

# As written by Kafka: event, releases of the wording, one field, line.
REAL = [
    ("controller_failover_started", "0.8.0 to 0.11.0, ZooKeeper mode", ("controller_id", 0),
     "[2016-12-02 01:04:38,582] INFO [Controller 0]: Broker 0 starting become controller state transition (kafka.controller.KafkaController)"),
    ("partition_transition", "0.8.0 to 0.11.0, ZooKeeper mode", ("topic", "0-numbers-0"),
     "[2026-11-21 08:36:36,335] TRACE Controller 3 epoch 2 changed partition [0-numbers-0,2] from OnlinePartition to OnlinePartition with leader 1 (state.change.logger)"),
    ("selector_unclean_elected", "1.0, ZooKeeper mode", ("new_leader", 1),
     "[2026-11-21 08:35:20,454] WARN [OfflinePartitionLeaderSelector]: No broker in ISR is alive for orders-1. Elect leader 1 from live brokers 1. There's potential data loss. (kafka.controller.OfflinePartitionLeaderSelector)"),
    ("imbalance_ratio", "1.0 to 3.9, ZooKeeper mode", ("imbalance_ratio", 0.0),
     "[2026-11-21 08:08:47,971] TRACE [Controller id=1] Leader imbalance ratio for broker 1 is 0.0 (kafka.controller.KafkaController)"),
    ("replica_transition_failed", "1.1 to 3.9, ZooKeeper mode", ("replica_id", 2),
     "[2026-11-21 08:32:39,079] ERROR [Controller id=3 epoch=6] Controller 3 epoch 6 initiated state change of replica 2 for partition billing.v2-2 from OnlineReplica to NewReplica failed (state.change.logger)"),
    ("broker_recovering_cleared", "3.3 to 3.9, ZooKeeper mode; 3.3 and later, KRaft mode", ("partition", 0),
     "[2026-11-21 08:10:26,932] INFO [Broker id=3] The topic partition alerts-0 was marked as RECOVERING. Marking the topic partition as RECOVERED. (state.change.logger)"),
    ("broker_session_timeout", "2.8.0 to 3.4.1, KRaft mode", ("broker_id", 2),
     "[2026-11-21 08:30:46,110] INFO [Controller 1] Fencing broker 2 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)"),
    ("partition_diff_unclean", "3.5.0 and later, KRaft mode", ("topic", "rf1"),
     "[2026-11-21 08:05:55,313] INFO [QuorumController id=101] UNCLEAN partition change for rf1-0 with topic ID 9RKjcrYoTGisVPImvRI5Sg: isr: [] -> [1], leader: -1 -> 1, leaderRecoveryState: RECOVERED -> RECOVERING, leaderEpoch: 1 -> 2, lastKnownElr: [1] -> [], partitionEpoch: 2 -> 3 (org.apache.kafka.controller.ReplicationControlManager)"),
    ("follower_same_epoch_update", "4.2.0 and later, KRaft mode", ("replicas", [1, 3]),
     "[2026-11-21 08:05:55,740] INFO [Broker id=1] Skipped the become-follower state change for unclean-yes-1 with topic id Some(8c4GL_49T_inedUZ5Y2ruw), partition registration PartitionRegistration(replicas=[1, 3], directories=[j1iM45MYIuOCtr5wZZvfQQ, Gijnlv2hTVlaWOZmOlolwQ], isr=[1, 3], removingReplicas=[], addingReplicas=[], elr=[], lastKnownElr=[], leader=3, leaderRecoveryState=RECOVERED, leaderEpoch=1, partitionEpoch=2) and isNew=false since it is already a follower with leader epoch 1. (state.change.logger)"),
]  # fmt: skip
TIME = "[2026-11-21 09:00:21,682]"
READY = "[2026-11-21 09:00:21,682] INFO [Controller id=2] Ready to serve as the new controller with epoch 8 (kafka.controller.KafkaController)"
MESSAGE = READY[READY.index("[Controller") : READY.rindex(" (")]


def explain(*argv: str, out: pytest.CaptureFixture[str]) -> str:
    assert cli.main(["explain", *argv]) == 0
    return out.readouterr().out


def data_of(*argv: str, out: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = json.loads(explain(*argv, "--json", out=out))
    return said


@pytest.mark.parametrize(("event", "releases", "field", "line"), REAL, ids=[case[0] for case in REAL])
def test_real_lines_are_explained(
    event: str, releases: str, field: tuple[str, object], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = explain(line, out=capsys)
    assert text.splitlines()[0] == event and f"{releases}, at " in re.sub(r"\s+", " ", text)
    (data,) = data_of(line, out=capsys)
    said = {one["name"]: one for one in data["fields"]}
    assert (field[0], said[field[0]]["value"]) == field and said[field[0]]["meaning"]
    assert data["event"] == event and data["meaning"].endswith(".") and data["source"]


@pytest.mark.parametrize("line", [case[3] for case in REAL], ids=[case[0] for case in REAL])
def test_a_bare_message_says_the_same_without_its_time(line: str) -> None:
    whole = explained(pasted(line.encode()).records[0])
    with_level = line[line.index("] ") + 2 :]
    bare = with_level[with_level.index(" ") + 1 : with_level.rindex(" (")]
    for text in (with_level, bare, f"  {bare}\r\n"):
        told = explained(pasted(text.encode()).records[0])
        assert (told.event, told.fields, told.source) == (whole.event, whole.fields, whole.source)
        assert (told.logged_local, told.level) == (None, whole.level if text == with_level else None)


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        (READY, ""),
        (f"kafka-1  | {READY}", ""),
        (f"logs/controller.log:12:{READY}", "the beginning of the line, 'logs/controller.log:12:'"),
        (f"\x1b[32m{READY}\x1b[0m", "colour codes"),
        (f"some words before it {READY}\n\tand a line after it", "the beginning of the line, 'some words before it'"),
    ],
)  # fmt: skip
def test_what_stands_around_a_line_does_not_hide_it(text: str, left_out: str) -> None:
    found = pasted(text.encode())
    told = explained(found.records[0])
    assert (told.event, found.left_out) == ("controller_ready", left_out)
    assert told.logged_local is not None and told.logged_at is None


def test_several_lines_are_several_records_and_a_trace_belongs_to_its_line() -> None:
    trace = "java.io.IOException: Connection to 2 failed\n\tat a.B.c(B.scala:1)"
    text = f"{READY}\n{REAL[4][3]}\n{trace}\n{READY}\n"
    told = [explained(one) for one in pasted(text.encode()).records]
    assert [one.event for one in told] == [
        "controller_ready",
        "replica_transition_failed",
        "controller_ready",
    ]
    assert [one.exception for one in told] == [None, ("java.io.IOException", "Connection to 2 failed"), None]
    bare = [explained(one) for one in pasted(f"{MESSAGE}\n{trace}\n{MESSAGE}".encode()).records]
    assert [one.exception for one in bare] == [("java.io.IOException", "Connection to 2 failed"), None]


def test_a_wording_of_several_loggers_names_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    (data,) = data_of("[ReplicaStateMachine controllerId=1] Stopped replica state machine", out=capsys)
    assert data["logger"] is None
    assert [(one["logger"].rsplit(".", 1)[1], one["printed"][0]["until"]) for one in data["wordings"]] == [
        ("ReplicaStateMachine", "2.2"),
        ("ZkReplicaStateMachine", "3.9"),
    ]


def test_the_zone_gives_utc(capsys: pytest.CaptureFixture[str]) -> None:
    said = explain(READY, "--zone", "Asia/Kolkata", out=capsys)
    assert "2026-11-21 09:00:21.682 Asia/Kolkata = 2026-11-21 03:30:21.682 UTC" in said
    assert "(zone unknown: --zone)" in explain(READY, out=capsys)
    (data,) = data_of(READY, "--zone", "Asia/Kolkata", out=capsys)
    assert data["logged_at"] == "2026-11-21T03:30:21.682000+00:00"


def test_a_move_is_judged_by_the_releases_of_its_wording() -> None:
    def law(to_state: str, since: str, until: str) -> str:
        found = move_law("replica", "OfflineReplica", to_state, since, until)
        assert found is not None
        return found.sentence.removeprefix(f"OfflineReplica to {to_state}: ")

    assert law("ReplicaDeletionIneligible", "1.1", "3.9") == "legal from 2.3 on, refused up to 2.2"
    assert law("ReplicaDeletionIneligible", "0.8.1", "0.11.0") == "refused up to 2.2"
    assert law("OnlineReplica", "1.1", "3.9") == "legal in every release"
    assert law("NewReplica", "1.1", "3.9") == "refused in every release"
    assert move_law("partition", "NotExists", "New", "0.8.0", "0.8.0") is None
    known = move_law("replica", "OnlineReplica", "NewReplica", "1.1", "3.9")
    assert known is not None and [label for label, _ in known.notes] == ["item 21"]


@pytest.mark.parametrize(
    ("text", "reason", "nearest"),
    [
        (READY.replace("epoch", "epoc"), "no_template", "controller_ready"),
        (READY.replace("Ready", "Ready\udcff"), "bad_bytes", "controller_ready"),
        (READY[:100], "cut", "controller_ready"),
        (READY.replace("kafka.controller.KafkaController", "com.example.Main"), "other_logger", None),
        ("\tat kafka.controller.KafkaController.elect(KafkaController.scala:1)", "no_envelope", None),
        ("Leader imbalance ratio for broker 3 is 0.9", "no_envelope", "imbalance_ratio"),
        ("\x00\x01\udcfe", "no_envelope", None),
    ],
)
def test_what_is_not_understood_has_its_reason_and_what_is_near(
    text: str, reason: str, nearest: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    (data,) = data_of(text, out=capsys)
    assert (data["event"], data["reason"]) == (None, reason) and data["reason_meaning"].endswith(".")
    assert [one["event"] for one in data["nearest"]][:1] == ([nearest] if nearest else [])
    assert explain(text, out=capsys).startswith(f"NOT UNDERSTOOD ({reason})")


@settings(derandomize=True, deadline=None, max_examples=60)
@given(before=st.binary(max_size=40), after=st.binary(max_size=40), cut=st.integers(0, len(READY)))
def test_nothing_pasted_acts_on_the_terminal(before: bytes, after: bytes, cut: int) -> None:
    from jobs.explain_text import as_lines  # noqa: PLC0415

    data = before + READY.encode()[:cut] + b"\x1b[2J\x9b31m\x00\x07" + after + READY.encode()[cut:]
    for record in pasted(data).records:
        lines = as_lines(explained(record), None, 80)
        assert all(line.isprintable() for line in lines), lines


def test_nothing_in_fields_and_exceptions_acts_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b[2J\x9b31m\x07\u202e"
    line = f"{TIME} INFO [Controller id=1] Current list of topics in the cluster: Set(a{hostile}b) (kafka.controller.KafkaController)"
    said = explain(f"{line}\njava.io.IOException: no {hostile} disk\n\tat x.y(z:1)", out=capsys)
    assert "Set(a·[2J" in said and "IOException: no ·[2J" in said
    assert all(one.isprintable() for one in said.split("\n"))
    as_json = explain(line, "--json", out=capsys)
    assert as_json.isascii() and all(one.isprintable() for one in as_json.split("\n"))


def test_lines_stay_within_the_width(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    longest = [max(len(one) for one in explain(case[3], out=capsys).splitlines()) for case in REAL]
    assert max(longest) <= 80


def test_a_huge_message_is_answered() -> None:
    dump = f"[2026-11-21 09:00:21,682] INFO [Controller id=2] {'x' * (20 << 20)} (kafka.controller.KafkaController)"
    assert explained(pasted(dump.encode()).records[0]).reason == "too_long"
    assert explained(pasted(b"a" * (20 << 20)).records[0]).reason == "no_envelope"


def offsets_of(data: bytes) -> list[tuple[int, int, str]]:
    """Offset, length and event of every record; read in one go."""
    rows, _ = rows_of(data)
    return [(row["byte_offset"], row["byte_length"], row["event"]) for row in rows]


def test_a_record_in_a_file_is_found_by_any_byte_of_it(tmp_path: Path) -> None:
    from jobs.record_in_file import offset_of_line, record_at  # noqa: PLC0415

    content = gzip.decompress(ROLLED.read_bytes())
    (tmp_path / "state-change.log").write_bytes(content)
    (tmp_path / "s.log.zst").write_bytes(pa.compress(content, codec="zstd", asbytes=True))
    records = offsets_of(content)
    for offset, length, event in [records[0], records[1], *records[1000:3000:400], records[-1]]:
        for path in (ROLLED, tmp_path / "state-change.log", tmp_path / "s.log.zst"):
            for at in (offset, offset + length - 1):
                (row,) = record_at(str(path), at).records[0]
                assert (row["byte_offset"], row["event"]) == (offset, event)
            assert offset_of_line(str(path), content[:offset].count(b"\n") + 1) == offset


def test_a_record_far_from_its_beginning_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = "\n".join(f"\tat kafka.controller.X.y(X.scala:{n})" for n in range(5000))
    (tmp_path / "controller.log").write_text(f"{READY}\njava.io.IOException: no\n{trace}\n{READY}\n")
    said = explain("--file", str(tmp_path / "controller.log"), "--line", "4800", out=capsys)
    assert said.startswith(READY) and "... 4990 more lines" in said and "java.io.IOException: no" in said


def test_a_line_of_a_file_is_shown_with_its_explanation(capsys: pytest.CaptureFixture[str]) -> None:
    said = explain("--file", str(ROLLED), "--line", "4090", out=capsys)
    assert said.splitlines()[0].endswith(
        "from OnlineReplica to ReplicaDeletionIneligible failed (state.change.logger)"
    )
    assert "item 22: Deletion of a topic" in said
    readme = explain("--file", str(REPOSITORY / "LICENSE"), "--line", "3", out=capsys)
    assert "NOT UNDERSTOOD (no_envelope)" in readme


@pytest.mark.parametrize(
    ("argv", "found"),
    [
        (["--file", "{sample}", "--line", "9999999"], "found fewer lines"),
        (["--file", "{sample}", "--offset", "99999999"], "found that the file ends before it"),
        (["--file", "{sample}/none", "--line", "1"], "Expected to read"),
        (["--file", "{folder}", "--line", "1"], "Expected to read"),
        ([""], "found nothing"),
    ],
)
def test_what_is_not_there_is_said_in_one_sentence(
    argv: list[str], found: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given_argv = [one.format(sample=SAMPLE / "state-change.log", folder=SAMPLE) for one in argv]
    assert cli.main(["explain", *given_argv]) == 4
    said = capsys.readouterr()
    assert said.err.startswith("explain: Expected ") and found in said.err and said.err.count("\n") == 1


@pytest.mark.parametrize(
    "argv",
    [
        ["--file", "x"],
        ["--line", "1"],
        ["--file", "x", "--line", "0"],
        ["--file", "x", "--line", "1", "--offset", "1"],
        ["--file", "x", "--offset", "-1"],
        ["--file", "x", "--line", "1", "a line"],
        ["--zone", "Mars/Olympus", "a line"],
        ["--zone", "../etc/passwd", "a line"],
    ],
)
def test_wrong_arguments_end_with_2(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["explain", *argv])
    assert ended.value.code == 2 and "explain: error: " in capsys.readouterr().err


def test_stdin_is_read_without_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for argv in ([], ["-"]):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(f"{READY}\n".encode() * 25)))
        said = explain(*argv, out=capsys)
        assert said.count("controller_ready") == 20 and "5 more records; --json explains them all" in said


def test_the_example_of_the_readme_is_a_line_of_the_sample() -> None:
    lines = (SAMPLE / "state-change.log").read_bytes().split(b"\n")
    assert b"\n".join([*lines[1338:1340], b""]) == EXAMPLE
    assert "KAFKA-8237" in explained_example()


def test_every_wording_has_an_explanation() -> None:
    templates = matcher().templates
    messages = [one.render(dict.fromkeys(one.fields, "1")) for one in templates]
    lines = [
        f"{TIME} INFO {message} ({one.source})" for message, one in zip(messages, templates, strict=True)
    ]
    told = [explained(record) for record in pasted("\n".join(lines).encode()).records]
    assert len(told) == len(templates)
    understood = [one for one in told if one.event]
    assert len(understood) > 0.8 * len(templates)  # a 1 is no state and no class of an exception
    assert all(one.source and one.meaning and one.wordings[0].printed for one in understood)


def test_lines_of_the_corpus_are_explained_as_the_audit_reads_them(shared: Path) -> None:
    """One line of each wording, bare, and pasted whole: the event that the reader of the jobs gives."""
    seen: dict[str, tuple[str, bytes]] = {}
    for file in sorted((shared / "corpus").glob("*/*/*/*.log"))[::4]:
        head = file.read_bytes()[: 200 << 10]
        rows, _ = rows_of(head[: head.rfind(b"\n") + 1])
        read = ((row["template"], row["event"], row["raw"].split(b"\n")[0]) for row in rows if row["event"])
        seen |= {template: (event, line) for template, event, line in read if line.startswith(b"[20")}
    assert len(seen) > 200
    found = list(seen.values())
    whole = b"\n".join(line for _, line in found)
    assert [explained(one).event for one in pasted(whole).records] == [event for event, _ in found]
    for start in range(0, len(found), 50):
        some = found[start : start + 50]
        bare = b"\n".join(line.split(b"] ", 1)[1].rsplit(b" (", 1)[0] for _, line in some)
        assert [explained(one).event for one in pasted(bare).records] == [event for event, _ in some]
