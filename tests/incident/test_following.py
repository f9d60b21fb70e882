"""`incident --follow`: what is read as logs grow and roll gives the answer of all of them, and what changes is told."""

import json
import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from jobs.engine.intake.discovery import Listing, candidates_by_cluster
from jobs.engine.run.request import RunRequest
from jobs.incident.command import main
from jobs.incident.following.arguments import parse_window
from jobs.incident.following.held import HeldLogs
from jobs.incident.following.settled import Change, Settled
from jobs.incident.following.stream import FollowedStream
from jobs.incident.in_memory import AnalyzedLogs
from jobs.incident.piped import StreamFiles, stream_form
from jobs.incident.progress import ProgressLine
from jobs.settings.model import Settings
from schemas.bronze import log_record
from tests.incident.answers import SAMPLE, answer_of, differing, settings_of, tables_of
from tests.incident.replaying import replay_logs
from tests.incident.two_zones import write_two_zones
from tests.lab import folder_of

GROWING = {"quiet_seconds": 3600}  # no last record is old enough to be whole
# What is counted by segment, of which each look makes one, and by run.
BY_SEGMENT = {"bronze.source_file", "bronze.file_sighting", "silver.wording_seen", "ops.quality_result"}
LABS = ("2.2.2-zk-redrive", "3.9.2-kraft-separate-moves")
A, B = ("finding", "a"), ("finding", "b")


def look_at(held: HeldLogs, folder: Path, settings: Settings) -> AnalyzedLogs:
    ((cluster_id, candidates),) = candidates_by_cluster([str(folder)], settings, "c").items()
    listing = Listing(candidates, [str(folder)])
    request = RunRequest("incident", "", cluster_id, lambda: listing, settings)
    return held.look(request, ProgressLine(), lambda _: None)


def unlike(found: AnalyzedLogs, folder: Path, settings: Settings) -> list[str]:
    """The tables that differ from those of all logs at once."""
    once = answer_of([folder], settings, "c")
    assert found.result.states == once.result.states
    return [one for one in differing(tables_of(found), tables_of(once)) if one not in BY_SEGMENT]


def small_cluster(folder: Path) -> Path:
    """Two logs of the sample, of which one was rolled."""
    for node in (1, 2):
        lines = (SAMPLE / f"lab-2.2.2/broker-{node}/controller.log").read_bytes().splitlines(keepends=True)
        (folder / f"broker-{node}").mkdir(parents=True)
        for name, part in (("controller.log.1", lines[:90]), ("controller.log", lines[90:180])):
            (folder / f"broker-{node}" / name).write_bytes(b"".join(part))
    return folder


def cut_at(moment: datetime, source: Path, target: Path) -> Path:
    """The logs from that time on."""
    at = moment.strftime("[%Y-%m-%d %H:%M:%S,%f")[:-3].encode()
    for path in source.rglob("controller.log*"):
        lines = path.read_bytes().splitlines(keepends=True)
        begin = next((number for number, line in enumerate(lines) if at <= line[:24]), len(lines))
        file = target / path.relative_to(source)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"".join(lines[begin:]))
    return target


def test_growing_and_rolled_logs_give_the_answer_of_all(tmp_path: Path) -> None:
    source, target = small_cluster(tmp_path / "source"), tmp_path / "logs"
    settings, held = settings_of(), HeldLogs(1 << 30)
    for _ in replay_logs(source, target, 3, seed=1):
        look_at(held, target, settings.model_copy(update=GROWING))
    assert held.load_seq > 4
    assert not unlike(look_at(held, target, settings), target, settings)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("lab", LABS)
def test_any_schedule_gives_the_answer_of_all(shared: Path, tmp_path: Path, lab: str, seed: int) -> None:
    settings, held = settings_of(), HeldLogs(1 << 30)
    for _ in replay_logs(folder_of(shared, lab), tmp_path, 12, seed):
        look_at(held, tmp_path, settings.model_copy(update=GROWING))
    assert not unlike(look_at(held, tmp_path, settings), tmp_path, settings)


def test_a_node_of_another_zone_is_refused_as_soon_as_it_is_seen(tmp_path: Path) -> None:
    logs, settings, held = write_two_zones(tmp_path / "logs"), settings_of(), HeldLogs(1 << 30)
    look_at(held, logs, settings.model_copy(update=GROWING))
    assert not unlike(look_at(held, logs, settings), logs, settings)


@pytest.mark.soak
def test_older_than_the_window_is_held_no_more(tmp_path: Path) -> None:
    logs, settings, held = small_cluster(tmp_path / "logs"), settings_of(), HeldLogs(30_000)
    answer = look_at(held, logs, settings)
    records = held.stored.records
    assert sum(records["byte_length"].to_pylist()) <= 30_000
    assert held.from_at is not None and min(records["logged_at"].to_pylist()) == held.from_at
    once = tables_of(answer_of([cut_at(held.from_at, logs, tmp_path / "cut")], settings, "c"))
    found = tables_of(answer)
    assert found["gold.finding"]["sentence"].to_list() == once["gold.finding"]["sentence"].to_list()
    assert [
        one for one in once if found[one].height != once[one].height and one != "bronze.source_file"
    ] == []
    files = found["bronze.source_file"]
    assert (files["record_count"].sum(), files["first_logged_at"].min()) == (records.num_rows, held.from_at)
    assert look_at(held, logs, settings).tables is answer.tables
    assert held.stored.records.num_rows == records.num_rows


