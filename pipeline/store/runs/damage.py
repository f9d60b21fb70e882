"""Whether the tables of a cluster hold what was published: versions, counts, files, and bytes where sums are kept."""

from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from deltalake.exceptions import DeltaError

from pipeline.core.errors import WarehouseDamaged
from pipeline.core.files import URI
from pipeline.store.files.files import ReadableFiles
from pipeline.store.files.hadoop_sums import is_as_summed
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.runs.published import Published, RunRows, read_published_run
from pipeline.store.tables.commit_files import (
    altered_log,
    has_lost_row,
    newest_committed_version,
    newest_whole,
)
from pipeline.store.tables.contents import AT_ONCE, data_files
from pipeline.store.tables.stated import Contents, DataFile, contents_of_files
from schemas.ops import run

# So many bytes a run compares with their sums: all files of most warehouses, of a large one the next part each time,
# as HDFS' block scanner goes round.
BYTES_SUMMED = 256 << 20
# Kinds that runs and `repair` look for; a look at the rows of all tables (`doctor`) has more.
MENDED_BY_REPAIR = frozenset(
    {
        *("table_gone", "version_gone", "version_unreadable", "contents_differ", "file_gone", "file_cut"),
        *("file_altered", "log_altered", "run_gone", "run_unreadable"),
    }
)
# A kind that the next run mends.
UNPUBLISHED = "unpublished"
# Delta's own summary of a version: readers take columns and protocol from the newest one.


@dataclass(frozen=True)
class Damage:
    """One table that does not hold what was published. kind: table_gone, version_gone, version_unreadable,
    contents_differ, file_gone, file_cut, file_altered, log_altered, run_gone, unpublished. files: paths below the
    table's folder."""

    table: str
    kind: str
    sentence: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class Inspection:
    """What a look at the tables of a cluster found. summed_bytes: were compared with their sums; unsummed_files: of
    these no sums are kept."""

    damages: tuple[Damage, ...]
    contents: Mapping[str, Contents] = field(default_factory=dict)
    summed_bytes: int = 0
    unsummed_files: int = 0


def versions_behind(files: ReadableFiles, folder: str, published: Published) -> list[Damage]:
    """Tables of which the published version is not there: this much is seen on any file system."""

    def look(name: str) -> Damage | None:
        wanted, newest = published.versions[name], newest_committed_version(files, uri_of(folder, name))
        if newest is None:
            return Damage(
                name, "table_gone", f"no table {name}; run {published.run_id} published version {wanted}"
            )
        if newest < wanted:
            told = (
                f"version {newest} of {name} as the newest; run {published.run_id} published version {wanted}"
            )
            return Damage(name, "version_gone", told)
        return None

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [one for one in pool.map(look, published.versions) if one is not None]


def inspect_published(folder: str, published: Published, most_bytes: int | None = BYTES_SUMMED) -> Inspection:
    """Compares what a run published with what is there, on this machine: from Delta's logs, sizes of files, and sums.

    most_bytes: that are compared with their sums; None: all.
    """
    behind = versions_behind(LocalFiles(), folder, published)
    versions = published.versions | version_of_runs(folder)
    rest = sorted(versions.keys() - {one.table for one in behind})
    with ThreadPoolExecutor(AT_ONCE) as pool:
        looks = pool.map(lambda name: of_version(folder, name, versions[name], published), rest)
        looked = dict(zip(rest, looks, strict=True))
    damages = [*behind, *(one for _, one in looked.values() if one is not None)]
    whole = {name: files for name, (files, damage) in looked.items() if damage is None}
    paths = [
        (name, Path(uri_of(folder, name), one.path), one) for name, files in whole.items() for one in files
    ]
    altered, size, unsummed = compared_with_sums(files_due(paths, published.run_seq, most_bytes))
    contents = {
        name: contents_of_files(files) for name, (files, _) in looked.items() if name in published.versions
    }
    return Inspection((*damages, *altered), contents, size, unsummed)


def version_of_runs(folder: str) -> dict[str, int]:
    """The newest version of ops.run that a run wrote to its end."""
    newest = newest_whole(LocalFiles(), uri_of(folder, run.SPEC.name))
    return {} if newest is None else {run.SPEC.name: newest}


def of_version(
    folder: str, name: str, version: int, published: Published
) -> tuple[list[DataFile], Damage | None]:
    """The data files of a version of a table, and what is wrong with them."""
    uri = uri_of(folder, name)
    if name == run.SPEC.name and has_lost_row(LocalFiles(), uri, version):
        return [], Damage(
            name, "contents_differ", f"version {version} of {name} without the row that it noted"
        )
    if odd := altered_log(Path(uri), version):
        return [], Damage(
            name, "log_altered", f"{odd} of {name} empty, or with other bytes than written", (odd,)
        )
    try:
        files = data_files(uri, version)
    except (DeltaError, FileNotFoundError) as problem:
        told = str(problem).partition("\n")[0]
        return [], Damage(name, "version_unreadable", f"version {version} of {name} cannot be read: {told}")
    stated, found = published.contents.get(name), contents_of_files(files)
    if stated is not None and stated != found:
        told = f"{contents_text(found)} in {name}, of which run {published.run_id} stated {contents_text(stated)}"
        return files, Damage(name, "contents_differ", told)
    return files, file_damage(Path(uri), name, files)


