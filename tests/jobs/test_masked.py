"""A masked warehouse holds no secret in any byte, joins over files and runs, and is read with one masking only."""

import gzip
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from jobs import ingest
from pipeline.store.reading import read
from tests.kafka.masks import PRINTED, plain, secrets

pytestmark = [pytest.mark.spark, pytest.mark.soak]
KEY = "a key of the tests"
HEAD = "[2026-11-21 08:00:0{},000] INFO [Controller id={}] "
CONNECTED = "[RequestSendThread controllerId={}] Controller {} connected to bkr-7.corp.example:9092 (id: 2 rack: null) for sending state change requests"
FORMS = [text for texts in PRINTED.values() for text in texts]
FOLDER = "kafka-{}.corp.example"


def log(node: int) -> str:
    """Lines that are understood and others, all with secrets, and a stack trace with one."""
    lines = [f"{HEAD.format(1, node)}{plain(form)} (kafka.controller.KafkaController)\n" for form in FORMS]
    connected = HEAD.format(2, node).rsplit("[", 1)[0] + CONNECTED.format(node, node)
    trace = "java.io.IOException: Connection to bkr-7.corp.example:9092 (id: 2 rack: null) failed.\n\tat x.Y.z(Y.java:12)\n"
    return "".join([*lines, f"{connected} (kafka.controller.RequestSendThread)\n{trace}"])


def run(logs: Path, warehouse: Path, conf: Path) -> int:
    return ingest.main(
        ["--logs", str(logs), "--warehouse", str(warehouse), "--conf", str(conf), "--cluster", "c"]
    )


def everything(warehouse: Path) -> str:
    """All values and all bytes of all files, the lock's folder and Delta's logs included."""
    said = []
    for file in sorted(one for one in warehouse.rglob("*") if one.is_file()):
        said.append(str(file) + file.read_bytes().decode("latin-1"))
        if file.suffix == ".parquet" and "_delta_log" not in file.parts:
            for column in pq.read_table(file).to_pydict().values():
                said += [one.decode("latin-1") if isinstance(one, bytes) else str(one) for one in column]
    return "\n".join(said)


def test_a_masked_warehouse(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    logs, warehouse, conf = tmp_path / "logs", tmp_path / "warehouse", tmp_path / "own.yaml"
    first = logs / FOLDER.format(1) / "controller.log"
    for node in (1, 2):
        path = logs / FOLDER.format(node) / "controller.log"
        path.parent.mkdir(parents=True)
        path.write_text(log(node))
    (logs / FOLDER.format(2) / "controller.log.1.gz").write_bytes(gzip.compress(b"x" * 999)[:-9])
    said = (
        "masking:\n  kinds: [hosts, principals, addresses, client_ids]\n"
        "  patterns: [{name: own, pattern: 'r[0-9] unseen-own'}]\n"
        "path_patterns: ['never/(?P<node>[0-9])/host=bkr-7.corp.example']\n"
    )
    conf.write_text(said)
    monkeypatch.setenv("KCA_MASKING__KEY", KEY)
    assert run(logs, warehouse, conf) == 7

    planted = {one for form in FORMS for one in secrets(form)} | {"corp.example", "unseen-own", KEY}
    assert len(planted) > 40
    stored = everything(warehouse)
    assert not [one for one in planted if one in stored]
    assert "state change requests" in stored and "torn" not in stored

    records = read(spark, str(warehouse), "bronze.log_record")
    events = {row.event for row in records.collect()}
    assert "channel_connected" in events
    held = read(spark, str(warehouse), "bronze.source_file").collect()
    assert sorted(row.record_bytes for row in held) == [len(log(1).encode())] * 2

    first.rename(first.with_name("controller.log.2026-11-21-08"))
    first.write_text(log(1).replace("08:00:0", "09:00:0"))
    assert run(logs, warehouse, conf) == 7
    records = read(spark, str(warehouse), "bronze.log_record")
    rows = records.where("event = 'channel_connected'").collect()
    tokens = {row.fields["broker_node"] for row in rows}
    assert len(rows) == 3 and len(tokens) == 1
    assert next(iter(tokens)).split(":")[0].startswith("host-")
    assert {row.exception_message.count("host-") for row in rows} == {1}
    assert not [one for one in planted if one in everything(warehouse)]

    capsys.readouterr()
    for changed in (said.replace("hosts, ", ""), said.replace("unseen", "another"), "zone: UTC\n"):
        conf.write_text(changed)
        assert run(logs, warehouse, conf) == 2
        told = capsys.readouterr().err
        assert "Expected the masking that the logs of cluster c were read with" in told and KEY not in told
    conf.write_text(said)
    monkeypatch.setenv("KCA_MASKING__KEY", KEY[::-1])
    assert run(logs, warehouse, conf) == 2
