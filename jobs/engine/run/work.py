"""What a run does with what it found: segments are loaded, tables built, and their rows judged."""

from collections.abc import Sequence

import polars as pl
import pyarrow as pa

from jobs.engine.incremental.at_hand import AtHand
from jobs.engine.incremental.builder import Builder
from jobs.engine.intake.bronze_writer import Intake
from jobs.engine.intake.metadata_log import MetadataLoad
from jobs.engine.run.progress import Progress
from jobs.engine.run.quality_gate import QualityGate
from pipeline.bronze.planning import Plan
from pipeline.catalog.tables import CatalogTable
from schemas.bronze import metadata_part, metadata_record
from schemas.spec import TableSpec


class Work:
    """Of one run on one cluster. load_seq: the highest that it loaded, else of those before."""

    def __init__(self, intake: Intake, gate: QualityGate, progress: Progress) -> None:
        self.intake, self.gate, self.progress = intake, gate, progress
        self.planned = Plan((), ())
        self.load_seq = intake.night.before

    def load(self, planned: Plan, *, is_reparsing: bool = False) -> dict[str, tuple[str, str | None]]:
        """Reads what is planned. By path what turned out otherwise."""
        if planned.segments:
            size = sum(one.limit - one.start_offset for one in planned.segments)
            self.progress.stage("read", f"{len(planned.segments)} segments, {size:,} bytes")
        self.planned, lost = self.intake.load(planned, is_reparsing=is_reparsing)
        self.load_metadata(self.intake.metadata)
        self.load_seq = max((one.load_seq for one in self.planned.segments), default=self.load_seq)
        totals = self.intake.totals
        if totals:
            self.progress.stage("understood", f"{totals['understood']:,} of {totals['records']:,} records")
        return lost

    def load_metadata(self, load: MetadataLoad) -> None:
        """Writes what was read of copies of the metadata log."""
        if not load.parts:
            return
        for spec, rows in (
            (metadata_record.SPEC, load.record_table()),
            (metadata_part.SPEC, load.part_table()),
        ):
            self.intake.tables.append(spec, rows)
            self.gate.enter(spec, rows)

    def build(self, tables: Sequence[CatalogTable]) -> AtHand:
        """Runs the kernels of these tables on what is loaded, and stores their rows."""
        self.progress.stage("build", f"{len(tables)} tables")
        builder, planned = Builder(self.intake.night, self.sift, self.judge), self.planned
        builder.build(tables, self.intake.loader.sightings(planned) if planned.sightings else None)
        return builder.at_hand

    def sift(self, spec: TableSpec, rows: pa.Table) -> pa.Table:
        self.progress.detail(spec.name)
        return self.gate.sift(spec, rows)

    def judge(self, spec: TableSpec, broken: pl.DataFrame, left_out: int, sound: int) -> None:
        self.progress.detail(spec.name)
        self.gate.enter_judged(spec, broken, left_out, sound)
