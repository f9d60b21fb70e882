"""What a run of a cluster published: told by ops.run, and of the newest run by the commit of its row as well."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from pipeline.core.errors import InputProblem, WarehouseFormat
from pipeline.store.files.files import Files, ReadableFiles
from pipeline.store.tables.commit_files import commit_note, newest_committed_version, newest_whole
from pipeline.store.tables.stated import Contents, stated_in
from schemas.ops import run
from schemas.spec import LAYERS

FORMAT_VERSION = 1
# Counts that runs hand on: the first run_seq that maintain left readable; segments whose last record is older than
# this (ms since the epoch) have no rows any more.
KEPT_FROM = "kept_from_run_seq"
EXPIRED_BEFORE = "expired_before_ms"
# Beside the tables: the row of ops.run that was published last, whatever becomes of that table.
LAST_RUN = "_last_run.json"
# The last key of that file: CRC32 of the row as JSON without it. Older releases wrote none.
SUM = ', "crc32": '
# The columns of a row of ops.run that readers cannot do without.
PUBLISHING: Mapping[str, type] = {
    **dict.fromkeys(("run_id", "product_version", "settings_fingerprint", "knowledge_fingerprint"), str),
    **dict.fromkeys(("settings", "started_at", "ended_at"), str),
    **dict.fromkeys(("run_seq", "format_version"), int),
    **dict.fromkeys(("table_versions", "counts"), dict),
}
# What `notify` told whom: finding_ids by destination.
NOTIFIED = "_notified.json"
# What repair took out of tables and did not understand.
ASIDE = "_damaged"
# What was `ops/` of a cluster that is being erased, until all of it is.
ERASED = "_forgotten"
# The newest row of ops.run, or that of a run_id; none where there is no such row.
RunRows = Callable[[str | None], list[dict[str, Any]]]


@dataclass(frozen=True)
class Published:
    """What readers see: of the newest row of ops.run the versions by table, what the run was made of, and by table
    what it stated of its contents. lost: says that ops.run has lost this row, of which there is a copy."""

    run_id: str | None = None
    run_seq: int = 0
    versions: dict[str, int] = field(default_factory=dict)
    settings_fingerprint: str | None = None
    knowledge_fingerprint: str | None = None
    counts: dict[str, int] = field(default_factory=dict)
    settings: str | None = None
    format_version: int = FORMAT_VERSION
    watermarks: dict[str, str] = field(default_factory=dict)
    contents: dict[str, Contents] = field(default_factory=dict)
    lost: str | None = None

    def stated(self) -> dict[str, str]:
        """What the tables were made by, as a row of ops.run says it; nothing where there is no run."""
        names = ("settings_fingerprint", "knowledge_fingerprint", "settings")
        return {} if self.run_id is None else {name: getattr(self, name) for name in names}


def read_published_run(
    files: ReadableFiles, folder: str, rows_of: RunRows, run_id: str | None = None
) -> Published:
    """The newest run of the cluster in a folder, or that of a run_id; empty where there is none.

    The newest stands in the commit that wrote its row, too: one small file, whatever the history.
    WarehouseFormat: written by a newer product. InputProblem: retention has removed what that run published.
    """
    uri = f"{folder}/{run.SPEC.layer}/{run.SPEC.table}"
    if newest_committed_version(files, uri) is None:
        return Published()
    newest_commit = newest_whole(files, uri)
    noted = (None if newest_commit is None else commit_note(files, uri, newest_commit)) or ""
    rows = [json.loads(noted)] if noted.startswith("{") else rows_of(None)
    newest = as_published(rows[0], folder) if rows else Published()
    if run_id is None or run_id == newest.run_id:
        return newest
    found = [as_published(row, folder) for row in rows_of(run_id)]
    if found and found[0].run_seq < newest.counts.get(KEPT_FROM, 0):
        raise InputProblem(
            expected=f"run {run_id} of cluster {folder.rpartition('/')[2]} to be readable still",
            found="that maintain has removed what only it published",
            todo="name a newer run ('runs' lists them); storage.retention_days says how long they are kept",
        )
    return found[0] if found else Published()


def as_published(row: Mapping[str, Any], folder: str) -> Published:
    if row["format_version"] > FORMAT_VERSION:
        raise WarehouseFormat(
            expected=f"a warehouse of format {FORMAT_VERSION} or older",
            found=f"format {row['format_version']} in {folder}, written by {row['product_version']}",
            todo="use that release of kafka-controller-audit or a newer one",
        )
    return Published(
        row["run_id"],
        int(row["run_seq"]),
        {str(name): int(version) for name, version in dict(row["table_versions"]).items()},
        row["settings_fingerprint"],
        row["knowledge_fingerprint"],
        {str(name): int(value) for name, value in dict(row["counts"]).items()},
        row["settings"],
        int(row["format_version"]),
        dict(row.get("watermarks") or {}),
        stated_in(row),
    )


def is_cluster(files: ReadableFiles, folder: str) -> bool:
    """Whether a folder holds the tables of a cluster, be it that ops.run is lost, or that no run got so far."""
    signs = (f"{run.SPEC.layer}/{run.SPEC.table}/_delta_log", LAST_RUN, *LAYERS)
    return any(files.exists(f"{folder}/{one}") for one in signs)


def keep_last_run(files: Files, folder: str, row: str) -> None:
    """Notes the row, as JSON, that was just published."""
    files.replace(f"{folder}/{LAST_RUN}", f"{row[:-1]}{SUM}{crc32(row.encode())}}}")


def last_row(files: ReadableFiles, folder: str) -> dict[str, Any] | None:
    """The row of ops.run that was published last, as its own file tells; None: no such file, not a whole one, or one
    with other bytes than were written."""
    told, summed, kept = (files.text(f"{folder}/{LAST_RUN}") or "").rpartition(SUM)
    row = f"{told}}}" if summed else kept
    if summed and kept != f"{crc32(row.encode())}}}":
        return None
    try:
        found = json.loads(row)
    except (json.JSONDecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) and is_row(found) else None


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether it has what publishes, each of its type: other JSON may stand in the file, too."""
    return all(isinstance(row.get(name), kind) for name, kind in PUBLISHING.items())


def last_run(files: ReadableFiles, folder: str) -> Published | None:
    row = last_row(files, folder)
    return None if row is None else as_published(row, folder)
