"""The maintain job: few files instead of many, none that no readable run needs, no rows older than wanted."""

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from pyspark.sql import functions as F

from jobs.engine.run.migration import migrate_older
from jobs.engine.run.on_clusters import run_on_clusters
from jobs.engine.run.progress import Progress
from jobs.engine.run.upkeep import Upkeep, require_same_settings
from jobs.parser import Parser
from jobs.settings.arguments import on_settings, on_warehouse
from jobs.settings.model import Settings
from jobs.text import human_bytes
from pipeline.catalog.tables import TABLES, Refresh
from pipeline.store.health.upkeep import (
    Size,
    compact_tables,
    keep_retention,
    remove_old_files,
    remove_old_log,
    table_sizes,
)
from pipeline.store.locks.lock import ClusterLock
from pipeline.store.runs.published import EXPIRED_BEFORE, KEPT_FROM
from pipeline.store.spark.rows import collect_rows, collect_single_row
from pipeline.store.warehouse import ClusterWarehouse
from schemas.bronze import duplicate_record, log_record, lost_segment, source_file
from schemas.gold import finding
from schemas.ops import run

RETAINED = re.compile(r"(\d{1,5})d")
# Between the clocks of the hosts that wrote and of the one that removes.
CLOCKS_APART = timedelta(hours=1)
Sizes = Mapping[str, Size]


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    arguments = Parser(prog="kafka-controller-audit maintain", description=__doc__)
    arguments.add_argument("--cluster", metavar="NAME", help="one cluster (all of the warehouse)")
    arguments.add_argument(
        "--retain",
        type=parse_days,
        metavar="400d",
        help="delete what was read of records older than so many days",
    )
    on_settings(arguments)
    on_warehouse(arguments)
    given = arguments.parse_args(argv)
    return run_on_clusters("maintain", given, partial(maintain_cluster, given.retain))


def parse_days(text: str) -> timedelta:
    found = RETAINED.fullmatch(text)
    if found is None or not int(found[1]):
        raise argparse.ArgumentTypeError(f"expected a number of days such as 400d, found {text!r}")
    return timedelta(days=int(found[1]))


def maintain_cluster(
    retain: timedelta | None,
    store: ClusterWarehouse,
    settings: Settings,
    progress: Progress,
    lock: ClusterLock,
) -> str:
    """What one cluster was and is. The order matters: what is removed last is what no published version needs."""
    if retain is not None:
        require_same_settings(store, store.published(), settings)
    migrate_older(store, settings, progress, lock)
    upkeep = Upkeep(store, settings, "maintain", progress, lock)
    tables = upkeep.tables
    before = table_sizes(store.delta, tables)
    expired = expire_segments(upkeep, upkeep.started_at - retain) if retain is not None else 0
    progress.stage("compact", f"{len(tables)} tables, {total_size(before).files:,} files")
    keep_retention(store.delta, [*tables, run.SPEC])
    compact_tables(store.delta, [*tables, run.SPEC])
    progress.stage("remove", f"files that no run of the last {settings.storage.retention_days} days needs")
    remove_old_files(store.delta, [*tables, run.SPEC])
    until = datetime.now(UTC) - timedelta(days=settings.storage.retention_days) + CLOCKS_APART
    # What an earlier run removed is gone, however long files are kept since.
    upkeep.counts[KEPT_FROM] = max(kept_from(store, until), upkeep.counts.get(KEPT_FROM, 1))
    upkeep.publish()
    remove_old_logs(upkeep)
    after = table_sizes(store.delta, tables)
    return "\n".join(size_change_lines(before, after, expired, upkeep.counts[KEPT_FROM]))


def size_change_lines(before: Sizes, after: Sizes, expired: int, first_run: int) -> Iterator[str]:
    """What maintain says of a cluster: a line for each table that changed, and of all tables."""
    changed = [name for name, size in before.items() if is_size_changed(size, after[name])]
    readable = f"runs from number {first_run} on are readable"
    if not changed and not expired:
        all_of_it = total_size(after)
        yield (
            f"MAINTAINED  nothing to do: {len(after)} tables, {all_of_it.files:,} files, "
            f"{human_bytes(all_of_it.disk_bytes)} on disk; {readable}"
        )
        return
    yield f"MAINTAINED  {len(changed)} of {len(after)} tables changed"
    for name in changed:
        yield format_size_change(name, before[name], after[name])
    segments = f"; segments expired: {expired:,}" if expired else ""
    yield format_size_change("all tables", total_size(before), total_size(after)) + f"{segments}; {readable}"


