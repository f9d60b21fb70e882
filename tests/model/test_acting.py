"""Lines about a controller's own acts."""

import polars as pl

from pipeline.model.lines.acting import by_controllers
from schemas.bronze.log_record import SPEC
from tests.frames import frame

LINES = frame(
    SPEC,
    """
    file_id          | log          | node_id | controller_id | logged_at | event
    of controller    | controller   | 1       |               | 1         | controller_resigned
    acting           | state-change | 1       | 1             | 1         | partition_transition
    acting somewhere | state-change |         | 1             | 1         | partition_transition
    of another node  | state-change | 2       | 1             | 1         | partition_transition
    of a broker      | state-change | 1       | 1             | 1         | broker_become_leader_started
    not named        | state-change | 1       |               | 1         | partition_transition
    of ZooKeeper     | controller   | 1       |               | 1         | log4j_jmx_noise
    not understood   | controller   | 1       |               | 1         |
    without a time   | controller   | 1       |               |           | controller_resigned
    of a server      | server       | 1       | 1             | 1         | partition_transition
    """,
)


def names(lines: pl.DataFrame) -> list[str]:
    return lines["file_id"].to_list()


def test_lines_that_a_controller_writes() -> None:
    assert names(by_controllers(LINES)) == ["of controller", "acting", "acting somewhere"]
    assert by_controllers(LINES.clear()).is_empty()
