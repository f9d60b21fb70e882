"""Real logs of every release: each record of a controller's loggers is understood."""

import gzip
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tests.kafka.reading import read, read_table
from tests.kafka.writing import wrapped

# (reason, wording) of records that may stay not understood, with why. None is needed today.
NOT_UNDERSTOOD: dict[tuple[str, str], str] = {}
SHARE_BYTES = 300_000


def logs(folder: Path) -> list[Path]:
    found = [path for path in folder.rglob("*.log*") if "truth" not in path.parts]
    return sorted(
        path for path in found if path.name.startswith(("controller", "state-change", "stage-change"))
    )


def content(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def unknown(path: Path, data: bytes) -> Counter[tuple[str, str]]:
    """Reasons and first words of what is not understood; the bytes are counted on the way."""
    log = "controller" if path.name.startswith("controller") else "state-change"
    table = read_table(data, log=log)
    assert (pc.sum(table["byte_length"]).as_py() or 0) == len(data), path
    left: pa.Table = table.filter(pc.is_valid(table["not_understood_reason"]))
    words = [(raw or b"").decode("utf-8", "replace")[26:90] for raw in left["raw"].to_pylist()]
    pairs = zip(left["not_understood_reason"].to_pylist(), words, strict=True)
    return Counter(pair for pair in pairs if pair not in NOT_UNDERSTOOD)


def test_the_largest_logs_of_every_release_are_understood(shared: Path) -> None:
    by_release: dict[tuple[str, str], list[Path]] = {}
    for path in logs(shared / "corpus"):
        release = path.relative_to(shared / "corpus").parts[1]
        by_release.setdefault((release, path.name.split("-")[0].split(".")[0]), []).append(path)
    assert len({release for release, _ in by_release}) >= 30
    for paths in by_release.values():
        path = max(paths, key=lambda p: (p.suffix != ".gz", p.stat().st_size))
        data = content(path)
        whole = data[: data.rfind(b"\n[", 0, SHARE_BYTES) + 1] if len(data) > SHARE_BYTES else data
        assert not unknown(path, whole), path


@pytest.mark.parametrize(
    "around", [("cri",), ("json_file",), ("ansi", "compose", "timestamps")], ids="/".join
)
def test_real_logs_say_the_same_in_wrappers(shared: Path, around: tuple[str, ...]) -> None:
    place = {"byte_offset", "byte_length", "line_count", "raw"}
    name = "/".join((*around, "stock"))
    for release in sorted((shared / "corpus").glob("*/*/")):
        path = max((one for one in logs(release) if one.suffix != ".gz"), key=lambda one: one.stat().st_size)
        data = path.read_bytes()[:60_000]
        data = data[: data.rfind(b"\n") + 1]
        bare, content = read(data, log="mixed"), wrapped(data, around)
        inside = read(content, envelope=name, log="mixed")
        assert sum(row["byte_length"] for row in inside) == len(content)
        for row, other in zip(bare, inside, strict=True):
            assert {key: row[key] for key in row if key not in place} == {
                key: other[key] for key in other if key not in place
            }, path


@pytest.mark.soak
def test_the_whole_corpus_is_understood(shared: Path) -> None:
    found = {str(path): left for path in logs(shared / "corpus") if (left := unknown(path, content(path)))}
    assert not found
