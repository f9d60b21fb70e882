"""What the first screen needs to know, asked of the tables side by side."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from jobs.questions.changes.asked import changes_of
from jobs.questions.finding_lines import first_evidence
from jobs.questions.floods import floods_of
from jobs.questions.gone_brokers import gone_brokers
from jobs.questions.half_read import half_read_text
from jobs.questions.nodes import (
    controllers_without_term,
    last_active_controller,
    mode_of,
    releases_before,
    releases_of,
)
from jobs.questions.outages import TABLE, Outages, open_outages, outages_since
from jobs.questions.reassignments import TABLE as ATTEMPTS
from jobs.questions.reassignments import reassignments_of
from jobs.questions.topics import TABLE as LIVES
from jobs.questions.topics import topic_counts
from jobs.questions.untold import KNOWN, Untold, find_unknowns, has_moves_log
from jobs.questions.window import Window
from jobs.screen.on_record import recorded_moves_text, recorded_witness_lines
from pipeline.views.changes.requests import TABLES as CHANGED
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.judged import (
    count_elections,
    count_event_orders,
    count_moves,
    count_ratio_checks,
    count_replay_checks,
    odd_moves_since,
)
from pipeline.views.reading.log_folder import folder_of
from pipeline.views.reading.rows import Place, Row

AT_ONCE = 4
SHOWN_MOVES = 8


@dataclass(frozen=True)
class Facts:
    """What the tables answered.

    since: what the run brought begins then; None: it brought everything. folder: that all logs lie in. untold: what the
    logs cannot tell. are_moves_given: a log that has moves was read. beyond: why nothing is told of the time that was
    asked for. leaderless: open_outages(); gone: gone_brokers(). witness: the lines about the metadata
    log, where one was read; recorded_moves: what its replay says of moves.
    """

    since: datetime | None
    read: Row
    reasons: list[Row]
    floods: list[Row]
    level: Row | None
    mode: str | None
    releases: list[int]
    releases_before: list[int]
    in_office: int | None
    offices: list[Row]
    half_read: str | None
    terms: list[Row]
    findings: list[Row]
    changes: list[Row] | None
    at_end: Row | None
    deleting: list[str]
    brokers: list[Row] | None
    outages: Outages | None
    leaderless: list[Row]
    gone: list[Row]
    topics: Row | None
    reassignments: Row | None
    elections: Row | None
    ratio_checks: Row | None
    moves: dict[str, int] | None
    odd_moves: list[Row]
    replay_checks: dict[str, Row]
    event_orders: Row | None
    lines: dict[Place, Row]
    folder: str = ""
    untold: Untold = KNOWN
    are_moves_given: bool = True
    beyond: str | None = None
    witness: Sequence[str] = ()
    recorded_moves: str = ""


def gather_facts(
    answers: Answers,
    watermarks: Mapping[str, str],
    before: int,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Facts:
    """Asks what the run has built; a table that it built stays empty where the logs hold nothing for it. Of what
    happens and is over what came before the segments after load_seq `before`, or before `since`, is left out, and
    changes that were asked for at `until` or later."""
    read = answers.read(before)
    beyond = Window(since, until).beyond(read["first_at"], read["last_at"])
    last, since = read["last_at"], since or read["new_from_at"]

    def has(name: str) -> bool:
        return name in watermarks

    asked: dict[str, Callable[[], Any]] = {
        "reasons": answers.reasons if read["records"] > read["understood"] else list,
        "floods": partial(floods_of, answers, since),
        "level": answers.level,
        "mode": partial(mode_of, answers),
        "releases": partial(releases_of, answers),
        "releases_before": partial(releases_before, answers),
        "in_office": partial(last_active_controller, answers),
        "offices": partial(controllers_without_term, answers),
        "half_read": partial(half_read_text, answers),
        "untold": partial(find_unknowns, answers) if has("gold.finding") else Untold,
        "are_moves_given": partial(has_moves_log, answers),
        "terms": answers.terms_and_clocks if has("gold.controller_term") else list,
        "findings": answers.findings if has("gold.finding") else list,
        "changes": partial(changes_of, answers, since, until)
        if all(map(has, CHANGED))
        else none_without_table,
        "at_end": answers.partitions_at_end if has("gold.partition_timeline") else none_without_table,
        "deleting": answers.deleting,
        "brokers": answers.brokers if has("gold.leader_imbalance") else none_without_table,
        "outages": partial(outages_since, answers, last, since) if has(TABLE) else none_without_table,
        "leaderless": partial(open_outages, answers) if has(TABLE) else list,
        "gone": partial(gone_brokers, answers) if has("gold.broker_session") else list,
        "topics": partial(topic_counts, answers, since) if has(LIVES) else none_without_table,
        "reassignments": partial(reassignments_of, answers, since) if has(ATTEMPTS) else none_without_table,
        "elections": partial(count_elections, answers, since)
        if has("gold.leader_election")
        else none_without_table,
        "ratio_checks": partial(count_ratio_checks, answers, since)
        if has("gold.imbalance_check")
        else none_without_table,
        "moves": partial(count_moves, answers, since) if has("gold.transition_audit") else none_without_table,
        "event_orders": partial(count_event_orders, answers, since)
        if has("gold.controller_event")
        else none_without_table,
        "replay_checks": partial(count_replay_checks, answers, since) if has("gold.replay_check") else dict,
        "odd_moves": (
            partial(odd_moves_since, answers, SHOWN_MOVES, since) if has("gold.transition_audit") else list
        ),
        "witness": partial(recorded_witness_lines, answers, since),
        "recorded_moves": partial(recorded_moves_text, answers, since),
    }
    with ThreadPoolExecutor(AT_ONCE) as pool:
        futures = {name: pool.submit(ask) for name, ask in asked.items()}
        found = {name: future.result() for name, future in futures.items()}
    places, moves = first_evidence(found["findings"], since), found["odd_moves"]
    lines = answers.lines([*places, *moves], shown=moves)
    folder = folder_of(answers.segments["path"])
    return Facts(since=since, read=read, **found, lines=lines, folder=folder, beyond=beyond)


def none_without_table() -> None:
    return None
