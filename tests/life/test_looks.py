"""The in-memory looks of the schedules say what a look at real files says."""

from pathlib import Path

from jobs.engine.intake.discovery import Candidate
from jobs.engine.intake.file_probe import Looker
from pipeline.bronze.file_look import Wanted, inspect_file
from pipeline.core.contents import InspectedFile
from pipeline.core.files import list_files
from pipeline.kafka.layout.paths import locate_path
from tests.life.disks import disk_of
from tests.life.nights import looked, settings

LIVES = 12
ACTS = 25


def test_a_look_in_memory_is_a_look_at_the_file(tmp_path: Path) -> None:
    compared = 0
    for seed in range(LIVES):
        disk = disk_of(seed)
        for _ in range(ACTS):
            disk.act()
        disk.write(tmp_path)
        for candidate, file in looks(tmp_path):
            expected = looked(candidate, disk.files[candidate.listed.relative], {})
            assert same(file, expected), (seed, candidate.listed.relative)
            compared += file.refusal is None
    assert compared > LIVES


def looks(folder: Path) -> list[tuple[Candidate, InspectedFile]]:
    looker = Looker("c", settings(), None, None)
    found = []
    for listed in list_files(str(folder)):
        candidate = Candidate(listed, locate_path(listed.relative))
        fact = inspect_file(
            listed.path,
            candidate.located.log,
            None,
            Wanted(),
            is_server_read=False,
            stored_bytes=listed.size_bytes,
            max_file_bytes=1 << 30,
            max_ratio=500,
            max_record_bytes=16 << 20,
        )
        facts = fact | {"hashes": dict(fact["hashes"])}
        found.append((candidate, looker.looked(candidate, facts if listed.size_bytes else None)))
    return found


def same(file: InspectedFile, expected: InspectedFile) -> bool:
    """What is refused has nothing to read in the schedules either: no archive, or no line of Kafka's so far."""
    if file.refusal is not None or file.first_record_hash is None:
        return expected.refusal is not None or expected.first_record_hash is None
    return file == expected
