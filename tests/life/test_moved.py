"""Logs that lie elsewhere the next night, copied or moved, grown, rolled, packed or older than what was read: nothing is read twice."""

import gzip
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from jobs.engine.incremental.night import Night
from jobs.engine.intake.bronze_writer import Intake
from jobs.engine.intake.discovery import Listing, listing_now
from jobs.engine.run.looking import LogLook
from jobs.engine.run.progress import Progress
from jobs.engine.run.quality_gate import QualityGate
from jobs.engine.run.request import RunRequest
from jobs.engine.run.work import Work
from jobs.incident.in_memory import RecordsInMemory
from jobs.settings.load import load_settings
from jobs.settings.model import Settings
from pipeline.bronze.planning import Plan
from pipeline.catalog.tables import TABLES
from pipeline.store.runs.published import Published
from schemas.bronze import duplicate_record, file_sighting
from tests.life.lives import NODES, SAMPLE
from tests.life.writers import records_of

RECORDS, MORE, NIGHTS = 60, 15, 4
SEEDS, MANY = 2, 30
LONG_AGO = 10**9
FRESH = frozenset(one.spec.name for one in TABLES)
LOGS = ("controller", "state-change", "server")
# What befalls a log on the way, by the bytes that there were and those that the node has written since.
Change = Callable[[Random, bytes, bytes], bytes]


def to_a_record(random: Random, before: bytes, _: bytes) -> bytes:
    records = records_of(before)
    return b"".join(records[: random.randrange(1, len(records) + 1)])


def to_any_byte(random: Random, before: bytes, _: bytes) -> bytes:
    return before[: random.randint(len(before) // 2, len(before))]


def into_the_next_time(random: Random, before: bytes, after: bytes) -> bytes:
    """The line that is begun is no record of its own."""
    return to_a_record(random, before, after) + b"[2026-11-"


CHANGES: tuple[Change, ...] = (
    lambda _, before, __: before,
    lambda _, before, after: before + after,
    lambda _, before, after: before + after[: len(after) // 2],
    to_a_record,
    to_any_byte,
    into_the_next_time,
)
NAMES = (
    "{folder}/{log}.log",
    "{folder}/{log}.log.2026-11-25-10",
    "{folder}/{log}.log.2026-11-25-10.gz",
    "{folder}-{log}.log",
    "{other}/{log}.log",
)
OTHER = {"broker-1": "alpha", "broker-2": "beta", "broker-3": "gamma"}
PARENTS = ("", "old", "mnt/backup-of-tuesday")


@dataclass
class Cluster:
    """A cluster whose logs are read in memory, as the jobs read them of a folder."""

    settings: Settings
    tables: RecordsInMemory = field(default_factory=RecordsInMemory)
    before: int = 0
    runs: int = 0

    def night(self, folder: Path) -> Plan:
        self.runs += 1
        run_id = f"run-{self.runs:03}"

        def listed() -> Listing:
            return listing_now([str(folder)], self.settings, "c", ["c"], "c")

        request = RunRequest("nightly", "w", "c", listed, self.settings)
        seen = Published(run_id, counts={"load_seq": self.before})
        found = LogLook(self.tables, request, run_id, seen, Progress()).look()
        night = Night(self.tables, self.settings, "c", run_id, self.before, FRESH)
        gate = QualityGate("c", run_id, is_counted=True)
        work = Work(Intake(found.loader, self.tables, night, gate.enter), gate, Progress())
        work.load(found.planned)
        self.tables.append(file_sighting.SPEC, found.loader.sightings(work.planned))
        self.before = work.load_seq
        return work.planned


def settings(*, is_masked: bool) -> Settings:
    given = {"cluster": "c", "server_log": True, "limits": {"range_bytes": 3000}}
    hidden = {"masking": {"kinds": ["hosts", "addresses"], "key": "a key of the tests"}}
    return load_settings(None, given | (hidden if is_masked else {}), {}, None)


def sample_logs() -> dict[tuple[str, str], list[bytes]]:
    """By folder and log the first records."""
    found = {}
    for folder in (f"broker-{node}" for node in NODES):
        for log in LOGS:
            records = records_of((SAMPLE / folder / f"{log}.log").read_bytes())
            found[folder, log] = records[:RECORDS]
    return found


def put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    os.utime(path, (LONG_AGO, LONG_AGO))


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=() if seed < SEEDS else pytest.mark.soak) for seed in range(MANY)]
)
def test_what_was_read_is_known_wherever_it_lies(tmp_path: Path, seed: int) -> None:
    """Each night all logs lie in another folder, each with something else that befell it on the way."""
    cluster, logs = Cluster(settings(is_masked=seed % 2 == 1)), sample_logs()
    random = Random(seed)  # noqa: S311  (a schedule, no secret)
    written = {place: len(records) // 3 + 1 for place, records in logs.items()}
    most: dict[tuple[str, str], int] = {}
    for night in range(NIGHTS):
        folder = tmp_path / f"night-{night}"
        for place, records in logs.items():
            before = b"".join(records[: written[place]])
            after = b"".join(records[written[place] : written[place] + MORE])
            content = random.choice(CHANGES if night else CHANGES[:1])(random, before, after)
            name = random.choice(NAMES).format(folder=place[0], log=place[1], other=OTHER[place[0]])
            put(folder / random.choice(PARENTS) / name, content)
            most[place] = max(most.get(place, 0), len(content))
            if len(content) >= len(before + after):
                written[place] += MORE
        cluster.night(folder)
        assert not cluster.night(folder).segments, "a second run has nothing to read"
    rows = cluster.tables.records
    assert sum(rows["byte_length"].to_pylist()) == sum(most.values())
    assert not len(cluster.tables.read(duplicate_record.SPEC))
    assert len(set(rows["file_id"].to_pylist())) == len(logs)


@pytest.mark.parametrize("place", [0.3, 0.99])
def test_what_differs_in_one_byte_is_another_file(tmp_path: Path, place: float) -> None:
    """Both are read: the records that they share are told as such."""
    cluster, records = Cluster(settings(is_masked=False)), sample_logs()["broker-2", "controller"]
    put(tmp_path / "a" / "broker-2" / "controller.log", b"".join(records))
    cluster.night(tmp_path / "a")
    other = bytearray(b"".join(records[:-10]))
    changed = int(len(other) * place)
    other[changed] = ord("x") if other[changed] != ord("x") else ord("y")
    put(tmp_path / "b" / "broker-2" / "controller.log", bytes(other))
    assert [one.limit for one in cluster.night(tmp_path / "b").segments] == [len(other)]
    assert len(cluster.tables.read(duplicate_record.SPEC)) >= len(records) - 12
