"""Looks into new and changed files, plans the segments and turns them into bronze rows."""

from collections.abc import Callable, Sequence
from copy import copy
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pyarrow as pa

from jobs.engine.intake.discovery import Candidate
from jobs.engine.intake.file_probe import Looker, envelope_of
from jobs.engine.intake.probe_plan import Offsets, plan_files
from jobs.engine.intake.read_before import is_beginning_of_known
from jobs.engine.intake.told_counts import tell_count
from jobs.settings.model import Settings
from pipeline.bronze import log_record
from pipeline.bronze.planning import Plan, Segment
from pipeline.core.contents import InspectedFile, KnownFile
from pipeline.core.files import Listed
from pipeline.core.frames import frame_of
from pipeline.core.stored_tables import StoredTables
from pipeline.kafka.layout.paths import Located
from pipeline.kafka.reading.reader import ARROW_SCHEMA
from schemas.bronze import file_sighting, source_file
from schemas.bronze.file_sighting import LOOKS_LIKE

LOOKED_AGAIN = ("held_back", "outside", "waiting", "unreadable")
SEEN = ("size_bytes", "modified_at", "state", "sentence", "file_id")
# What a segment's records are counted by.
COUNTED = ("load_seq", "event", "byte_length", "logged_at")
Seen = dict[str, Any]


class Loader:
    """The loading of one cluster in one run."""

    def __init__(
        self,
        cluster_id: str,
        settings: Settings,
        run_id: str,
        tables: StoredTables,
        looker: Looker,
    ) -> None:
        self.cluster_id, self.settings, self.run_id = cluster_id, settings, run_id
        self.tables, self.looker = tables, looker
        self.located: dict[str, Located] = {}
        self.used: frozenset[str] = frozenset()
        self.sighted: dict[str, Seen] = {}
        self.masking = settings.masking.rules()

    def of_run(self, run_id: str, tables: StoredTables) -> "Loader":
        """The same for another run, which knows what this one has found."""
        other = copy(self)
        other.run_id, other.tables = run_id, tables
        return other

    def stored_path(self, path: str) -> str:
        return path if self.masking is None else self.masking.path(path)

    def stored_text(self, text: str | None, path: str) -> str | None:
        """A sentence about a path."""
        if self.masking is None or text is None:
            return text
        return self.masking.sentence(text, path)

    def seen(self, candidates: Sequence[Candidate]) -> dict[str, Seen]:
        """By path of a candidate its newest sighting: size_bytes, modified_at, state, sentence, file_id. Those of all
        paths are noted as well."""
        if not self.tables.has_rows(file_sighting.SPEC):
            return {}
        sightings = frame_of(self.tables.read(file_sighting.SPEC, None, ("path", "run_id", *SEEN)))
        newest = sightings.sort("run_id", *SEEN).unique("path", keep="last")
        stored = {row.pop("path"): row for row in newest.drop("run_id").with_columns(path="path").to_dicts()}
        self.sighted = dict(stored)
        self.used = frozenset(one["file_id"] for one in stored.values() if has_file_id(one))
        paths = {one.listed.path: self.stored_path(one.listed.path) for one in candidates}
        return {path: stored[told] for path, told in paths.items() if told in stored}

    def changed(self, candidates: Sequence[Candidate], seen: dict[str, Seen]) -> list[Candidate]:
        """Files that are new, differ in size or time from when they were last seen, or were not read then;
        those in which no log was found also when the settings give them another envelope."""
        return [
            one
            for one in candidates
            if is_file_changed(
                one, seen.get(one.listed.path), self.not_kafka_said, is_server_read=self.looker.is_server_read
            )
        ]

    def not_kafka_said(self, one: Candidate) -> str | None:
        said = self.looker.not_kafka(envelope_of(one, self.settings, self.cluster_id))
        return self.stored_text(said, one.listed.path)

    def plan(
        self,
        changed: Sequence[Candidate],
        candidates: Sequence[Candidate],
        seen: dict[str, Seen],
    ) -> Plan:
        """What to read of the changed files among all candidates."""
        self.located = {one.listed.path: one.located for one in candidates}
        quiet, look = timedelta(seconds=self.settings.quiet_seconds), self.looker.look
        now = datetime.now(UTC)
        return plan_files(look, candidates, changed, self.known(), seen, now, quiet, self.used, self.is_read)

    def is_read(self, file: InspectedFile, known: KnownFile) -> bool:
        """Whether a file that is shorter than what was read before is its beginning."""
        ranges = self.ranges_of(Segment(file, known.file_id, known.load_seq, 0, file.size))
        return is_beginning_of_known(ranges, self.masking, self.tables, known)

    def look_again(self, found: Sequence[Listed], offsets: Offsets) -> list[InspectedFile]:
        """Files of the plan as they are now."""
        return self.looker.look([Candidate(one, self.located[one.path]) for one in found], offsets)

    def known(self) -> list[KnownFile]:
        """Every file that was read: its newest segment, and the load_seq of all."""
        if not self.tables.has_rows(source_file.SPEC):
            return []
        names = [name for name in KnownFile.__dataclass_fields__ if name != "load_seqs"]
        files = frame_of(self.tables.read(source_file.SPEC)).sort("load_seq")
        newest = files.group_by("file_id", maintain_order=True).agg(
            *(pl.col(name).last() for name in names if name != "file_id"), load_seqs=pl.col("load_seq")
        )
        return [KnownFile(**row | {"load_seqs": tuple(row["load_seqs"])}) for row in newest.to_dicts()]

    def read_here(self, segments: Sequence[Segment]) -> pa.Table:
        """The records of the segments, read in the driver."""
        ranges = tell_count(self.ranges(segments), self.looker.tell, "parts of files read")
        records = log_record.records_of(ranges, self.masking)
        return pa.Table.from_batches(records, ARROW_SCHEMA)

    def ranges(self, segments: Sequence[Segment]) -> list[dict[str, Any]]:
        """Plain files in pieces, compressed ones whole."""
        return [row for segment in segments for row in self.ranges_of(segment)]

    def ranges_of(self, segment: Segment) -> list[dict[str, Any]]:
        file, limits = segment.looked, self.settings.limits
        step = limits.range_bytes if file.codec == "plain" else segment.limit - segment.start_offset
        return [
            {
                "cluster_id": file.cluster_id,
                "node_id": file.node_id,
                "is_shared": file.is_shared,
                "log": file.log,
                "file_id": segment.file_id,
                "load_seq": segment.load_seq,
                "zone": file.zone,
                "envelope": file.envelope,
                "start": start,
                "end": min(start + step, segment.limit),
                "limit": segment.limit,
                "owns_preamble": start == segment.start_offset,
                "path": file.found.bytes_at,
                "codec": file.codec,
                "first_record_hash": file.first_record_hash,
                "max_record_bytes": limits.max_record_bytes,
            }
            for start in range(segment.start_offset, segment.limit, step)
        ]

    def counted(self, records: pl.DataFrame) -> dict[int, dict[str, Any]]:
        """By load_seq what the records that were written add up to."""
        counted = records.group_by("load_seq").agg(
            record_count=pl.len(),
            understood_count=pl.col("event").is_not_null().sum(),
            record_bytes=pl.col("byte_length").sum(),
            first_logged_at=pl.col("logged_at").min(),
            last_logged_at=pl.col("logged_at").max(),
        )
        return {row["load_seq"]: row for row in counted.to_dicts()}

    def manifest(self, segments: Sequence[Segment], counted: dict[int, dict[str, Any]]) -> pa.Table:
        """Rows of bronze.source_file: what was planned, and what came of it."""
        rows = [self.planned(one) | counted[one.load_seq] for one in segments]
        return pa.Table.from_pylist(rows, schema=source_file.SPEC.arrow)

    def recounted(self, counted: dict[int, dict[str, Any]]) -> pa.Table:
        """All rows of bronze.source_file with what their records add up to now, in the zones of the settings."""
        rows = self.tables.read(source_file.SPEC).to_pylist()
        zones = {
            node_id: self.settings.zone_of(self.cluster_id, node_id)
            for node_id in {row["node_id"] for row in rows}
        }
        rows = [row | {"zone": zones[row["node_id"]]} | counted.get(row["load_seq"], {}) for row in rows]
        return pa.Table.from_pylist(rows, schema=source_file.SPEC.arrow)

    def planned(self, segment: Segment) -> dict[str, Any]:
        file = segment.looked
        return {
            "cluster_id": file.cluster_id,
            "node_id": file.node_id,
            "is_shared": file.is_shared,
            "log": file.log,
            "file_id": segment.file_id,
            "load_seq": segment.load_seq,
            "path": self.stored_path(file.found.path),
            "codec": file.codec,
            "envelope": file.envelope,
            "zone": file.zone,
            "size_bytes": file.size,
            "start_offset": segment.start_offset,
            "consumed_bytes": segment.limit,
            "is_last_held_back": segment.is_last_held_back,
            "first_record_hash": file.first_record_hash,
            "consumed_hash": file.hashes[segment.limit],
            "run_id": self.run_id,
        }

    def sightings(self, planned: Plan) -> pa.Table:
        rows = [
            {
                "cluster_id": self.cluster_id,
                "path": one.stored_path or self.stored_path(one.found.path),
                "size_bytes": one.found.size_bytes,
                "modified_at": one.found.modified_at,
                "state": one.state,
                "sentence": self.stored_text(one.sentence, one.found.path),
                "file_id": one.file_id,
                "run_id": self.run_id,
            }
            for one in planned.sightings
        ]
        return pa.Table.from_pylist(rows, schema=file_sighting.SPEC.arrow)


