"""The WITNESS and MOVES lines of a night that read copies of the metadata log."""

import numpy as np
import pytest

from jobs.screen.on_record import judged_moves_text, recorded_moves_text, recorded_witness_lines
from pipeline.core.frames import frame_of
from pipeline.kafka.metadata_log.segment import MetadataPart, read_metadata_file
from pipeline.views.reading.answers import Answers
from schemas.gold import witness_check
from schemas.silver import metadata_partition
from tests.metadata import copies_of, samples
from tests.metadata_nights import MetadataNights


def diverged() -> list[tuple[int, MetadataPart]]:
    return [(node.node_id or 0, part) for node in copies_of(samples() / "diverged") for part in node.parts]


def test_without_a_copy_nothing_is_said() -> None:
    answers = Answers("c", MetadataNights().tables)
    assert recorded_witness_lines(answers, None) == [] and recorded_moves_text(answers, None) == ""


def test_copies_and_moves_are_counted() -> None:
    nights = MetadataNights()
    nights.night(diverged())
    answers = Answers("c", nights.tables)
    (line, *rest) = recorded_witness_lines(answers, None)
    said = " ".join([line, *(one.strip() for one in rest)])
    assert said.startswith("WITNESS metadata log of 102,103: offsets 0-391, epochs ")
    assert "certain to 390 (majority)" in said and "made void by a later epoch" in said
    assert recorded_moves_text(answers, None).startswith("illegal 0, undecided 0, valid ")
    assert frame_of(nights.tables.read(metadata_partition.SPEC)).height > 0
    assert not nights.tables.has_rows(witness_check.SPEC)


def test_a_broken_rule_counts_as_illegal() -> None:
    counts = {"valid": 2_100, "illegal": 1, "broken_rules": 2, "gap": 4}
    assert judged_moves_text(counts) == "illegal 3, undecided 4, valid 2,100"


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        ("gap", "; 1 holes in its offsets | no state was held against lines"),
        ("bad-crc", "; the copy of 103 is DAMAGED, not read behind that | no state was held against lines"),
        ("torn", " (epoch) | no state was held against lines"),
    ],
)
def test_what_a_copy_lacks_stands_beside_what_it_has(sample: str, said: str) -> None:
    path = samples() / "hostile" / f"{sample}.log"
    nights = MetadataNights()
    nights.night([(103, read_metadata_file(np.fromfile(path, np.uint8), path.name))])
    lines = recorded_witness_lines(Answers("c", nights.tables), None)
    assert " ".join(one.strip() for one in lines).endswith(said)
