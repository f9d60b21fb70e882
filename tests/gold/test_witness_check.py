"""States on record, held against the timeline that lines give: counts, what is open, and the finding."""

import polars as pl
import pytest

from pipeline.core.frames import frame_of
from pipeline.core.span import ALL_TIME
from pipeline.gold import witness_check
from pipeline.kafka.metadata_log.dump import read_metadata_dump
from pipeline.model.metadata.checking import OF_TIMELINE, compare_witnesses
from pipeline.model.metadata.history import replay_log
from pipeline.model.metadata.joining import NodeParts, join_copies
from pipeline.rules.witnesses_differ import rule
from tests.chain import built, source_files
from tests.kernel_calls import rows_by_shards, rows_of
from tests.lab import records
from tests.metadata import LABS, dumped_lab
from tests.metadata_nights import MetadataNights

READ = ("controller", "state-change", "mixed", "server")
NAME = "4.4.0-kraft-separate-stock"


@pytest.fixture(scope="module")
def given() -> dict[str, pl.DataFrame]:
    """Lines of all nodes of a lab, and its metadata log."""
    (part,) = read_metadata_dump(dumped_lab(NAME))
    nights = MetadataNights()
    nights.night([(1, part)])
    folder = next(one / NAME for one in LABS if (one / NAME).is_dir())
    lines = records(folder, READ)
    timeline = built(lines, "partition_timeline")["partition_timeline"]
    return {
        "metadata_partition": nights.rows("metadata_partition").with_columns(cluster_id=pl.lit(NAME)),
        "partition_timeline": timeline,
        "source_file": source_files(frame_of(lines)),
    }


def checked(given: dict[str, pl.DataFrame], **other: pl.DataFrame) -> pl.DataFrame:
    return rows_of(witness_check, **(given | other), span=ALL_TIME)


def test_the_counts_are_those_of_all_rows_at_once(given: dict[str, pl.DataFrame]) -> None:
    """Of section 4 of the specification: none differs. The other way compares objects one by one."""
    joined = join_copies([NodeParts(None, read_metadata_dump(dumped_lab(NAME)))])
    wanted = compare_witnesses(given["partition_timeline"].select(OF_TIMELINE), replay_log(joined), joined)
    rows = checked(given)
    names = ("said_count", "equal_count", "undecided_count", "differing_count", "unproved_count")
    found = rows.select(*names).sum().row(0)
    assert found[1:] == (wanted.equal, found[2], 0, wanted.unproved) and wanted.equal > 600
    assert found[2] >= wanted.silent
    assert rule.find(rows).is_empty()


@pytest.mark.parametrize("shards", [2, 5])
def test_shards_of_topics_count_as_all_at_once(given: dict[str, pl.DataFrame], shards: int) -> None:
    """Where topics differ, and where no record names the topic: those states are in every shard."""
    place = pl.col("topic_id").rank("dense") % 3
    states = given["metadata_partition"].with_columns(topic=pl.when(place > 0).then("topic"))
    timeline = given["partition_timeline"].with_columns(
        leader=pl.when(pl.col("partition") == 0).then(7).otherwise("leader")
    )
    inputs = given | {"metadata_partition": states, "partition_timeline": timeline}
    whole = rows_of(witness_check, **inputs, span=ALL_TIME)
    assert states["topic"].null_count() > 0 and whole["differing_count"].sum() > 0
    assert (
        rows_by_shards(witness_check, shards, **inputs, span=ALL_TIME)
        .sort("day_at")
        .equals(whole.sort("day_at"))
    )


def test_a_leader_that_is_other_is_told(given: dict[str, pl.DataFrame]) -> None:
    timeline = given["partition_timeline"].with_columns(
        leader=pl.when(pl.col("topic") == pl.col("topic").sort().first()).then(7).otherwise("leader")
    )
    rows = checked(given, partition_timeline=timeline)
    assert rows["differing_count"].sum() > 0 and rows["equal_count"].sum() > 0
    (sentence,) = rule.find(rows)["sentence"].head(1)
    assert "stand otherwise on record than lines have them, first" in sentence and "against 7" in sentence


def test_a_log_of_another_cluster_gives_no_row(given: dict[str, pl.DataFrame]) -> None:
    other = given["metadata_partition"].with_columns(topic_id=pl.col("topic_id") + "x")
    assert checked(given, metadata_partition=other).is_empty()
    assert checked(given, metadata_partition=given["metadata_partition"].clear()).is_empty()
