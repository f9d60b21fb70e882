"""What `maintain` took is told apart from what is lost, where no run says up to when it did."""

from jobs.engine.mending import segments as of_segments
from jobs.engine.mending.taken_over import count_expired_before
from pipeline.store.runs.published import EXPIRED_BEFORE
from tests.mending.segments import manifest, records


def expired_without(*left_out: int) -> dict[str, int]:
    return count_expired_before(manifest(), of_segments.count_segment_records(records(*left_out)))


def test_the_oldest_segments_without_a_record_are_expired() -> None:
    at = sorted(manifest()["last_logged_at"].dt.epoch("ms").to_list())
    assert expired_without(0, 1) == {EXPIRED_BEFORE: at[0] + 1}
    assert expired_without(0, 1, 2, 3, 4) == {EXPIRED_BEFORE: at[1] + 1}


def test_others_are_lost() -> None:
    assert expired_without() == {}
    assert expired_without(0) == {}  # half of it
    assert expired_without(2, 3, 4) == {}  # an older one has records
    assert expired_without(0, 1, 2, 3, 4, 5) == {}
