"""The gauges of Kafka's controller: against what the truth of clusters says, and as they are told."""

import argparse
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from jobs.questions import gauges as question
from jobs.questions.asking import ask_by_command
from jobs.questions.open_metrics import Series, exposition_lines
from pipeline.core.errors import InputProblem
from pipeline.core.stored_tables import MemoryTables
from pipeline.views.context.deletion_course import stages_of_deletion
from pipeline.views.gauges.gauge_steps import GaugeWindow, known_value_steps, sum_weights, weighted_spans
from pipeline.views.gauges.gauge_values import DELETION, gauges_in_window
from pipeline.views.reading.answers import Answers
from tests.jobs.cluster_scores import Compared
from tests.jobs.open_metrics_grammar import series_of

IMBALANCE = "PreferredReplicaImbalanceCount"
# By cluster: how many samples of a gauge are not told (by the logs, or while no quorum tells the truth), and of the
# imbalance: KRaft prints no line of a reassignment of one step. None is wrong by more than a second.
NOT_TOLD = {
    "0.11.0.3-zk-stock": (79, 79),
    "1.0.2-zk-stock": (25, 25),
    "2.2.2-zk-stock": (79, 79),
    "2.5.1-zk-stock": (78, 78),
    "2.6.3-zk-stock": (78, 78),
    "2.6.3-zk-trace": (26, 26),
    "3.2.3-zk-stock": (56, 56),
    "3.2.3-zk-trace": (56, 56),
    "3.9.1-zk-stock": (51, 51),
    "3.9.1-zk-trace": (27, 27),
    "3.3.2-kraft-combined-stock": (0, 80),
    "3.9.2-kraft-migration-stock": (0, 43),
    "3.9.2-kraft-separate-stock": (1, 42),
    "4.0.0-kraft-combined-stock": (0, 186),
    "4.3.1-kraft-combined-trace": (0, 0),
    "4.3.1-kraft-separate-stock": (1, 219),
}
QUICK = ("2.6.3-zk-stock", "4.0.0-kraft-combined-stock")
EVERY = [*QUICK, *(pytest.param(one, marks=pytest.mark.soak) for one in NOT_TOLD if one not in QUICK)]
PUT_OFF_AT = datetime(2026, 11, 21, 8, 15, 31, tzinfo=UTC)
TWO_ACT_AT = datetime(2026, 11, 21, 8, 15, 49, tzinfo=UTC)
BEGIN = datetime(2026, 11, 21, tzinfo=UTC)
Of = Callable[[str], Compared]


@pytest.mark.parametrize("name", EVERY)
def test_gauges_are_those_of_the_truth(compared: Of, name: str) -> None:
    scores = compared(name).gauges()
    unsure = {gauge: one.undetermined for gauge, one in scores.items()}
    assert {gauge: one.wrong for gauge, one in scores.items() if one.wrong} == {}
    assert (
        max(count for gauge, count in unsure.items() if gauge != IMBALANCE),
        unsure[IMBALANCE],
    ) == NOT_TOLD[name]


def values_at(answers: Answers, at: datetime) -> dict[tuple[str, int | None], int | None]:
    return {
        (one.name, one.node): one.steps["value"].item(-1)
        for one in gauges_in_window(answers, GaugeWindow(at, at))
    }


def test_what_a_deletion_waits_for_is_counted(compared: Of) -> None:
    """email.out has nine replicas: three are on a broker that is gone."""
    found = values_at(compared(QUICK[0]).answers, PUT_OFF_AT)
    assert [found[name, None] for name in DELETION] == [1, 3, 1, 3]


def test_two_nodes_act_as_controller_while_one_is_deposed_unnoticed(compared: Of) -> None:
    found = values_at(compared(QUICK[0]).answers, TWO_ACT_AT)
    assert [found["ActiveControllerCount", node] for node in (1, 2, 3)] == [0, 1, 1]


