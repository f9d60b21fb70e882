"""From which day on a run builds anew."""

from datetime import datetime

import polars as pl
import pytest

from jobs.engine.incremental.dirty_days import dirty_at, watched_difference
from jobs.engine.incremental.starts import CHANGES_LINES, CHANGES_VERDICTS
from pipeline.core.incremental import ALL_SINCE, affected_from, begin_of_day
from pipeline.gold.partition_timeline.incremental import earliest_changed_interval
from pipeline.model.lines.acting import SEQ_BITS
from pipeline.model.terms.ongoing import first_deposed_day
from pipeline.silver.broker_setting import held_values
from pipeline.silver.term.incremental import begin_of_later_life
from pipeline.state.replay_summary import traced_again
from schemas.bronze import source_file
from schemas.gold import partition_timeline
from schemas.silver import broker_setting, controller_line, log_gap, release_span, term, wording_seen
from schemas.silver.broker_setting import ENABLE, INTERVAL, PER_BROKER
from schemas.state import replay_summary
from tests.frames import at, frame

TERMS = """
    cluster_id | term_id | mode      | life | controller_epoch | replica_machine | is_trace_seen | elected_at | first_seen_at | last_seen_at
    c          | 1-1     | zookeeper | 1    | 1                | {machine}       | true          | 10         | 10            | {last}
    c          | 1-2     | zookeeper | 1    | 2                | R2              | true          | 90000      | 90000         | 200000
"""
LINES = """
    cluster_id | term_id | ordered_at | level   | log
    c          | 1-1     | 260000     | {level} | state-change
    c          | 1-2     | 260000     | TRACE   | state-change
"""
NOTHING = {
    spec.table: frame(spec, "cluster_id")
    for spec in (broker_setting.SPEC, wording_seen.SPEC, log_gap.SPEC, release_span.SPEC)
}


def terms(machine: str = "R2", last: int = 80_000) -> pl.DataFrame:
    return frame(term.SPEC, TERMS.format(machine=machine, last=last))


def difference(of_verdicts: bool = False, **versions: tuple[pl.DataFrame, pl.DataFrame]) -> datetime | None:  # noqa: FBT001, FBT002
    """From when on other tables rest on what these tables, now and as they were, differ in."""
    now, before = (
        NOTHING | {"term": terms()} | {name: both[at_version] for name, both in versions.items()}
        for at_version in (0, 1)
    )
    return watched_difference(CHANGES_VERDICTS if of_verdicts else CHANGES_LINES, now, before)


def segments(text: str) -> pl.DataFrame:
    """file_id, start_offset, first_logged_at, status of segments of node 1's controller.log; s: of server.log."""
    head, *lines = [one.strip() for one in text.strip().splitlines()]
    rows = [line.rsplit("|", 1) for line in lines]
    table = "\n".join(
        [
            f"cluster_id | node_id | log | {head.rsplit('|', 1)[0]}",
            *(f"c | 1 | {'server' if row[0][0] == 's' else 'controller'} | {row[0]}" for row in rows),
        ]
    )
    return frame(source_file.SPEC, table).with_columns(status=pl.Series([row[1].strip() for row in rows]))


SEGMENTS = segments("""
    file_id | start_offset | first_logged_at | status
    a       | 0            | 10              | old
    b       | 0            | 300000          | new
""")


@pytest.mark.parametrize(
    ("now", "since"),
    [
        pytest.param(terms(), 300_000, id="the new lines"),
        pytest.param(terms("R1"), 10, id="a term that is judged by another machine"),
        pytest.param(terms(last=81_000), 90_000, id="another last line before the next election"),
    ],
)
def test_dimensions_lower_the_time(now: pl.DataFrame, since: int) -> None:
    assert dirty_at(SEGMENTS, difference(term=(now, terms()))) == at(since)


@pytest.mark.parametrize(
    ("text", "since"),
    [
        pytest.param("a | 0 | 100 | old\nb | 0 | 200 | old", None, id="nothing new"),
        pytest.param("a | 0 | 100 | old\nb | 0 | 200 | new", 200, id="behind all"),
        pytest.param("a | 0 | 100 | new\nb | 0 | 200 | old", 100, id="before what is there"),
        pytest.param("a | 0 | 100 | old\na | 50 | 150 | gone\nb | 0 | 200 | old", 150, id="taken out"),
        pytest.param("s | 0 | 100 | old\ns | 50 | 150 | gone", 150, id="taken out of server.log"),
        pytest.param(
            "a | 0 | 300 | old\nb | 0 | 200 | old\na | 50 | 100 | new", 100, id="a file moves forward"
        ),
    ],
)
def test_segments_that_others_come_before(text: str, since: int | None) -> None:
    found = dirty_at(segments(f"file_id | start_offset | first_logged_at | status\n{text}"), None)
    assert found == (None if since is None else at(since))


