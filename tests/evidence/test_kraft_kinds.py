"""What a part of a KRaft cluster's logs must not say, kind by kind: a small input for each that was another truth."""

import polars as pl
import pytest
from polars import lit

from pipeline.gold.leader_election.kraft_choosing import is_clean_in_kraft, with_kraft_verdict
from pipeline.gold.leader_election.kraft_elections import certainty_of_change, with_before
from pipeline.gold.partition_outage.unserved import with_following
from pipeline.gold.partition_timeline.kraft_fencing import is_unseen_between, with_replayed_end
from pipeline.gold.partition_timeline.own_stops import process_stops, state_lines
from pipeline.gold.partition_timeline.silences import unread_stops
from pipeline.model.terms.kraft_terms import kraft_terms
from pipeline.rules.broker_flapping.rule import find as broker_flapping
from schemas.gold import broker_session, partition_timeline
from schemas.silver import broker_absence, partition_state, process_run, term
from tests.frames import at, frame

STATE_LINES = """
    cluster_id | node_id | logged_at | step   | topic | topic_id | partition | partition_epoch | file_id | byte_offset
    c          | 2       | {}        | stated | a     | a        | 0         | 4               | f       | 1
"""
RUN = "cluster_id | node_id | last_line_at | next_started_at\nc | 2 | 40 | 50"
LED = "cluster_id | topic_id | partition | valid_from_at | leader\nc | a | 0 | {} | 2"
REPLAYED = """
    cluster_id | teller     | logged_at | topic_id | partition | leader | leader_epoch
    c          | controller | 20        | a        | 0         | {}     | {}
"""
UNLED = """
    cluster_id | topic | topic_life | partition | interval_seq | part_seq | valid_from_at | valid_until_at | leader | state            | is_served | certainty
    c          | a     | 1          | 0         | 1            | 0        | 0             | 10             | 2      | OnlinePartition  | true      | proved
    {}
    c          | a     | 1          | 0         | 3            | 0        | 20            |                | -1     | OfflinePartition | false     | proved
"""
STAYS = """
    cluster_id | broker_id | mode  | joined_at | left_at | left_how     | certainty
    c          | 3         | kraft | 10        | 20      | uncontrolled | proved
    c          | 3         | kraft | 30        | 40      | uncontrolled | proved
    c          | 3         | kraft | 50        | 60      | {}           | {}
    c          | 3         | kraft | {}        |         |              | undetermined
"""
LEADERS = """
    cluster_id | topic | topic_life | topic_id | partition | interval_seq | valid_from_at | valid_until_at | leader | leader_epoch
    c          | a     | 1          | a        | 0         | 1            | 0             | 10             | 2      | 3
    c          | a     | 1          | a        | 0         | 2            | 10            | 19             |        |
    c          | a     | 1          | a        | 0         | 3            | 19            | 20             |        |
    c          | a     | 1          | a        | 0         | 4            | 20            |                | 1      | 5
"""
UNKNOWN = (
    "c | a | 1 | 0 | 2 | 0 | 10 | 20 | | | | undetermined",
    "c | a | 1 | 0 | 2 | 0 | 10 | 20 | | OnlinePartition | true | proved",
)


@pytest.mark.parametrize(("second", "silent_from"), [(30, 40), (45, 45), (60, 40)])
def test_a_process_is_silent_from_its_last_line_in_any_log(second: int, silent_from: int) -> None:
    lines = frame(partition_state.SPEC, STATE_LINES.format(second)).with_columns(at="logged_at")
    found = process_stops(frame(process_run.SPEC, RUN), state_lines(lines))
    assert found["silent_from_at"].to_list() == [at(silent_from)]


@pytest.mark.parametrize(("second", "expected"), [(30, [40]), (40, [40.001]), (45, [45.001]), (50, [])])
def test_the_last_line_of_a_leader_that_stops_unread_holds_for_its_instant(
    second: int, expected: list[float]
) -> None:
    states = frame(partition_timeline.SPEC, LED.format(second)).with_columns(
        known_at="valid_from_at", is_led=lit(value=True), state_no=lit(0)
    )
    stops = frame(
        broker_absence.SPEC,
        "cluster_id | broker_id | out_at | silent_from_at | back_at\nc | 2 | 50 | 40 | 50",
    )
    no_terms = kraft_terms(frame(term.SPEC, "cluster_id | term_id"))
    found = unread_stops(states, stops, no_terms)
    assert found["first_at"].to_list() == [at(one) for one in expected]


@pytest.mark.parametrize(("leader", "epoch", "until"), [(2, 4, 20), (1, 4, 90), (2, 3, 90)])
def test_a_leader_is_over_once_a_standby_replays_the_next(leader: int, epoch: int, until: int) -> None:
    """A broker that is fenced later leaves nothing without a leader."""
    led = frame(
        partition_timeline.SPEC, "cluster_id | topic_id | partition | leader\nc | a | 0 | 1"
    ).with_columns(from_at=lit(at(5)), until_at=lit(at(90)), last_leader_epoch=lit(3), leadership=lit(1))
    lines = frame(partition_state.SPEC, REPLAYED.format(leader, epoch))
    found = with_replayed_end(led, lines.with_columns(at="logged_at", is_decided=lit(value=False)))
    assert found["until_at"].to_list() == [at(until)]


