"""The drawing over time: a lane for each node and topic, bars where their times are, and what the logs do not tell."""

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import polars as pl
import pytest

from jobs.questions.named.clients import WHO
from jobs.questions.window import Window
from jobs.report.lanes_of_nodes import controller_change_marks, slow_request_marks
from jobs.report.lanes_of_partitions import merge_overlapping_outages, ratio_marks
from jobs.report.scale import LEFT, RIGHT, Bar, Scale, stack_bars
from pipeline.core.stored_tables import MemoryTables
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row
from schemas.gold import request_trace
from tests.frames import at, frame
from tests.jobs.answering import answers_of
from tests.report.drawings import BEGIN, drawn, lanes, of_class
from tests.report.reading import Node, read


@pytest.fixture(scope="module")
def sample(sample_answers: Answers) -> Node:
    return drawn(sample_answers)


def test_every_term_and_every_node_has_its_bar(sample: Node, sample_answers: Answers) -> None:
    found = lanes(sample)
    terms = sample_answers.terms()
    for node in (1, 2, 3):
        own = [one for one in terms if one["controller_id"] == node]
        assert len(of_class(found[f"controllers / controller {node}"], "term")) == len(own)
        assert of_class(found[f"brokers / broker {node}"], "down")
        assert of_class(found[f"evidence: whose logs tell / node {node}"], "trace")
    apart = found["controllers / none, or two at once"]
    assert len(of_class(apart, "two")) == 1
    assert len(of_class(apart, "perhaps")) == 3 < len(of_class(apart, "nobody"))


def test_a_kraft_controller_that_gave_up_late_is_no_second_one() -> None:
    times = [BEGIN + timedelta(seconds=one) for one in range(4)]
    row: Row = {
        "controller_epoch": 1, "mode": "kraft", "gap_ms": -1000, "ended_how": "renounced",
        "superseded_at": times[1], "ended_at": times[2],
    }  # fmt: skip
    (late,) = controller_change_marks(row, Scale(times[0], times[3]))
    assert ' class="late" ' in late and "harmless" in late
    (two,) = controller_change_marks(row | {"mode": "zookeeper"}, Scale(times[0], times[3]))
    assert ' class="two" ' in two


# Carried out late, answered late (its broker says nothing), at once, and over two clocks, which proves nothing.
SLOW = """
    cluster_id | file_id | byte_offset | controller_id | broker_id | request         | sent_at | received_at | answered_at | queue_ms | apply_ms | answer_ms | told_at
    c          | a       | 1           | 1             | 2         | LEADER_AND_ISR  | 10      | 20          | 31          | 10000    | 9300     | 21000     | 10
    c          | a       | 2           | 1             | 3         | STOP_REPLICA    | 40      |             | 42          |          |          | 2000      | 40
    c          | a       | 3           | 1             | 3         | UPDATE_METADATA | 50      | 50.1        |             | 100      | 20       |           | 50
    c          | a       | 4           | 1             | 4         | LEADER_AND_ISR  | 60      | 90          |             | 30000    | 5        |           | 60
"""  # fmt: skip


def test_what_a_broker_took_long_for_is_in_its_lane() -> None:
    answers = answers_of(request_trace=frame(request_trace.SPEC, SLOW))
    scale = Scale(at(0), at(100))
    marks = slow_request_marks(answers, scale)
    said = {
        broker: [
            (one.attributes["data-t"], one.text.split(":")[1].strip())
            for one in read("".join(own)).all("rect")
        ]
        for broker, own in marks.items()
    }
    assert said == {
        2: [("20000,29300", "LeaderAndIsr of controller 1 carried out after 9.3 s")],
        3: [("40000,42000", "StopReplica of controller 1 answered after 2.0 s")],
    }


def test_what_is_unclean_is_marked_and_said(sample: Node) -> None:
    (mark,) = of_class(lanes(sample)["elections of leaders / UNCLEAN"], "unclean")
    assert mark.text.startswith("UNCLEAN audit_log-0: leader 3 to 1, 2026-11-21 08:59:35.967")


