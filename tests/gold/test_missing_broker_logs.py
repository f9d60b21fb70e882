"""What may go by unseen in KRaft where the logs of a broker are missing: here those of broker 1."""

import polars as pl
from polars import lit
from polars.testing import assert_frame_equal

from pipeline.core.frames import empty_frame
from pipeline.core.stretches import TIME
from pipeline.gold.partition_timeline.missing_broker_logs import with_missing_logs
from pipeline.gold.partition_timeline.own_stops import process_stops, state_lines
from pipeline.gold.partition_timeline.silences import last_restatements
from pipeline.model.terms.kraft_terms import kraft_terms
from schemas.gold import partition_timeline
from schemas.silver import broker_absence, partition_state, process_run, term, wording_seen
from tests.frames import frame

SEEN = """
    cluster_id | node_id | log          | first_at
    c          | 2       | state-change | -100
    c          | 3       | state-change | -100
"""
ABSENCES = """
    cluster_id | broker_id | out_at | silent_from_at | back_at | is_partial
    c          | 2         | 5      | -5             | 20      | false
    c          | 2         | 50     | 40             | 60      | false
    c          | 2         | 90     |                |         | false
    c          | 3         | 100    | 95             |         | false
"""
STATES = """
    cluster_id | topic_id | partition | topic | valid_from_at | leader | leader_epoch | partition_epoch | isr   | replicas | certainty
    c          | alone    | 0         | alone | 30            | 1      | 0            | 0               | [1 2] | [1 2]    | proved
    c          | own      | 0         | own   | 30            | 2      | 0            | 0               | [1 2] | [1 2]    | proved
    c          | late     | 0         | late  | 45            | 1      | 0            | 0               | [1 2] | [1 2]    | proved
    c          | begun    | 0         | begun | -20           | 1      | 0            | 0               | [1 2] | [1 2]    | proved
    c          | three    | 0         | three | 30            | 1      | 0            | 0               | [1 2 3] | [1 2 3] | proved
    c          | read     | 0         | read  | 30            | 2      | 0            | 0               | [2 3] | [2 3]    | proved
    c          | off      | 0         | off   | 30            | -1     | 0            | 0               | []    | [2]      | proved
"""
EXPECTED = """
    topic | valid_from_at | leader | certainty
    alone | 30            | 1      | proved
    alone | 40            |        | undetermined
    own   | 30            | 2      | proved
    own   | 40            |        | undetermined
    late  | 45            | 1      | proved
    late  | 45.001        |        | undetermined
    begun | -20           | 1      | proved
    begun | 0             |        | undetermined
    three | 30            | 1      | proved
    three | 95            |        | undetermined
    read  | 30            | 2      | proved
    off   | 30            | -1     | proved
"""


# No node was started anew, and no state is printed twice.
NO_STOPS = (
    process_stops(
        empty_frame(process_run.SPEC),
        state_lines(LINES := empty_frame(partition_state.SPEC).with_columns(at="logged_at")),
    ),
    last_restatements(LINES),
)


def states(text: str) -> pl.DataFrame:
    return frame(partition_timeline.SPEC, text).with_columns(
        at="valid_from_at",
        known_at="valid_from_at",
        replicas_at="valid_from_at",
        event=lit("said"),
        gone_at=lit(None, TIME),
        is_gone_before=lit(value=False),
        is_assignment_stale=lit(value=False),
        row_no=pl.int_range(pl.len()),
    )


def same_rows(found: pl.DataFrame, text: str) -> None:
    names = [name.strip() for name in text.strip().splitlines()[0].split("|")]
    expected = frame(partition_timeline.SPEC, text)
    told = found.with_columns(valid_from_at="at")
    assert_frame_equal(told.select(names), expected.select(names), check_row_order=False)


def test_nobody_prints_another_leader_while_all_others_are_silent() -> None:
    """begun: what stands before the day of the decision stays; three: one was let go, the other falls silent."""
    seen, absences = frame(wording_seen.SPEC, SEEN), frame(broker_absence.SPEC, ABSENCES)
    terms = kraft_terms(frame(term.SPEC, "cluster_id | term_id | mode | elected_at\nc | 1-1 | kraft | -99"))
    same_rows(with_missing_logs(states(STATES), seen, absences, terms, *NO_STOPS), EXPECTED)


LEFT_OUT = """
    cluster_id | broker_id | out_at | silent_from_at | back_at | is_partial
    c          | 1         | 40     |                | 50      | false
    c          | 2         | 60     |                | 70      | false
"""
LED = """
    cluster_id | topic_id | partition | topic | valid_from_at | leader | leader_epoch | partition_epoch | isr     | replicas | certainty
    c          | led      | 0         | led   | 30            | 1      | 0            | 0               | [1 2 3] | [1 2 3]  | proved
    c          | off      | 0         | off   | 45            | -1     | 1            | 1               | []      | [1 2]    | proved
    c          | later    | 0         | later | 30            | 1      | 0            | 0               | [1 2 3] | [1 2 3]  | proved
    c          | later    | 0         | later | 39            | 3      | 1            | 1               | [2 3]   | [1 2 3]  | proved
"""
IN_DOUBT = """
    topic | valid_from_at | leader | is_isr_stale | certainty
    led   | 30            | 1      | true         | proved
    led   | 40            |        | true         | undetermined
    off   | 45            | -1     | false        | proved
    off   | 50            |        | false        | undetermined
    later | 30            | 1      | true         | proved
    later | 39            | 3      | false        | proved
"""


