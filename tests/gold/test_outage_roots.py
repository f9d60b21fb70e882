"""The broker at the root of an outage, where no list of live brokers tells that its leader left."""

import polars as pl
import pytest

from pipeline.gold.partition_outage.roots import with_shutting_leader
from schemas.gold import broker_session, partition_outage
from tests.frames import frame

OUTAGE = """
    cluster_id | topic | topic_life | partition | noticed_at | old_leader | certainty
    c          | a     | 1          | 0         | 50         | 2          | proved
"""
SESSION = """
    cluster_id | broker_id | mode      | joined_at | left_at | certainty
    c          | 2         | zookeeper | 1         |         | {}
"""


@pytest.mark.parametrize(
    ("certainty", "root"),
    [("proved", (2, "controlled", "inferred")), ("undetermined", (None, None, "proved"))],
)
def test_who_asked_to_be_shut_down_is_at_the_root_while_it_is_there(
    certainty: str, root: tuple[int | None, str | None, str]
) -> None:
    """A session that may be several does not say that it is still there."""
    sessions = frame(broker_session.SPEC, SESSION.format(certainty)).with_columns(
        shutdown_requested_at=pl.concat_list("joined_at")
    )
    outages = frame(partition_outage.SPEC, OUTAGE)
    found = with_shutting_leader(outages, sessions)
    assert found.select("root_broker_id", "root_left_how", "certainty").rows() == [root]
