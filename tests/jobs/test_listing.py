"""A run reads the files as they are once the cluster is its own, whatever it found before that."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jobs import cluster_job
from jobs.engine.intake.discovery import Candidate
from jobs.engine.intake.segments import Loader
from jobs.engine.run.locked_run import run_cluster
from jobs.engine.run.request import RunResult
from tests.jobs.small_logs import INGESTED, contents, lines_of, run, write
from tests.mending.plain import plain_ingest
from tests.published import published_tables

LINES = lines_of(1, "controller")
TORN = 20  # characters of the last record that had been written


def quiet(logs: Path, name: str, text: str, written_at: int) -> Path:
    path = write(logs, name, [text])
    os.utime(path, (written_at, written_at))
    return path


def overtaken(act: Callable[[], object], patch: pytest.MonkeyPatch) -> Callable[..., RunResult]:
    """The run of a cluster, before which another one comes: it found its files later and has the lock earlier."""

    def run_later(*given: object) -> RunResult:
        patch.undo()
        act()
        return run_cluster(*given)  # type: ignore[arg-type]

    return run_later


@pytest.mark.soak
def test_a_run_that_is_overtaken_reads_nothing_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It found a log with a torn record; by its turn the log was read whole."""
    logs, warehouse = tmp_path / "logs", tmp_path / "warehouse"
    whole, half = "".join(LINES), "".join(LINES[: len(LINES) // 2])
    quiet(logs, "broker-1/controller.log", half[:-TORN], 1_000_000_000)

    def other_run() -> None:
        quiet(logs, "broker-1/controller.log", whole, 1_500_000_000)
        assert run(logs, warehouse, plain_ingest) == 0

    with monkeypatch.context() as patch:
        patch.setattr(cluster_job, "run_cluster", overtaken(other_run, patch))
        assert run(logs, warehouse, plain_ingest) == 0
    files = published_tables(warehouse, "c")("bronze.source_file")
    assert files.select("start_offset", "consumed_bytes").rows() == [(0, len(whole.encode()))]
    assert run(logs, tmp_path / "once", plain_ingest) == 0
    assert contents(warehouse, INGESTED) == contents(tmp_path / "once", INGESTED)


def not_read(warehouse: Path) -> set[str]:
    gaps = published_tables(warehouse, "c")("silver.log_gap").filter(kind="not_read")
    return {Path(path).name for path in gaps["path"]}


def test_what_cannot_be_read_is_missing_until_it_is_read_or_gone_without_a_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Renamed before it was looked into; an archive under a temporary name that was renamed once it was whole; a link to
    nothing that is gone; and an archive that was deleted before anything of it was read."""
    logs, warehouse = tmp_path / "logs", tmp_path / "warehouse"
    write(logs, "broker-1/state-change.log", lines_of(1, "state-change"))
    archive, half, torn = (
        gzip.compress("".join(LINES).encode()),
        logs / "broker-1/controller.log.2026-11-21-00.gz.part",
        logs / "broker-1/controller.log.2026-11-20-23.gz",
    )
    half.write_bytes(archive[:-9])
    torn.write_bytes(gzip.compress("".join(LINES[5:]).encode())[:-9])
    link = logs / "broker-9"
    link.symlink_to(tmp_path / "nothing")
    rolled = write(logs, "broker-3/controller.log", lines_of(3, "controller"))
    changed = Loader.changed

    def then_rolled(*given: Any) -> list[Candidate]:
        found = changed(*given)
        rolled.rename(rolled.with_suffix(".log.2026-11-21-00"))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(Loader, "changed", then_rolled)
        assert run(logs, warehouse, plain_ingest) == 7
    assert not_read(warehouse) == {half.name, torn.name, link.name}
    half.write_bytes(archive)
    half.rename(half.with_suffix(""))
    torn.unlink()
    link.unlink()
    assert run(logs, warehouse, plain_ingest) == 0
    assert not_read(warehouse) == {torn.name}
    records = published_tables(warehouse, "c")("bronze.log_record").filter(log="controller")
    # The beginning of the torn one was read, too: records that the whole one has.
    assert records.height == len(LINES) + len(LINES[5:]) + len(lines_of(3, "controller"))
