"""What the first screen leaves out: what was over by the first record that a run brought."""

import re
import shlex
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyspark.sql import SparkSession

from jobs.engine.intake.discovery import Listing
from jobs.engine.run.request import RunRequest, RunResult
from jobs.engine.run.results import require_whole_result
from jobs.questions.finding_lines import screen_finding_lines
from jobs.screen.facts import gather_facts
from jobs.screen.first_screen import first_screen
from jobs.screen.sections import is_term_since
from jobs.screen.verdict import verdict_lines
from jobs.settings.load import load_settings
from pipeline.catalog.tables import SPECS
from pipeline.core.errors import PartialInput
from pipeline.store.readers.published_tables import PublishedTables
from pipeline.store.reading import clusters
from pipeline.store.warehouse import ClusterWarehouse
from pipeline.views.reading.answers import Answers
from tests.conftest import REPOSITORY
from tests.screens import LAST, finding, screen_of_sample

MIDNIGHT = datetime(2026, 11, 21, tzinfo=UTC)


def told_lines(findings: list[dict[str, Any]], since: datetime | None = None) -> list[str]:
    """Without what to do, which tests/jobs/test_playbook.py is about."""
    return [line for line in screen_finding_lines(findings, {}, LAST, since) if not line.startswith(" " * 8)]


def test_what_was_over_is_not_listed_and_numbers_stay() -> None:
    day = timedelta(days=1)
    findings = [
        finding("standing_imbalance", "ongoing", LAST - 3 * day, None),
        finding("no_controller", "resolved", LAST - 2 * day, LAST - day),
        finding("failover_slow", "resolved", LAST - day, LAST),
    ]
    assert told_lines(findings, MIDNIGHT) == [
        "WARN F1 2026-11-18 09:00:00.000 standing_imbalance  [proved, ongoing]  OPEN",
        "WARN F3 2026-11-20 09:00:00.000 failover_slow  [proved, resolved]",
        "",
    ]
    assert "WARN F2" in told_lines(findings)[1]
    finding_of_the_day = finding("no_controller", "new", MIDNIGHT, None)
    assert screen_finding_lines([finding_of_the_day], {}, LAST)[0].startswith(
        "WARN F1 00:00:00.000 no_controller"
    )


def test_many_of_a_rule_are_told_in_one_line() -> None:
    hours = [LAST + timedelta(hours=one) for one in range(3)]
    findings = [finding("missing_logs", "new", one, one) for one in hours]
    findings += [finding("failover_slow", "new", one, one) for one in hours[:2]]
    assert [line.split("  [")[0] for line in told_lines(findings) if line] == [
        "WARN F1-F3 09:00:00.000 3 gaps in the logs; the first: missing_logs",
        "WARN F4 09:00:00.000 failover_slow",
        "WARN F5 10:00:00.000 failover_slow",
    ]


def test_what_is_cut_is_named_by_rule_and_count() -> None:
    """Each finding is shown or counted, whatever its rule and severity."""
    shown = [finding("failover_slow", "new", LAST, LAST) for _ in range(12)]
    cut = [finding("missing_logs", "new", LAST, LAST) | {"severity": "info"} for _ in range(3)]
    cut += [finding(rule, "new", LAST, LAST) | {"severity": "info"} for rule in ("new_life", "failed_start")]
    assert told_lines(shown + cut)[12:] == [
        "     5 more (3 INFO missing_logs, 1 INFO new_life, 1 INFO failed_start): findings",
        "",
    ]


@pytest.mark.parametrize(
    ("how", "last_act", "superseded", "shown"),
    [
        ("open", -9, None, "shown"),
        ("crashed", -9, None, ""),
        ("crashed", -9, 1, "shown"),
        ("process_end", 1, None, "shown"),
        (None, None, None, ""),
    ],
)
def test_terms_of_the_window(
    how: str | None, last_act: int | None, superseded: int | None, shown: str
) -> None:
    hours = {"last_act_at": last_act, "superseded_at": superseded, "ended_at": None}
    times = {name: None if at is None else MIDNIGHT + timedelta(hours=at) for name, at in hours.items()}
    assert is_term_since({"ended_how": how, **times}, MIDNIGHT) is bool(shown)


