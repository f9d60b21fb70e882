"""A node of the sample in layouts that print no logger, or its short name: the same tables, the same findings."""

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from tests.kafka.envelopes import STOCK
from tests.lab import built_tables

Said = tuple[dict[str, int], list[str]]
SAMPLE = Path(__file__).parents[1] / "data" / "sample" / "lab-2.2.2"
NODE = "broker-2"  # the controller of most terms
LAYOUTS: dict[str, Callable[..., str]] = {
    "debezium": lambda time, level, message, _: f"{time} - {level:5} [main:Logging@66] - {message}",
    "log4j_class_line": lambda time, level, message, logger: (
        f"{time} {level:5} {logger.rsplit('.', 1)[-1]}:68 - {message}"
    ),
}


def rewritten(folder: Path, printed: Callable[..., str]) -> Path:
    for log in (SAMPLE / NODE).glob("*.log*"):
        data = gzip.decompress(log.read_bytes()) if log.suffix == ".gz" else log.read_bytes()
        heads = ((line, STOCK.fullmatch(line)) for line in data.decode().splitlines())
        own = folder / log.relative_to(SAMPLE).with_name(log.name.removesuffix(".gz"))
        own.parent.mkdir(parents=True, exist_ok=True)
        own.write_text("".join(f"{printed(*head.groups()) if head else line}\n" for line, head in heads))
    return folder


def said(tables: dict[str, pa.Table]) -> Said:
    findings = tables["finding"].select(["rule", "valid_from_at", "valid_until_at", "certainty", "sentence"])
    return {name: len(rows) for name, rows in tables.items()}, sorted(map(repr, findings.to_pylist()))


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Said:
    shutil.copytree(SAMPLE / NODE, folder := tmp_path_factory.mktemp("stock") / SAMPLE.name / NODE)
    return said(built_tables(folder.parent))


@pytest.mark.soak
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_changes_no_finding(layout: str, stock: Said, tmp_path: Path) -> None:
    found = said(built_tables(rewritten(tmp_path / SAMPLE.name, LAYOUTS[layout])))
    assert found == stock
    assert len(found[1]) > 5
