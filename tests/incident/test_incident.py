"""`incident` tells what the nightly job tells, from the same tables, and without Spark."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from jobs import nightly
from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.core.frames import frame_of
from tests.conftest import REPOSITORY
from tests.incident.answers import SAMPLE, answer_of, differing, settings_of, stored_tables, tables_of
from tests.jobs.javaless import without_java
from tests.lab import folder_of, records, zone_of
from tests.lab import tables_of as lab_tables

# Not installed with the package alone.
NOT_NEEDED = ("pyspark", "py4j", "delta", "great_expectations", "pandas", "deltalake", "arro3")
LABS = ("2.2.2-zk-moves", "3.9.2-kraft-separate-moves")
CALL = f"""
import sys
class NotInstalled:
    def find_spec(name, *_):
        if name.partition(".")[0] in {NOT_NEEDED!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, NotInstalled)
from jobs.cli import main
sys.exit(main({["incident", str(SAMPLE), "--format", "json"]!r}))
"""


def test_an_answer_needs_no_spark() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CALL],
        cwd=REPOSITORY, env=without_java(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    # On a busy machine it says each ten seconds how far it is.
    assert all(re.fullmatch(r"incident: .* \(\d+ s\)", line) for line in done.stderr.splitlines()), (
        done.stderr
    )
    ((cluster,),) = json.loads(done.stdout).values()
    assert cluster["cluster_id"] == "lab-2.2.2"
    assert cluster["verdict"] == "NOT OK: 1 critical, 17 warning, 6 info"
    assert (cluster["read"]["files"], cluster["files"]) == (18, {"read": 18})
    first = cluster["findings"][0]
    assert (first["number"], first["rule"], first["severity"]) == (1, "unclean_election", "critical")
    place = first["evidence"][0]
    assert place["path"].endswith("broker-2/state-change.log.2026-11-21-08.gz") and place["line"] == 7148
    change = cluster["changes"][-1]
    assert (len(cluster["changes"]), change["what"]) == (33, "deletion of topic payments")
    assert change["path"].endswith("broker-2/controller.log") and change["line"] == 270


def test_records_in_slices_give_the_same_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    logs = SAMPLE / "lab-2.2.2" / "broker-2" / "controller.log.2026-11-21-08.gz"
    whole = tables_of(answer_of([logs], settings_of(), "c"))
    assert whole["bronze.log_record"].height > 500
    monkeypatch.setattr("jobs.engine.incremental.records.ROWS_AT_ONCE", 200)
    assert not differing(tables_of(answer_of([logs], settings_of(), "c")), whole)


@pytest.mark.soak
@pytest.mark.parametrize("name", LABS)
def test_all_tables_are_what_the_kernels_give(shared: Path, name: str) -> None:
    lab = folder_of(shared, name)
    found = tables_of(answer_of([lab], settings_of(server_log=False, zone=zone_of(lab)), lab.name))
    built = {BY_SHORT_NAME[one].spec.name: frame_of(rows) for one, rows in lab_tables(records(lab)).items()}
    assert not differing(found, built)


@pytest.mark.spark
@pytest.mark.soak
@pytest.mark.parametrize("name", LABS)
def test_all_tables_are_those_of_the_nightly_job(shared: Path, tmp_path: Path, name: str) -> None:
    """tests/jobs/test_incident_tables.py holds the sample against the run that stands there."""
    logs = folder_of(shared, name)
    found = tables_of(answer_of([logs], settings_of(server_log=True, zone=zone_of(logs)), "c"))
    given = ["--logs", str(logs), "--cluster", "c", "--server-log", "--zone", zone_of(logs)]
    assert nightly.main([*given, "--warehouse", str(tmp_path / "warehouse")]) == 0
    assert not differing(found, stored_tables(str(tmp_path / "warehouse"), "c"))