def test_a_leader_without_logs_is_in_doubt_from_when_it_is_let_go() -> None:
    """And where nobody leads, from the return of a replica without logs; not if a later state is printed before."""
    seen, absences = frame(wording_seen.SPEC, SEEN), frame(broker_absence.SPEC, LEFT_OUT)
    terms = kraft_terms(frame(term.SPEC, "cluster_id | term_id | mode | elected_at\nc | 1-1 | kraft | -99"))
    same_rows(with_missing_logs(states(LED), seen, absences, terms, *NO_STOPS), IN_DOUBT)


def test_without_any_state_change_log_all_leaders_are_without_logs() -> None:
    """Where there are such logs, and nobody knows of whom, nothing is concluded."""
    absences = frame(broker_absence.SPEC, LEFT_OUT)
    terms = kraft_terms(frame(term.SPEC, "cluster_id | term_id | mode | elected_at\nc | 1-1 | kraft | -99"))
    named_by_nobody = frame(
        wording_seen.SPEC, "cluster_id | node_id | log | first_at\nc | | state-change | -100"
    )
    found = [
        with_missing_logs(states(LED), seen, absences, terms, *NO_STOPS)
        .filter(certainty="undetermined")["topic"]
        .unique()
        .sort()
        .to_list()
        for seen in (named_by_nobody.clear(), named_by_nobody)
    ]
    assert found == [["later", "led", "off"], []]


TERMS = """
    cluster_id | term_id | mode  | controller_id | elected_at | first_seen_at | told_until_at
    c          | 1-1     | kraft | 1             | -99        | -99           | 40
    c          | 1-2     | kraft | 2             |            | 40            |
    c          | 1-3     | kraft | 1             | 50         | 50            | 90
"""
PRINTED = """
    cluster_id | topic_id | partition | topic | valid_from_at | leader | leader_epoch | partition_epoch | isr   | replicas | certainty
    c          | two      | 0         | two   | 30            | 2      | 0            | 0               | [2 3] | [2 3]    | proved
    c          | one      | 0         | one   | 30            | 2      | 0            | 0               | [2]   | [2 3]    | proved
    c          | after    | 0         | after | 50            | 2      | 0            | 0               | [2]   | [2 3]    | proved
    c          | then     | 0         | then  | 45            | 2      | 0            | 0               | [2 3] | [2 3]    | proved
"""
WEAKER = """
    topic | valid_from_at | leader | is_assignment_stale | certainty
    two   | 30            | 2      | false               | proved
    two   | 40            | 2      | true                | inferred
    one   | 30            | 2      | false               | proved
    one   | 40            |        | true                | undetermined
    after | 50            | 2      | false               | proved
    then  | 45            | 2      | true                | inferred
"""


def test_a_term_without_lines_may_have_changed_anything() -> None:
    """Of a leader that another replica could follow it is only less sure; one alone may be gone."""
    seen, absences = frame(wording_seen.SPEC, SEEN), frame(broker_absence.SPEC, "cluster_id")
    terms = kraft_terms(frame(term.SPEC, TERMS))
    same_rows(with_missing_logs(states(PRINTED), seen, absences, terms, *NO_STOPS), WEAKER)


JUMPS = """
    cluster_id | topic_id | partition | topic | valid_from_at | leader | leader_epoch | partition_epoch | isr | replicas | certainty
    c          | off      | 0         | off   | 10            | -1     | 57           | 58              | []  | [2]      | proved
    c          | off      | 0         | off   | 40            | -1     | 63           | 64              | []  | [2]      | proved
    c          | off      | 0         | off   | 70            | 2      | 64           | 65              | [2] | [2]      | proved
    c          | led      | 0         | led   | 10            | 2      | 5            | 6               | [2] | [2]      | proved
    c          | led      | 0         | led   | 40            | 2      | 7            | 8               | [2] | [2]      | proved
"""
UNTIL_THEN = """
    topic | valid_from_at | leader | certainty
    off   | 10            | -1     | proved
    off   | 10.001        |        | undetermined
    off   | 40            | -1     | proved
    off   | 70            | 2      | proved
    led   | 10            | 2      | proved
    led   | 10.001        |        | undetermined
    led   | 40            | 2      | proved
"""


def test_a_state_before_missing_leader_epochs_is_over_at_an_unknown_time() -> None:
    """Each change of leader adds one: from 57 to 63 there were five leaders, or none, of which no line tells."""
    seen, absences = frame(wording_seen.SPEC, SEEN), frame(broker_absence.SPEC, "cluster_id")
    terms = kraft_terms(frame(term.SPEC, "cluster_id | term_id | mode | elected_at\nc | 1-1 | kraft | -99"))
    same_rows(with_missing_logs(states(JUMPS), seen, absences, terms, *NO_STOPS), UNTIL_THEN)


def test_a_state_that_is_over_is_not_known_again_where_a_term_without_lines_begins() -> None:
    jumps = """
        cluster_id | topic_id | partition | topic | valid_from_at | leader | leader_epoch | partition_epoch | isr   | replicas | certainty
        c          | two      | 0         | two   | 30            | 2      | 0            | 0               | [2 3] | [2 3]    | proved
        c          | two      | 0         | two   | 60            | 2      | 2            | 2               | [2 3] | [2 3]    | proved
    """
    expected = """
        topic | valid_from_at | leader | certainty
        two   | 30            | 2      | proved
        two   | 30.001        |        | undetermined
        two   | 60            | 2      | proved
    """
    seen, absences = frame(wording_seen.SPEC, SEEN), frame(broker_absence.SPEC, "cluster_id")
    terms = kraft_terms(frame(term.SPEC, TERMS))
    same_rows(with_missing_logs(states(jumps), seen, absences, terms, *NO_STOPS), expected)
