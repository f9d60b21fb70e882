"""A table that does not hold what was published is said, whatever was done to it."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.core.errors import WarehouseDamaged
from pipeline.store.files.hadoop_sums import is_as_summed, keep_sums
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.readers.readable_warehouse import DirectWarehouse
from pipeline.store.runs.damage import (
    compared_with_sums,
    files_due,
    inspect_published,
    require_undamaged,
    run_damage,
)
from pipeline.store.runs.published import LAST_RUN, Published, keep_last_run, last_run, read_published_run
from pipeline.store.tables.commit_files import commit_note, drop_torn, newest_committed_version
from pipeline.store.tables.contents import contents_of, data_files
from pipeline.store.tables.stated import contents_of_files
from tests.golden import CLUSTER, unpacked
from tests.store.damaging import ACTS, empty_commit, files, flipped_byte, half_commit


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(tmp_path_factory.mktemp("whole")) / CLUSTER


@pytest.fixture(scope="module")
def seen(cluster: Path) -> Published:
    found = read_published_run(LocalFiles(), str(cluster), lambda _: [])
    return replace(found, contents=contents_of(cluster, found.versions))


def test_a_warehouse_as_it_was_published_is_whole(cluster: Path, seen: Published) -> None:
    found = inspect_published(str(cluster), seen)
    assert found.damages == ()
    assert found.contents == seen.contents
    runs = contents_of_files(
        data_files(
            str(cluster / "ops" / "run"),
            newest_committed_version(LocalFiles(), str(cluster / "ops" / "run")) or 0,
        )
    )
    assert found.summed_bytes == sum(one.size_bytes for one in (*seen.contents.values(), runs))
    assert not found.unsummed_files


@pytest.mark.parametrize("act", ACTS)
def test_each_damage_of_each_table_is_said(act: str, cluster: Path, seen: Published, tmp_path: Path) -> None:
    done = 0
    for name, version in seen.versions.items():
        layer, table = name.split(".")
        copy = Path(shutil.copytree(cluster / layer / table, tmp_path / layer / table))
        if ACTS[act](copy, version):
            done += 1
            alone = replace(seen, versions={name: version})
            damages = inspect_published(str(tmp_path), alone).damages
            assert [one.table for one in damages] == [name], damages
            with pytest.raises(WarehouseDamaged, match=f"{name}.* run {seen.run_id}|{name}.*; nothing was"):
                require_undamaged(str(tmp_path), damages)
    assert done > 15


@pytest.mark.parametrize("act", [empty_commit, half_commit])
def test_a_torn_row_of_a_run_leaves_the_run_before_readable(
    act: Callable[[Path, int], bool], cluster: Path, tmp_path: Path
) -> None:
    shutil.copytree(cluster / "ops", tmp_path / "ops")
    table, local = tmp_path / "ops" / "run", LocalFiles()
    newest = newest_committed_version(local, str(table)) or 0
    seen = read_published_run(local, str(tmp_path), lambda _: [])
    act(table, newest)
    before = read_published_run(local, str(tmp_path), lambda _: [])
    assert (before.run_seq, before.run_id) == (seen.run_seq - 1, min(seen.run_id or "", before.run_id or ""))
    assert drop_torn(local, str(table), newest - 1) == 1
    assert newest_committed_version(local, str(table)) == newest - 1


def test_a_lost_run_is_told_by_the_row_that_is_kept_beside_the_tables(cluster: Path, tmp_path: Path) -> None:
    local = LocalFiles()
    seen = read_published_run(local, str(cluster), lambda _: [])
    assert last_run(local, str(tmp_path)) is None
    keep_last_run(local, str(tmp_path), commit_note(local, str(cluster / "ops" / "run"), seen.run_seq) or "")
    assert last_run(local, str(tmp_path)) == seen
    for torn in ("", "{"):
        keep_last_run(local, str(tmp_path), torn)
        assert last_run(local, str(tmp_path)) is None
    assert run_damage(seen, None) is None
    assert run_damage(seen, seen) is None
    lost = run_damage(Published(), seen)
    assert lost is not None
    assert lost.sentence == f"no run of ops.run; run {seen.run_id} published after it"


def test_sums_tell_any_byte_that_has_turned(cluster: Path, seen: Published, tmp_path: Path) -> None:
    layer, table = "bronze", "log_record"
    copy = Path(shutil.copytree(cluster / layer / table, tmp_path / table))
    path = files(copy, seen.versions["bronze.log_record"])[0]
    whole = path.read_bytes()
    assert is_as_summed(path)
    for place in (0, 511, 512, len(whole) - 1):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 128]) + whole[place + 1 :])
        assert is_as_summed(path) is False
    path.with_name(f".{path.name}.crc").unlink()
    assert is_as_summed(path) is None


@pytest.mark.parametrize("most", [30_000, None])
def test_turns_go_round_all_files(most: int | None, cluster: Path, seen: Published) -> None:
    paths = [
        (name, Path(one.path), one)
        for name, version in seen.versions.items()
        for one in data_files(str(cluster / name.replace(".", "/")), version)
    ]
    total = sum(one.size_bytes for _, _, one in paths)
    turns = 1 if most is None else total // most + 1
    looked = [list(files_due(paths, turn, most)) for turn in range(turns)]
    assert {path for one in looked for _, path in one} == {path for _, path, _ in paths}
    sizes = {path: one.size_bytes for _, path, one in paths}
    largest = max(sizes.values())
    assert most is None or all(sum(sizes[path] for _, path in one) <= most + 2 * largest for one in looked)


def test_a_flipped_byte_is_said_with_its_file(cluster: Path, seen: Published, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(cluster / "gold" / "finding", tmp_path / "finding"))
    version = seen.versions["gold.finding"]
    flipped_byte(copy, version)
    path = files(copy, version)[0]
    damages, size, unsummed = compared_with_sums(iter([("gold.finding", path)]))
    assert (damages[0].files, size, unsummed) == ((path.name,), path.stat().st_size, 0)


def test_readers_find_what_was_published_though_the_table_of_runs_is_gone(
    cluster: Path, seen: Published, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(cluster, tmp_path / CLUSTER))
    row = commit_note(LocalFiles(), str(cluster / "ops" / "run"), seen.run_seq) or ""
    shutil.rmtree(copy / "ops" / "run")
    (copy / LAST_RUN).unlink()
    warehouse = DirectWarehouse(str(tmp_path), LocalFiles())
    with pytest.raises(WarehouseDamaged, match=r"bronze\.source_file has rows of 2 runs"):
        warehouse.published(CLUSTER)
    keep_last_run(LocalFiles(), str(copy), row)
    assert warehouse.clusters() == [CLUSTER]
    assert warehouse.published(CLUSTER).versions == seen.versions


def test_sums_are_kept_as_hadoop_keeps_them(cluster: Path, seen: Published, tmp_path: Path) -> None:
    whole = files(cluster / "bronze" / "log_record", seen.versions["bronze.log_record"])[0]
    copy = Path(shutil.copy(whole, tmp_path))
    keep_sums(copy)
    assert (tmp_path / f".{whole.name}.crc").read_bytes() == whole.with_name(
        f".{whole.name}.crc"
    ).read_bytes()
