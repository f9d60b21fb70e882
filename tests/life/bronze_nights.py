"""The loading of a cluster night by night as the jobs do it, from files on disk into tables in memory."""

from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from jobs.engine.incremental.night import Night
from jobs.engine.intake.bronze_writer import Intake
from jobs.engine.intake.discovery import listing_now
from jobs.engine.run.looking import LogLook
from jobs.engine.run.progress import Progress
from jobs.engine.run.request import RunRequest
from jobs.incident.in_memory import RecordsInMemory
from pipeline.core.frames import frame_of
from pipeline.store.runs.published import Published
from schemas.bronze import duplicate_record, file_sighting, log_record
from tests.life.nights import settings

CLUSTER = "c"
RECORD = ("file_id", "byte_offset")


class Silent(Progress):
    def stage(self, name: str, counts: str) -> None:
        """Nobody looks."""


@dataclass
class BronzeNights:
    """A folder of logs, and what was read of it. before: the highest load_seq."""

    logs: Path
    tables: RecordsInMemory = field(default_factory=RecordsInMemory)
    before: int = 0
    count: int = 0

    def run(self) -> None:
        self.count += 1
        run_id = f"run-{self.count:04}"
        request = RunRequest(
            "ingest",
            "",
            CLUSTER,
            lambda: listing_now([str(self.logs)], settings(), CLUSTER, [CLUSTER], CLUSTER),
            settings(),
        )
        published = Published(counts={"load_seq": self.before})
        found = LogLook(self.tables, request, run_id, published, Silent()).look()
        night = Night(self.tables, settings(), CLUSTER, run_id, self.before, frozenset())
        planned, lost = Intake(found.loader, self.tables, night, lambda _, rows: None).load(
            found.planned, is_reparsing=False
        )
        assert not lost
        self.before = max((one.load_seq for one in planned.segments), default=self.before)
        if planned.sightings:
            self.tables.append(file_sighting.SPEC, found.loader.sightings(planned))

    def counted(self) -> pl.DataFrame:
        """The records that count: without those that came before."""
        records = frame_of(self.tables.read(log_record.SPEC, None, (*RECORD, "raw", "event")))
        twice = frame_of(self.tables.read(duplicate_record.SPEC, None, RECORD))
        return records.join(twice, on=RECORD, how="anti")
