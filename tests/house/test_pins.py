"""Wheel and jar of Delta, constraints and what is installed agree: else the first session dies."""

import re
from importlib.metadata import version

import pytest

from tests.house.source import REPOSITORY

MAIN = (
    "delta-spark",
    "pyspark",
    "great-expectations",
    "chispa",
    "pyarrow",
    "pandas",
    "numpy",
    "py4j",
    "importlib_metadata",
    "pydantic",
    "markdown-it-py",
)


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> dict[str, str]:
    lines = (REPOSITORY / "constraints.txt").read_text().splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {normal(name): pinned for name, pinned in pairs}


def test_the_jar_is_of_the_installed_spark_and_delta() -> None:
    conf = (REPOSITORY / "conf" / "spark-defaults.conf").read_text()
    coordinate = re.search(r"^spark\.jars\.packages\s+(\S+)$", conf, re.MULTILINE)
    minor = ".".join(version("pyspark").split(".")[:2])
    assert coordinate is not None
    assert coordinate[1] == f"io.delta:delta-spark_{minor}_2.13:{version('delta-spark')}"


@pytest.mark.parametrize("name", MAIN)
def test_what_is_installed_is_what_is_pinned(name: str) -> None:
    assert version(name) == pins()[normal(name)]
