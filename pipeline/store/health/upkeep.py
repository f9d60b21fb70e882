"""What keeps the tables of a cluster in order: compaction, removal of old files, and changes of declarations."""

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from pyspark.sql import SparkSession

from pipeline.core.errors import WarehouseFormat
from pipeline.store.spark.filesystem import java_class
from pipeline.store.spark.rows import collect_rows, collect_single_row
from pipeline.store.tables.delta import DeltaFolder, column_ddl, properties_sql, sql_literal
from schemas.spark import struct_of
from schemas.spec import TableSpec

AT_ONCE = 4
# A file that is smaller is joined with others, up to this size: some GB of log lines.
FILE_BYTES = 128 << 20
COMPACTION = {
    "spark.databricks.delta.optimize.maxFileSize": str(FILE_BYTES),
    "spark.databricks.delta.optimize.minFileSize": str(FILE_BYTES // 2),
    # The commits that VACUUM would add are no run's: no row of ops.run would publish them.
    "spark.databricks.delta.vacuum.logging.enabled": "false",
}
CONSTRAINT = "delta.constraints."
LOG_FILE = re.compile(r"^(\d{20})\.(?:json|crc|checkpoint\..+)$")


class Size(NamedTuple):
    """Of a table: files and bytes of its newest version, and all bytes below its folder."""

    files: int
    data_bytes: int
    disk_bytes: int


@dataclass(frozen=True)
class Difference:
    """How a table differs from its declaration. is_additive: columns that may be null are missing, no more."""

    spec: TableSpec
    missing: tuple[str, ...]
    sentence: str | None

    @property
    def is_additive(self) -> bool:
        return bool(self.missing) and self.sentence is None

    @property
    def is_any(self) -> bool:
        return bool(self.missing) or self.sentence is not None


def on_each(specs: Sequence[TableSpec], act: Callable[[TableSpec], object]) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in pool.map(act, specs):
            pass


def tune_upkeep(spark: SparkSession) -> None:
    for key, value in COMPACTION.items():
        spark.conf.set(key, value)


def compact_tables(delta: DeltaFolder, specs: Sequence[TableSpec]) -> None:
    """Small files become few, in the order in which they stood; the rows stay what they were."""
    on_each(specs, lambda spec: collect_rows(delta.spark.sql(f"OPTIMIZE {delta.named(spec)}")))


def remove_old_files(delta: DeltaFolder, specs: Sequence[TableSpec]) -> None:
    """Files that no version younger than the table's retention needs. Heads have to be what is published."""

    def remove(spec: TableSpec) -> None:
        quiet_console(delta.spark)
        collect_rows(delta.spark.sql(f"VACUUM {delta.named(spec)}"))

    on_each(specs, remove)


def remove_old_log(delta: DeltaFolder, spec: TableSpec, oldest: int) -> None:
    """Files of the table's log that no version from `oldest` on needs: those before the last checkpoint until there."""
    folder = f"{delta.uri(spec)}/_delta_log"
    named = [(name, match) for name in delta.files.names(folder) if (match := LOG_FILE.match(name))]
    checkpoints = [int(match[1]) for name, match in named if name.endswith(".checkpoint.parquet")]
    begin = max((version for version in checkpoints if version <= oldest), default=0)
    for name in (name for name, match in named if int(match[1]) < begin):
        delta.files.delete(f"{folder}/{name}", with_content=False)


def quiet_console(spark: SparkSession) -> None:
    """Delta prints of each table how much VACUUM deleted, by `println`; in this thread nobody reads that from here on.
    What fails is raised, and what warns is logged: neither is printed there."""
    nowhere = java_class(spark, "java.io.PrintStream")(
        java_class(spark, "java.io.OutputStream").nullOutputStream()
    )
    getattr(java_class(spark, "scala.Console$"), "MODULE$").setOutDirect(nowhere)


def keep_retention(delta: DeltaFolder, specs: Sequence[TableSpec]) -> None:
    """The retention of the settings in force, where a table has another: made under other settings."""

    def keep(spec: TableSpec) -> None:
        is_written = bool(delta.head(spec))  # version 0: no run has built it, which readers are told
        if is_written and not delta.retention().items() <= table_properties(delta, spec).items():
            delta.spark.sql(
                f"ALTER TABLE {delta.named(spec)} SET TBLPROPERTIES ({properties_sql(delta.retention())})"
            )

    on_each(specs, keep)


def files_and_bytes(delta: DeltaFolder, specs: Sequence[TableSpec]) -> tuple[int, int]:
    """Of the newest versions of all these tables."""
    found = [collect_single_row(delta.spark.sql(f"DESCRIBE DETAIL {delta.named(spec)}")) for spec in specs]
    return sum(one["numFiles"] for one in found), sum(one["sizeInBytes"] for one in found)


def table_sizes(delta: DeltaFolder, specs: Sequence[TableSpec]) -> dict[str, Size]:
    """By name of the table."""

    def size(spec: TableSpec) -> Size:
        return Size(*files_and_bytes(delta, [spec]), delta.files.size_bytes(delta.uri(spec)))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return {spec.name: one for spec, one in zip(specs, pool.map(size, specs), strict=True)}


def table_properties(delta: DeltaFolder, spec: TableSpec) -> dict[str, str]:
    rows = collect_rows(delta.spark.sql(f"SHOW TBLPROPERTIES {delta.named(spec)}"))
    return {row["key"]: row["value"] for row in rows}


def declaration_difference(delta: DeltaFolder, spec: TableSpec) -> Difference:
    """What of a table is not as declared now; nothing else of it is looked at than types, nulls and checks."""
    there = {one.name: one for one in delta.read(spec).schema.fields}
    declared = {one.name: one for one in struct_of(spec).fields}
    missing = tuple(name for name, one in declared.items() if name not in there and one.nullable)
    checks = {f"{CONSTRAINT}{one.name}": one.condition for one in spec.checks}
    found = {key: value for key, value in table_properties(delta, spec).items() if key.startswith(CONSTRAINT)}
    odd = [f"{name} is missing" for name in declared if name not in there and name not in missing]
    odd += [f"{name} is no column of it any more" for name in there if name not in declared]
    for name in there.keys() & declared.keys():
        types = [one[name].dataType.simpleString() for one in (there, declared)]
        if types[0] != types[1]:
            odd.append(f"{name} is {types[0]} and not {types[1]}")
        elif there[name].nullable != declared[name].nullable:
            odd.append(f"{name} {'may' if there[name].nullable else 'may not'} be null")
    odd += [f"{key} differs" for key in sorted(dict(checks.items() ^ found.items()))]
    return Difference(spec, missing, "; ".join(sorted(odd)) or None)


def add_columns(delta: DeltaFolder, one: Difference) -> None:
    columns = ", ".join(
        column_ddl(field) for field in struct_of(one.spec).fields if field.name in one.missing
    )
    delta.spark.sql(f"ALTER TABLE {delta.named(one.spec)} ADD COLUMNS ({columns})")


def widen_table(delta: DeltaFolder, one: Difference) -> None:
    """Makes a table that holds what was read as declared: new columns and checks, fewer things demanded.

    WarehouseFormat: what was read would have to change, which no rule says how.
    """
    there = {field.name: field for field in delta.read(one.spec).schema.fields}
    declared = {field.name: field for field in struct_of(one.spec).fields}
    if one.missing:
        add_columns(delta, one)
    for name, field in there.items():
        if not field.nullable and (name not in declared or declared[name].nullable):
            delta.spark.sql(f"ALTER TABLE {delta.named(one.spec)} ALTER COLUMN `{name}` DROP NOT NULL")
    checks = {f"{CONSTRAINT}{check.name}": check.condition for check in one.spec.checks}
    found = {
        key: value for key, value in table_properties(delta, one.spec).items() if key.startswith(CONSTRAINT)
    }
    for key in sorted(found.keys() - {key for key in checks if checks[key] == found.get(key)}):
        delta.spark.sql(f"ALTER TABLE {delta.named(one.spec)} DROP CONSTRAINT {key.removeprefix(CONSTRAINT)}")
    for key in sorted(key for key in checks if checks[key] != found.get(key)):
        delta.spark.sql(
            f"ALTER TABLE {delta.named(one.spec)} ADD CONSTRAINT {key.removeprefix(CONSTRAINT)} CHECK ({checks[key]})"
        )
    left = declaration_difference(delta, one.spec)
    kept = {name for name in there if name not in declared}
    odd = [part for part in (left.sentence or "").split("; ") if part and part.split(" ")[0] not in kept]
    if odd:
        raise WarehouseFormat(
            expected=f"a table {one.spec.name} that this release can continue",
            found=f"{sql_literal('; '.join(odd))} in {delta.folder}",
            todo="read the logs anew into another --warehouse, or use the release that wrote it",
        )
