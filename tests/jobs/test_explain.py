"""The command explain: what it prints, of lines given, from stdin and in files, and what cannot be explained."""

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
from jobs.explain.folding import fold_like_records, fold_record_group, list_distinct_texts
from jobs.explain.record_in_file import offset_of_line, record_at
from jobs.explain.text import explanation_lines
from pipeline.kafka.reading.pasted import read_pasted_text, rows_in_envelope
from tests.conftest import REPOSITORY
from tests.kafka.real_lines import READY, REAL, TIME

SAMPLE = REPOSITORY / "tests" / "data" / "sample" / "lab-2.2.2" / "broker-2"
ROLLED = SAMPLE / "state-change.log.2026-11-21-08.gz"


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


@settings(derandomize=True, deadline=None, max_examples=25)
@given(before=st.binary(max_size=40), after=st.binary(max_size=40), cut=st.integers(0, len(READY)))
def test_nothing_pasted_acts_on_the_terminal(before: bytes, after: bytes, cut: int) -> None:
    data = before + READY.encode()[:cut] + b"\x1b[2J\x9b31m\x00\x07" + after + READY.encode()[cut:]
    for record in read_pasted_text(data).records:
        lines = explanation_lines(fold_record_group([record]), None, 80)
        assert all(line.isprintable() for line in lines), lines


def test_nothing_in_fields_and_exceptions_acts_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b[2J\x9b31m\x07\u202e"
    line = f"{TIME} DEBUG [Controller id=1] Updated path /x with a{hostile}b for replica assignment (kafka.controller.KafkaController)"
    said = explain(f"{line}\njava.io.IOException: no {hostile} disk\n\tat x.y(z:1)", out=capsys)
    assert "a·[2J" in said and "IOException: no ·[2J" in said
    assert all(one.isprintable() for one in said.split("\n"))
    as_json = explain(line, "--json", out=capsys)
    assert as_json.isascii() and all(one.isprintable() for one in as_json.split("\n"))


def test_lines_stay_within_the_width(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    longest = [max(len(one) for one in explain(case[3], out=capsys).splitlines()) for case in REAL]
    assert max(longest) <= 80


def test_a_name_that_is_longer_than_its_column_stands_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    message = "[Controller id=0] Topics not in preferred replica for broker 0 Map()"
    said = explain(f"{TIME} DEBUG {message} (kafka.controller.KafkaController)", out=capsys)
    assert re.search(r"^  topics_not_in_preferred_replica  Map\(\)$", said, re.MULTILINE)


def offsets_of(data: bytes) -> list[tuple[int, int, str]]:
    """Offset, length and event of every record; read in one go."""
    rows, _ = rows_in_envelope(data)
    return [(row["byte_offset"], row["byte_length"], row["event"]) for row in rows]


def test_a_record_in_a_file_is_found_by_any_byte_of_it(tmp_path: Path) -> None:
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
    assert "normal: Deletion of a topic" in said
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
        assert said.count("controller_ready") == 1
        assert "records    25 like this, the last at 2026-11-21 09:00:21; below is the first" in said


SENT = "Sending UpdateMetadata request {} to brokers Set({}) for partition {} (state.change.logger)"
PASTE = "".join(
    f"[2026-11-21 08:57:4{second},000] TRACE [Controller id=1 epoch=5] {text}\n"
    for second, text in enumerate((
        SENT.format("PartitionState(controllerEpoch=5, leader=2, leaderEpoch=1)", "1, 2", "a-0"),
        SENT.format("PartitionState(controllerEpoch=5, leader=3, leaderEpoch=1)", "1, 2", "b-1"),
    ))
) + (
    "[2026-11-21 08:57:42,000] ERROR [Controller id=1 epoch=5] Controller 1 epoch 5 failed to change state for partition "
    "a-0 from OfflinePartition to OnlinePartition (state.change.logger)\n"
    "kafka.common.StateChangeFailedException: Failed to elect leader for partition a-0\n"
)  # fmt: skip


def test_records_of_one_wording_are_one_answer() -> None:
    (sent, failed), left = fold_like_records(read_pasted_text(PASTE.encode()).records, 2)
    assert (sent.count, sent.partitions, failed.count, failed.told.level, left) == (
        2,
        "a-0, b-1",
        1,
        "ERROR",
        0,
    )
    said = {one.name: one.value for one in sent.told.fields}
    assert (said["broker_ids"], said["leader"], said["topic"]) == ([1, 2], "2, 3", "a, b")
    assert str(sent.last_at) == "2026-11-21 08:57:41"


def test_errors_are_among_what_is_shown() -> None:
    (failed,), left = fold_like_records(read_pasted_text(PASTE.encode()).records, 1)
    assert (failed.told.level, left) == ("ERROR", 2)


def test_of_long_lists_the_first_are_shown() -> None:
    assert list_distinct_texts(["a", "b", "a"], is_all=True) == "a, b"
    assert list_distinct_texts([*"abcdefgh"], is_all=True) == "a, b, c, d, e, f and 2 more"
    assert list_distinct_texts(["x" * 70, "y"], is_all=False) == f"{'x' * 70} and more"


def test_the_example_of_the_readme_is_a_line_of_the_sample() -> None:
    lines = (SAMPLE / "state-change.log").read_bytes().split(b"\n")
    assert b"\n".join([*lines[1338:1340], b""]) == EXAMPLE
    assert "KAFKA-8237" in explained_example()
