"""What partitions of several shards add to the counts of a broker, where one of them changes behind a list of others."""

from typing import Any

import polars as pl
import pytest

from pipeline.core.frames import empty_frame
from pipeline.core.stretches import TIME
from pipeline.model.partitions.controller_view import ordered_states, states_held
from pipeline.model.partitions.preferred_counts import counts_at, shares_at
from pipeline.model.partitions.statements import TRACKED
from pipeline.model.partitions.topic_lives import GONE
from schemas.gold import partition_timeline

TIMELINE = empty_frame(partition_timeline.SPEC)
TERM = {"cluster_id": "c", "term_id": "1-1"}
# Broker 1 leads b and not a, which is listed; then b is gone: that line stands between the list and the question.
LINES: tuple[dict[str, Any], ...] = (
    {"topic": "a", "seq": 5, "state": "OnlinePartition", "leader": 2, "replicas": [1, 2]},
    {"topic": "b", "seq": 6, "state": "OnlinePartition", "leader": 1, "replicas": [1, 2]},
    {"topic": "a", "seq": 10, "listed_of": 1},
    {"topic": "b", "seq": 11, "state": GONE},
)
LISTING, ASKED = 10, 12


@pytest.mark.parametrize("shards", [{"ab": LISTING}, {"a": LISTING, "b": None}, {"a": LISTING, "b": LISTING}])
def test_a_list_counts_only_if_no_partition_changes_behind_it(shards: dict[str, int | None]) -> None:
    """Even one that adds nothing to the counts by then, among partitions that the list does not name. shards: topics,
    and where the list stands as far as their lines say."""
    kinds = {name: TIMELINE.schema[name] for name in TRACKED}
    lines = pl.DataFrame(LINES, schema=kinds | {"topic": pl.String, "seq": pl.Int64, "listed_of": pl.Int32})
    own = lines.with_columns(
        **{name: pl.lit(value) for name, value in TERM.items()},
        topic_life=pl.lit(1, pl.Int32),
        partition=pl.lit(0, pl.Int32),
        cause=pl.lit(None, pl.String),
        is_moving=pl.lit(value=False),
    )
    begins = pl.DataFrame(
        [TERM | {"controller_epoch": 1, "at": None, "seq": 0}],
        schema_overrides={"controller_epoch": pl.Int32, "at": TIME},
    )
    nothing = ordered_states(TIMELINE)
    seen = states_held(own, begins, nothing, "listed_of", "is_moving")
    shares = [
        shares_at(asked_behind(listing), seen.filter(pl.col("topic").is_in(list(topics))), begins, nothing)
        for topics, listing in shards.items()
    ]
    (found,) = counts_at(asked_behind(LISTING), pl.concat(shares)).to_dicts()
    assert (found["preferred"], found["elsewhere"], found["listed"], found["only_kafka"]) == (1, 1, 0, [])


def asked_behind(listing: int | None) -> pl.DataFrame:
    row = TERM | {"broker_id": 1, "seq": ASKED, "listing_seq": listing}
    return pl.DataFrame([row], schema_overrides={"broker_id": pl.Int32, "listing_seq": pl.Int64})