def is_file_changed(
    one: Candidate,
    seen: Seen | None,
    not_kafka_said: Callable[[Candidate], str | None],
    *,
    is_server_read: bool,
) -> bool:
    """not_kafka_said: what a file that is none of Kafka's is told to be, with the envelope that it has now."""
    if seen is None or is_other(one.listed, seen):
        return True
    if seen["state"] == "known" and seen["file_id"] is None:
        return not one.listed.is_elsewhere  # nothing was there that could have been read
    if seen["state"] == "not_kafka":
        return str(seen["sentence"]).partition(LOOKS_LIKE)[0] != not_kafka_said(one)
    again = {*LOOKED_AGAIN, *(("not_asked",) if is_server_read else ())}
    return seen["state"] in again and one.listed.size_bytes > 0


def has_file_id(seen: Seen) -> bool:
    """Whether a file has the file_id of this sighting; of what could not be read none has it before it is read."""
    return seen["file_id"] is not None and seen["state"] not in file_sighting.PROBLEMS


def is_other(listed: Listed, seen: Seen) -> bool:
    return (
        seen["size_bytes"] != listed.size_bytes
        or driver_time_as_utc(seen["modified_at"]) != listed.modified_at
    )


def driver_time_as_utc(moment: datetime | None) -> datetime | None:
    """Spark gives timestamps to Python in the local zone of the driver, without naming it."""
    return None if moment is None else moment.astimezone(UTC)
