"""The reading of copies for tables: what is read of damaged ones fits the tables, and another cluster's is refused."""

import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest

from jobs.engine.intake.discovery import Candidate, candidates_by_cluster
from jobs.engine.intake.metadata_bytes import is_copy
from jobs.engine.intake.metadata_log import MetadataLoad, MetadataLoader, forget_broken_loads
from jobs.metadata.files import read_metadata_copies, split_candidates
from jobs.metadata.recorded import RecordedCluster
from jobs.metadata.tables_of_copies import load_of_copies
from jobs.settings.load import load_settings
from pipeline.core.expectations import broken_rows, expectation_of
from pipeline.core.frames import frame_of
from pipeline.core.stored_tables import MemoryTables
from pipeline.kafka.metadata_log.batches import read_batch_blocks
from pipeline.kafka.metadata_log.decoding import HIDDEN
from pipeline.model.metadata.stretches import log_holes
from schemas.bronze import metadata_part, metadata_record
from tests.metadata import FOLDER, samples

SETTINGS = load_settings(None)
SEGMENT = f"{0:020}.log"
HOSTILE = sorted(one.name for one in (samples() / "hostile").glob("*.log"))


def below(folder: Path) -> list[Candidate]:
    (found,) = candidates_by_cluster([str(folder)], SETTINGS, "c").values()
    return found


def put(folder: Path, node: int, data: bytes, name: str = SEGMENT) -> Path:
    path = folder / f"node-{node}" / FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def loaded(folder: Path, tables: MemoryTables, load_seq: int = 1) -> MetadataLoad:
    load = MetadataLoader("c", SETTINGS, tables, load_seq).read(
        [one for one in below(folder) if is_copy(one)]
    )
    for spec, rows in ((metadata_record.SPEC, load.record_table()), (metadata_part.SPEC, load.part_table())):
        assert broken_rows(frame_of(rows), expectation_of(spec)).is_empty()
        tables.append(spec, rows)
    return load


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_sample_fits_the_tables(name: str, tmp_path: Path) -> None:
    put(tmp_path, 1, (samples() / "hostile" / name).read_bytes())
    load = loaded(tmp_path, MemoryTables())
    if name == "user-topic.log":
        assert (load.records, load.parts) == ([], []) and "no metadata log" in load.refused[0][1]
        return
    assert sum(one["kept_count"] for one in load.parts) == len(load.records) > 0 and not load.refused
    ends = {one["ended_how"] for one in load.parts} - {None}
    copies = read_metadata_copies(split_candidates(below(tmp_path)).metadata, SETTINGS)
    (part,) = (one for _, _, one in copies.files)
    assert ends == ({part.end.kind} if part.end else set())
    joined = RecordedCluster("c", copies).joined
    other = load_of_copies("c", copies, joined)
    assert [(one["record_offset"], one["fields"]) for one in other.records] == [
        (one["record_offset"], one["fields"]) for one in load.records
    ]


def test_changed_bytes_fit_the_tables(tmp_path: Path) -> None:
    data = (samples() / "hostile" / "unknown-tag.log").read_bytes()
    chance = random.Random(7)  # noqa: S311 - which bytes are changed
    for _ in range(60):
        broken = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        put(tmp_path, 1, bytes(broken))
        loaded(tmp_path, MemoryTables())


def test_growth_at_any_byte_gives_each_record_once(tmp_path: Path) -> None:
    data = (samples() / "4.4.0-one-node" / FOLDER / SEGMENT).read_bytes()
    put(tmp_path, 1, data)
    whole = MemoryTables()
    loaded(tmp_path, whole)
    wanted = frame_of(whole.read(metadata_record.SPEC)).drop("load_seq")
    for cut in np.random.default_rng(3).integers(1, len(data), 12).tolist():
        tables = MemoryTables()
        put(tmp_path, 1, data[:cut])
        loaded(tmp_path, tables)
        put(tmp_path, 1, data)
        loaded(tmp_path, tables, 2)
        assert frame_of(tables.read(metadata_record.SPEC)).drop("load_seq").equals(wanted), cut
        assert not loaded(tmp_path, tables, 3).parts


def test_a_copy_of_another_cluster_is_refused(tmp_path: Path) -> None:
    """By its records, as nothing beside it names a cluster; in a later night, too."""
    tables = MemoryTables()
    put(tmp_path, 1, (samples() / "4.4.0-one-node" / FOLDER / SEGMENT).read_bytes())
    loaded(tmp_path, tables)
    put(tmp_path, 2, (samples() / "3.9.2-one-node" / FOLDER / SEGMENT).read_bytes())
    load = loaded(tmp_path, tables, 2)
    assert not load.records and "another cluster" in load.refused[0][1]
    both = loaded(tmp_path, MemoryTables())
    assert len(both.refused) == 1


