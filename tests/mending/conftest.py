"""The store that tests of what was lost read and mend."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pipeline.store.warehouse import ClusterWarehouse


@pytest.fixture
def store(tmp_path: Path) -> "ClusterWarehouse":
    """Of one cluster on a disk, the test's own."""
    from tests.mending.stores import plain_store  # noqa: PLC0415  (what it imports needs Spark)

    return plain_store(tmp_path)
