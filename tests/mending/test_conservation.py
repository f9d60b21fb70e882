"""A run that cannot show that each record is there does not publish."""

import pytest

from jobs.engine.run.conservation import require_conserved
from pipeline.core.errors import GateFailed
from pipeline.store.readers.published_tables import PublishedTables
from pipeline.store.runs.published import EXPIRED_BEFORE
from pipeline.store.warehouse import ClusterWarehouse

FAR = 1 << 52  # ms


def test_records_are_those_that_the_manifest_counts(store: ClusterWarehouse) -> None:
    versions = store.published().versions
    tables = PublishedTables(store.folder, versions)
    require_conserved(store, tables, versions, {})
    for version in (1, 0):
        with pytest.raises(
            GateFailed, match=r"records in bronze.log_record of cluster golden, as .*; nothing is"
        ):
            require_conserved(store, tables, versions | {"bronze.log_record": version}, {})
    require_conserved(store, tables, versions | {"bronze.log_record": 0}, {EXPIRED_BEFORE: FAR})
    with pytest.raises(GateFailed):  # more records than were ever read
        require_conserved(
            store,
            PublishedTables(store.folder, versions | {"bronze.source_file": 1}),
            versions,
            {EXPIRED_BEFORE: FAR},
        )
