"""Tables of the metadata log: what nights make of it is what one run makes, and the replay of all copies at once."""

from itertools import pairwise

import polars as pl
import pytest

from pipeline.kafka.metadata_log.dump import read_metadata_dump
from pipeline.kafka.metadata_log.segment import MetadataPart
from pipeline.model.metadata.history import replay_log
from pipeline.model.metadata.joining import NodeParts, join_copies
from tests.metadata import copies_of, dumped_lab, part_of, samples
from tests.metadata_nights import TABLES, MetadataNights, cut_part, random_cuts, slowed_part

SLOWER = 3_000
COMPARED = ("leader", "leader_epoch", "partition_epoch", "isr", "replicas", "cause")


def part_of_lab(name: str) -> MetadataPart:
    (part,) = read_metadata_dump(dumped_lab(name))
    return slowed_part(part, SLOWER)


def one_night(*parts: tuple[int, MetadataPart]) -> MetadataNights:
    found = MetadataNights()
    found.night(parts)
    return found


def require_same(one: MetadataNights, other: MetadataNights, names: tuple[str, ...] = TABLES) -> None:
    for name in names:
        first, second = one.rows(name), other.rows(name)
        assert len(first) > 0, name
        assert first.equals(second), (
            name,
            first.join(second, on=first.columns, how="anti", nulls_equal=True),
        )


@pytest.fixture(scope="module")
def lab() -> MetadataPart:
    return part_of_lab("4.4.0-kraft-separate-stock")


def test_rows_are_the_states_that_all_copies_give(lab: MetadataPart) -> None:
    """The other reading joins parts and replays them at once, without a row."""
    rows = one_night((1, lab))
    replay = replay_log(join_copies([NodeParts(1, [lab])]))
    states = rows.rows("metadata_partition").filter(
        pl.col("made_by").is_in(["PARTITION_RECORD", "PARTITION_CHANGE_RECORD"])
    )
    found = {(row["topic_id"], row["partition"], row["record_offset"]): row for row in states.to_dicts()}
    assert len(found) == len(replay.states) > 700
    for one in replay.states:
        row = found[(*one.key, one.offset)]
        assert [row[name] for name in COMPARED] == [getattr(one, name) for name in COMPARED]
    brokers = rows.rows("metadata_broker")
    assert [
        (one.broker_id, one.state)
        for one in sorted(replay.registrations, key=lambda one: (one.broker_id, one.offset))
    ] == brokers.select("broker_id", "state").rows()
    open_rows = states.filter(pl.col("valid_until_at").is_null())
    assert len(open_rows) == len(replay.partitions)
    verdicts = [*rows.rows("metadata_partition")["verdict"].drop_nulls(), *brokers["verdict"]]
    assert len(verdicts) == len(replay.judged.moves) and set(verdicts) == {"valid"}


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 6))])
def test_nights_give_what_one_run_gives(lab: MetadataPart, seed: int) -> None:
    """Node 2's copy is behind node 1's, and tells again what that told."""
    cuts, nights = random_cuts(lab, 5, seed), MetadataNights()
    behind = cuts[0]
    for first, last in pairwise(cuts):
        nights.night([(1, cut_part(lab, first, last)), (2, cut_part(lab, behind, first + 7))])
        behind = first + 7
    require_same(nights, one_night((1, lab)), TABLES[1:])


def test_a_hole_that_is_filled_later_leaves_no_trace(lab: MetadataPart) -> None:
    first, one, two, last = random_cuts(lab, 2, 5)
    nights = MetadataNights()
    nights.night([(1, cut_part(lab, first, one))])
    nights.night([(1, cut_part(lab, two, last))])
    gaps = nights.rows("metadata_partition").filter(pl.col("verdict") == "gap")
    assert len(gaps) > 0 and gaps["leader_epoch"].null_count() > 0
    nights.night([(2, cut_part(lab, one, two))])
    require_same(nights, one_night((1, lab)), TABLES[1:])


def test_a_void_suffix_leaves_no_row() -> None:
    """Node 102's last 37 records are of an epoch that 103's next one makes void; it was read a night before."""
    (of_102,), (of_103,) = (
        [slowed_part(one, SLOWER) for one in node.parts] for node in copies_of(samples() / "diverged")
    )
    nights = MetadataNights()
    nights.night([(102, of_102)])
    before = nights.rows("metadata_partition")
    nights.night([(103, of_103)])
    alone = one_night((103, of_103))
    require_same(nights, alone, TABLES[1:])
    offsets = nights.rows("metadata_span").filter(pl.col("void_from_offset").is_not_null())
    assert (
        len(offsets) == 1
        and len(
            before.join(alone.rows("metadata_partition"), on=before.columns, how="anti", nulls_equal=True)
        )
        > 0
    )


def test_behind_a_begin_that_is_missing_epochs_are_not_known() -> None:
    rows = one_night((1, part_of(samples() / "hostile" / "middle.log"))).rows("metadata_partition")
    without = rows.filter(pl.col("partition_epoch").is_null())
    assert without["leader_epoch"].null_count() == len(without)
    assert set(rows["verdict"]) <= {"gap", "valid"}