def test_a_bar_stands_where_its_time_is(sample: Node, sample_answers: Answers) -> None:
    read_of = sample_answers.read()
    scale = Scale(read_of["first_at"], read_of["last_at"])
    (outage,) = of_class(lanes(sample)["outages by topic / email.out"], "outage")
    (row,) = sample_answers.rows("gold.partition_outage").filter(pl.col("topic") == "email.out").to_dicts()
    left, wide = (float(str(outage.attributes[name])) for name in ("x", "width"))
    assert left == pytest.approx(scale.x(row["noticed_at"]), abs=0.2)
    assert left + wide == pytest.approx(scale.x(row["ended_at"]), abs=0.2)
    bars = [one for one in sample.all("rect") if one.attributes["class"] != "election"]
    for one in bars:
        left, wide = (float(str(one.attributes[name])) for name in ("x", "width"))
        assert left >= LEFT and left + wide <= RIGHT + 0.1


def test_a_term_whose_election_is_not_seen_begins_with_its_first_line(sample_answers: Answers) -> None:
    tables = MemoryTables()
    assert isinstance(sample_answers.tables, MemoryTables)
    terms = sample_answers.rows("gold.controller_term")
    is_cut = pl.col("term_id") == "1-5"
    cut = terms.with_columns(elected_at=pl.when(~is_cut).then("elected_at"))
    tables.rows = sample_answers.tables.rows | {"gold.controller_term": cut}
    (first,) = sample_answers.rows("silver.term").filter(is_cut)["first_seen_at"]
    controller = terms.filter(is_cut)["controller_id"].item()
    ends = sample_answers.read()
    unsure = of_class(lanes(drawn(Answers("c", tables)))[f"controllers / controller {controller}"], "unsure")
    (bar,) = (one for one in unsure if "epoch 5: election not seen, first line " in one.text)
    at = Scale(ends["first_at"], ends["last_at"]).x(first)
    assert float(str(bar.attributes["x"])) == pytest.approx(at, abs=0.2)


def test_every_step_of_a_ratio_is_drawn() -> None:
    scale = Scale(BEGIN, BEGIN + timedelta(hours=1))
    times = [BEGIN + timedelta(seconds=12 * one) for one in range(301)]
    row: Row = {"imbalance_ratio": 0.5, "threshold_ratio": 0.1}
    rows = [row | {"valid_from_at": one, "valid_until_at": until} for one, until in pairwise(times)]
    paths = of_class(read("".join(ratio_marks(1, rows, scale))).all("path"), "ratio")
    said = "".join(str(one.attributes["d"]) for one in paths)
    assert said.count("z") == 300 and f"H{RIGHT}V" in said and "\u2026" not in said


def test_ratios_stand_over_a_dashed_limit(sample: Node) -> None:
    marks = lanes(sample)["leader imbalance, 0 to 1 / broker 1"]
    assert len(of_class(marks, "ratio")) == len(of_class(marks, "limit")) == 1
    assert of_class(marks, "ratio")[0].text == "broker 1: at the end 0.923, limit 0.100"


def test_a_window_draws_its_own_time(sample_answers: Answers) -> None:
    since = datetime(2026, 11, 21, 9, tzinfo=UTC)
    (svg,) = (one for one in drawn(sample_answers, Window(since)).all("svg") if "role" in one.attributes)
    assert svg.attributes["data-from"] == str(int(since.timestamp() * 1000))
    assert re.fullmatch(r"09:00:\d\d", svg.all("text")[0].text)


def test_findings_are_drawn_and_lead_to_their_text(sample: Node, sample_answers: Answers) -> None:
    severities = [one["severity"] for one in sample_answers.findings()]
    found = lanes(sample)
    (critical,) = of_class(found["findings / 1 critical"], "found")
    assert critical.text.startswith("F1 unclean election")
    links = [str(one.attributes["href"]) for one in sample.all("a")]
    assert sorted(links) == sorted(f"#F{number}" for number in range(1, len(severities) + 1))


