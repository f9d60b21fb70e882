"""One run at a time on one cluster: a lock file with a heart-beat beside the cluster's tables."""

import contextlib
import json
import logging
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError

from pipeline.core.errors import Locked
from pipeline.store.filesystem import HadoopFiles

HEARTBEAT_SECONDS = 10.0
DEAD_AFTER_SECONDS = 120.0
READ_TRIES, READ_PAUSE_SECONDS = 20, 0.1
log = logging.getLogger("kafka_controller_audit")


@contextmanager
def cluster_lock(files: HadoopFiles, folder: str, run_id: str) -> Iterator[None]:
    """Holds `<folder>/_lock` for the time of the block.

    A lock whose owner is gone is taken over: the same host and a process that no longer is, or no
    heart-beat for 120 s. Creating the file is atomic on local disks, HDFS, ABFS and GCS; on S3 it is
    only where the store refuses to overwrite. Locked: another run is at work.
    """
    uri = f"{folder}/_lock"
    if not files.create(uri, owner(run_id)):
        take_over(files, uri, run_id)
    stop = threading.Event()
    beat = threading.Thread(target=heartbeat, args=(files, uri, run_id, stop), daemon=True)
    beat.start()
    try:
        yield
    finally:
        stop.set()
        beat.join()
        if is_mine(files, uri, run_id):
            files.delete(uri)
        if not files.names(folder):
            files.delete(folder, with_content=False)


def require_mine(files: HadoopFiles, folder: str, run_id: str) -> None:
    """Asked right before a run publishes. Locked: it stood still so long that another run took over."""
    if not is_mine(files, f"{folder}/_lock", run_id):
        raise Locked(
            expected=f"the lock of {folder} to be this run's still",
            found="another run took it over after 120 s without a heart-beat",
            todo="nothing was published by this run; look at the other one",
        )


def is_mine(files: HadoopFiles, uri: str, run_id: str) -> bool:
    holder = holder_of(files, uri)
    return holder is not None and holder.get("run_id") == run_id


def holder_of(files: HadoopFiles, uri: str) -> dict[str, object] | None:
    """Who holds the lock; None if there is none. A heart-beat that is being written is waited for."""
    for _ in range(READ_TRIES):
        text = files.text(uri)
        if text is None:
            return None
        with contextlib.suppress(json.JSONDecodeError):
            holder: dict[str, object] = json.loads(text)
            return holder
        time.sleep(READ_PAUSE_SECONDS)
    return {"run_id": "unknown", "host": "unknown", "pid": 0, "beat": time.time()}


def owner(run_id: str) -> str:
    return json.dumps(
        {"run_id": run_id, "host": socket.gethostname(), "pid": os.getpid(), "beat": time.time()}
    )


def take_over(files: HadoopFiles, uri: str, run_id: str) -> None:
    """Replaces the lock of a dead run; of several that try, the rename lets one pass."""
    holder = holder_of(files, uri)
    if holder is not None and not is_dead(holder):
        raise Locked(
            expected="no other run on this cluster",
            found=f"run {holder['run_id']} at work on {holder['host']} (process {holder['pid']}, {uri})",
            todo="wait until it has ended, then run again",
        )
    if holder is not None:
        grave = f"{uri}.dead.{run_id}"
        files.rename(uri, grave)
        files.delete(grave)
    if not files.create(uri, owner(run_id)):
        raise Locked(
            expected="no other run on this cluster",
            found="another run took the dead run's lock first",
            todo="wait until it has ended, then run again",
        )


def is_dead(holder: dict[str, object]) -> bool:
    if holder["host"] == socket.gethostname() and not is_process(int(str(holder["pid"]))):
        return True
    return time.time() - float(str(holder["beat"])) > DEAD_AFTER_SECONDS


def is_process(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def heartbeat(files: HadoopFiles, uri: str, run_id: str, stop: threading.Event) -> None:
    while not stop.wait(HEARTBEAT_SECONDS):
        try:
            if is_mine(files, uri, run_id):
                files.replace(uri, owner(run_id))
        except Py4JError as problem:
            log.warning("heart-beat of %s failed, tried again in %d s: %s", uri, HEARTBEAT_SECONDS, problem)