def held_of(window_bytes: int, *placed: tuple[int, datetime | None]) -> HeldLogs:
    """Records of one file by length and time."""
    held, wanted = (
        HeldLogs(window_bytes),
        ("file_id", "load_seq", "byte_offset", "byte_length", "logged_at", "event"),
    )
    schema = pa.schema([log_record.SPEC.arrow.field(name) for name in wanted])
    rows = [("f", 1, place, *one, None) for place, one in enumerate(placed)]
    held.stored.records = pa.Table.from_pylist([dict(zip(wanted, one, strict=True)) for one in rows], schema)
    return held


def test_the_newest_record_is_held_however_long_it_is() -> None:
    first, last = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)
    held = held_of(1000, (10, first), (2000, last))
    assert held.trim() and held.from_at == last
    assert held.stored.records["byte_length"].to_pylist() == [2000]
    assert not held.trim()


def test_records_without_a_time_are_not_trimmed() -> None:
    held = held_of(10, (50, None))
    assert not held.trim() and held.from_at is None and held.stored.records.num_rows == 1


def test_a_value_is_told_once_it_has_stood() -> None:
    things = Settled(10)
    assert things.settle({A: 1}, 0) == []
    assert things.settle({A: 1, B: 1}, 9) == []
    assert things.settle({A: 1, B: 1}, 10) == [Change(A, None, 1)]
    assert things.settle({A: 1}, 12) == []  # b is gone before it was told
    assert things.settle({A: 1, B: 1}, 19) == []
    assert things.settle({A: 2, B: 1}, 29) == [Change(B, None, 1)]
    assert things.settle({A: 1, B: 1}, 35) == []  # a was another for a while
    assert things.settle({B: 1}, 36) == []
    assert things.settle({B: 1}, 46) == [Change(A, 1, None)]


def test_a_stream_is_a_file_of_each_pod_and_rolls(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"[pod/kafka-0/kafka] one\n[pod/kafka-1/kafka] two\n[pod/kafka-0/kafka] th")
    stream = FollowedStream(reader, tmp_path, roll_bytes=5)
    os.write(writer, b"ree\n")
    os.close(writer)
    stream.thread.join()
    listed = {one.path: (one.relative, Path(one.bytes_at).read_text()) for one in stream.listed()}
    assert listed == {
        "stdin!kafka-0.1": ("kafka-0/stdin.log.1", "one\nthree\n"),
        "stdin!kafka-1": ("kafka-1/stdin.log", "two\n"),
    }
    assert stream.has_ended and [one.path for one in stream.listed()] == [*listed]


def test_a_line_without_end_is_kept_in_parts(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    stream = FollowedStream(reader, tmp_path, roll_bytes=1 << 30)
    for _ in range(20):
        os.write(writer, b"x" * 65_536)
    kept = tmp_path / "part-0"
    until = time.monotonic() + 5
    while not [*stream.listed()] and time.monotonic() < until:
        stream.thread.join(0.01)
    assert kept.stat().st_size >= 1 << 20
    os.write(writer, b"\n\n")
    os.close(writer)
    stream.thread.join()
    assert kept.stat().st_size == 20 * 65_536 + 2


def test_a_stream_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    stream = FollowedStream(os.open(tmp_path, os.O_RDONLY), tmp_path, roll_bytes=5)
    stream.thread.join()
    assert stream.has_ended
    with pytest.raises(IsADirectoryError):
        [*stream.listed()]


def test_of_too_many_names_the_lines_are_kept_whole_in_one_file(tmp_path: Path) -> None:
    files = StreamFiles(tmp_path, stream_form([b"[pod/n0/kafka] one\n"]))
    files.write([b"[pod/n%d/kafka] one\n" % number for number in range(600)])
    files.write([b"[pod/n0/kafka] two\n", b"[pod/n599/kafka] two\n", b"\tat three\n"])
    assert len([*tmp_path.iterdir()]) == len(files.files) == 502
    assert files.files[b"n0"].read_bytes() == b"one\ntwo\n"
    rest = files.files[None].read_bytes().splitlines()
    assert (len(rest), rest[0], rest[-2:]) == (
        101,
        b"[pod/n501/kafka] one",
        [b"[pod/n599/kafka] two", b"\tat three"],
    )


def test_what_goes_on_is_told_in_lines_and_the_end_is_the_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (SAMPLE / "lab-2.2.2/broker-2/controller.log").read_text().splitlines()
    piped = tmp_path / "piped"
    piped.write_text("".join(f"[pod/kafka-2/kafka] {one}\n" for one in lines))
    told = []
    for given in (["--follow", "--settle", "0", "--every", "0"], []):
        with piped.open() as stdin:
            monkeypatch.setattr("sys.stdin", stdin)
            assert main(["-", "--cluster", "c", "--format", "json", *given]) == 0
        told.append(capsys.readouterr().out)
    changes, document = told[0][: -len(told[1])].splitlines(), told[0][-len(told[1]) :]
    assert document == told[1]
    assert json.loads(changes[0])["change"] == "FOLLOWING"
    assert [json.loads(one)["change"] for one in changes].count("CONTROLLER") == 1


@pytest.mark.parametrize(("text", "size"), [("64MB", 64_000_000), ("1 g", 10**9), ("2000k", 2_000_000)])
def test_a_window_is_a_size(text: str, size: int) -> None:
    assert parse_window(text) == size
