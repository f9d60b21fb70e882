"""Findings of whole clusters stay within their logs, and their own lines say nothing else."""

import os
from pathlib import Path

import polars as pl
import pytest
from polars import col

from jobs.questions.verify_findings import evidence_records, finding_claim
from pipeline.rules.proving.proof import NOT_CONFIRMED
from pipeline.rules.verified import verify_claim
from pipeline.views.reading.answers import Answers
from tests.conftest import REPOSITORY
from tests.jobs.answering import answers_of_logs
from tests.lab import READ
from tests.rules.rows import fact_texts

FEW = ("corpus/public/2.8.0-AndreasTraut", "lab-runs/4.0.0-kraft-combined-moves")
# Of these server.log is read, too.
WITH_SERVER_LOG = ("corpus/lab/1.0.2-zk-stock", "lab-runs/4.0.0-kraft-combined-moves")
FOLDERS = ("corpus/public", "corpus/lab", "lab-runs")


def all_clusters() -> list[str]:
    """Of the machine's corpus; none where it has none."""
    shared = Path(os.environ.get("KCA_SHARED", REPOSITORY.parent / "shared"))
    found = (path for folder in FOLDERS for path in (shared / folder).glob("*") if path.is_dir())
    return sorted(path.relative_to(shared).as_posix() for path in found)


@pytest.fixture(
    scope="module",
    params=[*FEW, *(pytest.param(one, marks=pytest.mark.soak) for one in all_clusters() if one not in FEW)],
)
def cluster(request: pytest.FixtureRequest, shared: Path) -> Answers:
    return answers_of_logs(shared / request.param)


def test_no_finding_is_refuted_by_its_lines(cluster: Answers) -> None:
    findings = cluster.findings()
    found = cluster.records([place for one in findings for place in one["evidence"]])
    told = [
        (one["sentence"], verify_claim(finding_claim(one), evidence_records(one, found))) for one in findings
    ]
    assert cluster.terms()
    assert [one for one in told if one[1][0] == NOT_CONFIRMED] == []


@pytest.mark.parametrize(
    "name", [WITH_SERVER_LOG[0], pytest.param(WITH_SERVER_LOG[1], marks=pytest.mark.soak)]
)
def test_no_reason_is_refuted_by_its_lines(shared: Path, name: str) -> None:
    answers = answers_of_logs(shared / name, (*READ, "server"))
    findings = [one for one in answers.findings() if "end_reasons" in fact_texts(one["facts"])]
    found = answers.records([place for one in findings for place in one["evidence"]])
    told = [
        (one["sentence"], verify_claim(finding_claim(one), evidence_records(one, found))) for one in findings
    ]
    assert len(told) > 10
    assert [one for one in told if one[1][0] == NOT_CONFIRMED] == []


def test_nothing_lasts_longer_than_the_logs(cluster: Answers) -> None:
    times = cluster.rows("bronze.log_record", None, ("logged_at",))["logged_at"].drop_nulls().to_list()
    first, last = min(times), max(times)
    for one in cluster.findings():
        assert first <= one["valid_from_at"] <= last, one["sentence"]
        assert one["valid_until_at"] is None or one["valid_until_at"] <= last, one["sentence"]


def test_no_records_are_lost_of_a_partition_with_one_replica(cluster: Answers) -> None:
    timeline = cluster.rows("gold.partition_timeline", None, ("topic", "partition", "replicas"))
    replicas = timeline.group_by("topic", "partition").agg(count=col("replicas").list.len().max())
    names = replicas.filter(col("count") == 1).select(pl.format("{}-{}", "topic", "partition")).to_series()
    lost = [one for one in cluster.findings() if one["rule"] == "unclean_election"]
    assert not {one["entity"] for one in lost}.intersection(names)
