"""What the files of a Delta table's log say of its commits, read without Spark."""

import json
import re

from pipeline.store.files import ReadableFiles

COMMIT_FILE = re.compile(r"^(\d{20})\.json$")


def head(files: ReadableFiles, uri: str) -> int | None:
    """Newest version of the table that was committed; None if there is no table."""
    names = files.names(f"{uri}/_delta_log")
    versions = [int(match.group(1)) for match in map(COMMIT_FILE.match, names) if match]
    return max(versions, default=None)


def note(files: ReadableFiles, uri: str, version: int) -> str | None:
    """The user's note on a commit; None if its file is gone or it has none."""
    text = files.text(f"{uri}/_delta_log/{version:020d}.json") or ""
    actions = (json.loads(line) for line in text.splitlines())
    notes = (action["commitInfo"].get("userMetadata") for action in actions if "commitInfo" in action)
    found: str | None = next(notes, None)
    return found
