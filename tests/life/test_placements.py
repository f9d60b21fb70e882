"""The same tables where executors read and understand the records as where the driver does."""

import shutil
from pathlib import Path

import polars as pl
import pytest

from jobs import nightly
from jobs.cluster_job import ClusterJob, Kept
from jobs.engine.incremental import records
from jobs.engine.run.progress import Progress
from jobs.fleet import LocalProcesses, run_side_by_side
from jobs.settings.arguments import job_parser
from jobs.settings.load import load_settings
from pipeline.store.spark.session import late_spark
from schemas.gold import finding
from tests.incremental.nights import differing
from tests.life.placements import BUILT, READ, read_all, require_as_in_the_driver

pytestmark = pytest.mark.spark
LABS = (
    *(
        "0.11.0.3-zk-stock",
        "1.0.2-zk-stock",
        "2.2.2-zk-stock",
        "2.5.1-zk-stock",
        "2.6.3-zk-stock",
        "2.6.3-zk-trace",
    ),
    *("3.2.3-zk-stock", "3.2.3-zk-trace", "3.3.2-kraft-combined-stock", "3.9.1-zk-stock", "3.9.1-zk-trace"),
    *(
        "3.9.2-kraft-migration-stock",
        "3.9.2-kraft-separate-stock",
        "4.0.0-kraft-combined-stock",
        "4.3.1-kraft-combined-trace",
    ),
    "4.3.1-kraft-separate-stock",
)


def require_equal(lab: Path, warehouse: Path) -> None:
    """A nightly on executors, and the tables that its bronze gives in the driver."""
    assert nightly.main(["--logs", str(lab), *on_executors(warehouse)]) == 0
    require_as_in_the_driver(warehouse / "c")


def on_executors(warehouse: Path) -> list[str]:
    return ["--warehouse", str(warehouse), "--cluster", "c", "--placement", "executors"]


@pytest.mark.soak
@pytest.mark.parametrize("is_reparsed", [False, True])
def test_executors_write_what_they_hold_also_of_records_read_before(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_reparsed: bool
) -> None:
    """No table is so small that the driver writes it; then all is understood anew from what is stored."""
    monkeypatch.setattr(records, "ROWS_HERE", 0)
    lab = shared / "corpus" / "lab" / "3.2.3-zk-stock"
    require_equal(lab, tmp_path)
    if not is_reparsed:
        return
    before = read_all(tmp_path / "c")
    assert nightly.main(["--logs", str(lab), "--reparse", *on_executors(tmp_path)]) == 0
    after = read_all(tmp_path / "c")
    # The status of a finding says what it was in the run before.
    same = [one.spec for one in BUILT if one.spec is not finding.SPEC]
    found = [line for spec in same for line in differing(spec, after, before)]
    assert not found, "\n".join(found)


@pytest.mark.soak
@pytest.mark.parametrize("name", LABS)
def test_executors_build_what_the_driver_builds_of_all_labs(shared: Path, tmp_path: Path, name: str) -> None:
    require_equal(shared / "corpus" / "lab" / name, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("name", ["4.0.0-kraft-combined-stock", "1.0.2-zk-stock"])
def test_clusters_side_by_side_give_what_each_gives_with_spark(
    shared: Path, tmp_path: Path, name: str
) -> None:
    """In two nights, of which the second brings the logs of a node that the first did not have: findings of the first
    are closed in it, or taken back. Of a run itself are its id and nothing else."""
    lab, logs = shared / "corpus" / "lab" / name, tmp_path / "logs"
    beside, alone = tmp_path / "beside", tmp_path / "alone"
    first, *others = sorted(one for one in lab.iterdir() if one.is_dir())
    for nodes in (others, [first]):
        for node in nodes:
            for cluster in ("b", "c"):
                shutil.copytree(node, logs / cluster / node.name)
        done = [
            found for _, found in run_side_by_side(clusters_of(logs, beside), LocalProcesses(2), Progress())
        ]
        assert [None if one is None else one[0].code for one in done] == [0, 0]
        assert clusters_of(logs, alone)[-1].run(late_spark(), Progress(), Kept()).code == 0
        found, expected = (
            {name: without_run_id(rows) for name, rows in read_all(one / "c").items()}
            for one in (beside, alone)
        )
        specs = (*READ, *(one.spec for one in BUILT))
        assert [line for spec in specs for line in differing(spec, found, expected)] == []
    assert set(found[finding.SPEC.name]["status"]) > {"new"}


def without_run_id(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(run_id=pl.lit("")) if "run_id" in rows.columns else rows


def clusters_of(logs: Path, warehouse: Path) -> list[ClusterJob]:
    given = job_parser("nightly", "").parse_args(["--logs", str(logs), "--warehouse", str(warehouse)])
    settings = load_settings(None, {}, {}, None)
    return [ClusterJob("nightly", given, settings, ("b", "c"), name) for name in ("b", "c")]