def body(screen: str) -> list[str]:
    """Its lines up to where the tables lie, without the age of the data and the folder of the logs; what
    stands for a path is one."""
    shown = re.sub(r" \(age .*\)", "", screen.split("\nTABLES", maxsplit=1)[0]).rstrip()
    lines = [line for line in shown.split("\n") if not line.startswith("      logs in ")]
    return [re.sub(r"\S+(:\d+)$", r"PATH\1", line) for line in lines]


def asked_next(screen: str) -> list[list[str]]:
    """The commands at its end, wherever the program lies."""
    lines = screen.split("\nNEXT", maxsplit=1)[1].replace("\\\n", " ").splitlines()
    return [shlex.split(line)[1:] for line in lines]


@pytest.mark.parametrize("name", ["first-screen", "details"])
def test_the_documented_screens_are_those_of_the_sample(
    sample_answers: Answers, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    document = (REPOSITORY / "docs" / "first-screen.md").read_text(encoding="utf-8")
    told = document.split(f"<!-- {name}:start -->\n```\n")[1].split("```")[0]
    screen = screen_of_sample(sample_answers, is_detailed=name == "details")
    assert body(screen) == body(told)
    assert asked_next(screen) == asked_next(told) != []


def test_rows_that_the_gate_left_out_are_told(sample_answers: Answers) -> None:
    request = RunRequest("nightly", "w", "c", lambda: Listing([]), load_settings(None, {}, {}, None))
    said = "2 rows of gold.finding break key_is_unique"
    result = RunResult(
        sample_answers.cluster_id, "run", "published", {}, {"records": 23_694},
        {one.name: "1 a" for one in SPECS}, is_judged=True, left_out=[said],
    )  # fmt: skip
    screen = first_screen(sample_answers.tables, "w/lab", request, result).text
    assert f"left out: {said} (ops.quality_result)" in screen


def test_a_node_of_another_zone_is_told_and_the_run_is_partial(sample_answers: Answers) -> None:
    request = RunRequest("nightly", "w", "c", lambda: Listing([]), load_settings(None, {}, {}, None))
    said = "its times are 5 h ahead of those of nodes 1, 2"
    result = RunResult(
        sample_answers.cluster_id, "run", "published", {}, {"records": 23_694},
        {one.name: "1 a" for one in SPECS}, is_judged=True, other_zones={3: said},
    )  # fmt: skip
    screen = first_screen(sample_answers.tables, "w/lab", request, result).text
    assert f"another zone: node 3: {said}" in screen
    with pytest.raises(PartialInput, match=f"node 3 that does not: {said}"):
        require_whole_result(result)


@pytest.mark.parametrize(
    "unread, kept, said",
    [
        (0, [], "nothing found"),
        (1, [], "NOT ENOUGH EVIDENCE: 1 file could not be read; in the others nothing found"),
        (2, ["info"], "NOT ENOUGH EVIDENCE: 2 files could not be read; in the others nothing found: 1 info"),
        (2, ["critical"], "NOT OK: 1 critical; 2 files could not be read"),
    ],
)
def test_with_files_that_were_not_read_the_verdict_is_never_nothing_found(
    sample_answers: Answers, unread: int, kept: list[str], said: str
) -> None:
    facts = gather_facts(sample_answers, {one.name: "1 a" for one in SPECS}, 0)
    first_of = {one["severity"]: one | {"status": "new"} for one in facts.findings}
    told = replace(facts, findings=[first_of[one] for one in kept])
    assert verdict_lines(told, unread, is_judged=True) == [f"VERDICT  {said}"]


def test_the_verdict_says_what_is_offline_though_no_finding_goes_on(sample_answers: Answers) -> None:
    facts = gather_facts(sample_answers, {one.name: "1 a" for one in SPECS}, 0)
    assert facts.at_end is not None
    stopped = replace(facts, findings=[], at_end={**facts.at_end, "offline": 38})
    said = "nothing found; at the end of the data 38 partitions without a leader"
    assert verdict_lines(stopped, 0, is_judged=True) == [f"VERDICT  {said}"]


def test_nothing_found_without_state_change_log_is_not_enough(sample_answers: Answers) -> None:
    facts = gather_facts(sample_answers, {one.name: "1 a" for one in SPECS}, 0)
    assert facts.half_read is None
    half = replace(facts, findings=[], half_read="no state-change.log was read")
    said = "NOT ENOUGH EVIDENCE: no state-change.log was read; in the rest nothing found"
    assert verdict_lines(half, 0, is_judged=True) == [f"VERDICT  {said}"]


def test_what_was_not_read_is_named(sample_answers: Answers) -> None:
    """Up to five, each with why, and how many more there are."""
    request = RunRequest(
        "nightly", "w", sample_answers.cluster_id, lambda: Listing([]), load_settings(None, {}, {}, None)
    )
    unread = [
        (f"/k/broker-{number}/controller.log", "no line of a Kafka controller log") for number in range(7)
    ]
    result = RunResult(
        sample_answers.cluster_id, "run", "published", {}, {}, {one.name: "1 a" for one in SPECS},
        {"not_kafka": 7, "not_asked": 3}, unread=unread, excerpts=[("/k/found.txt", "as grep prints")], is_judged=True,
    )  # fmt: skip
    lines = first_screen(sample_answers.tables, "w/lab", request, result).text.splitlines()
    begin = lines.index(
        "      not read: 2 not asked for (server.log: --server-log), 1 printed by grep out of another file, 7 no Kafka log"
    )
    assert lines[begin + 1] == "        /k/broker-0/controller.log: no line of a Kafka controller log"
    assert lines[begin + 6] == "        /k/found.txt: as grep prints"
    assert lines[begin + 7] == "        2 more in silver.log_gap (not_read)"
    assert next(line for line in lines if line.startswith("VERDICT")).endswith("; 7 files could not be read")


@pytest.mark.spark
def test_the_screen_of_a_later_night(spark: SparkSession, sample_warehouse: str, sample_screen: str) -> None:
    """As if the last segment of the sample had come in a run of its own: state-change.log of broker 3, which begins
    later than all others."""
    (cluster,) = clusters(spark, sample_warehouse)
    store = ClusterWarehouse(spark, sample_warehouse, cluster)
    published = store.published()
    tables = PublishedTables(store.folder, published.versions)
    request = RunRequest(
        "nightly", sample_warehouse, cluster, lambda: Listing([]), load_settings(None, {}, {}, None)
    )
    told = published.counts, published.watermarks
    result = RunResult(cluster, "run", "published", published.versions, *told, is_judged=True)
    assert "SINCE" not in sample_screen
    assert (
        first_screen(tables, store.folder, request, result, is_detailed=True).text.split("\nVERDICT")[1]
        == sample_screen.rstrip("\n").split("\nVERDICT")[1]
    )
    result.before = published.counts["load_seq"] - 1
    screen = first_screen(tables, store.folder, request, result, is_detailed=True).text
    for expected in (
        "SINCE    2026-11-21 09:00:01.393 UTC, the first new record",
        "  6 earlier ones in gold.controller_term",
        "OUTAGE 2 of 1 s or more",
        "ratios 6 of 6",
        "refused 3 | failed 2 | first 125 | valid 142 |",
    ):
        assert expected in screen, screen


def test_the_worst_outage_stands_for_its_group() -> None:
    some = [finding("outage", "new", MIDNIGHT + timedelta(hours=hour), LAST) for hour in (1, 2, 3)]
    for one, total in zip(some, ("71", "9000", "800"), strict=True):
        one |= {"sentence": f"{total} ms", "facts": {"total_ms": total}}
    told = screen_finding_lines(some, {}, LAST)[0]
    assert told.startswith("WARN F1-F3 02:00:00.000 3 events left") and "the worst: 9000 ms  [" in told
