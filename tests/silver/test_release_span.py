"""Releases by node and time: every cluster of the corpus, upgrades inside a file, conf against lines."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from jobs.load_settings import load
from jobs.settings_frames import release_settings
from pipeline.silver import release_span, wording_seen
from pipeline.store.delta import declared
from schemas.silver.release_span import SPEC
from tests.kafka.reading import read_table
from tests.lab import records, rows_of
from tests.tables import interpreted

Row = dict[str, Any]
QUICK = (
    "lab/0.11.0.3-zk-stock",
    "lab/2.2.2-zk-stock",
    "lab/3.9.2-kraft-migration-stock",
    "lab/4.3.1-kraft-separate-stock",
    "public/0.10.0.0-Aminoid",
    "public/2.5.0-Parasmani300",
)
SETTINGS: dict[str, Any] = {
    "cluster": "agrees",
    "clusters": {
        "agrees": {"release": "2.2"},
        "denied": {"release": "2.2", "brokers": {1: {"release": "3.9.1"}}},
    },
}


def spans(spark: SparkSession, folder: Path, tables: list[pa.Table], cluster: str = "none") -> list[Row]:
    """silver.release_span of these records, in order of node and time."""
    pq.write_table(pa.concat_tables(tables), folder / "log_record.parquet", coerce_timestamps="us")
    setting: DataFrame = release_settings(spark, load(flags=SETTINGS, environ={}, folder=folder), cluster)
    with interpreted(spark):
        seen = wording_seen.build(spark.read.parquet(str(folder / "log_record.parquet")))
        rows = rows_of(declared(SPEC, release_span.build(seen, setting)))
    return sorted(rows, key=lambda row: (row["cluster_id"], row["node_id"] or -1, row["valid_from_at"]))


def truth(cluster: Path) -> str:
    """The release that a cluster ran: lab runs say it, folders of public ones begin with it."""
    run = cluster / "truth" / "run.json"
    said = json.loads(run.read_text()) if run.is_file() else {"version": cluster.name.split("-")[0]}
    release: str = said.get("version") or said["kafka"]
    return release


def require_truth(spark: SparkSession, folder: Path, clusters: list[Path]) -> None:
    true = {cluster.name: truth(cluster) for cluster in clusters}
    rows = spans(spark, folder, [records(cluster) for cluster in clusters])
    wrong = [row for row in rows if true[row["cluster_id"]] not in row["releases"]]
    assert not wrong
    assert {row["cluster_id"] for row in rows} == set(true)
    nodes = [(row["cluster_id"], row["node_id"]) for row in rows]
    assert len(nodes) == len(set(nodes)), "a cluster of one release has one span a node"
    assert not [row for row in rows if row["certainty"] == "undetermined" or not row["evidence"]]


@pytest.mark.spark
def test_spans_contain_the_release_that_ran(spark: SparkSession, shared: Path, tmp_path: Path) -> None:
    require_truth(spark, tmp_path, [shared / "corpus" / name for name in QUICK])


@pytest.mark.soak
@pytest.mark.spark
def test_every_span_of_the_corpus(spark: SparkSession, shared: Path, tmp_path: Path) -> None:
    folders = (
        one for kind in ("lab", "public") for one in (shared / "corpus" / kind).iterdir() if one.is_dir()
    )
    require_truth(spark, tmp_path, sorted(folders))


def log_text(node: Path, log: str, day: str) -> bytes:
    """All of one log of a lab node, the rolled files first, as if written on `day`."""
    files = [*sorted(node.glob(f"{log}.log.*")), node / f"{log}.log"]
    return b"".join(one.read_bytes() for one in files).replace(b"[2026-11-21 ", f"[{day} ".encode())


@pytest.fixture(scope="session")
def upgraded(shared: Path) -> dict[str, bytes]:
    """Both logs of a broker that ran 2.2.2 on one day and 3.2.3 on the next, in one file each."""
    lab = shared / "corpus" / "lab"
    days = (("2.2.2-zk-stock", "2026-11-21"), ("3.2.3-zk-stock", "2026-11-22"))
    return {
        log: b"".join(log_text(lab / name / "broker-1", log, day) for name, day in days)
        for log in ("controller", "state-change")
    }


def read_logs(cluster: str, texts: dict[str, bytes]) -> list[pa.Table]:
    return [
        read_table(text, cluster_id=cluster, log=log, file_id=f"{cluster}-{log}")
        for log, text in texts.items()
    ]


@pytest.mark.spark
def test_an_upgrade_inside_a_file(spark: SparkSession, upgraded: dict[str, bytes], tmp_path: Path) -> None:
    """With controller.log the new release begins with the start of its process, without it with its first line."""
    down = {log: text.replace(b"[2026-11-21 ", b"[2026-11-23 ") for log, text in upgraded.items()}
    cases = {
        "both": upgraded,
        "down": down,
        "lines": {"state-change": upgraded["state-change"]},
        "turned": {"state-change": down["state-change"]},
        "mixed": {
            "state-change": upgraded["state-change"].replace(b"[2026-11-22 08:22:", b"[2026-11-21 08:58:")
        },
    }
    rows = spans(
        spark, tmp_path, [table for case, texts in cases.items() for table in read_logs(case, texts)]
    )
    found = {
        case: [(row["since_release"], row["until_release"], row["begins_with"], row["certainty"]) for row in rows
               if row["cluster_id"] == case]
        for case in cases
    }  # fmt: skip
    assert found["both"] == [("2.2.0", "2.2.2", "start", "inferred"), ("3.2.0", "3.2.3", "start", "inferred")]
    assert found["down"] == [("3.2.0", "3.2.3", "start", "inferred"), ("2.2.0", "2.2.2", "start", "inferred")]
    old, new = found["lines"]
    assert old[2:] == ("first", "inferred")
    assert new == ("3.2.0", "3.2.3", "change", "inferred")
    assert str(old[1]) < "2.4"
    assert [one[3] for one in found["turned"]] == ["undetermined"]
    assert {one[3] for one in found["mixed"]} == {"undetermined"}
    before, after = (row for row in rows if row["cluster_id"] == "both")
    started = next(
        datetime.strptime(line[1:24].decode(), "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC)
        for line in upgraded["controller"].splitlines()
        if line.startswith(b"[2026-11-22") and b"EventThread controllerId=1] Starting" in line
    )
    assert after["valid_from_at"] == started
    assert before["valid_until_at"].day == 21


@pytest.mark.spark
def test_conf_fixes_a_release_and_lines_may_deny_it(
    spark: SparkSession, upgraded: dict[str, bytes], tmp_path: Path
) -> None:
    old = {log: text[: text.index(b"[2026-11-22 ")] for log, text in upgraded.items()}
    found = {}
    for cluster in ("agrees", "denied"):
        (found[cluster],) = spans(spark, tmp_path, read_logs(cluster, old), cluster)
    assert {name: (row["since_release"], row["source"], row["certainty"]) for name, row in found.items()} == {
        "agrees": ("2.2.0", "setting", "inferred"),
        "denied": ("3.9.1", "setting", "undetermined"),
    }
    assert found["denied"]["reason"] == "fixed in conf, but its lines are of 2.2.0 to 2.2.2"
    assert found["agrees"]["reason"] is None
