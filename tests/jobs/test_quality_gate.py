"""What the gate lets through: an odd row costs itself; what was read, or a table that is wrong throughout, the night."""

import pytest

from jobs.engine.run.quality_gate import FEW, QualityGate, expectation_text, unmet_expectations
from pipeline.core.frames import declared_table, frame_of
from schemas.bronze import duplicate_record
from schemas.silver import broker_absence
from tests.frames import frame

COLUMNS = "cluster_id | file_id | byte_offset | broker_id | out_at | is_fence | event | is_partial"


def absences(*places: int) -> str:
    return "\n".join([COLUMNS, *(f"c | f | {place} | 1 | 1 | true | fenced | false" for place in places)])


@pytest.mark.parametrize(
    ("places", "kept", "is_refused"),
    [
        ((1, 2, 3), [1, 2, 3], False),
        ((1, 2, 2), [1], False),
        ([*range(FEW + 1)] * 2, [], True),
        ([*range(FEW + 1), *range(FEW * 4)], [*range(FEW + 1, FEW * 4)], False),
    ],
)
def test_a_row_that_breaks_a_key(places: list[int], kept: list[int], *, is_refused: bool) -> None:
    spec, gate = broker_absence.SPEC, QualityGate("c", "run")
    found = frame_of(gate.sift(spec, declared_table(frame(spec, absences(*places)), spec)))
    assert found["byte_offset"].to_list() == kept
    results = gate.verdicts()
    assert bool(unmet_expectations(results)) == (len(kept) < len(places))
    assert bool(gate.refused(results)) == is_refused
    assert all("key is not unique" in expectation_text(one) for one in unmet_expectations(results))


def test_what_was_read_is_never_left_out() -> None:
    spec, gate = duplicate_record.SPEC, QualityGate("c", "run")
    columns = "cluster_id | file_id | byte_offset | load_seq | of_file_id | of_byte_offset | of_load_seq\n"
    twice = frame(spec, columns + "c | f | 1 | 1 | g | 1 | 1\n" * 2)
    gate.enter(spec, declared_table(twice, spec))
    assert len(gate.refused(gate.verdicts())) == 1
