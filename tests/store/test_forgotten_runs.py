"""A cluster whose runs nothing tells of any more is no new one, where rows of several are there."""

import json
import shutil
from pathlib import Path

import pytest

from jobs import cli
from jobs.questions.doctor_text import damage_verdict, mending_commands
from pipeline.catalog.tables import SPECS
from pipeline.core.errors import WarehouseDamaged
from pipeline.store.examination.examined import examine_cluster
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.readers.readable_warehouse import DirectWarehouse
from pipeline.store.runs.published import ERASED, LAST_RUN
from pipeline.store.tables.commit_files import writers_of
from tests.golden import CLUSTER, unpacked
from tests.store.damaging import removed_commit

Action = dict[str, object]
MADE, ADDED, REMOVED = (Action({kind: {}}) for kind in ("metaData", "add", "remove"))
TABLES = {spec.name: spec for spec in SPECS}
READ = ("source_file", "log_record", "file_sighting")


@pytest.mark.parametrize(
    ("commits", "writers"),
    [
        ([("a", MADE)], set()),
        ([("a", MADE), ("a", ADDED)], {"a"}),
        ([("a", MADE), ("b", ADDED)], {"b"}),  # a died before it added anything
        ([("a", MADE), ("a", ADDED), ("b", MADE), ("b", ADDED)], {"b"}),  # b made it anew, as a died
        ([("a", MADE), ("a", ADDED), ("b", ADDED)], {"a", "b"}),
        ([("a", MADE), ("a", ADDED), ("b", ADDED), ("c", REMOVED)], {"a", "b"}),
        ([("a", MADE), (None, ADDED), ("b", ADDED)], {"b"}),
    ],
)
def test_runs_that_added_to_what_a_table_holds(
    commits: list[tuple[str | None, Action]], writers: set[str], tmp_path: Path
) -> None:
    (tmp_path / "_delta_log").mkdir()
    for version, (run_id, action) in enumerate(commits):
        told = ({"commitInfo": {"userMetadata": run_id}}, action)
        text = "".join(f"{json.dumps(one)}\n" for one in told)
        (tmp_path / "_delta_log" / f"{version:020d}.json").write_text(text)
    assert writers_of(LocalFiles(), str(tmp_path)) == writers


@pytest.fixture
def cluster(tmp_path: Path) -> Path:
    """Of two runs, without ops.run and the copy of its newest row."""
    found = unpacked(tmp_path) / CLUSTER
    shutil.rmtree(found / "ops")
    (found / LAST_RUN).unlink()
    return found


def test_readers_refuse_and_doctor_says_what_mends_it(
    cluster: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warehouse = DirectWarehouse(str(cluster.parent), LocalFiles())
    with pytest.raises(WarehouseDamaged, match="rows of 2 runs"):
        warehouse.published(CLUSTER)
    for command in ("status", "findings", "runs"):
        given = [command, "--warehouse", str(cluster.parent), "--cluster", CLUSTER]
        assert cli.main(given) == WarehouseDamaged.exit_code
        assert "repair" in capsys.readouterr().err
    found = examine_cluster(warehouse, CLUSTER, TABLES)
    assert [one.kind for one in found.damages] == ["run_gone"]
    assert damage_verdict(found) == "DAMAGED"
    assert mending_commands(found, str(cluster.parent))[0][:2] == ["kafka-controller-audit", "repair"]
    assert "dead_commits" not in {one.kind for one in found.notes}  # the next run undoes nothing


def test_a_first_night_that_died_is_begun_anew(cluster: Path) -> None:
    for name in READ:
        table = cluster / "bronze" / name
        removed_commit(table, len(list((table / "_delta_log").glob("*.json"))) - 1)
    warehouse = DirectWarehouse(str(cluster.parent), LocalFiles())
    assert warehouse.published(CLUSTER).run_id is None
    assert damage_verdict(examine_cluster(warehouse, CLUSTER, TABLES)) == "NOTHING PUBLISHED"


@pytest.mark.parametrize("gone", [(), ("gold", "state", "silver")])
def test_who_is_being_erased_is_not_mended(
    gone: tuple[str, ...], cluster: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a `forget` leaves it that was killed: the next one erases the rest, and until then nothing is published."""
    (cluster / ERASED).mkdir()
    for name in gone:
        shutil.rmtree(cluster / name)
    given = ["--warehouse", str(cluster.parent)]
    for command in ("status", "doctor", "repair"):
        assert cli.main([command, *given]) == WarehouseDamaged.exit_code
        told = capsys.readouterr()
        assert "'kafka-controller-audit forget " in told.out + told.err, command
    assert cli.main(["forget", *given, "--cluster", CLUSTER, "--yes"]) == 0
    assert not cluster.exists()