def test_bars_that_overlap_stand_below_each_other() -> None:
    times = [BEGIN + timedelta(seconds=one) for one in range(6)]
    scale = Scale(times[0], times[5])
    spans = ((0, 2), (1, 3), (3, 4), (4, None))
    bars = [Bar(times[begin], times[end] if end else None, "x", "") for begin, end in spans]
    assert [(one.label, len(one.marks)) for one in stack_bars("4", bars, scale)] == [("4", 2), ("", 2)]
    named = [Bar(one.from_at, one.until_at, "x", "", "#F1", "F1") for one in bars]
    texts = [read("".join(lane.marks)).all("text") for lane in stack_bars("4", named, scale)]
    assert [[str(one.attributes["x"]) for one in lane] for lane in texts] == [
        [str(scale.x(times[2]) + 3), str(scale.x(times[4]) + 3)],
        [str(scale.x(times[3]) + 3), str(scale.x(times[4]) - 3)],
    ]
    ((whole,),) = (lane.marks for lane in stack_bars("1", [Bar(times[0], None, "x", "", "#F1", "F1")], scale))
    assert ' class="beside over" ' in whole
    many = [Bar(times[1], times[2], "x", "")] * 2050
    said = list(stack_bars("2,050", many, scale))
    assert said[0].label == "2,050, 50 not drawn" and len(said) == 6
    assert sum(len(one.marks) for one in said) == 2000


def test_keys_have_room_to_wrap(sample: Node) -> None:
    """Without a blank between them they are one word to Firefox."""
    (legend,) = sample.all("p", class_="legend")
    assert "in office (epoch)  no controller  at most so long" in legend.text


def test_marks_beyond_the_room_are_counted(sample_answers: Answers) -> None:
    assert "marks more are not drawn" in drawn(sample_answers, room=3000).text


def test_outages_that_touch_are_one_bar() -> None:
    times = [BEGIN + timedelta(seconds=one) for one in range(6)]
    rows: list[Row] = [
        {"noticed_at": times[0], "ended_at": times[2]},
        {"noticed_at": times[1], "ended_at": times[1]},
        {"noticed_at": times[2], "ended_at": times[3]},
        {"noticed_at": times[4], "ended_at": None},
    ]
    assert list(merge_overlapping_outages(rows, times[5])) == [
        (times[0], times[3], 3),
        (times[4], times[5], 1),
    ]


@pytest.mark.parametrize(
    ("seconds", "first"),
    [(3, "08:00:01"), (600, "08:02"), (7200, "08:15"), (86400 * 2, "11-21 12:00"), (86400 * 30, "11-25")],
)
def test_marks_stand_at_round_times(seconds: int, first: str) -> None:
    ticks = Scale(BEGIN, BEGIN + timedelta(seconds=seconds)).ticks()
    assert 2 <= len(ticks) <= 9
    assert ticks[0][1] == first


def test_what_clients_could_feel_has_a_lane_for_each_kind_of_them(
    sample: Node, sample_answers: Answers
) -> None:
    found = lanes(sample)
    rows = sample_answers.rows("gold.client_impact")
    for audience in rows["audience"].unique():
        marks = found[f"what clients could feel / {WHO[audience]}"]
        assert {"felt"} <= {name for one in marks for name in str(one.attributes["class"]).split()}
    begun = rows.filter(pl.col("audience") == "producers").sort("from_at").row(0, named=True)
    first = of_class(found["what clients could feel / producers"], "perhaps")[0]
    read_of = sample_answers.read()
    assert float(str(first.attributes["x"])) == pytest.approx(
        Scale(read_of["first_at"], read_of["last_at"]).x(begun["from_at"]), abs=2
    )
