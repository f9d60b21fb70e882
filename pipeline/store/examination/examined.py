"""One cluster of a warehouse, table by table: what cannot be read becomes a row of the answer."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from deltalake.exceptions import DeltaError

from pipeline.core.errors import InputProblem, WarehouseDamaged
from pipeline.store.examination.answer import Examination, Note, SegmentsState, TableState
from pipeline.store.examination.data_columns import UNREADABLE, unreadable_data_files
from pipeline.store.examination.keys import keys_of
from pipeline.store.examination.leftovers import (
    aside_notes,
    dead_commits,
    lock_notes,
    orphan_notes,
    run_notes,
)
from pipeline.store.examination.segments import FILES, LOST, RECORDS, StoredFiles, segments_of
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.readers.readable_warehouse import DirectWarehouse
from pipeline.store.runs.damage import (
    UNPUBLISHED,
    Damage,
    compared_with_sums,
    contents_text,
    of_version,
    run_damage,
    uri_of,
    versions_behind,
)
from pipeline.store.runs.forgotten_runs import BEGIN_ANEW, WHY_UNPUBLISHED, forgotten_runs_damage
from pipeline.store.runs.published import EXPIRED_BEFORE, Published, last_run
from pipeline.store.tables.commit_files import newest_committed_version, newest_whole
from pipeline.store.tables.contents import AT_ONCE, data_files
from pipeline.store.tables.stated import DataFile, contents_of_files
from schemas.ops import run
from schemas.spec import TableSpec

RUN = run.SPEC.name
PROBLEMS = (InputProblem, WarehouseDamaged)
# What is wrong with a table of which the rows can be looked at all the same.
READABLE = frozenset({"contents_differ", "file_altered"})


def examine_cluster(warehouse: DirectWarehouse, cluster: str, specs: Mapping[str, TableSpec]) -> Examination:
    """specs: declarations of the tables by name. WarehouseFormat: written by a newer product."""
    return ClusterLook(warehouse, cluster, specs).whole()


class ClusterLook:
    """A look at one cluster. Nothing is written."""

    def __init__(self, warehouse: DirectWarehouse, cluster: str, specs: Mapping[str, TableSpec]) -> None:
        self.warehouse, self.cluster, self.specs = warehouse, cluster, {RUN: run.SPEC, **specs}
        self.files, self.folder = warehouse.files, f"{warehouse.root}/{cluster}"
        self.is_local = isinstance(self.files, LocalFiles)
        self.others: list[Damage] = []
        self.data: dict[str, list[DataFile]] = {}

    def whole(self) -> Examination:
        seen = self.published()
        published = seen.versions | self.of_runs()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            states = tuple(
                pool.map(lambda one: self.state(one, replace(seen, versions=published)), published)
            )
        segments = self.segments({one.table: one for one in states}, seen)
        if seen.run_id is None and not self.others:
            self.others.append(forgotten_runs_damage(self.files, self.folder) or self.unpublished())
        return Examination(
            self.cluster,
            seen.run_id,
            seen.run_seq,
            states,
            segments,
            tuple(self.others),
            tuple(self.notes(seen, states)),
        )

    def published(self) -> Published:
        """What the newest run published: as ops.run tells, or, where that is behind, the copy of its row."""
        seen = Published()
        try:
            # Without its table of runs a cluster is asked by the copy of the row, which is a damage all the same.
            if newest_committed_version(self.files, uri_of(self.folder, RUN)) is not None:
                seen = self.warehouse.noted(self.cluster)
        except (*PROBLEMS, DeltaError, OSError, ValueError, KeyError, TypeError) as problem:
            found = problem.found if isinstance(problem, PROBLEMS) else first_line(problem)
            self.others.append(
                Damage(RUN, "run_unreadable", f"the newest row of {RUN} cannot be read: {found}")
            )
        try:
            last = last_run(self.files, self.folder)
        except (OSError, ValueError, KeyError, TypeError):
            last = None
        lost = run_damage(seen, last)
        if lost is None or last is None:
            return seen
        self.others.append(lost)
        return last

    def unpublished(self) -> Damage:
        """No run has ended well here, or nothing is left of any."""
        made = len(self.committed())
        there = f"{made} tables are begun" if made else "no table is there"
        told = f"no run of {self.cluster} is published, {there}: {WHY_UNPUBLISHED}; {BEGIN_ANEW}"
        return Damage(RUN, UNPUBLISHED, told)

    def is_known(self, seen: Published) -> bool:
        """Whether the next run undoes what is newer than what is published."""
        return seen.run_id is not None or all(one.kind == UNPUBLISHED for one in self.others)

    def of_runs(self) -> dict[str, int]:
        """The version of ops.run to be looked at."""
        try:
            whole = newest_whole(self.files, uri_of(self.folder, RUN))
        except OSError:
            whole = None
        return {} if whole is None else {RUN: whole}

    def state(self, name: str, seen: Published) -> TableState:
        """One table at its published version."""
        state = TableState(name, seen.versions[name], stated=seen.contents.get(name))
        try:
            state.newest = newest_committed_version(self.files, uri_of(self.folder, name))
            self.look_at_files(state, seen)
            if {one.kind for one in state.damages} <= READABLE:
                self.look_at_rows(state)
        except (DeltaError, *UNREADABLE) as problem:
            told = f"version {state.version} of {name} cannot be read: {first_line(problem)}"
            state.damages.append(Damage(name, "version_unreadable", told))
        return state

    def look_at_files(self, state: TableState, seen: Published) -> None:
        """Versions, counts, and of files on this machine sizes and sums."""
        name, alone = state.table, replace(seen, versions={state.table: seen.versions[state.table]})
        if behind := versions_behind(self.files, self.folder, alone):
            state.damages += behind
            return
        files, damage = (
            of_version(self.folder, name, seen.versions[name], seen)
            if self.is_local
            else self.of_version_elsewhere(name, seen)
        )
        state.damages += [] if damage is None else [damage]
        self.data[name] = files
        if damage is not None and damage.kind in ("log_altered", "version_unreadable"):
            return
        state.found = contents_of_files(files)
        if self.is_local and (damage is None or damage.kind in READABLE):
            folder = Path(uri_of(self.folder, name))
            altered, size, unsummed = compared_with_sums(iter([(name, folder / one.path) for one in files]))
            state.damages += altered
            state.summed_bytes, state.unsummed_files = size, unsummed

    def of_version_elsewhere(self, name: str, seen: Published) -> tuple[list[DataFile], Damage | None]:
        """As `of_version` for what delta-rs reads of an object store."""
        files = data_files(uri_of(self.folder, name), seen.versions[name])
        stated, found = seen.contents.get(name), contents_of_files(files)
        if stated is None or stated == found:
            return files, None
        told = f"{contents_text(found)} in {name}, of which run {seen.run_id} stated {contents_text(stated)}"
        return files, Damage(name, "contents_differ", told)

    def look_at_rows(self, state: TableState) -> None:
        """Keys and number of rows, from the data files."""
        name, spec, files = state.table, self.specs.get(state.table), self.data[state.table]
        if spec is None:
            return
        uri = uri_of(self.folder, name)
        try:
            keys = keys_of(uri, files, spec)
        except UNREADABLE:
            bad = unreadable_data_files(uri, files, spec)
            altered = {path for one in state.damages for path in one.files}
            if bad and {Path(one).name for one in bad} <= altered:
                return
            path = min(bad, default="a data file")
            told = f"{path} of {name} cannot be read: {bad.get(path, 'it changed meanwhile')}"
            state.damages.append(Damage(name, "file_unreadable", told, tuple(sorted(bad))))
            return
        state.rows_read, state.duplicate_keys = keys.rows, keys.surplus
        logged = [one.rows for one in files]
        if None not in logged and keys.rows != sum(one or 0 for one in logged):
            in_log = contents_of_files(files).rows
            told = f"{keys.rows:,} rows in the files of {name}, of which its log counts {in_log:,}"
            state.damages.append(Damage(name, "rows_differ", told))
        if keys.surplus:
            told = f"{keys.surplus:,} rows of {name} more than keys, e.g. {keys.shown[0]}"
            state.damages.append(Damage(name, "keys_doubled", told))

    def segments(self, states: Mapping[str, TableState], seen: Published) -> SegmentsState | None:
        """The bytes of log files; None: their tables are not there, or cannot be read, which these say."""
        needed = [states.get(RECORDS), states.get(FILES), *([states[LOST]] if LOST in states else [])]
        if not all(one is not None and one.rows_read is not None for one in needed):
            return None
        stored = {
            name: StoredFiles(uri_of(self.folder, name), self.data[name])
            for name in states
            if name in self.data
        }
        try:
            state, damages = segments_of(
                stored[FILES], stored[RECORDS], stored.get(LOST), seen.counts.get(EXPIRED_BEFORE, 0)
            )
        except UNREADABLE as problem:
            self.others.append(
                Damage(RECORDS, "file_unreadable", f"{RECORDS} cannot be read: {first_line(problem)}")
            )
            return None
        for one in damages:
            states[one.table].damages.append(one)
        return state

    def notes(self, seen: Published, states: Collection[TableState]) -> Iterator[Note]:
        if not self.is_local:
            yield Note(
                "not_compared", "sizes and sums of files are not compared elsewhere than on this machine"
            )
        unsummed = sum(one.unsummed_files for one in states if one.table != RUN)  # whose rows have none
        if unsummed:
            yield Note(
                "no_sums", f"{unsummed:,} files have no sums beside them that tell each byte", unsummed
            )
        yield from self.leftovers(seen)

    def leftovers(self, seen: Published) -> Iterator[Note]:
        looks: list[Callable[[], Iterable[Note]]] = [
            lambda: run_notes(self.files, self.folder),
            lambda: dead_commits(self.committed() if self.is_known(seen) else {}, seen.versions),
            lambda: lock_notes(self.files, self.folder),
        ]
        if self.is_local:
            tables = [Path(uri_of(self.folder, name)) for name in self.specs]
            looks += [lambda: orphan_notes(tables), lambda: aside_notes(Path(self.folder))]
        for look in looks:
            try:
                yield from list(look())
            except OSError as problem:
                yield Note("not_looked_at", f"what runs left in {self.folder} cannot be read: {problem}")

    def committed(self) -> dict[str, int]:
        """By table, but of ops.run, the newest version."""
        heads = {
            name: newest_committed_version(self.files, uri_of(self.folder, name))
            for name in self.specs
            if name != RUN
        }
        return {name: version for name, version in heads.items() if version is not None}


def first_line(problem: BaseException) -> str:
    return str(problem).partition("\n")[0]
