"""An older release reads what this one writes, or refuses it: the format's number is raised when it has to be."""

import json
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable

from pipeline.catalog.tables import SPECS
from schemas.ops import run
from schemas.spark import struct_of
from schemas.spec import TableSpec
from tests.golden import CLUSTER, unpacked

OF_TYPES = ("type", "elementType", "keyType", "valueType", "fields", "name")


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(tmp_path_factory.mktemp("golden")) / CLUSTER


def test_what_a_format_has_stays_in_it(golden: Path) -> None:
    """Tables and columns that come in addition are read by none that does not know them; one that went, or is of
    another type, is: raise FORMAT_VERSION, write the migration, and make the golden warehouse of that format."""
    stored = {spec.name: types(golden, spec) for spec in SPECS if (golden / spec.layer / spec.table).is_dir()}
    now = {spec.name: declared(spec) for spec in SPECS}
    folders = {f"{one.parent.parent.name}.{one.parent.name}" for one in golden.glob("*/*/_delta_log")}
    changed = {
        f"{name}.{column}"
        for name, columns in stored.items()
        for column, kind in columns.items()
        if now[name].get(column) != kind
    }
    assert changed | (folders - {run.SPEC.name} - set(now)) == set()


def types(golden: Path, spec: TableSpec) -> dict[str, Any]:
    table = DeltaTable(golden / spec.layer / spec.table)
    return {one.name: plain(json.loads(one.type.to_json())) for one in table.schema().fields}


def declared(spec: TableSpec) -> dict[str, Any]:
    return {one.name: plain(one.dataType.jsonValue()) for one in struct_of(spec).fields}


def plain(kind: Any) -> Any:
    """A type without what says where null may stand."""
    if isinstance(kind, dict):
        return {name: plain(one) for name, one in kind.items() if name in OF_TYPES}
    return [plain(one) for one in kind] if isinstance(kind, list) else kind