def test_a_tail_that_a_node_cut_is_read_anew(tmp_path: Path) -> None:
    """Node 102 wrote 37 records that the next epoch made void, and cut them: its file is another from there on."""
    old, new = (
        (samples() / "diverged" / f"node-{node}" / FOLDER / SEGMENT).read_bytes() for node in (102, 103)
    )
    tables = MemoryTables()
    put(tmp_path, 102, old)
    first = loaded(tmp_path, tables)
    put(tmp_path, 102, new)
    second = loaded(tmp_path, tables, 2)
    assert {one["file_id"] for one in first.parts}.isdisjoint(one["file_id"] for one in second.parts)
    places = frame_of(tables.read(metadata_record.SPEC)).select("controller_epoch", "record_offset")
    assert places.is_unique().all()
    shutil.rmtree(tmp_path / "node-102")
    put(tmp_path, 103, new)
    assert not loaded(tmp_path, tables, 3).records


def test_a_load_that_lost_rows_is_read_anew(tmp_path: Path) -> None:
    """As after a repair that rolled back one of the two tables."""
    tables = MemoryTables()
    put(tmp_path, 1, (samples() / "4.4.0-one-node" / FOLDER / SEGMENT).read_bytes())
    loaded(tmp_path, tables)
    assert forget_broken_loads(tables) == ()
    wanted = frame_of(tables.read(metadata_record.SPEC)).drop("load_seq")
    tables.rows[metadata_record.SPEC.name] = tables.rows[metadata_record.SPEC.name][:-3]
    assert forget_broken_loads(tables) == (1,)
    loaded(tmp_path, tables, 2)
    assert frame_of(tables.read(metadata_record.SPEC)).drop("load_seq").equals(wanted)


def test_no_secret_is_in_a_table(tmp_path: Path) -> None:
    """The sample has a SCRAM credential: its keys and salt are bytes of the file, and of no row."""
    put(tmp_path, 1, (samples() / "4.4.0-one-node" / FOLDER / SEGMENT).read_bytes())
    tables = MemoryTables()
    loaded(tmp_path, tables)
    rows = frame_of(tables.read(metadata_record.SPEC))
    said = [json.loads(one) for one in rows.filter(type="USER_SCRAM_CREDENTIAL_RECORD")["fields"]]
    assert said and {one[name] for one in said for name in ("salt", "storedKey", "serverKey")} == {HIDDEN}


def test_a_segment_that_was_deleted_since_is_still_known(tmp_path: Path) -> None:
    """A node keeps a week or two; the next segment goes on, and no snapshot is needed for it."""
    data = np.frombuffer((samples() / "4.4.0-one-node" / FOLDER / SEGMENT).read_bytes(), np.uint8)
    (block,) = read_batch_blocks(data)
    at, begin = (int(one[len(block.places) // 2]) for one in (block.places, block.headers["base_offset"]))
    tables, whole = MemoryTables(), MemoryTables()
    first = put(tmp_path, 1, data[:at].tobytes())
    loaded(tmp_path, tables)
    first.unlink()
    put(tmp_path, 1, data[at:].tobytes(), f"{begin:020}.log")
    put(tmp_path, 1, b"not looked into", f"{begin:020}-0000000001.checkpoint")
    second = loaded(tmp_path, tables, 2)
    assert second.records and not [one for one in second.parts if one["is_base"]]
    parts = frame_of(tables.read(metadata_part.SPEC))
    assert log_holes(parts) == []
    put(tmp_path / "w", 1, data.tobytes())
    loaded(tmp_path / "w", whole)
    keys = ("record_offset", "controller_epoch", "fields")
    found, wanted = (frame_of(one.read(metadata_record.SPEC, None, keys)) for one in (tables, whole))
    assert found.equals(wanted)


def test_damage_in_what_a_copy_grew_by_is_told(tmp_path: Path) -> None:
    """Each night anew, as nothing of it is read; what was read before stays."""
    data = (samples() / "diverged" / "node-103" / FOLDER / SEGMENT).read_bytes()
    (block,) = read_batch_blocks(np.frombuffer(data, np.uint8))
    cut = int(block.places[20])
    tables = MemoryTables()
    put(tmp_path, 103, data[:cut])
    assert not loaded(tmp_path, tables).refused
    put(tmp_path, 103, data[: cut + 70] + bytes([data[cut + 70] ^ 1]) + data[cut + 71 :])
    load = loaded(tmp_path, tables, 2)
    assert (load.records, load.parts) == ([], [])
    assert load.refused[0][1] == f"the check sum fails at byte {cut:,}"
    put(tmp_path, 103, data)
    assert not (load := loaded(tmp_path, tables, 3)).refused and load.records
