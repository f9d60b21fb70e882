"""Samples of four releases: what is read is what the tool of that release prints, and rests on its snapshots alike."""

import io
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from pipeline.kafka.metadata_log.dump import read_metadata_dump
from pipeline.kafka.metadata_log.segment import MetadataRecord
from tests.metadata import FOLDER, SHARED, part_of
from tests.metadata_nights import MetadataNights, cut_part

RELEASES = ("3.3.2", "3.9.2", "4.1.1", "4.4.0")
LEAST = {"one-node": 50, "every-type": 20}


def sample_of(name: str) -> Path:
    folder = SHARED / "kafka" / "metadata-samples" / name
    if not folder.is_dir():
        pytest.skip("no samples")
    return folder


def pairs_of(folder: Path) -> list[tuple[Path, Path]]:
    """Files and the dump of each."""
    if (folder / "dump.txt").is_file():
        return [(one, folder / "dump.txt") for one in sorted((folder / FOLDER).glob("*.log"))]
    dumps = sorted((folder / "dump").glob("*.txt"))
    files = [(folder / FOLDER / one.stem, folder / one.stem, one) for one in dumps]
    return [(own if own.exists() else beside, dump) for own, beside, dump in files]


def said_by(one: MetadataRecord) -> tuple[object, ...]:
    """A dump up to 4.0 does not say of an election who won it."""
    said = () if one.name == "LEADER_CHANGE" else (one.version, one.fields)
    return one.offset, one.epoch, one.at_ms, one.batch_offset, one.place, one.name, one.reason, *said


@pytest.mark.parametrize("kind", LEAST)
@pytest.mark.parametrize("release", RELEASES)
def test_no_record_differs_from_the_dump_of_the_release(release: str, kind: str) -> None:
    """What is compressed Kafka never writes into this log: those batches are told and passed over."""
    compared = 0
    for file, dump in pairs_of(sample_of(f"{release}-{kind}")):
        (theirs,), ours = read_metadata_dump(io.BytesIO(dump.read_bytes())), part_of(file)
        passed = {one.batch_offset for one in ours.records if one.reason == "compressed"}
        wanted, found = (
            [said_by(one) for one in part.records if one.batch_offset not in passed]
            for part in (theirs, ours)
        )
        assert found == wanted
        assert np.isin(ours.no_ops, theirs.no_ops).all()
        compared += len(found) + len(ours.no_ops)
    print(f"{release}-{kind}: {compared} records, 0 differ")
    assert compared > LEAST[kind]


def test_a_log_that_begins_later_goes_on_from_its_snapshot() -> None:
    """Its first segments are gone, as after a week: states are as if they were there."""
    folder = sample_of("4.1.1-one-node") / FOLDER
    whole, snapshot = part_of(folder / f"{0:020}.log"), part_of(folder / f"{58:020}-0000000001.checkpoint")
    end = (snapshot.snapshot or (0, 0))[0]
    all_of_it, later, in_two = MetadataNights(), MetadataNights(), MetadataNights()
    all_of_it.night([(1, whole)])
    rest = cut_part(whole, end - 6, 1 << 40)
    later.night([(1, rest), (1, snapshot)])
    in_two.night([(1, rest)])
    in_two.night([(2, snapshot)])
    for name in ("metadata_partition", "metadata_broker"):
        known, found = (one.rows(name) for one in (all_of_it, later))
        behind = (pl.col("record_offset") >= end) & ~pl.col("is_base")
        assert known.filter(behind).equals(found.filter(behind)) and len(found.filter(behind)) > 0
        key = {"metadata_partition": ["topic_id", "partition", "partition_epoch", "leader", "isr"]}.get(
            name, ["broker_id", "broker_epoch", "state"]
        )
        is_open = pl.col("valid_until_at").is_null()
        assert (
            known.filter(is_open)
            .select(key)
            .sort(key[:2])
            .equals(found.filter(is_open).select(key).sort(key[:2]))
        )
        assert found.filter("is_base").height > 0 and in_two.rows(name).equals(found)
