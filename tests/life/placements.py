"""What executors stored beside what the driver makes of the same records."""

from pathlib import Path

import polars as pl

from jobs.engine.incremental.builder import Builder
from jobs.engine.incremental.night import Night
from jobs.settings.load import load_settings
from pipeline.catalog.tables import TABLES, Refresh
from pipeline.core.frames import frame_of, with_absent
from pipeline.core.stored_tables import MemoryTables
from pipeline.store.tables.direct_reading import read_directly
from schemas.bronze import file_sighting, log_record
from tests.incremental.nights import differing

BUILT = [one for one in TABLES if one.build is not None]
READ = [one.spec for one in TABLES if one.refresh is Refresh.LOADED or one.spec is file_sighting.SPEC]


def require_as_in_the_driver(cluster: Path) -> None:
    """The tables of this cluster's folder, the night's own rows first: all that kernels make of them is as stored."""
    stored, tables = read_all(cluster), MemoryTables()
    for spec in READ:
        tables.append(spec, stored[spec.name].to_arrow(compat_level=pl.CompatLevel.oldest()))
    settings = load_settings(None, {"cluster": cluster.name}, {}, None)
    night = Night(tables, settings, cluster.name, "run", 0, frozenset())
    Builder(night, lambda _, rows: rows).build(BUILT)
    found = [one for table in BUILT for one in differing(table.spec, stored, tables.rows)]
    assert not found, "\n".join(found)
    assert stored["silver.controller_line"].height > 100


def read_all(folder: Path) -> dict[str, pl.DataFrame]:
    """All tables by name, records without their bytes: of these none is cut, so that no table rests on them."""
    specs = (*READ, *(one.spec for one in BUILT))
    columns = {one.name: [name for name in one.columns if name != "raw"] for one in specs}
    stored = {one.name: frame_of(read_directly(folder, one, None, columns[one.name])) for one in specs}
    assert not stored[log_record.SPEC.name]["not_understood_reason"].is_in(log_record.NOT_WHOLE).any()
    return {one.name: with_absent(stored[one.name], one) for one in specs}
