"""Large logs made of real ones: each copy at another time, its topics renamed."""

import gzip
import json
import re
import shutil
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

SAMPLE = Path(__file__).resolve().parents[1] / "data" / "sample"
LOGS = ("state-change.log*", "controller.log*")
FIRST_DAY = date(2030, 1, 1)
RUN_DAY = b"[2026-11-21 "
RUN_HOURS = (b"08", b"09")  # of the sample
COPIES_A_DAY = 24 // len(RUN_HOURS)
ASSIGNED = re.compile(rb"([\w.-]+)-\d+ -> Vector")  # how the sample says which replicas a partition has
MARK = b"\x00"


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


def copies(target: Path, megabytes: int) -> Path:
    """A folder of one cluster, written once: so many whole copies of the sample, rolled files, each copy in two hours of
    its own and with topics of its own."""
    if target.is_dir():
        return target
    partial = target.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    sources, size, copy = marked_logs(next(one for one in SAMPLE.iterdir() if one.is_dir())), 0, 0
    while size < megabytes * 1_000_000:
        for name, content in sources.items():
            size += write_copy(partial / name, content, copy)
        copy += 1
    return partial.replace(target)


def marked_logs(cluster: Path) -> dict[Path, bytes]:
    """By path in the cluster each log, what was rolled first, with MARK behind every name of a topic."""
    logs: dict[Path, bytes] = {}
    found = [path for name in LOGS for path in cluster.rglob(name)]
    for path in sorted(found, key=lambda one: (one.suffix == ".log", one.name)):
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        name = path.relative_to(cluster).parent / path.name.partition(".log")[0]
        logs[name] = logs.get(name, b"") + content
    topics = sorted({name for log in logs.values() for name in ASSIGNED.findall(log)}, key=len, reverse=True)
    names = b"|".join(re.escape(one) for one in topics if not one.startswith(b"__"))
    named = re.compile(rb"(?<![\w.])(?:" + names + rb")(?!\w)")
    return {name: named.sub(rb"\g<0>" + MARK, log) for name, log in logs.items()}


def write_copy(name: Path, content: bytes, copy: int) -> int:
    """The file of one log in one copy; its bytes."""
    day, hour = FIRST_DAY + timedelta(days=copy // COPIES_A_DAY), copy % COPIES_A_DAY * len(RUN_HOURS)
    for place, run_hour in enumerate(RUN_HOURS):
        content = content.replace(RUN_DAY + run_hour, f"[{day} {hour + place:02}".encode())
    name.parent.mkdir(parents=True, exist_ok=True)
    target = name.with_name(f"{name.name}.log.{day}-{hour + 1:02}")
    return target.write_bytes(content.replace(MARK, f".{copy:03}".encode()))
