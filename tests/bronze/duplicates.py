"""Records that two segments have, loaded by their turns."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import polars as pl

from pipeline.core.frames import empty_frame
from schemas.bronze import log_record, source_file
from schemas.spec import TableSpec

OF_NO_NODE = "of which nothing tells the node"


BEGIN = datetime(2026, 11, 21, tzinfo=UTC)


# (file, segment, line): a line begins with a letter, its time is the place of the letter in the alphabet, and it counts
# as one byte, or begins with a dash and has none; what stands before a slash in the name of the file is its cluster
Loaded = list[tuple[str, int, str]]


def frames(loaded: Loaded) -> tuple[pl.DataFrame, pl.DataFrame]:
    """log_record and source_file of lines in the order in which they stand in their files."""
    records, segments = [], dict[int, list[tuple[str, int, datetime | None]]]()
    for offset, (file_id, load_seq, line) in placed(loaded):
        at = None if line.startswith("-") else BEGIN + timedelta(seconds=ord(line[0]))
        segments.setdefault(load_seq, []).append((file_id, offset + 1, at))
        records.append((*writer(file_id), "controller", file_id, load_seq, offset, 1, line.encode(), at))
    files = []
    for load_seq, some in segments.items():
        file_ids, ends, told = zip(*some, strict=True)
        times = [at for at in told if at is not None]
        files.append((*writer(file_ids[0]), file_ids[0], load_seq, max(ends), False, min(times), max(times)))
    return (
        frame(log_record.SPEC, "cluster_id node_id log file_id load_seq byte_offset byte_length raw logged_at", records),
        frame(source_file.SPEC, "cluster_id node_id file_id load_seq consumed_bytes is_last_held_back first_logged_at last_logged_at", files),
    )  # fmt: skip


def frame(spec: TableSpec, names: str, rows: Sequence[tuple[object, ...]]) -> pl.DataFrame:
    schema = {name: empty_frame(spec).schema[name] for name in names.split()}
    return pl.DataFrame(rows, schema, orient="row")


def placed(loaded: Loaded) -> list[tuple[int, tuple[str, int, str]]]:
    """Each line with its place in its file."""
    ends = Counter[str]()
    found = []
    for line in loaded:
        found.append((ends[line[0]], line))
        ends[line[0]] += 1
    return found


def writer(file_id: str) -> tuple[str, int | None]:
    """Cluster and node."""
    cluster_id, _, name = file_id.rpartition("/")
    return cluster_id, None if cluster_id == OF_NO_NODE else 2 if name == "other" else 1