def is_size_changed(old: Size, new: Size) -> bool:
    """What Delta adds beside a table that stays what it was, such as its note of a VACUUM, is no change."""
    return new.disk_bytes < old.disk_bytes or (new.files, new.data_bytes) != (old.files, old.data_bytes)


def format_size_change(name: str, old: Size, new: Size) -> str:
    data = f"{human_bytes(old.data_bytes)} -> {human_bytes(new.data_bytes)}"
    disk = f"{human_bytes(old.disk_bytes)} -> {human_bytes(new.disk_bytes)}"
    return f"  {name:<29} files {old.files:,} -> {new.files:,}, {data}; on disk {disk}"


def total_size(of: Sizes) -> Size:
    return Size(*map(sum, zip(*of.values(), strict=True))) if of else Size(0, 0, 0)


def remove_old_logs(upkeep: Upkeep) -> None:
    """Of each table what only versions need that no readable run published."""
    delta, first = upkeep.store.delta, upkeep.counts[KEPT_FROM]
    rows = collect_rows(delta.read(run.SPEC).where(F.col("run_seq") >= first).select("table_versions"))
    for spec in upkeep.tables:
        oldest = min(row["table_versions"].get(spec.name, upkeep.versions[spec.name]) for row in rows)
        remove_old_log(delta, spec, oldest)
    remove_old_log(delta, run.SPEC, int(delta.head(run.SPEC) or 0))


def kept_from(store: ClusterWarehouse, until: datetime) -> int:
    """The first run whose versions are all there: its follower removed files, and began only after `until`."""
    followed = store.delta.read(run.SPEC).where(F.col("started_at") <= F.lit(until))
    found = collect_single_row(followed.agg(F.max("run_seq").alias("run_seq")))["run_seq"]
    return int(found or 1)


def expire_segments(upkeep: Upkeep, before: datetime) -> int:
    """Deletes the rows of segments whose last record is older, builds anew what stands on them. How many segments.

    The manifest, bronze.source_file, keeps the segments: their files are known, and not read again.
    """
    delta, counts = upkeep.store.delta, upkeep.counts
    if log_record.SPEC.name not in upkeep.versions:
        return 0
    counts[EXPIRED_BEFORE] = max(int(before.timestamp() * 1000), counts.get(EXPIRED_BEFORE, 0))
    old = expired_segments(upkeep, counts[EXPIRED_BEFORE])
    if not old:
        return 0
    load_seqs = [row["load_seq"] for row in old]
    upkeep.progress.stage("expire", f"{len(old)} segments, {sum(row['record_bytes'] for row in old):,} bytes")
    for table in TABLES:
        is_of_lines = (
            table.spec in (log_record.SPEC, duplicate_record.SPEC) or table.refresh is Refresh.APPEND
        )
        if is_of_lines and table.spec.name in upkeep.versions:
            delta.delete_segments(table.spec, load_seqs)
    if lost_segment.SPEC.name in upkeep.versions:
        # Of so long ago nothing is told that their loss could put in doubt.
        delta.delete(lost_segment.SPEC, f"unix_millis(last_logged_at) < {counts[EXPIRED_BEFORE]}")
        upkeep.versions[lost_segment.SPEC.name] = int(delta.head(lost_segment.SPEC) or 0)
    if finding.SPEC.name in upkeep.versions:
        # Their lines are gone: they are over and not retracted.
        moment = f"timestamp_millis({counts[EXPIRED_BEFORE]})"
        delta.delete(finding.SPEC, f"coalesce(valid_until_at, valid_from_at) < {moment}")
        upkeep.versions[finding.SPEC.name] = int(delta.head(finding.SPEC) or 0)
    upkeep.rebuild(upkeep.built())
    counts["total_bytes"] = max(0, counts.get("total_bytes", 0) - sum(row["record_bytes"] for row in old))
    return len(old)


def expired_segments(upkeep: Upkeep, before_ms: int) -> list[dict[str, Any]]:
    """(load_seq, record_bytes) of the segments that are older and still have rows."""
    delta = upkeep.store.delta
    present = delta.read(log_record.SPEC).select("load_seq").distinct()
    old = delta.read(source_file.SPEC).where(F.unix_millis("last_logged_at") < before_ms)
    return collect_rows(old.join(present, on="load_seq", how="left_semi").select("load_seq", "record_bytes"))


if __name__ == "__main__":
    sys.exit(main())
