"""Logs and warehouse in S3: nights are those on a disk, and of two runs at once one is at work."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from deltalake import DeltaTable

from tests.jobs.small_logs import COMPARED, contents, lines_of, run, write
from tests.s3.conftest import BUCKET, S3

pytestmark = pytest.mark.soak
AT_ONCE, ROUNDS = 8, 20
# Prints by round how many of several that create one file at once believe that they did.
CREATING = f"""
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from pipeline.store.spark.filesystem import HadoopFiles
from pipeline.store.spark.session import get_spark
files, begin = HadoopFiles(get_spark()), Barrier({AT_ONCE})
def create(uri, text):
    begin.wait()
    return files.create(uri, text)
with ThreadPoolExecutor({AT_ONCE}) as pool:
    for number in range({ROUNDS}):
        uri = f"s3a://{BUCKET}/locks/{{number}}"
        did = list(pool.map(create, [uri] * {AT_ONCE}, map(str, range({AT_ONCE}))))
        print("CREATED", sum(did), files.text(uri) == str(did.index(True)))
"""


def ended(process: subprocess.Popen[str], *codes: int) -> str:
    """What it printed on stdout."""
    printed, said = process.communicate()
    assert process.returncode in codes, f"{printed}\n{said}"
    return printed


def with_copies(s3: S3, logs: Path, lines: Sequence[str]) -> None:
    """The same logs on the disk and in the bucket: the server keeps an object as the file of its name."""
    for folder in (logs, s3.folder / "logs"):
        write(folder, "broker-1/controller.log", list(lines))


def test_nights_in_s3_are_nights_on_a_disk(s3: S3, tmp_path: Path) -> None:
    """A first one, one with nothing new, one over logs that have grown; then what readers without Spark say."""
    lines, logs = lines_of(1, "controller"), tmp_path / "logs"
    for count in (4, 4, len(lines)):
        with_copies(s3, logs, lines[:count])
        ended(s3.nightly(), 0)
        assert run(logs, tmp_path / "here") == 0
    assert contents(s3.folder / "w", COMPARED) == contents(tmp_path / "here", COMPARED)
    asked = ("-m", "jobs", "terms", "--warehouse", f"s3a://{BUCKET}/w", "--format", "json")
    in_s3 = json.loads(ended(s3.run(*asked), 0).replace(f"s3a://{BUCKET}", str(tmp_path)))
    here = json.loads(ended(s3.run(*asked[:4], str(tmp_path / "here"), *asked[5:]), 0))
    assert in_s3 and in_s3 == here


def test_of_several_that_create_a_lock_one_has_it(s3: S3) -> None:
    said = [line for line in ended(s3.run("-c", CREATING), 0).splitlines() if line.startswith("CREATED")]
    assert said == ["CREATED 1 True"] * ROUNDS


def test_of_two_runs_at_once_one_is_at_work(s3: S3, tmp_path: Path) -> None:
    with_copies(s3, tmp_path / "logs", lines_of(1, "controller"))
    both = [s3.nightly() for _ in range(2)]
    texts = [ended(one, 0, 6) for one in both]
    assert sorted(one.returncode for one in both) in ([0, 0], [0, 6]), texts
    runs = DeltaTable(s3.folder / "w" / "c" / "ops" / "run").count()
    assert runs == [one.returncode for one in both].count(0)
