"""The row of the run that published last, put back where ops.run has lost it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jobs.text import format_count
from pipeline.core.frames import empty_frame
from pipeline.store.health.mending import (
    drop_altered_summaries,
    give_up_files,
    is_readable,
    roll_back,
    set_aside,
)
from pipeline.store.runs.damage import run_damage
from pipeline.store.runs.published import last_row, last_run
from pipeline.store.tables.commit_files import drop_torn, has_lost_row, newest_whole
from pipeline.store.warehouse import ClusterWarehouse
from schemas.ops import run


def put_back_last_run(store: ClusterWarehouse, aside: Path) -> str | None:
    """Makes ops.run readable, and adds the row that it has lost; a table that is older than that run left it is mended
    as any other. What is said of it; None: nothing was lost. Runs before it may be lost for good."""
    make_runs_readable(store, aside)
    seen, row = store.published(), last_row(store.files, store.folder)
    last = last_run(store.files, store.folder)
    if row is None or last is None or run_damage(seen, last) is None:
        return None
    if store.delta.head(run.SPEC) is None:
        store.create_missing((run.SPEC,), {})
    store.append_run(typed_run_row(row))
    between = last.run_seq - seen.run_seq - 1
    more = f"; {format_count(between, 'run')} before it, of which no copy is kept, 'runs' lists no more"
    return f"run {last.run_id} is in {run.SPEC.name} again{more if between else ''}"


def make_runs_readable(store: ClusterWarehouse, aside: Path) -> None:
    """Takes torn commits and damaged data files out of ops.run, or puts it aside."""
    table = Path(store.delta.uri(run.SPEC))
    drop_altered_summaries(table)
    newest = newest_whole(store.files, str(table))
    drop_torn(store.files, str(table), -1 if newest is None else newest)
    is_whole = (
        newest is not None
        and is_readable(table, newest)
        and not has_lost_row(store.files, str(table), newest)
    )
    if newest is None or roll_back(table, newest, is_log_whole=is_whole) is None:
        set_aside(table, aside / run.SPEC.name)
        return
    # Readers find the newest run in the note of the newest commit.
    noted = store.delta.note(run.SPEC.name, store.delta.head(run.SPEC) or 0)
    give_up_files(table, aside / run.SPEC.name, noted or "")


def typed_run_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row as it was before it was JSON; columns that it has not are null."""
    moments = ("started_at", "ended_at")
    told = dict.fromkeys(empty_frame(run.SPEC).columns) | dict(row)
    return told | {name: datetime.fromisoformat(str(told[name])).astimezone(UTC) for name in moments}
