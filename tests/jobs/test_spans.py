"""A backfill in spans of days: parts of a plan, and what a run that reads in parts stores and says."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.cluster_job import ClusterJob, Kept
from jobs.engine.incremental.at_hand import AtHand
from jobs.engine.incremental.kernel_inputs import KernelInputs
from jobs.engine.incremental.night import Night
from jobs.engine.incremental.records import RunRecords
from jobs.engine.run.cluster_run import Run
from jobs.engine.run.progress import Progress
from jobs.engine.run.request import PARTS_LEFT
from jobs.engine.run.spans import begin_day, parts_by_days
from jobs.settings.arguments import job_parser, settings_of
from jobs.settings.load import load_settings
from pipeline.bronze.planning import FileSighting, Plan, Segment
from pipeline.core.contents import InspectedFile
from pipeline.core.files import Listed
from pipeline.core.frames import with_absent
from pipeline.core.stored_tables import MemoryTables
from pipeline.store.locks.lock import cluster_lock
from pipeline.store.spark.late_session import absent_session
from pipeline.store.warehouse import ClusterWarehouse
from schemas.gold import finding
from tests.generated.plan import Plan as ClusterPlan
from tests.generated.writing import write_logs
from tests.incremental.nights import BUILT, differences
from tests.published import published_tables

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
DAY = timedelta(days=1)


def segment(load_seq: int, day: int | None, size: int, start: int = 0) -> Segment:
    begin = None if day is None else MONDAY + day * DAY
    listed = Listed(f"/logs/{load_seq}", f"/logs/{load_seq}", size, MONDAY)
    looked = InspectedFile(listed, "c", size=start + size, first_logged_at=begin)
    return Segment(looked, f"file-{load_seq}", load_seq, start, start + size)


def sighting(name: str, file_id: str | None) -> FileSighting:
    return FileSighting(Listed(name, name, 1, MONDAY), "known", None, file_id)


SEGMENTS = st.lists(
    st.tuples(st.none() | st.integers(0, 6), st.integers(1, 50), st.sampled_from((0, 0, 0, 7))), max_size=12
).map(
    lambda rows: tuple(
        segment(place, *row) for place, row in enumerate(rows, 5)
    )  # after four that are stored
)


@given(SEGMENTS, st.integers(1, 200))
def test_parts_hold_what_the_plan_holds_in_the_order_of_days(
    segments: tuple[Segment, ...], most: int
) -> None:
    sightings = (
        *(sighting(one.looked.found.path, one.file_id) for one in segments),
        sighting("/logs/copy", segments[-1].file_id if segments else None),
        sighting("/logs/notes.txt", None),
    )
    parts = parts_by_days(Plan(segments, sightings), most)
    read = [one for part in parts for one in part.segments]
    assert sorted(one.file_id for one in read) == sorted(one.file_id for one in segments)
    if len(parts) > 1:
        assert [one.load_seq for one in read] == sorted(one.load_seq for one in segments)
        days = [{begin_day(one) for one in part.segments} for part in parts]
        assert all(max(before) < min(after) for before, after in pairwise(days))
        for part, its_days in zip(parts, days, strict=True):
            assert len(its_days) == 1 or sum(one.limit - one.start_offset for one in part.segments) <= most
    told = [one for part in parts for one in part.sightings]
    assert sorted(map(str, told)) == sorted(map(str, sightings))
    unread = [{one.file_id for one in part.segments} for part in parts]
    for place, part in enumerate(parts):
        later = set().union(*unread[place + 1 :])
        assert all(one.file_id not in later for one in part.sightings)


def test_little_is_read_at_once_as_planned() -> None:
    plan = Plan((segment(1, 1, 5), segment(2, 0, 5)), ())
    assert parts_by_days(plan, 10) == [plan]


def test_what_goes_on_is_read_first() -> None:
    parts = parts_by_days(Plan((segment(1, 0, 5), segment(2, 3, 5, start=9)), ()), 5)
    assert [[one.file_id for one in part.segments] for part in parts] == [["file-2"], ["file-1"]]


def job(logs: Path, warehouse: Path, span_bytes: int) -> ClusterJob:
    given = job_parser("nightly", "").parse_args(
        ["--logs", str(logs), "--warehouse", str(warehouse), "--cluster", "c"]
    )
    settings = settings_of(given)
    limits = settings.limits.model_copy(update={"span_bytes": span_bytes})
    return ClusterJob("nightly", given, settings.model_copy(update={"limits": limits}), ["c"], "c")


def screen(asked: ClusterJob) -> list[str]:
    kept = Kept()
    assert asked.run(absent_session(), Progress(is_terminal=False), kept).code == 0
    return [
        line for lines in kept.screens for line in lines if not line.startswith(("      logs in", "TABLES"))
    ]


def read_first_part(asked: ClusterJob) -> None:
    """As a run does that is killed once its first span is published."""
    request = asked.request()
    store = ClusterWarehouse(absent_session(), request.warehouse, "c", 30)
    store.write_locally(9)
    with cluster_lock(store.files, store.folder, 0) as lock:
        run = Run(store, request, Progress(is_terminal=False), lock)
        found = run.look()
        parts = parts_by_days(found.planned, request.settings.limits.span_bytes)
        assert len(parts) == 3
        run.execute(run.part_of(found, parts[0], 2))
        assert store.published().counts[PARTS_LEFT] == 2


@pytest.mark.parametrize("goes_on", [False, True])
def test_what_no_screen_told_is_new_until_one_does(*, goes_on: bool) -> None:
    """The run before was a span of a backfill, or a whole run."""
    tables = MemoryTables()
    rows = [{"rule": "outage", "status": status} for status in ("new", "ongoing", "resolved", "retracted")]
    tables.rows = {finding.SPEC.name: with_absent(pl.DataFrame(rows), finding.SPEC)}
    night = Night(
        tables, load_settings(None, {"cluster": "c"}, {}, None), "c", "run", 1, frozenset(), goes_on=goes_on
    )
    at_hand = AtHand(night)
    told = KernelInputs(night, at_hand, RunRecords(night, at_hand)).reported_finding()
    assert told["status"].to_list() == [one["status"] for one in rows][1 if goes_on else 0 :]


@pytest.mark.soak
@pytest.mark.parametrize("is_killed", [False, True])
def test_a_run_in_spans_stores_and_says_what_one_run_does(tmp_path: Path, *, is_killed: bool) -> None:
    logs = tmp_path / "made" / "logs"
    write_logs(ClusterPlan(brokers=3, topics=2, partitions=6, rounds=4, slot_seconds=43_200), logs.parent)
    whole, parts = job(logs, tmp_path / "whole", 1 << 30), job(logs, tmp_path / "parts", 1)
    if is_killed:
        read_first_part(parts)
    said, expected_lines = screen(parts), screen(whole)
    if is_killed:  # it tells what is new since the part that was published, and says so
        assert any(line.startswith("SINCE ") for line in said)
    else:
        assert [line.replace("/parts ", "/whole ") for line in said] == expected_lines
    found, expected = (
        {one.spec.name: rows_of(one.spec.name) for one in BUILT}
        for rows_of in (published_tables(tmp_path / name, "c") for name in ("parts", "whole"))
    )
    assert differences(found, expected) == []
