"""Questions by name: the answer in a sentence, its lines, and what the logs do not tell."""

import json
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

from jobs.questions import asking
from jobs.questions.asking import asked_text
from jobs.questions.given_names import TopicPartition
from jobs.questions.named.answer import answer_lines, answers_json, with_evidence_lines
from jobs.questions.named.controllers import who_was_controller
from jobs.questions.named.happened import About, what_happened
from jobs.questions.named.missing import missing_evidence
from jobs.questions.named.nights import compare_nights
from jobs.questions.named.partitions import leaderless_sentence, outage_doubts, why_leaderless, why_so
from jobs.questions.named.requests import answer_changes
from jobs.questions.named.sources import END_OF_OUTAGE
from jobs.questions.named.standing import answer_flapping, answer_stuck, answer_unclean, imbalance_now
from jobs.questions.question_parsers import parse_question
from pipeline.core.errors import InputProblem
from pipeline.core.frames import frame_of
from pipeline.views.reading.answers import Answers
from schemas.gold import finding, leader_imbalance
from schemas.gold.partition_outage import ENDED_HOW
from tests.jobs.answering import SESSIONS, answers_of, timeline


def at(clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-11-21T{clock}").replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        (at("08:58:00"), "At 2026-11-21 08:58:00.000 UTC the controller was broker 3 (epoch 3)."),
        (
            at("08:57:50"),
            "Not enough evidence of 2026-11-21 08:57:50.000 UTC: the last line of broker 2 (epoch 1) in office is of "
            "2026-11-21 08:57:45.839 UTC; broker 1 (epoch 2) was elected 2026-11-21 08:57:52.402 UTC.",
        ),
        (None, "At 2026-11-21 09:00:26.102 UTC the controller was broker 2 (epoch 8)."),
        (
            at("23:50:00"),
            "Not enough evidence: the data end before 2026-11-21 23:50:00.000 UTC. "
            "At 2026-11-21 09:00:26.102 UTC the controller was broker 2 (epoch 8).",
        ),
    ],
)
def test_who_was_controller(sample_answers: Answers, moment: datetime | None, said: str) -> None:
    found = who_was_controller(sample_answers, moment)
    assert found.sentence == said
    assert all(one.evidence for one in found.told)


def test_why_a_partition_had_no_leader(sample_answers: Answers) -> None:
    found = why_leaderless(sample_answers, TopicPartition("fraud_scores", 0), None)
    assert found.sentence.startswith(
        "fraud_scores-0 had no leader that serves it since 2026-11-21 08:59:14.438 UTC until 2026-11-21 08:59:17.758"
    )
    assert [one.text.split(";")[0] for one in found.told[1:]] == [
        "election (offline) failed: no live assigned",
        "election (offline) failed: no live assigned",
        "election (offline) done",
    ]
    assert ["leader" in one.text for one in found.told[1:]] == [False, False, True]
    other = why_leaderless(sample_answers, TopicPartition("fraud_scores", 0), at("08:59:20"))
    assert other.sentence.startswith(
        "No line shows fraud_scores-0 without a leader at 2026-11-21 08:59:20.000 UTC"
    )
    with pytest.raises(InputProblem, match="a partition nope-1 in the logs read"):
        why_leaderless(sample_answers, TopicPartition("nope", 1), None)


