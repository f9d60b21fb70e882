"""What stores, Spark and this machine fail with is told by its cause, whoever says it."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from py4j.protocol import Py4JNetworkError

from pipeline.core.errors import EnvironmentProblem, Locked, PipelineError, WarehouseDamaged
from pipeline.store.failures import CAUSES, explain_failure, failure_signs
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.tables.local_commit import require_room
from tests.small_disk import small_disk

WAREHOUSE = "/data/audit"
NOTHING = "nothing of c is published"
# First lines, and lines of causes, of traces that Spark, Delta and Hadoop printed.
OF_JAVA = (
    ("org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed while writing rows to file:/data/audit/c.\n"
     "\tat org.apache.spark.Task.run(Task.scala:1)\n"
     "Caused by: org.apache.hadoop.fs.FSError: java.io.IOException: No space left on device\n"
     "Caused by: java.io.IOException: No space left on device\n", EnvironmentProblem, "No space left on device"),
    ("org.apache.hadoop.hdfs.protocol.DSQuotaExceededException: The DiskSpace quota of /data is exceeded: quota = 1\n",
     EnvironmentProblem, "quota of /data"),
    ("java.io.FileNotFoundException: /data/audit/c/x (Permission denied)\n", EnvironmentProblem, "Permission denied"),
    ("org.apache.hadoop.security.AccessControlException: Permission denied: user=kca, access=WRITE\n",
     EnvironmentProblem, "user=kca"),
    ("java.net.ConnectException: Call From a to b:8020 failed on connection exception: Connection refused\n",
     EnvironmentProblem, "Connection refused"),
    ("java.net.UnknownHostException: nn.example\n", EnvironmentProblem, "nn.example"),
    ("java.net.SocketTimeoutException: Read timed out\n", EnvironmentProblem, "Read timed out"),
    ("org.apache.hadoop.fs.UnsupportedFileSystemException: No FileSystem for scheme \"s3a\"\n",
     EnvironmentProblem, "No FileSystem for scheme"),
    ("java.io.IOException: Mkdirs failed to create file:/data/audit/c/gold\n", EnvironmentProblem, "Mkdirs failed"),
    ("org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 failed: ExecutorLostFailure (executor 1)\n"
     "Caused by: java.lang.OutOfMemoryError: Java heap space\n", EnvironmentProblem, "Java heap space"),
    ("org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed while writing rows to file:/data/audit/c.\n"
     "Caused by: org.apache.spark.SparkException: Python worker exited unexpectedly (crashed). Consider setting\n"
     "Caused by: java.io.EOFException\n", EnvironmentProblem, "Python worker exited unexpectedly"),
    ("org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 failed\n"
     "Caused by: org.apache.spark.SparkException: EOFException occurred while reading the port number from "
     "pyspark.daemon's stdout and terminated with code: -9.\n", EnvironmentProblem, "reading the port number"),
    ("io.delta.exceptions.ConcurrentAppendException: [DELTA_CONCURRENT_APPEND] Files were added by a concurrent update\n",
     Locked, "DELTA_CONCURRENT_APPEND"),
    ("org.apache.hadoop.fs.ChecksumException: Checksum error: file:/data/audit/c/silver/term/part-0.parquet at 0\n",
     WarehouseDamaged, "part-0.parquet"),
    ("org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:///data/audit/c/x\n"
     "Caused by: java.lang.RuntimeException: file:/data/audit/c/x is not a Parquet file. Expected magic number at tail\n",
     WarehouseDamaged, "is not a Parquet file"),
    ("org.apache.spark.sql.delta.DeltaIllegalStateException: [DELTA_TRUNCATED_TRANSACTION_LOG] /data/audit/c: gone\n",
     WarehouseDamaged, "DELTA_TRUNCATED"),
    ("java.io.FileNotFoundException: File file:/data/audit/c/bronze/x.parquet does not exist\n",
     WarehouseDamaged, "does not exist"),
)  # fmt: skip


class JavaError(Exception):
    """As PySpark hands on what Java throws."""

    def __init__(self, trace: str) -> None:
        super().__init__(trace)
        self._stackTrace = trace


def told(problem: BaseException, warehouse: str = WAREHOUSE) -> PipelineError | None:
    return explain_failure(problem, warehouse, "c", NOTHING)


@pytest.mark.parametrize("trace, kind, found", OF_JAVA)
def test_what_java_throws_is_told_by_its_cause(trace: str, kind: type[PipelineError], found: str) -> None:
    problem = told(JavaError(trace))
    assert type(problem) is kind
    assert found in problem.found and NOTHING in problem.todo
    assert "\n" not in str(problem) and "\tat" not in str(problem)


def test_java_that_is_gone_is_no_store_that_does_not_answer() -> None:
    """Py4J asks its Java anew, at a port of this machine where nobody listens any more."""
    problem = Py4JNetworkError("Error while sending or receiving")
    problem.__context__ = ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
    found = told(problem)
    assert isinstance(found, EnvironmentProblem) and found.expected == CAUSES["spark_gone"].expected


def test_a_chain_that_delta_rs_prints_is_one_sentence() -> None:
    arrow = " \x1b[31m↳\x1b[0m "
    said = f"Generic LocalFileSystem error\n{arrow}Unable to copy data to file\n {arrow}No space left on device (os error 28)\n"
    problem = told(OSError(said))
    assert isinstance(problem, EnvironmentProblem)
    assert "error: Unable to copy data to file: No space left on device" in problem.found


def test_every_cause_has_signs() -> None:
    assert all(one.pattern for one in failure_signs().values()) and set(failure_signs()) == set(CAUSES)


def below_a_file(folder: Path) -> None:
    (folder / "file").write_text("")
    LocalFiles().replace(str(folder / "file" / "_lock"), "x")


def a_folder_for_a_file(folder: Path) -> None:
    LocalFiles().text(str(folder))


def a_file_that_is_gone(folder: Path) -> None:
    (folder / "x").read_text()


@pytest.mark.parametrize(
    "act, kind",
    [
        (below_a_file, EnvironmentProblem),
        (a_folder_for_a_file, EnvironmentProblem),
        (a_file_that_is_gone, WarehouseDamaged),
    ],
)
def test_what_the_system_says_is_told_with_its_file(
    tmp_path: Path, act: Callable[[Path], None], kind: type[PipelineError]
) -> None:
    with pytest.raises(OSError) as raised:
        act(tmp_path)
    problem = told(raised.value, str(tmp_path))
    assert type(problem) is kind
    assert str(tmp_path) in problem.found


@pytest.mark.parametrize(
    "code",
    [
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EACCES,
        errno.EPERM,
        errno.EROFS,
        errno.EMFILE,
        errno.ESTALE,
        errno.ETIMEDOUT,
        errno.ECONNREFUSED,
    ],
)
def test_codes_of_the_system_are_about_the_machine(code: int) -> None:
    assert isinstance(told(OSError(code, os.strerror(code), "/data/audit/x")), EnvironmentProblem)


def test_a_full_disk_is_told_and_leaves_no_half_file(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64k") as disk:
        with pytest.raises(OSError) as raised:
            LocalFiles().replace(str(disk.folder / "x"), "x" * 100_000)
        assert list(disk.folder.iterdir()) == []
    problem = told(raised.value, str(tmp_path))
    assert isinstance(problem, EnvironmentProblem) and "No space left on device" in problem.found


@pytest.mark.parametrize(
    "problem",
    [
        KeyError("silver.term"),
        ValueError("No such column"),
        FileNotFoundError(errno.ENOENT, "No such file or directory", "/etc/x"),
    ],
)
def test_faults_of_the_program_are_no_such_causes(problem: Exception) -> None:
    assert told(problem) is None


def test_the_first_of_a_chain_counts() -> None:
    """What fails while a failure is dealt with, such as the lock of a full disk, hides no cause."""
    with pytest.raises(ValueError) as raised:
        try:
            raise JavaError("java.io.IOException: No space left on device\n")
        finally:
            raise ValueError("later")
    assert isinstance(told(raised.value), EnvironmentProblem)


def test_a_run_is_published_where_its_row_and_what_follows_has_room(tmp_path: Path) -> None:
    """Else it fails before anything of the row is written."""
    with small_disk(tmp_path / "disk", "512k") as disk:
        with pytest.raises(OSError) as raised:
            require_room(disk.folder)
        assert isinstance(told(raised.value, str(tmp_path)), EnvironmentProblem)
        disk.resize("4m")
        require_room(disk.folder)
