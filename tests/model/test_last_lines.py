"""Until when lines of a controller prove that it is in office."""

import pytest

from pipeline.model.terms.last_lines import lost_session_line, proved_term
from schemas.silver import controller_line, partition_transition, term
from tests.frames import at, frame

DAY = 86_400


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ((1, 4, 9), 9),
        # It was silent for as long as a session: its last lines may be those of one that was deposed.
        ((1, 4, 22, 23), 4),
        ((1, 8, 40, 41), 8),
        # No one that was deposed writes for minutes.
        ((1, 30, *range(35, 100, 5)), 95),
        # It was elected then.
        ((10, 11), 11),
        # Of the day before nothing is known.
        ((1, DAY + 19), DAY),
        ((1, DAY + 5), DAY + 5),
    ],
)
def test_the_lines_behind_a_silence_do_not_prove_that_a_term_goes_on(
    seconds: tuple[int, ...], expected: int
) -> None:
    terms = frame(
        term.SPEC,
        f"cluster_id | term_id | first_seen_at | told_until_at\nc | 1-1 | {seconds[0]} | {seconds[-1]}",
    )
    rows = "\n".join(f"c | 1-1 | {second}" for second in seconds)
    lines = frame(controller_line.SPEC, f"cluster_id | term_id | logged_at\n{rows}")
    nothing_failed = frame(partition_transition.SPEC, "cluster_id")
    assert proved_term(terms, lines, lost_session_line(nothing_failed))["proved_until_at"].to_list() == [
        at(expected)
    ]


@pytest.mark.parametrize(
    ("exception", "expected"),
    [
        ("org.apache.zookeeper.KeeperException$SessionExpiredException", 4),
        ("org.apache.kafka.common.errors.ControllerMovedException", 4),
        ("kafka.zookeeper.ZooKeeperClientExpiredException", 4),
        ("org.apache.zookeeper.KeeperException$NoNodeException", 12),
    ],
)
def test_a_short_silence_counts_where_moves_behind_it_fail_as_the_session_is_lost(
    exception: str, expected: int
) -> None:
    terms = frame(term.SPEC, "cluster_id | term_id | elected_at | told_until_at\nc | 1-1 | 1 | 12")
    rows = "\n".join(f"c | 1-1 | f | {second} | {second}" for second in (1, 4, 11, 12))
    lines = frame(controller_line.SPEC, f"cluster_id | term_id | file_id | byte_offset | logged_at\n{rows}")
    failed = frame(
        partition_transition.SPEC,
        f"cluster_id | file_id | byte_offset | exception_class\nc | f | 11 | {exception}",
    )
    assert proved_term(terms, lines, lost_session_line(failed))["proved_until_at"].to_list() == [at(expected)]


@pytest.mark.parametrize(
    ("event", "expected"),
    [("controller_resigning", 4), ("partition_election_aborted", 4), ("imbalance_check", 12)],
)
def test_a_short_silence_counts_where_the_controller_resigns_behind_it(event: str, expected: int) -> None:
    terms = frame(term.SPEC, "cluster_id | term_id | elected_at | told_until_at\nc | 1-1 | 1 | 12")
    rows = "\n".join(
        f"c | 1-1 | {second} | {event if second == 12 else 'imbalance_check'}" for second in (1, 4, 11, 12)
    )
    lines = frame(controller_line.SPEC, f"cluster_id | term_id | logged_at | event\n{rows}")
    nothing_failed = frame(partition_transition.SPEC, "cluster_id")
    assert proved_term(terms, lines, lost_session_line(nothing_failed))["proved_until_at"].to_list() == [
        at(expected)
    ]