@pytest.mark.parametrize(
    ("mode", "seen", "since"),
    [
        ("kraft", "c | 1 | state-change | 70", 10),
        ("kraft", "c | 1 | controller | 70", None),
        ("kraft", "c | | state-change | 70", None),
        ("zookeeper", "c | 1 | state-change | 70", None),
    ],
)
def test_the_first_log_of_a_broker_in_kraft_tells_what_the_others_leave_out(
    mode: str, seen: str, since: int | None
) -> None:
    now = frame(wording_seen.SPEC, f"cluster_id | node_id | log | first_at\n{seen}")
    known = terms().with_columns(mode=pl.lit(mode))
    old = SEGMENTS.with_columns(status=pl.lit("old"))
    for before, expected in ((NOTHING["wording_seen"], since), (now, None)):
        found = dirty_at(old, difference(term=(known, known), wording_seen=(now, before)))
        assert found == (None if expected is None else at(expected))


def summary(term_id: str, day: int, end_second: int, trace_second: int | None) -> str:
    end, trace = (str(seq_at(second)) if second else "" for second in (end_second, trace_second))
    return f"c | {term_id} | {day * 86_400} | {end} | {trace}"


def seq_at(second: int) -> int:
    return int(at(second).timestamp() * 1000) << SEQ_BITS


@pytest.mark.parametrize(
    ("level", "traced", "day"),
    [
        pytest.param("INFO", 50, None, id="not at TRACE"),
        pytest.param("TRACE", 100_000, None, id="always at TRACE"),
        pytest.param("TRACE", 95_000, 1, id="TRACE again after others"),
        pytest.param("TRACE", None, None, id="never at TRACE before"),
    ],
)
def test_verdicts_change_where_trace_is_seen_again(level: str, traced: int | None, day: int | None) -> None:
    rows = [
        summary("1-1", 0, 50, 50 if traced else None),
        summary("1-1", 1, 100_000, traced),
        summary("1-2", 2, 1, 1),
    ]
    head = "cluster_id | term_id | day_at | end_seq | last_trace_seq"
    summaries = frame(replay_summary.SPEC, "\n".join([head, *rows]))
    lines = frame(controller_line.SPEC, LINES.format(level=level))
    found = traced_again(lines, summaries)
    assert (None if found is None else begin_of_day(found)) == (None if day is None else at(day * 86_400))


def test_a_controller_beside_a_later_life() -> None:
    quorum = frame(
        term.SPEC,
        "cluster_id | term_id | mode | life | controller_epoch | elected_at | first_seen_at\nc | 2-1 | kraft | 2 | 1 | 500 | 490",
    )
    lines = frame(controller_line.SPEC, LINES.format(level="INFO"))
    assert begin_of_later_life(lines, quorum) == at(490)


@pytest.mark.parametrize(
    ("term_id", "second", "event", "day"),
    [
        pytest.param("1-1", 180_000, "imbalance_ratio", 0, id="a successor the day before"),
        pytest.param("1-2", 180_000, "imbalance_ratio", None, id="in office"),
        pytest.param("1-1", 180_000, "broker_change", None, id="nothing that it judges by what it knew"),
        pytest.param("1-1", 100_000, "imbalance_ratio", None, id="before that time"),
    ],
)
def test_terms_that_judge_though_they_had_a_successor(
    term_id: str, second: int, event: str, day: int | None
) -> None:
    line = frame(
        controller_line.SPEC,
        f"cluster_id | term_id | ordered_at | event\nc | {term_id} | {second} | {event}",
    )
    found = first_deposed_day(terms(), line, ("imbalance_ratio",), at(172_800))
    assert found == (None if day is None else at(day * 86_400))


@pytest.mark.parametrize(
    ("gaps", "since"),
    [
        pytest.param("c | 1 | controller | silence | 70 | 90", None, id="the same"),
        pytest.param("c | 1 | controller | silence | 70 | 90\nc | 1 | controller | silence | 95 |", None, id="a later one"),
        pytest.param("c | 1 | controller | silence | 70 | 90\nc | 2 | controller | silence | | 80", 80, id="of another node"),
        pytest.param("c | 1 | controller | silence | 60 | 65\nc | 1 | controller | silence | 70 |", 60, id="an earlier one"),
        pytest.param("c | 1 | controller | not_read | 70 | 90", 70, id="none that takes lines away"),
    ],
)  # fmt: skip
def test_verdicts_change_where_lines_begin_to_be_missing(gaps: str, since: int | None) -> None:
    head = "cluster_id | node_id | log | kind | from_at | until_at"
    now = frame(log_gap.SPEC, f"{head}\n{gaps}")
    before = frame(log_gap.SPEC, f"{head}\nc | 1 | controller | silence | 70 | 90")
    found = difference(of_verdicts=True, log_gap=(now, before))
    assert found == (None if since is None else at(since))


@pytest.mark.parametrize(
    ("until", "since"),
    [("2.4", None), ("2.2", None), ("2.5", 70), ("", 70)],
    ids=["the same", "older", "newer", "open"],
)
def test_silence_rests_on_the_default_of_the_release(until: str, since: int | None) -> None:
    """6 s up to 2.4, 18 s from 2.5 on, of each node from its first line on."""
    head = "cluster_id | node_id | valid_from_at | until_release"
    now, before = (
        frame(release_span.SPEC, f"{head}\nc | 1 | 70 | {one}\nc | 1 | 80 | {one}\nc | 2 | 60 | 3.9")
        for one in (until, "2.3")
    )
    found = difference(of_verdicts=True, release_span=(now, before))
    assert found == (None if since is None else at(since))