@pytest.mark.parametrize(
    ("ended_how", "said"),
    [
        ("elected", "until 2026-11-21 08:02:00.000 UTC (at least 82 ms, at most 2 min)"),
        (
            "wiped",
            "and the metadata of the cluster were begun anew by 2026-11-21 08:02:00.000 UTC (at least 82 ms, at",
        ),
        ("lines_missing", "08:02:00.000 UTC at least, from when on nothing is known of it (at least 82 ms):"),
    ],
)
def test_an_outage_lasts_as_long_as_lines_tell(ended_how: str, said: str) -> None:
    assert set(END_OF_OUTAGE) == set(ENDED_HOW)
    row = {"noticed_at": at("08:00:00"), "ended_at": at("08:02:00"), "ended_how": ended_how, "noticed_ms": 82}
    row |= {"most_ms": 120_000, "root_event": "broker failure", "root_broker_id": 1}
    row |= {"root_left_how": "uncontrolled", "certainty": "inferred"}
    assert said in leaderless_sentence(TopicPartition("t", 0), row)
    unsure = row | {"certainty": "undetermined"}
    assert "(not certain, 82 ms between these lines): " in leaderless_sentence(TopicPartition("t", 0), unsure)
    assert outage_doubts(row | {"ended_how": "elected"}) == []
    assert outage_doubts(unsure | {"ended_how": "elected"}) == [
        "whether it lasted so long, as lines are missing"
    ]


def test_why_an_election_failed_and_what_is_missing_to_judge_it() -> None:
    """What no line tells is not told as a reason."""
    row = {"failure": None, "reason": None}
    assert why_so(row) == ""
    assert why_so(row | {"reason": "beginning_missing"}) == " (not judged: beginning missing)"
    assert why_so(row | {"failure": "no_live_in_isr"}) == ": no live in isr"
    assert why_so(row | {"failure": "undetermined", "reason": "x"}) == ": no line tells why"


def test_no_limit_is_kept_of_which_it_is_not_certain() -> None:
    row: dict[str, object] = {
        "broker_id": 0,
        "preferred_count": 9,
        "led_elsewhere_count": 0,
        "imbalance_ratio": 0.0,
    }
    row |= {"threshold_ratio": 0.1, "is_breach": False, "certainty": "undetermined"}
    ratio = frame_of(pa.Table.from_pylist([row], leader_imbalance.SPEC.arrow))
    found = imbalance_now(answers_of(leader_imbalance=ratio, partition_timeline=timeline()))
    assert found.sentence == "Not enough evidence: no broker is known to be over its limit, broker 0 may be."


def test_what_happened_is_told_in_order_of_time(sample_answers: Answers) -> None:
    found = what_happened(sample_answers, at("08:59:35"), timedelta(seconds=3), About())
    times = [one.at for one in found.told]
    assert all(one and at("08:59:32") <= one <= at("08:59:38") for one in times)
    assert times == sorted(times, key=str)
    texts = [one.text for one in found.told]
    assert texts[0] == "broker 2 (epoch 6) was elected controller"
    assert any(text.startswith("CRITICAL unclean election: audit_log-0") for text in texts)
    assert any("and 11 more of the kind (" in text for text in texts)
    of_one = what_happened(sample_answers, at("08:59:35"), timedelta(seconds=3), About("audit_log", 0))
    assert of_one.told and all("audit_log-0" in one.text for one in of_one.told)
    nothing = what_happened(sample_answers, at("08:59:35"), timedelta(0), About(broker=99))
    assert nothing.sentence.startswith("The tables tell nothing from")
    later = what_happened(sample_answers, at("10:00:00"), timedelta(seconds=3), About())
    assert later.sentence.startswith("Not enough evidence: the data end before")
    with pytest.raises(InputProblem, match="a topic nope in the logs read"):
        what_happened(sample_answers, None, timedelta(0), About("nope"))
    with pytest.raises(InputProblem, match="a topic beside --partition 3"):
        what_happened(sample_answers, None, timedelta(0), About(partition=3))


def test_a_question_is_told_as_people_write_it() -> None:
    """What it goes by without being told is not."""
    for words in (
        "what-happened --at 2026-11-21T09:00:13 --around 10m --topic orders",
        "what-happened --at 09:00:13 --around 90s",
        "what-happened --around 2h",
        "what-happened --around 0s",
        "why-leaderless orders-0",
        "stuck",
    ):
        assert asked_text(parse_question(words.split())) == words
    assert asked_text(parse_question(["what-happened", "--around", "60m"])) == "what-happened --around 1h"
    assert asked_text(parse_question(["what-happened", "--around=300s"])) == "what-happened"


