"""Spark when something first needs it: a run that has nothing for Spark to do starts none."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeAlias, Union

from pyspark.sql import SparkSession

from pipeline.core.errors import NeedsSpark
from pipeline.core.files import URI

Spark: TypeAlias = Union[SparkSession, "LateSession"]
Setting = Callable[[SparkSession], object]
OF_THIS_MACHINE = "file:/"


class LateSession:
    """start: gives the session. is_plain: nobody configured where paths without a scheme lie, so it is this machine;
    else only Spark can tell. is_absent: there is none, and what asks for it raises NeedsSpark."""

    def __init__(self, start: Callable[[], SparkSession], *, is_plain: bool) -> None:
        self.start, self.is_plain = start, is_plain
        self.lock = threading.Lock()
        self.settings: list[Setting] = []
        self.starting: Future[SparkSession] | None = None
        self.is_there = False
        self.is_absent = False

    def require(self) -> None:
        """NeedsSpark: there is none. Asked before work that it is to do."""
        if self.is_absent:
            raise NeedsSpark

    def get(self) -> SparkSession:
        """The session, set as was told. What its start raises, each caller is told."""
        return self.begin().result()

    def begin(self) -> Future[SparkSession]:
        """Starts it beside what the caller does meanwhile, if nobody has before."""
        with self.lock:
            if self.starting is None:
                pool = ThreadPoolExecutor(1)
                self.starting = pool.submit(self.started)
                pool.shutdown(wait=False)
            return self.starting

    def started(self) -> SparkSession:
        spark = self.start()
        with self.lock:
            for act in self.settings:
                act(spark)
            self.is_there = True
        return spark

    def set(self, act: Setting) -> None:
        """Sets something in the session: now, or as soon as it is there."""
        with self.lock:
            if not self.is_there:
                self.settings.append(act)
                return
        act(self.get())

    def is_local(self, uri: str) -> bool:
        """Whether Spark takes a URI for a path on this machine."""
        if uri.startswith(OF_THIS_MACHINE) or URI.match(uri):
            return uri.startswith(OF_THIS_MACHINE)
        return self.is_plain or default_system(self.get()).startswith(OF_THIS_MACHINE)


def absent_session() -> LateSession:
    """Of work on this machine that does without Spark, or ends with NeedsSpark where it cannot."""
    session = LateSession(refuse_start, is_plain=True)
    session.is_absent = True
    return session


def refuse_start() -> SparkSession:
    raise NeedsSpark


def as_late_session(spark: Spark) -> LateSession:
    """A session that is there, as one that may not be yet."""
    if isinstance(spark, LateSession):
        return spark
    session = LateSession(lambda: spark, is_plain=False)
    session.starting = Future()
    session.starting.set_result(spark)
    session.is_there = True
    return session


def default_system(spark: SparkSession) -> str:
    """The URI of the file system that paths without a scheme lie in."""
    java = getattr(spark._jvm, "org.apache.hadoop.fs.FileSystem")
    return str(java.getDefaultUri(spark._jsc.hadoopConfiguration()))
