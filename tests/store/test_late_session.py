"""Spark that is started when something first needs it, and what is set in it before."""

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from pipeline.core.errors import EnvironmentProblem
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.spark.filesystem import HadoopFiles, files_for_uri
from pipeline.store.spark.late_session import LateSession, as_late_session
from pipeline.store.spark.spark_configuration import CONFIGURED_BY, is_configured

KEY = "spark.kca.test"


def never() -> SparkSession:
    raise EnvironmentProblem(expected="no start", found="one", todo="nothing")


def setting(value: str) -> Callable[[SparkSession], object]:
    return lambda spark: spark.conf.set(KEY, value)


@pytest.mark.spark
def test_what_was_set_before_the_start_is_set_in_its_order(spark: SparkSession) -> None:
    starts = list[str]()

    def start() -> SparkSession:
        starts.append("start")
        return spark

    session = LateSession(start, is_plain=True)
    for value in ("first", "second"):
        session.set(setting(value))
    assert not starts
    assert session.get() is spark and spark.conf.get(KEY) == "second"
    session.begin()
    session.set(setting("third"))
    assert session.get().conf.get(KEY) == "third"
    assert starts == ["start"]
    spark.conf.unset(KEY)


def test_who_needs_it_is_told_why_there_is_none() -> None:
    session = LateSession(never, is_plain=True)
    session.begin()
    for _ in range(2):
        with pytest.raises(EnvironmentProblem, match="Expected no start"):
            session.get()


@pytest.mark.parametrize("uri", ["warehouse", "/data/w", "file:/w", "file:///w", "a:b"])
def test_paths_of_this_machine_need_no_spark(uri: str) -> None:
    assert isinstance(files_for_uri(LateSession(never, is_plain=True), uri), LocalFiles)


def test_where_a_path_lies_is_asked_of_what_was_configured() -> None:
    session = LateSession(never, is_plain=False)
    assert session.is_local("file:///w") and not session.is_local("hdfs://name/w")
    with pytest.raises(EnvironmentProblem):
        session.is_local("/w")


@pytest.mark.spark
def test_a_path_lies_where_spark_says(spark: SparkSession) -> None:
    hadoop = spark._jsc.hadoopConfiguration()
    before = hadoop.get("fs.defaultFS")
    try:
        hadoop.set("fs.defaultFS", "viewfs://kca")
        assert not as_late_session(spark).is_local("/w") and as_late_session(spark).is_local("file:/w")
        assert isinstance(files_for_uri(as_late_session(spark), "/w"), HadoopFiles)
    finally:
        hadoop.set("fs.defaultFS", before)
    assert as_late_session(spark).is_local("/w")


@pytest.mark.spark
@pytest.mark.parametrize("name", sorted(CONFIGURED_BY))
def test_somebodys_configuration_is_not_guessed(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    for one in CONFIGURED_BY:
        monkeypatch.delenv(one, raising=False)
    assert not is_configured()
    monkeypatch.setenv(name, "/etc/site")
    assert is_configured()
