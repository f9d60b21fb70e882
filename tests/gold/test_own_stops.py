"""A broker between two processes prints nothing: what it printed before may be over until it prints it again."""

import polars as pl
import pytest
from polars import lit

from pipeline.core.frames import empty_frame
from pipeline.core.span import ALL_TIME
from pipeline.core.stretches import TIME
from pipeline.gold.partition_timeline.missing_broker_logs import with_missing_logs
from pipeline.gold.partition_timeline.own_stops import process_stops, state_line, state_lines
from pipeline.gold.partition_timeline.silences import last_restatements
from pipeline.model.terms.kraft_terms import kraft_terms
from schemas.gold import partition_timeline
from schemas.silver import broker_absence, partition_state, process_run, term, wording_seen
from tests.frames import frame
from tests.rows import same_rows

# Logs of broker 2 alone are read.
SEEN = "cluster_id | node_id | log | first_at\nc | 2 | state-change | -100"
RUNS = """
    cluster_id | node_id | last_line_at | next_started_at
    c          | 2       | 40           | 50
    c          | 2       | 90           |
"""
STATES = """
    cluster_id | topic_id | partition | topic | valid_from_at | leader | leader_epoch | partition_epoch | isr   | replicas | certainty
    c          | other    | 0         | other | 30            | 1      | 0            | 0               | [1 2] | [1 2]    | proved
    c          | same     | 0         | same  | 30            | 1      | 0            | 4               | [1 2] | [1 2]    | proved
    c          | own      | 0         | own   | 30            | 2      | 0            | 0               | [2]   | [2]      | proved
"""
# It creates again what it had, and prints the state that one of the three still has.
LINES = """
    cluster_id | node_id | logged_at | step   | topic | topic_id | partition | partition_epoch | file_id | byte_offset
    c          | 2       | 30        | stated | same  | same     | 0         | 4               | f       | 1
    c          | 2       | 30.002    | stated | other | other    | 0         | 0               | f       | 2
    c          | 2       | 52        | named  | same  | same     | 0         |                 | f       | 3
    c          | 2       | 52.001    | stated | same  | same     | 0         | 4               | f       | 4
    c          | 2       | 52.002    | named  | new   | new      | 0         |                 | f       | 5
    c          | 2       | 52.003    | stated | new   | new      | 0         | 0               | f       | 6
"""
DOUBTED = """
    topic | valid_from_at | leader | certainty
    other | 30            | 1      | proved
    other | 40            |        | undetermined
    same  | 30            | 1      | proved
    own   | 30            | 2      | proved
    own   | 40            |        | undetermined
"""
# Frozen from 30 to 60: what changed twice meanwhile is told once, and late.
FROZEN = """
    cluster_id | node_id | logged_at | step   | topic | topic_id | partition | partition_epoch | file_id | byte_offset
    c          | 2       | 30        | stated | once  | once     | 0         | 4               | f       | 1
    c          | 2       | 30.002    | stated | twice | twice    | 0         | 7               | f       | 2
    c          | 2       | 60        | stated | once  | once     | 0         | 5               | f       | 3
    c          | 2       | 60.001    | stated | twice | twice    | 0         | 9               | f       | 4
"""
CREATED_AGAIN = "broker_id | silent_from_at | out_at\n2 | 30.002 | 52"


def lines() -> pl.DataFrame:
    return frame(partition_state.SPEC, LINES).with_columns(at="logged_at")


def test_what_changes_while_its_process_is_gone_is_in_doubt() -> None:
    """Its own partition, too: no controller is read that would fence it. What it prints again did not change."""
    states = frame(partition_timeline.SPEC, STATES).with_columns(
        at="valid_from_at", known_at="valid_from_at", replicas_at="valid_from_at", event=lit("said"),
        gone_at=lit(None, TIME), is_gone_before=lit(value=False), is_assignment_stale=lit(value=False),
        row_no=pl.int_range(pl.len()),
    )  # fmt: skip
    stops = process_stops(frame(process_run.SPEC, RUNS), state_lines(lines().clear()))
    absences, seen = frame(broker_absence.SPEC, "cluster_id").clear(), frame(wording_seen.SPEC, SEEN)
    terms = kraft_terms(frame(term.SPEC, "cluster_id").clear())
    found = with_missing_logs(states, seen, absences, terms, stops, last_restatements(lines()))
    told = found.with_columns(valid_from_at="at")
    same_rows(told, frame(partition_timeline.SPEC, DOUBTED), "topic", "valid_from_at", "leader", "certainty")


def test_a_partition_that_is_created_again_tells_another_process() -> None:
    """By state-change.log alone; a partition that is new tells none."""
    found = process_stops(frame(process_run.SPEC, RUNS).clear(), state_lines(lines()))
    spelled = frame(broker_absence.SPEC, CREATED_AGAIN)
    same_rows(found, spelled, "broker_id", "silent_from_at", "out_at")


def test_a_broker_that_leaves_out_partition_epochs_did_not_run_meanwhile() -> None:
    own = frame(partition_state.SPEC, FROZEN).with_columns(at="logged_at")
    found = process_stops(frame(process_run.SPEC, RUNS).clear(), state_lines(own))
    spelled = frame(broker_absence.SPEC, "broker_id | silent_from_at | out_at\n2 | 30.002 | 60.001")
    same_rows(found, spelled, "broker_id", "silent_from_at", "out_at")


def test_a_process_that_says_its_end_is_gone_from_then_on() -> None:
    ended = frame(process_run.SPEC, "cluster_id | node_id | last_line_at | end_at\nc | 2 | 90 | 88")
    found = process_stops(ended, state_lines(lines().clear()))
    spelled = frame(broker_absence.SPEC, "broker_id | silent_from_at | out_at | back_at\n2 | 88 | 88 |")
    same_rows(found, spelled, "broker_id", "silent_from_at", "out_at", "back_at")


@pytest.mark.parametrize("mode", [None, "kraft"])
def test_lines_of_brokers_count_where_no_term_is_read(mode: str | None) -> None:
    """The pause lies between lines of two topics, of which each tells its part, as in shards."""
    told = frame(partition_state.SPEC, FROZEN)
    terms = frame(term.SPEC, f"cluster_id | mode\nc | {mode}") if mode else empty_frame(term.SPEC)
    of_topics = [
        state_line(told.filter(topic=topic), terms, empty_frame(partition_timeline.SPEC), ALL_TIME)
        for topic in ("once", "twice")
    ]
    stops = process_stops(empty_frame(process_run.SPEC), pl.concat(of_topics))
    spelled = frame(broker_absence.SPEC, "broker_id | silent_from_at | out_at\n2 | 30.002 | 60.001")
    same_rows(stops, spelled, "broker_id", "silent_from_at", "out_at")
