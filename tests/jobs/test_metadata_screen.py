"""The screen of a copy of the metadata log that begins in the middle: what stood before it is not known, and not 0."""

import struct
from pathlib import Path

import pytest

from jobs.engine.intake.discovery import candidates_by_cluster
from jobs.metadata.files import read_metadata_copies, split_candidates
from jobs.metadata.recorded import RecordedCluster
from jobs.metadata.screen import recorded_screen
from jobs.settings.load import load_settings
from tests.metadata import FOLDER, samples

SEGMENT = samples() / "diverged" / "node-102" / FOLDER / f"{0:020}.log"


def screen_from(folder: Path, batch: int) -> str:
    """Of the segment from its batch of that number on."""
    data, at = SEGMENT.read_bytes(), 0
    for _ in range(batch):
        at += 12 + struct.unpack(">i", data[at + 8 : at + 12])[0]
    offset = struct.unpack(">q", data[at : at + 8])[0]
    path = folder / "node-102" / FOLDER / f"{offset:020}.log"
    path.parent.mkdir(parents=True)
    path.write_bytes(data[at:])
    settings = load_settings(None)
    (candidates,) = candidates_by_cluster([str(folder)], settings, "c").values()
    copies = read_metadata_copies(split_candidates(candidates).metadata, settings)
    return " ".join("\n".join(recorded_screen(RecordedCluster("c", copies))).split())


@pytest.mark.parametrize("batch", [60, 100, 125])
def test_what_began_before_the_records_is_not_known(tmp_path: Path, batch: int) -> None:
    text = screen_from(tmp_path, batch)
    assert "others not known" in text and "which began before the records" in text
    assert "None" not in text and "registered" not in text and "nothing is wrong" not in text


def test_a_copy_from_the_begin_knows_all_of_it(tmp_path: Path) -> None:
    text = screen_from(tmp_path, 0)
    assert "registered" in text and "not known 0" not in text and "began before" not in text
