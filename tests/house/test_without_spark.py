"""What all tests of a room load needs no Spark, so that those that need none run where it is not installed."""

import subprocess
import sys

from tests.house.source import REPOSITORY, python_files, short

LOADED = """
import sys
sys.modules.update(dict.fromkeys(("pyspark", "py4j", "delta", "great_expectations")))
from importlib import import_module
for name in sys.argv[1:]:
    import_module(name)
"""


def test_each_conftest_loads_where_there_is_no_spark() -> None:
    files = [short(file) for file in python_files("tests") if file.name == "conftest.py"]
    names = [name.removesuffix(".py").replace("/", ".") for name in files]
    assert "tests.conftest" in names and len(names) > 3
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *names], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