def file_damage(folder: Path, name: str, files: Collection[DataFile]) -> Damage | None:
    """What is wrong with the data files of a table by their sizes."""
    sizes = {one.path: file_size(folder / one.path) for one in files}
    gone = tuple(sorted(path for path, size in sizes.items() if size is None))
    if gone:
        return Damage(name, "file_gone", f"{len(gone)} data files of {name} gone, first {gone[0]}", gone)
    cut = tuple(sorted(one.path for one in files if sizes[one.path] != one.size_bytes))
    if cut:
        first = next(one for one in files if one.path == cut[0])
        told = f"{sizes[cut[0]]:,} of {first.size_bytes:,} bytes in {cut[0]} of {name}"
        return Damage(name, "file_cut", told, cut)
    return None


def files_due(
    paths: list[tuple[str, Path, DataFile]], turn: int, most: int | None
) -> Iterator[tuple[str, Path]]:
    """The files whose sums are looked at in this turn: all if they fit, else those that the turns before left."""
    total, end = sum(one.size_bytes for _, _, one in paths), 0
    begin = 0 if most is None or total <= most else turn * most % total
    for name, path, one in [*paths, *paths] if begin else paths:
        start, end = end, end + one.size_bytes
        if begin < end and (most is None or start < begin + min(most, total)):
            yield name, path


def compared_with_sums(files: Iterator[tuple[str, Path]]) -> tuple[list[Damage], int, int]:
    """Tables with files that are not as they were summed; bytes that were compared; files without sums."""
    asked = list(files)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        verdicts = list(pool.map(lambda one: is_as_summed(one[1]), asked))
    altered: dict[str, list[str]] = {}
    for (name, path), verdict in zip(asked, verdicts, strict=True):
        if verdict is False:
            altered.setdefault(name, []).append(path.name)
    size = sum(path.stat().st_size for (_, path), one in zip(asked, verdicts, strict=True) if one is not None)
    damages = [
        Damage(name, "file_altered", f"{paths[0]} of {name} with other bytes than were written", tuple(paths))
        for name, paths in altered.items()
    ]
    return damages, size, verdicts.count(None)


def run_damage(published: Published, last: Published | None) -> Damage | None:
    """ops.run that has lost the run that published last. last: as its own file tells; None: nothing tells."""
    if last is None or last.run_seq <= published.run_seq:
        return None
    found = "no run" if published.run_id is None else f"run {published.run_id} as the newest"
    return Damage(
        run.SPEC.name, "run_gone", f"{found} of {run.SPEC.name}; run {last.run_id} published after it"
    )


def published_as_written(
    files: ReadableFiles, folder: str, rows_of: RunRows, run_id: str | None = None
) -> Published:
    """See `pipeline.store.runs.published.published`. WarehouseDamaged: the log of ops.run, whose newest commit says it,
    has other bytes than were written, as sums on this machine tell."""
    if not URI.match(folder):
        require_runs_as_written(folder)
    return read_published_run(files, folder, rows_of, run_id)


def require_runs_as_written(folder: str) -> None:
    table = Path(uri_of(folder, run.SPEC.name))
    newest = newest_whole(LocalFiles(), str(table))
    odd = None if newest is None else altered_log(table, newest)
    if odd is not None:
        told = f"{odd} of {run.SPEC.name} empty, or with other bytes than written"
        require_undamaged(folder, [Damage(run.SPEC.name, "log_altered", told, (odd,))])


def require_undamaged(folder: str, damages: Collection[Damage]) -> None:
    """WarehouseDamaged: names the first table, and the command that mends it."""
    if not damages:
        return
    first, *others = damages
    warehouse, _, cluster = folder.rpartition("/")
    more = f", and {len(others)} more" if others else ""
    raise WarehouseDamaged(
        expected=f"the tables of cluster {cluster} as they were published",
        found=f"{first.sentence}{more}",
        todo=(
            "nothing was written; 'kafka-controller-audit repair "
            f"--warehouse {warehouse} --cluster {cluster} --logs DIR' mends it, 'doctor' lists all"
        ),
    )


def contents_text(contents: Contents) -> str:
    return f"{contents.rows:,} rows, {contents.files:,} files, {contents.size_bytes:,} bytes"


def file_size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


def uri_of(folder: str, table: str) -> str:
    return f"{folder}/{table.replace('.', '/')}"
