"""A large log made of real ones: each copy on another day, its topics renamed."""

import json
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

SAMPLE = Path(__file__).resolve().parents[1] / "data" / "sample"
LOGS = ("state-change.log*", "controller.log*")
FIRST_DAY = date(2030, 1, 1)
RUN_DAY = b"[2026-11-21 "


def make(target: Path, megabytes: int, corpus: Path | None) -> Path:
    """The file, written once: up to the size in whole logs of the corpus (the sample where there is none)."""
    if target.is_file() and target.stat().st_size >= megabytes * 1_000_000:
        return target
    sources = list(logs(corpus / "lab" if corpus else SAMPLE))
    if not sources:
        raise FileNotFoundError(f"no logs under {corpus or SAMPLE}")
    partial = target.with_suffix(".partial")
    with partial.open("wb") as out:
        copy = 0
        while out.tell() < megabytes * 1_000_000:
            for path, topics in sources:
                out.write(renamed(path.read_bytes(), topics, copy))
            copy += 1
    return partial.replace(target)


def logs(folder: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Uncompressed controller and state-change logs, each with the topics of its cluster."""
    for path in sorted(found for name in LOGS for found in folder.rglob(name)):
        if path.suffix not in (".gz", ".zst"):
            yield path, topics_of(path.parents[1])


def topics_of(cluster: Path) -> tuple[str, ...]:
    """Names long enough to be no part of another word, the longest first."""
    final = cluster / "truth" / "final.json"
    if not final.is_file():
        return ("orders", "payments", "events")
    said = json.loads(final.read_text())
    names = said["describe"]["topics"] if "describe" in said else {one["topic"] for one in said["partitions"]}
    return tuple(sorted((name for name in names if len(name) > 5 and not name.startswith("__")), key=len))[
        ::-1
    ]


def renamed(content: bytes, topics: tuple[str, ...], copy: int) -> bytes:
    day = (FIRST_DAY + timedelta(days=copy)).isoformat().encode()
    content = content.replace(RUN_DAY, b"[" + day + b" ")
    for topic in topics:
        content = content.replace(topic.encode(), f"{topic}.{copy:03d}".encode())
    return content