def test_a_controller_that_crashed_has_no_value_until_it_is_back(compared: Of) -> None:
    """Controller 3 was killed at 08:14:10.418, and is listed again at 08:14:22.896."""
    answers = compared(QUICK[0]).answers
    killed_at = datetime(2026, 11, 21, 8, 14, 10, tzinfo=UTC)
    found = {
        after: values_at(answers, killed_at + timedelta(seconds=after))["ActiveControllerCount", 3]
        for after in (0, 1, 7, 12, 13)
    }
    assert found == {0: 1, 1: None, 7: None, 12: None, 13: 0}
    nobody = values_at(answers, killed_at + timedelta(seconds=3))
    assert {value for (_, node), value in nobody.items() if node is None} == {None}


def test_a_term_whose_start_is_not_in_the_logs_tells_no_counts(compared: Of) -> None:
    answers = compared(QUICK[0]).answers
    assert isinstance(answers.tables, MemoryTables)
    tables = MemoryTables()
    terms = answers.rows("gold.controller_term")
    unseen = pl.when(pl.col("term_id") != "1-6").then("elected_at")
    tables.rows = answers.tables.rows | {"gold.controller_term": terms.with_columns(elected_at=unseen)}
    found = values_at(Answers("c", tables), PUT_OFF_AT)
    assert found["ActiveControllerCount", 2] == 1
    assert {value for (_, node), value in found.items() if node is None} == {None}


def line(
    at: int, step: str, partition: int | None = None, broker: int | None = None, reason: str | None = None
) -> Any:
    when = BEGIN + timedelta(seconds=at)
    return {"at": when, "step": step, "partition": partition, "broker_id": broker, "reason": reason}


def test_a_controller_that_starts_forgets_what_was_deleted() -> None:
    life = {
        "deletion_requested_at": BEGIN,
        "partitions": [{"partition": 0, "replicas": [1, 2, 3]}],
        "deletion_lines": [
            *(line(0, "requested"), line(1, "started"), line(2, "dead", 0, 3), line(3, "blocked")),
            *(line(4, "completed", 0, 1), line(5, "retried", 0, 3), line(6, "listed", reason="2")),
            *(line(7, "started"), line(8, "failed", 0, 2), line(9, "resumed", reason="2, 3")),
        ],
    }
    found = [(one.state, one.left, sorted(one.ineligible)) for one in stages_of_deletion(life)]
    assert found == [
        *(("queued", 3, []), ("in_progress", 3, []), ("in_progress", 3, [(0, 3)]), ("put_off", 3, [(0, 3)])),
        *(("put_off", 2, [(0, 3)]), ("put_off", 2, [(0, 3)]), ("queued", 3, [])),
        *(("in_progress", 3, []), ("in_progress", 3, [(0, 2)]), ("in_progress", 3, [])),
    ]


def test_replicas_that_are_not_all_known_are_not_counted() -> None:
    life = {"deletion_requested_at": BEGIN, "partitions": [], "deletion_lines": [line(0, "requested")]}
    assert stages_of_deletion(life)[0].left is None


def seconds(steps: pl.DataFrame) -> list[tuple[int, int | None]]:
    return [(round((at - BEGIN).total_seconds()), value) for at, value in steps.iter_rows()]


def test_steps_are_sums_of_what_holds_and_null_where_it_is_not_told() -> None:
    def at(second: int) -> datetime:
        return BEGIN + timedelta(seconds=second)

    window = GaugeWindow(at(10), at(100))
    counted = sum_weights(
        weighted_spans([(at(0), at(20), 1), (at(5), None, 2), (at(20), at(200), 1), (at(0), at(10), 9)]),
        window,
    )
    assert seconds(counted) == [(10, 3)]
    more = sum_weights(weighted_spans([(at(0), None, 2), (at(30), at(50), 1)]), window)
    assert seconds(more) == [(10, 2), (30, 3), (50, 2)]
    known, unknown = weighted_spans([(at(20), at(60), 1)]), weighted_spans([(at(40), at(45), 1)])
    assert seconds(known_value_steps(more, known, unknown, window)) == [
        *((10, None), (20, 2), (30, 3), (40, None)),
        *((45, 3), (50, 2), (60, None)),
    ]