@pytest.mark.parametrize(("between", "led_by"), list(zip(UNKNOWN, (None, 2), strict=True)))
def test_who_led_before_a_doubt_is_not_the_leader_that_is_gone_after_it(
    between: str, led_by: int | None
) -> None:
    found = with_following(frame(partition_timeline.SPEC, UNLED.format(between)))
    assert found["led_by"].to_list()[-1] == led_by


@pytest.mark.parametrize(
    ("leader", "partition_epoch", "is_unseen"), [(1, 22, True), (1, 20, False), (-1, 22, False)]
)
def test_partition_epochs_that_are_left_out_hide_elections(
    leader: int,
    partition_epoch: int,
    is_unseen: bool,  # noqa: FBT001
) -> None:
    """With the ELR the ISR changes while nobody leads, too."""
    fenced = pl.DataFrame(
        {
            "last_leader_epoch": [11],
            "next_leader_epoch": [13],
            "last_partition_epoch": [18],
            "next_leader": [leader],
            "next_partition_epoch": [partition_epoch],
            "hole_from_at": [None],
            "fenced_at": [at(10)],
            "empty_at": [at(20)],
        },
        schema_overrides={"hole_from_at": pl.Datetime("us", "UTC")},
    )
    assert fenced.select(is_unseen_between()).to_series().to_list() == [is_unseen]


@pytest.mark.parametrize(
    ("second", "missing", "is_said", "expected"),
    [
        (10, 1, False, "undetermined"),
        (19.5, 1, False, "proved"),
        (10, 0, False, "proved"),
        (10, 1, True, "proved"),
    ],
)
def test_who_leads_after_a_doubt_may_have_led_in_it(
    second: float,
    missing: int,
    is_said: bool,  # noqa: FBT001
    expected: str,
) -> None:
    change = pl.DataFrame(
        {
            "leader_before": [None],
            "is_born": [False],
            "missing_epochs": [missing],
            "valid_from_at": [at(20)],
            "known_until_at": [at(second)],
            "certainty": ["proved"],
            "diff_line": ["a line" if is_said else None],
            "choice_line": [None],
        }
    )
    assert change.select(certainty=certainty_of_change())["certainty"].to_list() == [expected]


@pytest.mark.parametrize(
    ("how", "certainty", "back_at", "expected"),
    [
        ("uncontrolled", "proved", 70, [60]),
        ("uncontrolled", "proved", 60, [60]),
        ("bounced", "proved", 60, [60]),
        ("bounced", "undetermined", 60, []),
        # It may have asked to be shut down in lines that are missing.
        ("uncontrolled", "undetermined", 60, []),
    ],
)
def test_a_registration_anew_that_no_fence_explains_is_no_departure(
    how: str, certainty: str, back_at: int, expected: list[int]
) -> None:
    """And who is back at once is not away."""
    stays = frame(broker_session.SPEC, STAYS.format(how, certainty, back_at))
    data_end = pl.DataFrame({"cluster_id": ["c"], "until_at": [at(100)]})
    no_signs = stays.clear().select("cluster_id", node_id="broker_id", up_at="joined_at")
    found = broker_flapping(stays, 3, 60, data_end, no_signs)
    assert found["valid_until_at"].to_list() == [at(one) for one in expected]


@pytest.mark.parametrize(
    ("isr_before", "kind", "step", "expected"),
    [
        ([3], "unknown", None, None),
        ([3], "unknown", "elected_unclean", False),
        ([3], "reassign", None, True),
        ([1, 3], "unknown", None, True),
        ([], "unknown", None, True),
    ],
)
def test_an_election_is_unclean_by_a_line_alone(
    isr_before: list[int],
    kind: str,
    step: str | None,
    expected: bool | None,  # noqa: FBT001
) -> None:
    """A reassignment whose lines are missing makes a leader of one that was not in the ISR before."""
    rows = pl.DataFrame(
        {
            "leader": [1],
            "leader_before": [3],
            "isr_before": [isr_before],
            "missing_epochs": [0],
            "is_born": [False],
            "is_term_read": [True],
            "kind": [kind],
            "said_step": [step],
            "mark_at": [None],
        },
        schema_overrides={"said_step": pl.String, "isr_before": pl.List(pl.Int64)},
    )
    assert rows.select(is_clean=is_clean_in_kraft())["is_clean"].to_list() == [expected]


@pytest.mark.parametrize(("able", "verdict"), [([1, 2, 3], "differs"), ([1, 2], "undetermined")])
def test_a_leader_that_is_known_to_be_out_was_back(able: list[int], verdict: str) -> None:
    rows = pl.DataFrame(
        {
            "leader": [3],
            "leader_before": [1],
            "expected_leader": [2],
            "missing_epochs": [0],
            "kind": ["offline"],
            "is_born": [False],
            "is_out_known": [True],
            "is_term_read": [True],
            "is_assignment_stale": [False],
            "has_disk_out": [False],
            "mark_at": [at(1)],
            "said_at": [at(1)],
            "certainty": ["inferred"],
            "able": [able],
            "isr_before": [[1, 2, 3]],
            "isr": [[2, 3]],
            "replicas": [[1, 2, 3]],
            "is_clean": [True],
        }
    )
    assert with_kraft_verdict(rows)["verdict"].to_list() == [verdict]


def test_a_doubt_in_several_steps_is_one() -> None:
    intervals = frame(partition_timeline.SPEC, LEADERS)
    assert with_before(intervals)["known_until_at"].to_list() == [None, at(10), at(10), at(10)]
