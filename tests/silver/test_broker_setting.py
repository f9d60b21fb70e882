"""What brokers print of their own settings: three of them, and nothing else."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from pipeline.core.frames import frame_of
from pipeline.kafka.layout.paths import locate_path
from pipeline.silver.broker_setting import build
from schemas.silver.broker_setting import ENABLE, INTERVAL, MIN_ISR, PER_BROKER, SESSION_TIMEOUT, SPEC
from tests.conftest import REPOSITORY
from tests.kafka.reading import read_table
from tests.rows import declared_rows, records_in

SAMPLE = REPOSITORY / "tests" / "data" / "sample" / "lab-2.2.2"
LAB = {PER_BROKER: "10", INTERVAL: "20", ENABLE: "true"}
SESSION = {SESSION_TIMEOUT: "6000"}
MINIMUM = {MIN_ISR: "1"}
# As VerifiableProperties of 0.8.2 prints them; the release has no logs in the corpus.
OLD = """
    [2016-12-02 01:04:37,000] INFO Verifying properties (kafka.utils.VerifiableProperties)
    [2016-12-02 01:04:37,001] INFO Property auto.leader.rebalance.enable is overridden to false (kafka.utils.VerifiableProperties)
    [2016-12-02 01:04:37,001] INFO Property broker.id is overridden to 1 (kafka.utils.VerifiableProperties)
    [2016-12-02 01:04:37,002] INFO Property leader.imbalance.per.broker.percentage is overridden to 5  (kafka.utils.VerifiableProperties)
    [2016-12-02 01:04:37,003] WARN Property leader.imbalance.check.interval is not valid (kafka.utils.VerifiableProperties)
"""
DUMP = b"""\
[2026-11-21 09:00:25,351] INFO KafkaConfig values: \r
\tauto.leader.rebalance.enable = true\r
\tx.leader.imbalance.per.broker.percentage = 7\r
\tleader.imbalance.per.broker.percentages = 8\r
\tssl.key.password = hidden\r
\tleaderXimbalance.per.broker.percentage = 9\r
\tleader.imbalance.check.interval.seconds = 20 \r
 (kafka.server.KafkaConfig)\r
[2026-11-21 09:00:25,352] INFO ConsumerConfig values: \n\tauto.leader.rebalance.enable = false\n (kafka.server.KafkaConfig)
"""


def server_logs(folder: Path) -> Iterator[pa.Table]:
    for number, path in enumerate(sorted(folder.rglob("server.log*")), 1):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        node = locate_path(path.relative_to(folder.parent).as_posix()).node
        yield read_table(data, log="server", node_id=node, file_id=str(path), load_seq=number)


def printed(folder: Path) -> dict[tuple[str, int], dict[str, str]]:
    """By file and line the settings, read by hand."""
    found: dict[tuple[str, int], dict[str, str]] = {}
    for path in sorted(folder.rglob("server.log*")):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        at, dump = 0, None
        for line in data.split(b"\n"):
            if not line.startswith((b"\t", b" (")):
                dump = at if b"] INFO KafkaConfig values:" in line else None
            name, is_set, value = line.strip().decode(errors="replace").partition(" = ")
            if dump is not None and is_set and name in LAB | SESSION | MINIMUM:
                found.setdefault((str(path), dump), {})[name] = value
            at += len(line) + 1
    return found


def settings_of(records: pa.Table) -> dict[tuple[str, int], dict[str, str]]:
    found: dict[tuple[str, int], dict[str, str]] = {}
    for row in declared_rows(build(frame_of(records)), SPEC).to_dicts():
        found.setdefault((row["file_id"], row["byte_offset"]), {})[row["name"]] = row["value"]
    return found


def test_every_list_of_the_sample() -> None:
    found = settings_of(pa.concat_tables(server_logs(SAMPLE)))
    assert found == printed(SAMPLE)
    assert len(found) == 30
    assert all(said == LAB | SESSION | MINIMUM for said in found.values())


def test_every_list_of_every_release(shared: Path) -> None:
    """From 4.0 on the percentage is no setting any more."""
    for cluster in sorted((shared / "corpus" / "lab").iterdir()):
        folders = [one for one in sorted(cluster.iterdir()) if one.name[-1] == "1"]
        found = settings_of(pa.concat_tables(table for one in folders for table in server_logs(one)))
        assert found == {place: said for one in folders for place, said in printed(one).items()}, cluster
        wanted = LAB if cluster.name < "4" else {name: LAB[name] for name in (INTERVAL, ENABLE)}
        limits = [said.pop(SESSION_TIMEOUT, None) for said in found.values()]
        assert found and all(said == wanted | MINIMUM for said in found.values()), cluster
        # The labs set 6 s in ZooKeeper mode; a KRaft node prints Kafka's default, too, until 4.0.
        modes = (
            {"6000"}
            if "-zk-" in cluster.name
            else {"18000", "6000"}
            if "migration" in cluster.name
            else {"18000"}
        )
        assert set(limits) <= ({None} if cluster.name >= "4" else modes), cluster


def test_single_lines_of_old_releases() -> None:
    records = records_in({(1, "server"): OLD})
    assert set(records["event"]) == {
        "broker_settings_verified",
        "broker_setting_overridden",
        "broker_setting_unknown",
    }
    rows = {name: said for name, *said in build(records).select("name", "node_id", "step", "value").rows()}
    assert rows == {ENABLE: [1, "overridden", "false"], PER_BROKER: [1, "overridden", "5"]}


def test_names_alike_and_other_lists_are_left_out() -> None:
    found = settings_of(read_table(DUMP, log="server"))
    assert found == {("f", 0): {ENABLE: "true", INTERVAL: "20"}}
    everything = str(build(frame_of(read_table(DUMP, log="server"))).rows())
    assert "hidden" not in everything