def test_samples_repeat_while_a_value_holds_and_a_gap_is_nan_once() -> None:
    def at(second: int) -> datetime:
        return BEGIN + timedelta(seconds=second)

    steps = [(at(0), None), (at(10), 2), (at(150), None), (at(300), 0)]
    one = Series("a_b", 'What "it" is.', {"cluster": 'x"\\y'}, steps)
    start = round(BEGIN.timestamp())
    assert list(exposition_lines([one], at(350), timedelta(seconds=60))) == [
        '# HELP a_b What \\"it\\" is.',
        "# TYPE a_b gauge",
        *(f'a_b{{cluster="x\\"\\\\y"}} 2 {start + each}.000' for each in (10, 70, 130)),
        f'a_b{{cluster="x\\"\\\\y"}} NaN {start + 150}.000',
        f'a_b{{cluster="x\\"\\\\y"}} 0 {start + 300}.000',
        "# EOF",
    ]


def asked(**given: Any) -> argparse.Namespace:
    return argparse.Namespace(
        **{"at": None, "since": None, "until": None, "format": "text", "every": 60} | given
    )


def test_open_metrics_are_what_the_format_asks(sample_answers: Answers) -> None:
    text = "\n".join(question.show_gauges(asked(format="openmetrics"), sample_answers)) + "\n"
    found = series_of(text)
    assert ("kafka_controller_kafkacontroller_offlinepartitionscount", 'cluster="lab-2.2.2"') in found
    assert ("kafka_controller_kafkacontroller_activecontrollercount", 'cluster="lab-2.2.2",node="1"') in found
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    families = list(parser.text_string_to_metric_families(text))
    assert sum(len(one.samples) for one in families) == sum(len(one) for one in found.values())


def test_json_has_every_step_under_kafkas_name(sample_answers: Answers) -> None:
    one = json.loads("\n".join(question.show_gauges(asked(format="json"), sample_answers)))["gauges"]
    bean = "kafka.controller:type=KafkaController,name=GlobalTopicCount"
    (topics,) = (each for each in one if each["bean"] == bean)
    assert topics["metric"] == "kafka_controller_kafkacontroller_globaltopiccount"
    assert topics["node"] is None and topics["steps"][-1]["value"] > 0


def test_text_tells_each_gauge_and_its_last_steps(sample_answers: Answers) -> None:
    lines = question.show_gauges(asked(), sample_answers)
    assert "GAUGE lowest highest at last not told" in [" ".join(line.split()) for line in lines]
    assert "09:00:25.747  ActiveControllerCount of node 1 0, ActiveBrokerCount 3" in lines
    at = question.show_gauges(asked(at=datetime(2026, 11, 21, 9, 0, 13, tzinfo=UTC)), sample_answers)
    assert at[1].split() == ["GAUGE", "value"] and len(at) > len(DELETION)


def test_gauges_that_did_not_move_are_told_once(
    sample_answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    since, until = (datetime(2026, 11, 21, 9, 0, second, tzinfo=UTC) for second in (13, 14))
    lines = question.show_gauges(asked(since=since, until=until), sample_answers)
    said = " ".join(" ".join(lines).split())
    assert "the same all the time: ActiveControllerCount of node 1 " in said
    assert said.endswith("PreferredReplicaImbalanceCount 0") and said.count("OfflinePartitionsCount") == 1
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.usefixtures("sample_in_memory")
def test_an_exposition_ends_as_the_format_asks(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask_by_command("gauges", ["--since", "09:00:00", "--format", "openmetrics", "--every", "15"]) == 0
    assert len(series_of(capsys.readouterr().out)) > len(DELETION)


def test_a_period_that_ends_before_it_begins_is_refused(sample_answers: Answers) -> None:
    late, early = datetime(2026, 11, 21, 9, 0, 13, tzinfo=UTC), datetime(2026, 11, 21, 9, 0, 10, tzinfo=UTC)
    with pytest.raises(InputProblem, match="--since before --until"):
        question.show_gauges(asked(since=late, until=early), sample_answers)


@pytest.mark.parametrize("text", ["0", "300", "1.5", "x"])
def test_samples_are_never_further_apart_than_prometheus_draws_them(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="1 to 299"):
        question.parse_step_seconds(text)