def lists(*some: tuple[float, str | None]) -> pl.DataFrame:
    rows = [f"c | 1 | {second} | f | {second} | {PER_BROKER} | {value or ''}" for second, value in some]
    return frame(
        broker_setting.SPEC,
        "\n".join(["cluster_id | node_id | logged_at | file_id | byte_offset | name | value", *rows]),
    )


@pytest.mark.parametrize(
    ("before", "now", "since"),
    [
        ([], [], None),
        ([], [(10, "10")], None),
        ([], [(10, None)], None),
        ([], [(10, "20")], ALL_SINCE),
        ([], [(10, "10"), (20, "20")], at(20)),
        ([(10, "20")], [(10, "20"), (20, "20")], None),
        ([(10, "20")], [(10, "20"), (20, "30")], at(20)),
        ([(10, "20")], [(5, "20"), (10, "20")], None),
        ([(10, "20")], [(5, "30"), (10, "20")], ALL_SINCE),
        ([(10, "20"), (20, "30")], [(10, "20"), (15, "30"), (20, "30")], at(15)),
        ([(10, "20")], [], ALL_SINCE),
    ],
)
def test_the_first_time_that_gives_another_limit(
    before: list[tuple[float, str]], now: list[tuple[float, str]], since: datetime | None
) -> None:
    assert affected_from(held_values(lists(*now)), held_values(lists(*before))) == since


@pytest.mark.parametrize(
    ("line", "since"),
    [
        pytest.param(f"c | 1 | 30 | f | 9 | {PER_BROKER} | 20", None, id="the same again"),
        pytest.param(f"c | 1 | 30 | f | 9 | {INTERVAL} | 300", None, id="the default of another setting"),
        pytest.param(f"c | 1 | 30 | f | 9 | {INTERVAL} | 20", 3, id="another setting"),
        pytest.param(f"c | 1 | 30 | f | 9 | {ENABLE} | false", 3, id="whether at all"),
        pytest.param(f"c | 1 | 30.001 | f | 9 | {PER_BROKER} | 5", 30.001, id="another limit"),
        pytest.param(f"c | 1 | 2 | e | 0 | {PER_BROKER} | 5", 3, id="another limit, late"),
        pytest.param(f"c | 2 | 70 | g | 0 | {PER_BROKER} | 5", 3, id="a broker's first"),
        pytest.param(f"c | 2 | 70 | g | 0 | {PER_BROKER} | 10", None, id="a broker's first, the default"),
    ],
)
def test_limits_lower_the_time_no_further_than_the_first_line(line: str, since: float | None) -> None:
    head = "cluster_id | node_id | logged_at | file_id | byte_offset | name | value"
    first = f"c | 1 | 10 | f | 0 | {PER_BROKER} | 20"
    before, now = (frame(broker_setting.SPEC, "\n".join([head, *rows])) for rows in ([first], [first, line]))
    files = segments("file_id | start_offset | first_logged_at | status\nf | 0 | 3 | old\ng | 0 | 50 | old")
    found = dirty_at(files, difference(broker_setting=(now, before)))
    assert found == (None if since is None else at(since))


BEFORE = """
    topic | interval_seq | valid_from_at | valid_until_at | leader
    a     | 1            | 10            | 20             | 1
    a     | 2            | 20            |                |
    b     | 1            | 10            |                | 1
"""


@pytest.mark.parametrize(
    ("rows", "since"),
    [
        pytest.param("a | 2 | 20 | 50 |\na | 3 | 50 | | 2", None, id="what follows"),
        pytest.param("a | 2 | 20 | 50 | 2", 20, id="another leader since before"),
        pytest.param("a | 2 | 20 | 25 |\na | 3 | 25 | | 2", 25, id="another one from some time before"),
        pytest.param("a | 1 | 10 | | 1", 20, id="nothing changed then"),
        pytest.param("b | 1 | 10 | | 1", None, id="of another partition"),
    ],
)
def test_intervals_that_tell_anew_of_the_time_before(rows: str, since: int | None) -> None:
    now, before = (
        frame(partition_timeline.SPEC, text)
        for text in (f"topic | interval_seq | valid_from_at | valid_until_at | leader\n{rows}", BEFORE)
    )
    found = earliest_changed_interval(now, before, ("topic",), ("leader",), at(40))
    assert found == (None if since is None else at(since))


def test_the_first_term_that_is_seen_changes_what_was_taken_for_kraft() -> None:
    none, one = (frame(term.SPEC, f"cluster_id | term_id{rows}") for rows in ("", "\nc | 1-1"))
    assert difference(term=(one, none)) == ALL_SINCE
    assert [difference(term=both) for both in ((none, none), (one, one))] == [None, None]
