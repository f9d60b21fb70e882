"""A warehouse of a run that stated what it published, whatever its tables hold by now."""

import json
import shutil
from pathlib import Path

import polars as pl
from deltalake import write_deltalake

from pipeline.catalog.tables import SPECS
from pipeline.core.frames import declared_table, frame_of
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.tables.commit_files import newest_committed_version
from pipeline.store.tables.contents import contents_of
from pipeline.store.tables.direct_reading import read_directly
from pipeline.store.tables.stated import as_columns
from schemas.spec import TableSpec
from tests.store.damaging import commit, write


def stated(cluster: Path, **counts: int) -> None:
    """The newest run published, and stated, what the tables hold at their newest versions."""
    heads = {
        one.name: newest_committed_version(LocalFiles(), str(cluster / one.layer / one.table))
        for one in SPECS
    }
    versions = {name: version for name, version in heads.items() if version is not None}
    table = cluster / "ops" / "run"
    path = commit(table, newest_committed_version(LocalFiles(), str(table)) or 0)
    actions = [json.loads(line) for line in path.read_text().splitlines()]
    for info in (one["commitInfo"] for one in actions if "commitInfo" in one):
        row = json.loads(info["userMetadata"])
        row |= {"table_versions": versions, **as_columns(contents_of(cluster, versions))}
        row["counts"] |= counts
        info["userMetadata"] = json.dumps(row)
    write(path, "".join(f"{json.dumps(one)}\n" for one in actions).encode())


def rows(cluster: Path, spec: TableSpec) -> pl.DataFrame:
    return frame_of(read_directly(cluster, spec, None, None))


def put(cluster: Path, spec: TableSpec, frame: pl.DataFrame) -> Path:
    """A new table in place of the one that is there, if any."""
    table = cluster / spec.layer / spec.table
    shutil.rmtree(table, ignore_errors=True)
    write_deltalake(str(table), declared_table(frame, spec))
    return table
