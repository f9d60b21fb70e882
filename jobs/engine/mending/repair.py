"""Mends one cluster of a damaged warehouse: derived tables from bronze, bronze from what is left and from the logs."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from jobs.engine.incremental.placement import UNPACKED, Placement, placement_of
from jobs.engine.intake.discovery import Candidate
from jobs.engine.mending.bronze import BronzeMending
from jobs.engine.mending.runs import put_back_last_run
from jobs.engine.mending.taken_over import take_over
from jobs.engine.run.progress import Progress
from jobs.engine.run.upkeep import Upkeep
from jobs.settings.model import Settings
from jobs.text import format_count
from pipeline.catalog.tables import BY_NAME, KEPT, SPECS, TABLES, Refresh
from pipeline.core.errors import EnvironmentProblem
from pipeline.store.health.mending import (
    drop_altered_summaries,
    give_up_files,
    is_readable,
    roll_back,
    set_aside,
)
from pipeline.store.locks.lock import ClusterLock
from pipeline.store.readers.published_tables import PublishedTables
from pipeline.store.runs.damage import Damage, inspect_published, uri_of
from pipeline.store.runs.forgotten_runs import BEGIN_ANEW
from pipeline.store.runs.published import ASIDE, KEPT_FROM, Published
from pipeline.store.tables.direct_reading import local_folder
from pipeline.store.warehouse import ClusterWarehouse
from schemas.bronze import lost_segment

BRONZE = "bronze."
OF_OTHERS = "no file below --logs is of this cluster by its path: if they are, run it again with --cluster {}"
# The log of the table is whole, and what it names is not.
OF_FILES = frozenset({"file_gone", "file_cut", "file_altered"})


@dataclass
class Repair:
    """candidates: the files of a cluster below --logs. again: clusters of which the next run reads files anew.
    to_settle: those of them of which a repair after that run says whether all that was lost came again. is_of_logs:
    some were named, be it that none of their files is of the cluster."""

    candidates: Callable[[str], Sequence[Candidate]]
    again: list[str] = field(default_factory=list)
    to_settle: list[str] = field(default_factory=list)
    is_of_logs: bool = False

    def repaired(
        self, store: ClusterWarehouse, settings: Settings, progress: Progress, lock: ClusterLock
    ) -> str:
        """What was mended, in a line: of little without Spark, unless delta-rs refuses to write it. EnvironmentProblem:
        the warehouse is not on this machine."""
        folder = require_local(store)
        if is_little(store, settings):
            store.write_locally(settings.storage.zstd_level)
        return self.mended(folder, store, settings, progress, lock)

    def mended(
        self, folder: Path, store: ClusterWarehouse, settings: Settings, progress: Progress, lock: ClusterLock
    ) -> str:
        aside = folder / ASIDE / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
        put_back = put_back_last_run(store, aside)
        taken_over = take_over(store, settings)
        seen = store.published()
        damages = inspect_published(str(folder), seen, None).damages
        candidates = self.candidates(store.cluster_id)
        if not damages and not taken_over and not (candidates and has_lost(folder, seen)):
            return f"REPAIRED  {put_back}" if put_back else nothing_text(seen)
        tables = {one.table: one for one in damages}
        progress.stage("damaged", ", ".join(sorted(tables)) or "no table")
        left_in = {name: make_table_readable(folder, aside, one, seen) for name, one in tables.items()}
        upkeep = Upkeep(store, settings, "repair", progress, lock)
        store.create_missing(SPECS, upkeep.versions)
        for name in sorted(left_in):
            if is_underived_table(name) and give_up_files(
                Path(uri_of(str(folder), name)), aside / name, upkeep.run_id
            ):
                upkeep.versions[name] = int(store.delta.head(BY_NAME[name].spec) or 0)
        bronze = BronzeMending(upkeep, left_in, candidates, is_taken_over=bool(taken_over))
        bronze.mend()
        if not damages and not taken_over and not bronze.again and not bronze.settled:
            return "NOTHING TO REPAIR  no log holds what was lost before"
        self.rebuild(upkeep, bronze, set(tables))
        upkeep.counts[KEPT_FROM] = upkeep.published.run_seq + 1
        upkeep.publish()
        if candidates and (bronze.again or bronze.uncounted):
            self.again.append(store.cluster_id)
        if candidates and bronze.uncounted:
            self.to_settle.append(store.cluster_id)
        other = OF_OTHERS.format(store.cluster_id) if self.is_of_logs and not candidates else ""
        return "; ".join(filter(None, (repair_summary(tables, bronze), put_back, taken_over, other)))

    def rebuild(self, upkeep: Upkeep, bronze: BronzeMending, damaged: set[str]) -> None:
        """Derived tables that were damaged; all of them, where what they stand on was."""
        is_read_other = bronze.is_taken_over or any(one.startswith(BRONZE) for one in damaged)
        is_read_other = is_read_other or bool(bronze.again or bronze.settled)
        if is_read_other:
            upkeep.progress.stage("compare", "records that came twice")
            bronze.find_duplicates(lambda *_: None)
        appended = {one.spec.name for one in TABLES if one.refresh is Refresh.APPEND}
        derived = (
            (upkeep.built() | appended)
            if is_read_other
            else {one for one in damaged if not is_underived_table(one)}
        )
        if derived:
            upkeep.rebuild(derived)


def nothing_text(seen: Published) -> str:
    """Where no run is published there is nothing that a repair could mend, and a way on all the same."""
    return "NOTHING TO REPAIR" if seen.run_id else f"NOTHING TO REPAIR  no run is published: {BEGIN_ANEW}"


def is_little(store: ClusterWarehouse, settings: Settings) -> bool:
    """Whether the driver can hold what is stored."""
    stored = store.files.size_bytes(f"{store.folder}/{BRONZE.rstrip('.')}")
    return placement_of(settings, UNPACKED * stored) is Placement.DRIVER


def make_table_readable(folder: Path, aside: Path, damage: Damage, seen: Published) -> Path:
    """Rolls a table back to what of its log can be read, or puts it aside. Where its data files lie then."""
    table = Path(uri_of(str(folder), damage.table))
    if not is_underived_table(damage.table):
        shutil.rmtree(table, ignore_errors=True)
        return table
    drop_altered_summaries(table)
    is_whole = damage.kind in OF_FILES or (
        damage.kind == "log_altered" and is_readable(table, seen.versions[damage.table])
    )
    if roll_back(table, seen.versions[damage.table], is_log_whole=is_whole) is not None:
        return table
    set_aside(table, aside / damage.table)
    return aside / damage.table


def is_underived_table(name: str) -> bool:
    """Tables that nothing derives again: what was read, and what was said of runs."""
    return BY_NAME[name].refresh in KEPT


def has_lost(folder: Path, seen: Published) -> bool:
    """Whether a repair before had to give up what was read."""
    return bool(PublishedTables(str(folder), seen.versions).read(lost_segment.SPEC).num_rows)


def require_local(store: ClusterWarehouse) -> Path:
    folder = local_folder(store.folder)
    if folder is None:
        raise EnvironmentProblem(
            expected="a warehouse on this machine, whose files repair can look into",
            found=store.folder,
            todo="copy the cluster's folder to a disk, repair it there, and copy it back",
        )
    return folder


def repair_summary(tables: dict[str, Damage], bronze: BronzeMending) -> str:
    """In a line."""
    again = f"; {format_count(len(bronze.again), 'file')} to be read again" if bronze.again else ""
    records = int(bronze.lost["record_count"].sum()) if bronze.lost.width else 0
    lost = f"; {records:,} records of {len(bronze.lost)} segments are lost for good" if records else ""
    if bronze.uncounted:
        lost += (
            f"; {bronze.uncounted:,} records that were published are in no table: a gap, until repair finds that "
            "a run with --logs has read them again"
        )
    if bronze.settled:
        lost += f"; {bronze.settled:,} records that were lost were read again: their gap is over"
    return (
        f"REPAIRED  {format_count(len(tables), 'table')}: {', '.join(sorted(tables)) or 'none'}{again}{lost}"
    )
