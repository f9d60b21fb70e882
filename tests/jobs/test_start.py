"""What a command loads before it begins."""

import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY

ARRAY = "pa.array(['a'])"


@pytest.mark.parametrize(("before", "is_loaded"), [("leave_pandas_out()", False), ("pass", True)])
def test_lists_become_arrays_without_pandas(before: str, is_loaded: bool) -> None:  # noqa: FBT001  (a parameter)
    """It is there all the same for whoever asks for it."""
    pytest.importorskip("pandas")
    script = (
        "import sys\nimport pyarrow as pa\nfrom jobs.start import leave_pandas_out\n"
        f"{before}\n{ARRAY}\nprint('pandas' in sys.modules)\nimport pandas"
    )
    told = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout.split()
    assert told == [str(is_loaded)]
