"""What the files of a Delta table's log say of its commits, read without Spark."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pipeline.store.files.files import Files, ReadableFiles
from pipeline.store.files.hadoop_sums import is_as_summed

NUMBERED = re.compile(r"^(\d{20})\..+$")
# Of the last checkpoint; without it readers list the log.
POINTER = "_last_checkpoint"
COMMIT_FILE = re.compile(r"^(\d{20})\.json$")
LOG_FILE = re.compile(r"^(\d{20})\.(?:json|checkpoint(?:\..+)?\.parquet)$")
SUMMARY = re.compile(r"^(\d{20})\.crc$")


def newest_committed_version(files: ReadableFiles, uri: str) -> int | None:
    """Newest version of the table that was committed; None if there is no table."""
    return max(versions_of(files, uri), default=None)


def versions_of(files: ReadableFiles, uri: str) -> list[int]:
    """Versions of which the commit is there: of a long log the first ones may be gone."""
    names = files.names(f"{uri}/_delta_log")
    return sorted(int(match.group(1)) for match in map(COMMIT_FILE.match, names) if match)


def is_table(files: ReadableFiles, uri: str) -> bool:
    """Whether a commit made it. A log without one is of a writer that died as it made the table, or filled the disk:
    Spark reads no such table, and makes none in its place."""
    names = files.names(f"{uri}/_delta_log")
    numbered = {int(found[1]) for name in names if (found := NUMBERED.match(name))}
    return any(one != 0 for one in numbered) or (0 in numbered and actions_of(files, uri, 0) is not None)


def columns_when_made(files: ReadableFiles, uri: str) -> set[str] | None:
    """Columns of a table as its first commit names them; None: that commit is gone, torn, or names none."""
    for one in actions_of(files, uri, 0) or ():
        if "metaData" in one:
            return {field["name"] for field in json.loads(one["metaData"]["schemaString"])["fields"]}
    return None


def commit_note(files: ReadableFiles, uri: str, version: int) -> str | None:
    """The user's note on a commit; None if its file is gone or it has none."""
    return note_of_actions(actions_of(files, uri, version) or ())


def note_of_actions(actions: Iterable[dict[str, Any]]) -> str | None:
    notes = (action["commitInfo"].get("userMetadata") for action in actions if "commitInfo" in action)
    found: str | None = next(notes, None)
    return found


def writers_of(files: ReadableFiles, uri: str) -> set[str]:
    """Runs, as commits note them, that added files since the table was made, or made anew: what a run that died before
    anything was published has added, the next one takes out by that."""
    found = set()
    for version in reversed(versions_of(files, uri)):
        actions = actions_of(files, uri, version) or []
        kinds = {kind for one in actions for kind in one}
        if "add" in kinds:
            found.add(note_of_actions(actions) or "")
        if "metaData" in kinds:
            break
    return found - {""}


def actions_of(files: ReadableFiles, uri: str, version: int) -> list[dict[str, Any]] | None:
    """What a commit says, line by line; None: its file is gone, empty or torn, as a power cut leaves it."""
    text = files.text(f"{uri}/_delta_log/{version:020d}.json") or ""
    try:
        actions = [json.loads(line) for line in text.splitlines()]
    except (json.JSONDecodeError, RecursionError):
        return None
    return actions if actions and all(isinstance(one, dict) for one in actions) else None


def has_lost_row(files: ReadableFiles, uri: str, version: int) -> bool:
    """Whether a commit notes a row, as those of ops.run do, and names no file that holds it."""
    actions = actions_of(files, uri, version) or []
    is_noted = (commit_note(files, uri, version) or "").startswith("{")
    return is_noted and not {"add", "remove"} & {kind for one in actions for kind in one}


def newest_whole(files: ReadableFiles, uri: str) -> int | None:
    """The newest version whose commit is not torn; None: there is none."""
    newest = newest_committed_version(files, uri)
    versions = range(-1 if newest is None else newest, -1, -1)
    return next((one for one in versions if actions_of(files, uri, one) is not None), None)


def drop_torn(files: Files, uri: str, wanted: int) -> int:
    """How many commits above the wanted version it took away: the first torn one, and those behind it.

    Nobody published them, and nobody can read a version that stands on a torn commit.
    """
    versions = versions_of(files, uri)
    if not versions:
        return 0
    newest = versions[-1]
    above = range(max(wanted + 1, versions[0]), newest + 1)
    torn = next((one for one in above if actions_of(files, uri, one) is None), None)
    if torn is None:
        return 0
    drop_from(files, uri, torn)
    return newest - torn + 1


def drop_from(files: Files, uri: str, version: int) -> None:
    """Takes a version and those behind it out of the table's log."""
    log = f"{uri}/_delta_log"
    numbered = ((int(found[1]), name) for name in files.names(log) if (found := NUMBERED.match(name)))
    for name in sorted(name for number, name in numbered if number >= version):
        files.delete(f"{log}/{name}", with_content=False)
    files.delete(f"{log}/{POINTER}", with_content=False)


def altered_log(table: Path, version: int) -> str | None:
    """The first file of the table's log that readers of a version need and that is empty, or not as it was summed."""
    log = table / "_delta_log"
    paths = list(log.iterdir()) if log.is_dir() else []
    numbered = [(int(found[1]), one) for one in paths if (found := LOG_FILE.match(one.name))]
    asked = [(number, one) for number, one in numbered if number <= version]
    begin = max((number for number, one in asked if one.suffix == ".parquet"), default=0)
    needed = sorted(one for number, one in asked if number >= begin)
    summaries = [one for one in paths if (found := SUMMARY.match(one.name)) and int(found[1]) <= version]
    needed += [max(summaries)] if summaries else []
    odd = (one for one in needed if not one.stat().st_size or is_as_summed(one) is False)
    return next((f"_delta_log/{one.name}" for one in odd), None)
