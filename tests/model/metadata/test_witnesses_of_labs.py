"""What lines of a lab's logs give of each partition is what stands on record."""

from pathlib import Path

import pytest

from pipeline.kafka.metadata_log.dump import read_metadata_dump
from pipeline.model.metadata.checking import OF_TIMELINE, compare_witnesses
from pipeline.model.metadata.history import replay_log
from pipeline.model.metadata.joining import NodeParts, join_copies
from tests.chain import built
from tests.lab import records
from tests.metadata import LABS, dumped_lab

READ = ("controller", "state-change", "mixed", "server")
# States in no line: a reassignment that only takes replicas away, changes without a leader, some while nodes stood.
MOST_SILENT = {
    "3.3.2-kraft-combined-stock": 28,
    "3.9.2-kraft-migration-stock": 3,
    "3.9.2-kraft-separate-stock": 12,
    "3.9.2-kraft-separate-moves": 69,
    "4.0.0-kraft-combined-stock": 37,
    "4.3.1-kraft-combined-trace": 0,
    "4.3.1-kraft-separate-stock": 42,
    "4.4.0-kraft-separate-stock": 42,
}


def folder_of_lab(name: str) -> Path:
    return next(one / name for one in LABS if (one / name).is_dir())


@pytest.mark.soak
@pytest.mark.parametrize("name", MOST_SILENT)
def test_no_state_by_lines_differs_from_the_record(name: str) -> None:
    joined = join_copies([NodeParts(None, read_metadata_dump(dumped_lab(name)))])
    timeline = built(records(folder_of_lab(name), READ), "partition_timeline")["partition_timeline"]
    check = compare_witnesses(timeline.select(OF_TIMELINE), replay_log(joined), joined)
    assert (check.differing, check.never, check.examples) == (0, 0, [])
    assert check.silent <= MOST_SILENT[name] and check.equal > 600
