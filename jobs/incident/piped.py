"""Logs of several containers in one stream, as kubectl and docker compose print them: a file of each."""

import re
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import BinaryIO

# kubectl logs --prefix, docker compose logs.
FORMS = (
    re.compile(rb"\[pod/(?P<name>[^/\]\s]{1,253})/[^\]\s]{1,253}\] "),
    re.compile(rb"(?P<name>[A-Za-z0-9][A-Za-z0-9_.-]{0,252}) +\| "),
)
FIRST_LINES = 20
MOST_NODES = 500  # files that are open at once


def split_by_container(file: Path, folder: Path) -> dict[str, Path]:
    """By name of the container its lines, without what stands before them; none if lines do not all begin so."""
    with file.open("rb") as stream:
        first = [line for line in islice(stream, FIRST_LINES) if line.strip()]
    form = next((one for one in FORMS if first and all(map(one.match, first))), None)
    if form is None:
        return {}
    found: dict[bytes, Path] = {}
    with file.open("rb") as stream, ExitStack() as opened:
        files: dict[bytes, BinaryIO] = {}
        name = b""
        for line in stream:
            match = form.match(line)
            name = match["name"] if match else name
            if name not in files:
                if len(files) == MOST_NODES:
                    return {}
                found[name] = folder / f"stdin-{len(files)}"
                files[name] = opened.enter_context(found[name].open("wb"))
            files[name].write(line[match.end() :] if match else line)
    return {name.decode("utf-8", "replace"): path for name, path in found.items()}
