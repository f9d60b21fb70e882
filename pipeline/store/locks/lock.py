"""One run at a time on one cluster: a numbered lock file with a heart-beat beside the cluster's tables."""

import contextlib
import json
import logging
import math
import os
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from py4j.protocol import Py4JError

from pipeline.core.errors import Locked
from pipeline.store.files.files import Files
from pipeline.store.locks.lock_files import (
    DEAD_AFTER_SECONDS,
    LOCK_FILE,
    Holder,
    holder_in,
    is_holder_gone,
    is_silent,
    process_home,
)

HEARTBEAT_SECONDS = 10.0
READ_TRIES, READ_PAUSE_SECONDS = 20, 0.1
WAIT_PAUSE_SECONDS = 2.0
PROBE = "_probe"
log = logging.getLogger("kafka_controller_audit")


@dataclass
class ClusterLock:
    """`<folder>/_lock.<number>`: the file with the highest number is the lock, whoever else has one.

    Numbers only grow and a file is only ever written by who created it, so a run that was taken over
    cannot harm the lock of its successor when it wakes up. A number is taken by creating its file, which is
    atomic on local disks, HDFS, ABFS and GCS.
    """

    files: Files
    folder: str
    token: str = field(default_factory=lambda: uuid.uuid4().hex)
    number: int = -1
    since: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    def uri(self, number: int) -> str:
        return f"{self.folder}/_lock.{number:06d}" if number else f"{self.folder}/_lock"

    def numbers(self) -> list[int]:
        """Numbers of the lock files there are, in order; `_lock` itself, of releases before numbers, is 0."""
        found = map(LOCK_FILE.match, self.files.names(self.folder))
        return sorted(int(one.group(1) or 0) for one in found if one)

    def take(self) -> Holder | None:
        """Takes the lock if nobody alive has it. Who has it otherwise."""
        newest = max(self.numbers(), default=0)
        holder = self.holder(newest)
        if holder is not None and not self.is_over(newest, holder):
            return holder
        return self.claim(newest + 1)

    def claim(self, number: int) -> Holder | None:
        """Takes a number; given up at once where a higher one is there: its owner looked later than this run."""
        if not self.files.create(self.uri(number), self.text()):
            return self.holder(number) or {}
        numbers = self.numbers()
        if numbers[-1] > number:
            self.files.delete(self.uri(number))
            return self.holder(numbers[-1]) or {}
        self.number = number
        for old in numbers[:-1]:
            self.files.delete(self.uri(old))
        return None

    def is_mine(self) -> bool:
        if max(self.numbers(), default=-1) != self.number:
            return False
        return (self.holder(self.number) or {}).get("token") == self.token

    def require_mine(self) -> None:
        """Asked before a run publishes. Locked: it stood still so long that another run took over."""
        if not self.is_mine():
            raise Locked(
                expected=f"the lock of {self.folder} to be this run's still",
                found=f"another run took it over after {DEAD_AFTER_SECONDS:.0f} s without a heart-beat",
                todo="nothing was published by this run; look at the other one",
            )

    def release(self) -> None:
        """Leaves the number, so that it is not used again; nothing at all where the folder has nothing else."""
        if not self.is_mine():
            return
        if all(LOCK_FILE.match(name) for name in self.files.names(self.folder)):
            self.files.delete(self.uri(self.number))
            self.files.delete(self.folder, with_content=False)
        else:
            self.files.replace(self.uri(self.number), self.text(is_released=True))

    def holder(self, number: int) -> Holder | None:
        """What the file of a number says; None if there is none. A heart-beat that is being written is waited for."""
        for _ in range(READ_TRIES):
            text = self.files.text(self.uri(number))
            if text is None:
                return None
            said = holder_in(text)
            if said is not None:
                return said
            time.sleep(READ_PAUSE_SECONDS)
        return {}

    def is_over(self, number: int, holder: Holder) -> bool:
        """Released; or its process, on this machine, is gone; or it had no heart-beat within 120 s of now.

        The age is taken between two files of the store, by the store's clock: those of the hosts may differ.
        """
        if holder.get("is_released"):
            return True
        if is_holder_gone(holder):
            return True
        probe = f"{self.folder}/{PROBE}.{self.token}"
        self.files.replace(probe, "")
        now, beat = self.files.modified_ms(probe), self.files.modified_ms(self.uri(number))
        self.files.delete(probe)
        return beat is not None and now is not None and is_silent(now, beat)

    def text(self, *, is_released: bool = False) -> str:
        said = {"token": self.token, "host": socket.gethostname(), "home": process_home(), "pid": os.getpid()}
        return json.dumps(said | {"since": self.since, "is_released": is_released})

    def beat(self, stop: threading.Event) -> None:
        while not stop.wait(HEARTBEAT_SECONDS):
            try:
                if self.is_mine():
                    self.files.replace(self.uri(self.number), self.text())
            except (Py4JError, OSError) as problem:
                log.warning(
                    "heart-beat of %s failed, tried again in %d s: %s",
                    self.folder,
                    HEARTBEAT_SECONDS,
                    problem,
                )


@contextmanager
def cluster_lock(files: Files, folder: str, wait_seconds: float = 0) -> Iterator[ClusterLock]:
    """Holds the lock of a cluster for the time of the block. wait_seconds: math.inf as long as it takes.

    Locked: another run is at work, and is still after that time.
    """
    lock = ClusterLock(files, folder)
    take_cluster_lock(lock, wait_seconds)
    stop = threading.Event()
    beat = threading.Thread(target=lock.beat, args=(stop,), daemon=True)
    beat.start()
    try:
        yield lock
    finally:
        stop.set()
        beat.join()
        give_back(lock)


def give_back(lock: ClusterLock) -> None:
    """Where its end cannot be written, as the disk is full, its file goes: that takes no room."""
    try:
        lock.release()
    except (Py4JError, OSError):
        with contextlib.suppress(Py4JError, OSError):
            lock.files.delete(lock.uri(lock.number))


def take_cluster_lock(lock: ClusterLock, wait_seconds: float) -> None:
    until = time.monotonic() + wait_seconds
    said = None
    while (holder := lock.take()) is not None:
        who = (
            f"a run at work on {holder.get('host', 'another host')} (process {holder.get('pid', 'unknown')})"
        )
        if time.monotonic() >= until:
            raise Locked(
                expected="no other run on this cluster",
                found=f"{who}, its lock in {lock.folder}",
                todo="run again once it has ended, or let --wait do that",
            )
        if who != said:
            limit = "" if math.isinf(wait_seconds) else f", at most {wait_seconds:.0f} s"
            log.info("waiting for %s%s", who, limit)
            said = who
        time.sleep(min(WAIT_PAUSE_SECONDS, max(until - time.monotonic(), 0)))
