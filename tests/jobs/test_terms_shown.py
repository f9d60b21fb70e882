"""Why a controller was elected, and what asked for its moves, as `term` and `terms` print it."""

from jobs.questions.ask_text import term_table
from jobs.questions.terms import HELD, asked_move_lines, life_lines
from pipeline.views.reading.rows import Row
from schemas.gold.controller_term import ELECTION_REASONS
from tests.frames import at

TERM = dict.fromkeys(("elected_at", "ready_at", "ready_ms", "last_step", "ended_at", "ended_how", "epoch_zk_version",
                      "superseded_at", "gap_ms", "resigned_at", "end_reason"))  # fmt: skip
TERM |= {"term_id": "1-7", "controller_id": 2, "controller_epoch": 7, "certainty": "proved"}


def test_every_reason_has_its_words() -> None:
    assert set(HELD) == set(ELECTION_REASONS)


def test_a_term_says_why_its_election_was_held() -> None:
    crashed = TERM | {"election_reason": "process_end"}
    assert life_lines(crashed, None, {"controller_id": 3})[1] == (
        "  HELD      because the process of controller 3 had ended"
    )
    assert life_lines(crashed, None)[1] == "  HELD      because the process of the last one had ended"
    assert life_lines(TERM | {"election_reason": None}, None)[1] == "  ENDED     not known how"
    head, row = term_table([crashed])
    assert "why elected" in head and "process end" in row
    assert "not known" in term_table([TERM | {"election_reason": None}])[1]
    assert "resigned" in term_table([crashed | {"resigned_at": at(5)}])[1]


def test_a_term_lists_which_methods_asked_for_its_moves() -> None:
    counts: list[Row] = [
        {"machine": "replica", "trigger": "KafkaController.onBrokerStartup", "moves": 1234},
        {"machine": "partition", "trigger": None, "moves": 2},
    ]
    assert [one.split() for one in asked_move_lines(counts)] == [
        [],
        ["ASKED", "FOR", "BY", "moves", "of", "a"],
        ["KafkaController.onBrokerStartup", "replica", "1,234"],
        ["not", "known", "partition", "2"],
    ]
    assert asked_move_lines([]) == []
