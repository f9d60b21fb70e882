"""Which broker is at the root of an outage, where lines are missing."""

import polars as pl
import pytest

from pipeline.gold.partition_outage.roots import with_departed
from schemas.gold import broker_session, partition_outage
from tests.frames import frame


@pytest.mark.parametrize(("other", "root"), [("", [1]), ("missing_in_list", [None]), ("controlled", [1])])
def test_a_list_that_misses_a_broker_without_a_word_tells_no_root(other: str, root: list[int | None]) -> None:
    missing = f"c | 2 | 0 | {other} | 1-5 | 7 | undetermined" if other else ""
    sessions = frame(
        broker_session.SPEC,
        f"""
        cluster_id | broker_id | joined_at | left_how | left_term_id | left_event_seq | certainty
        c          | 1         | 0         | uncontrolled | 1-5      | 7              | proved
        {missing}
        """,
    )
    assert roots_of_an_outage(sessions) == root


@pytest.mark.parametrize(("back_at", "root"), [(30, [1]), ("", [None])])
def test_who_was_gone_before_may_be_the_root_as_well(back_at: object, root: list[int | None]) -> None:
    """A partition of which no leader is known may be without one since then."""
    back = f"c | 2 | {back_at} | | | | | proved" if back_at else ""
    sessions = frame(
        broker_session.SPEC,
        f"""
        cluster_id | broker_id | joined_at | left_at | left_how     | left_term_id | left_event_seq | certainty
        c          | 1         | 0         | 40      | uncontrolled | 1-5          | 7              | proved
        c          | 2         | 0         | 20      | uncontrolled | 1-5          | 5              | proved
        {back}
        """,
    )
    assert roots_of_an_outage(sessions) == root


def roots_of_an_outage(sessions: pl.DataFrame) -> list[int | None]:
    outage = """
        cluster_id | topic | topic_life | partition | noticed_at | term_id | certainty
        c          | a     | 1          | 0         | 40         | 1-5     | proved
    """
    noticed = frame(partition_outage.SPEC, outage).with_columns(
        event_seq=pl.lit(7, pl.Int64), is_behind_doubt=pl.lit(value=False)
    )
    return with_departed(noticed, sessions)["root_broker_id"].to_list()
