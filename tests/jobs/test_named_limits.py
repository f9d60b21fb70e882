"""Questions by name where lines or runs end: what is not known is not told."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime

import polars as pl
import pyarrow as pa
import pytest

from jobs.cli import main
from jobs.questions import ask, asking
from jobs.questions.context_text import context_controller_text
from jobs.questions.named.controllers import who_was_controller
from jobs.questions.unpublished import WatchedTables
from pipeline.core.frames import frame_of
from pipeline.core.stored_tables import MemoryTables
from pipeline.views.reading.answers import Answers
from pipeline.views.terms.tenures import NOT_KNOWN, controller_rows, read_terms
from schemas.bronze import source_file
from schemas.gold import controller_term
from tests.jobs.answering import answers_of


def at(clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-11-21T{clock}").replace(tzinfo=UTC)


def term(**columns: object) -> dict[str, object]:
    row: dict[str, object] = {
        "cluster_id": "c",
        "life": 1,
        "mode": "zookeeper",
        "controller_id": 1,
        "evidence": [],
    }
    return row | {"certainty": "proved"} | columns


@pytest.mark.parametrize(
    ("ended_how", "ended_at", "vacant", "said"),
    [
        (
            "crashed",
            at("08:10:00"),
            None,
            "Not enough evidence of 2026-11-21 08:11:00.000 UTC: the last line of",
        ),
        (
            "superseded_unseen",
            None,
            None,
            "Not enough evidence of 2026-11-21 08:11:00.000 UTC: the last line of",
        ),
        (
            "process_end",
            at("08:10:00"),
            at("08:10:30"),
            "At 2026-11-21 08:11:00.000 UTC there was no controller",
        ),
        ("shutdown", at("08:10:00"), None, "At 2026-11-21 08:11:00.000 UTC there was no controller"),
        (
            "znode_gone",
            at("08:12:00"),
            None,
            "At 2026-11-21 08:11:00.000 UTC the controller was broker 1 (epoch 1)",
        ),
    ],
)
def test_a_controller_lives_on_behind_its_last_line(
    ended_how: str, ended_at: datetime | None, vacant: datetime | None, said: str
) -> None:
    begun = {"elected_at": at("08:00:00"), "last_act_at": at("08:10:00"), "superseded_at": at("08:20:00")}
    ended = {"ended_how": ended_how, "ended_at": ended_at, "vacant_from_at": vacant}
    rows = [
        term(term_id="1-1", controller_epoch=1, **begun, **ended),
        term(term_id="1-2", controller_epoch=2, elected_at=at("08:20:00"), last_act_at=at("08:30:00")),
    ]
    terms = frame_of(pa.Table.from_pylist(rows, controller_term.SPEC.arrow))
    read = frame_of(pa.Table.from_pylist([{"last_logged_at": at("09:00:00")}], source_file.SPEC.arrow))
    answers = answers_of(controller_term=terms, source_file=read)
    assert who_was_controller(answers, at("08:11:00")).sentence.startswith(said)
    assert who_was_controller(answers, at("08:09:00")).sentence.startswith(
        "At 2026-11-21 08:09:00.000 UTC the"
    )


def test_the_context_knows_as_much_of_the_controller(sample_answers: Answers) -> None:
    """The same evidence gives the same answer."""
    terms, read = read_terms(sample_answers), sample_answers.read()
    moments = [read["first_at"] + number * (read["last_at"] - read["first_at"]) / 97 for number in range(97)]
    offices = Counter[str]()
    for moment in moments:
        said = who_was_controller(sample_answers, moment).sentence
        rows = controller_rows(terms, moment)
        value = rows[0]["value"] if rows else {"office": NOT_KNOWN}
        offices[value["office"]] += 1
        if value["office"] == NOT_KNOWN:
            assert said.startswith("Not enough evidence")
        elif value["office"] == "vacant":
            assert "there was no controller" in said
        else:
            assert f"the controller was broker {value['controller_id']} (" in said
    assert offices[NOT_KNOWN] > 5 and offices["in office"] > 50


def test_what_is_not_known_of_an_office_is_said() -> None:
    value = {"office": NOT_KNOWN, "controller_epoch": 6, "last_controller_id": 3}
    row = {"value": value, "since_at": at("08:10:00"), "known_by": "1-6"}
    assert context_controller_text(row, at("08:11:00"), is_mixed=False) == (
        "CONTROLLER  not known since 08:10:00.000, the last line of 3 in office (epoch 6, term 1-6)"
    )


def test_the_end_of_a_controller_that_no_line_tells_is_not_told() -> None:
    """It is that of its last line, which a process that was killed outlived."""
    value = {"office": "vacant", "controller_epoch": 6, "last_controller_id": 3}
    row = {"value": value, "since_at": at("08:10:00"), "known_by": "1-6"}
    found = context_controller_text(row, at("08:11:00"), is_mixed=False)
    assert found.startswith("CONTROLLER  none known since 08:10:00")


@dataclass
class Published(MemoryTables):
    """Of a run: versions has every table that it knew, 0 where it put nothing into it."""

    versions: dict[str, int] = field(default_factory=dict)


@pytest.mark.parametrize(
    ("job", "versions", "code"),
    [("ingest", {"gold.finding": 0}, 4), ("nightly", {"gold.finding": 0}, 0), ("nightly", {}, 4)],
)
def test_findings_that_no_run_looked_for_are_not_told_to_be_none(
    job: str, versions: dict[str, int], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = Published(versions=versions)
    tables.rows = {"ops.run": pl.DataFrame({"outcome": ["published"], "job": [job]})}
    monkeypatch.setattr(asking, "all_answers", lambda *_: [Answers("c", tables)])
    assert asking.main(["stuck"]) == code


OLDER = {"gold.finding": 1, "gold.controller_term": 1, "bronze.source_file": 1, "silver.log_gap": 0}


def older() -> WatchedTables:
    """As a run of a release published it that had fewer tables."""
    tables = Published(versions=OLDER)
    term_row = term(
        term_id="1-1", controller_epoch=1, elected_at=at("08:00:00"), last_act_at=at("08:10:00"), lines=[]
    )
    read = {
        "path": "/logs/controller.log",
        "node_id": 1,
        "log": "controller",
        "last_logged_at": at("09:00:00"),
        "first_logged_at": at("08:00:00"),
    }
    tables.rows = {
        "gold.controller_term": frame_of(pa.Table.from_pylist([term_row], controller_term.SPEC.arrow)),
        "bronze.source_file": frame_of(pa.Table.from_pylist([read], source_file.SPEC.arrow)),
        "ops.run": pl.DataFrame({"outcome": ["published"], "job": ["nightly"]}),
    }
    return WatchedTables(tables)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["who-was-controller"], 0, "the controller was broker 1"),
        (["changes"], 0, "not known: what tables gold.broker_session, gold.leader_election"),
        (["what-happened"], 0, "an older run"),
        (
            ["is-it-safe-to-restart", "1"],
            4,
            "Expected tables gold.partition_timeline and gold.broker_session of",
        ),
        (["why-leaderless", "t-0"], 4, "found that no run has published them; run the nightly job"),
        (["missing-evidence"], 0, "not known: what tables gold.broker_session, silver.controller"),
    ],
)
def test_tables_that_an_older_run_knew_not_are_named(
    words: list[str],
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """All at once, where there is no answer without them; else beside the answer."""
    monkeypatch.setattr(asking, "all_answers", lambda *_: [Answers("c", older())])
    assert asking.main(words) == code
    assert said in " ".join("".join(capsys.readouterr()).split())


def test_commands_tell_of_tables_that_an_older_run_knew_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ask, "all_answers", lambda *_: [Answers("c", older())])
    assert main(["term", "1-1"]) == 0
    assert (
        "term: not told of cluster c is what tables gold.clock_skew, gold.controller_event and gold.transition_audit would"
        in capsys.readouterr().err
    )
    assert main(["terms"]) == 0
    assert "is what table gold.clock_skew would tell" in " ".join(capsys.readouterr().err.split())
    assert main(["context"]) == 4
    assert (
        "Expected tables gold.broker_session, gold.topic_lifecycle, gold.reassignment, gold"
        in capsys.readouterr().err
    )
