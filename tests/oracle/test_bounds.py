"""Hostile input costs bounded time and memory: every byte is in a record, with its reason, and nothing falls over."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from pipeline.kafka.reading.reader import ReadSettings
from tests.oracle import hostile
from tests.oracle.bounded import Outcome, read_bounded

MEMORY_MB = 400
WORKER_MB = 512
CPU_SECONDS = 60
RESIGNING = "controller_resigning"

# (stream, records by reason, records by event); None: whatever they are.
CASES: list[tuple[Callable[[], Iterator[bytes]], dict[str, int] | None, dict[str, int]]] = [
    (hostile.long_line, {"too_long": 1}, {RESIGNING: 2}),
    (hostile.dump, {"too_long": 1}, {RESIGNING: 2}),
    (hostile.nul_bytes, {"too_long": 1, "no_template": 1}, {RESIGNING: 1}),
    (hostile.broken_utf8, {"bad_bytes": 54610}, {}),
    (hostile.colours, None, {}),
    (hostile.carriage_returns, {}, {RESIGNING: 55185}),
    (hostile.continuation_lines, {"too_long": 1}, {}),
    (hostile.newlines, {"blank": 1}, {}),
    (hostile.short_lines, {"too_long": 1}, {RESIGNING: 1}),
    (hostile.starts_only, {"no_envelope": 194180}, {}),
    (hostile.random_bytes, {"no_envelope": 362}, {}),
]


def is_bounded(outcome: Outcome) -> bool:
    return not outcome.missing_bytes and outcome.peak_mb < MEMORY_MB and outcome.cpu_seconds < CPU_SECONDS


@pytest.mark.parametrize(("make", "reasons", "events"), CASES, ids=[case[0].__name__ for case in CASES])
def test_hostile_streams(
    make: Callable[[], Iterator[bytes]], reasons: dict[str, int] | None, events: dict[str, int]
) -> None:
    outcome = read_bounded(make)
    assert is_bounded(outcome), outcome
    assert outcome.records == outcome.reasons.total() + outcome.events.total()
    assert reasons is None or (outcome.reasons, outcome.events) == (reasons, events)


def test_a_dump_of_a_million_replicas_is_read_where_the_limit_admits_it() -> None:
    outcome = read_bounded(hostile.dump, ReadSettings(max_record_bytes=128 << 20))
    assert outcome.events == {RESIGNING: 2, "replica_state_machine_started": 1}
    assert outcome.longest_field > 50_000_000
    assert not outcome.missing_bytes
    assert outcome.peak_mb < 2 * WORKER_MB


def test_a_gzip_bomb(tmp_path: Path) -> None:
    path = tmp_path / "controller.log.gz"
    hostile.pack_zeros(path, 200)
    assert path.stat().st_size < hostile.MB
    outcome = read_bounded(partial(hostile.uncompressed, path))
    assert is_bounded(outcome), outcome
    assert outcome.reasons == {"too_long": 1}


def test_memory_is_that_of_a_block_and_not_of_the_file() -> None:
    small, large = (read_bounded(partial(hostile.busy_controller, size * hostile.MB)) for size in (24, 60))
    assert large.records > 2 * small.records
    assert large.peak_mb < small.peak_mb + 30
    assert is_bounded(large), large


@pytest.mark.soak
def test_four_gigabytes_in_the_memory_of_a_worker() -> None:
    outcome = read_bounded(partial(hostile.busy_controller, 4 << 30))
    assert not outcome.missing_bytes
    assert outcome.records > 30_000_000
    assert outcome.peak_mb < WORKER_MB, outcome


@pytest.mark.soak
def test_a_large_gzip_bomb(tmp_path: Path) -> None:
    path = tmp_path / "controller.log.gz"
    hostile.pack_zeros(path, 8 << 10)
    outcome = read_bounded(partial(hostile.uncompressed, path))
    assert not outcome.missing_bytes
    assert outcome.peak_mb < WORKER_MB, outcome
