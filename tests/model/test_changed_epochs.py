"""The partition epoch of a change of an assignment whose line names none, from the states around it."""

import polars as pl
import pytest
from polars import col, lit

from pipeline.model.partitions.changed_epochs import with_changed_epochs
from pipeline.model.partitions.partition_states import PRINTED
from schemas.silver import partition_state
from tests.frames import frame

HEAD = "byte_offset | logged_at | step | partition_epoch | adding_replicas | removing_replicas"
BEFORE = "1 | 10 | stated | 4 | [] | []"
BEGUN = "2 | 20 | changed | | [3] | [1]"
AFTER = "3 | 20.1 | stated | 5 | [3] | [1]"
ENDED = "4 | 25 | changed | | [] | []"


def lines_of(*rows: str) -> pl.DataFrame:
    of_partition = (
        lit(value).alias(name) for name, value in (("cluster_id", "c"), ("topic_id", "t"), ("file_id", "f"))
    )
    return frame(partition_state.SPEC, "\n".join([HEAD, *rows])).with_columns(
        *of_partition,
        at="logged_at",
        event=lit("said"),
        partition=lit(0, pl.Int32),
        is_decided=col("step") == "changed",
    )


def epochs(*rows: str, seeds: tuple[str, ...] = ()) -> list[int | None]:
    """Of the changes among the lines, in order."""
    found = with_changed_epochs(lines_of(*rows), lines_of(*seeds).select(PRINTED))
    return found.filter(col("step") == "changed").sort("byte_offset")["partition_epoch"].to_list()


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ((BEFORE, BEGUN, AFTER), [5]),
        ((BEFORE, BEGUN, "3 | 19.9 | stated | 5 | [3] | [1]"), [5]),  # by the broker's clock
        ((BEFORE, BEGUN, AFTER, ENDED, "5 | 25.1 | stated | 6 | [] | []"), [5, 6]),
        (
            (BEFORE, BEGUN, ENDED, "5 | 25.1 | stated | 5 | [3] | [1]", "6 | 25.2 | stated | 6 | [] | []"),
            [None, 6],
        ),
        ((BEFORE, "2 | 20 | changed | | [3] | ", AFTER), [5]),  # it names what it changes
        (("1 | 10 | stated | 4 | | ", BEGUN, AFTER), [5]),  # a follower names neither
        ((BEFORE, BEGUN, "3 | 20.1 | stated | 4 | [] | []", "4 | 20.2 | stated | 5 | [3] | [1]"), [5]),
    ],
)
def test_it_is_the_one_after_the_state_before(rows: tuple[str, ...], expected: list[int | None]) -> None:
    assert epochs(*rows) == expected


@pytest.mark.parametrize(
    "rows",
    [
        (BEGUN, AFTER),
        (BEFORE, BEGUN),
        (
            BEFORE,
            BEGUN,
            "3 | 20.1 | stated | 6 | [3] | [1]",
        ),  # 5 may be the one, or a change that nobody prints
        (BEFORE, BEGUN, "3 | 20.1 | stated | 5 | [] | []"),
        (BEFORE, BEGUN, "3 | 90 | stated | 5 | [3] | [1]"),  # long after, as a process starts
        ("1 | 10 | stated | 4 | [3] | [1]", BEGUN, AFTER),  # what was before it is not known
    ],
)
def test_where_states_are_missing_it_is_unknown(rows: tuple[str, ...]) -> None:
    assert epochs(*rows) == [None]


def test_the_state_before_may_be_of_a_day_before() -> None:
    assert epochs(BEGUN, AFTER, seeds=(BEFORE,)) == [5]