@pytest.mark.parametrize(("around", "code"), [("999999999d", 0), ("99999999999999d", 2)])
def test_a_length_is_as_long_as_it_may_be(
    around: str, code: int, sample_answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "all_answers", lambda *_: [sample_answers])
    try:
        found = asking.main(["what-happened", "--topic", "audit_log", "--around", around])
    except SystemExit as left:
        found = int(left.code or 0)
    assert found == code


def test_what_stands(sample_answers: Answers) -> None:
    assert answer_unclean(sample_answers, None).sentence == "1 unclean election."
    assert answer_unclean(sample_answers, None).not_known[0].startswith("whether 20 elections of 416")
    assert answer_stuck(sample_answers, None).sentence == "Nothing is told to be stuck."
    assert len(answer_flapping(sample_answers, None).told) == 2
    assert answer_flapping(sample_answers, at("10:00:00")).told == []
    assert imbalance_now(sample_answers).sentence == "Over the limit: broker 1."
    gaps = missing_evidence(sample_answers, None)
    assert (
        gaps.sentence == "No gap is known in the logs that were read, and every node that they name has logs."
    )
    assert [one.split(": ")[1] for one in gaps.not_known] == [
        "server.log of nodes 1, 2, 3 was not read (nightly --server-log)"
    ]


@pytest.mark.parametrize(
    ("rule", "count", "said"),
    [
        ("stuck_deletion", 1, "1 thing waits at"),
        ("stuck_deletion", 2, "2 things wait at"),
        ("controller_powerless", 1, "1 thing waits at"),
    ],
)
def test_what_waits_is_counted(rule: str, count: int, said: str) -> None:
    rows = [
        {"rule": rule, "severity": "warning", "sentence": f"deletion {number}", "status": "new"}
        for number in range(count)
    ]
    ended = {"rule": "outage", "severity": "critical", "sentence": "over", "valid_until_at": at("08:00:00")}
    table = pa.Table.from_pylist([*rows, ended | {"status": "new"}], finding.SPEC.arrow)
    found = answer_stuck(answers_of(finding=frame_of(table)), None)
    assert found.sentence == f"{said} the end of the data."
    assert [one.text for one in found.told][:1] == ["warning: deletion 0"]


def test_nothing_is_made_up_of_no_data() -> None:
    answers = answers_of()
    for found in (
        who_was_controller(answers, None),
        answer_unclean(answers, None),
        imbalance_now(answers),
        compare_nights(answers, lambda _: answers),
        answer_changes(answers, None, None),
    ):
        assert found.sentence.startswith("Not enough evidence")


def test_an_answer_shows_its_lines(sample_answers: Answers) -> None:
    found = with_evidence_lines(sample_answers, "flapping", answer_flapping(sample_answers, None))
    lines = answer_lines(found)
    assert lines[0] == "lab-2.2.2  flapping  (data to 2026-11-21 09:00:26.102 UTC)"
    (row,) = json.loads(answers_json([found]))
    for one, told in zip(row["told"], found.answer.told, strict=True):
        assert len(one["lines"]) == len(told.evidence) > 2
        assert f"      {len(one['lines']) - 2} more: --format json" in lines
        assert "deleted brokers: " in one["lines"][0]["text"]


def test_a_question_is_answered_by_the_clusters_that_it_fits(
    sample_answers: Answers, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = answers_of(partition_timeline=timeline(), broker_session=SESSIONS)
    monkeypatch.setattr(asking, "all_answers", lambda *_: [other, sample_answers])
    assert asking.main(["why-leaderless", "fraud_scores-0"]) == 0
    said = capsys.readouterr().out
    assert "Not answered. Expected a partition fraud_scores-0 in the logs read" in said
    assert "fraud_scores-0 had no leader that serves it" in said
    assert asking.main(["why-leaderless", "nope-0"]) == 4
