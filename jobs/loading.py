"""Looks into new and changed files, plans the segments and turns them into bronze rows."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType

from jobs.discovery import Candidate
from jobs.settings import Settings
from pipeline.bronze import file_look, log_record
from pipeline.bronze.planning import Known, Looked, Plan, Segment, offsets_to_hash, plan
from pipeline.store.rows import collect_rows
from pipeline.store.warehouse import ClusterWarehouse
from schemas.bronze import file_sighting, source_file

LOOKED_AGAIN = ("waiting", "unreadable")
SERVER_SENTENCE = "a server.log is read only on request (--server-log)"
BIN_BYTES = 32 << 20


class Loader:
    """The loading of one cluster in one run."""

    def __init__(
        self, store: ClusterWarehouse, settings: Settings, run_id: str, versions: dict[str, int]
    ) -> None:
        self.store, self.spark, self.settings, self.run_id = store, store.spark, settings, run_id
        self.versions = versions

    def changed(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Files that are new, differ in size or time from when they were last seen, or were not read then."""
        if not self.versions.get(file_sighting.SPEC.name):
            return list(candidates)
        newest = (
            self.store.table(file_sighting.SPEC, self.versions)
            .groupBy("path")
            .agg(F.max_by(F.struct("size_bytes", "modified_at", "state"), "run_id").alias("seen"))
        )
        seen = {row["path"]: row["seen"] for row in collect_rows(newest)}
        again = {*LOOKED_AGAIN, *(("not_asked",) if self.settings.server_log else ())}
        return [
            one
            for one in candidates
            if one.listed.path not in seen
            or seen[one.listed.path]["state"] in again
            or seen[one.listed.path]["size_bytes"] != one.listed.size_bytes
            or utc(seen[one.listed.path]["modified_at"]) != one.listed.modified_at
        ]

    def plan(self, changed: Sequence[Candidate], since: datetime | None, until: datetime | None) -> Plan:
        """What to read of the changed files; a second look where copies of different length meet."""
        known = self.known()
        offsets = frozenset(one.consumed_bytes for one in known)
        looked = self.look(
            changed, dict.fromkeys((one.listed.path for one in changed), offsets), since, until
        )
        by_name: dict[str, list[Looked]] = defaultdict(list)
        for one in looked:
            if one.refusal is None and one.first_record_hash:
                by_name[f"{one.node_id}|{one.log}|{one.first_record_hash}"].append(one)
        wanted = offsets_to_hash(by_name)
        if wanted:
            more = [one for one in changed if one.listed.path in wanted]
            again = {
                one.found.path: one
                for one in self.look(more, {p: w | offsets for p, w in wanted.items()}, since, until)
            }
            looked = [again.get(one.found.path, one) for one in looked]
        next_load_seq = max((one.load_seq for one in known), default=0) + 1
        return plan(
            looked, known, next_load_seq, datetime.now(UTC), timedelta(seconds=self.settings.quiet_seconds)
        )

    def known(self) -> list[Known]:
        """The newest segment of every file that was read."""
        if not self.versions.get(source_file.SPEC.name):
            return []
        names = [name for name in Known.__dataclass_fields__]
        newest = (
            self.store.table(source_file.SPEC, self.versions)
            .groupBy("file_id")
            .agg(F.max_by(F.struct(*names), "load_seq").alias("one"))
            .select("one.*")
        )
        return [Known(**row) for row in collect_rows(newest)]

    def look(
        self,
        candidates: Iterable[Candidate],
        offsets: dict[str, frozenset[int]],
        since: datetime | None,
        until: datetime | None,
    ) -> list[Looked]:
        """Each candidate as an executor sees it, with the reason why it is not to be read, if there is one."""
        by_path = {one.listed.path: one for one in candidates}
        readable = [one for one in by_path.values() if one.listed.problem is None]
        rows = [
            {
                "path": one.listed.path,
                "codec": one.located.codec,
                "log": one.located.log,
                "is_server_read": self.settings.server_log,
                "offsets": sorted(offsets[one.listed.path]),
            }
            for one in readable
        ]
        sizes = [one.listed.size_bytes for one in readable]
        seen = collect_rows(file_look.build(binned(self.spark, rows, sizes, file_look.PATH))) if rows else []
        facts = {row["path"]: row for row in seen}
        return [self.looked(one, facts.get(path), since, until) for path, one in by_path.items()]

    def looked(
        self,
        candidate: Candidate,
        fact: dict[str, Any] | None,
        since: datetime | None,
        until: datetime | None,
    ) -> Looked:
        listed, located, cluster_id = candidate.listed, candidate.located, self.store.cluster_id
        bare = Looked(listed, cluster_id, located.node, located.log or "mixed", located.codec)
        if listed.problem is None and listed.size_bytes == 0:
            return replace(bare, refusal=("waiting", "the file is empty"))
        if fact is None or fact["problem"] is not None:
            return replace(
                bare, refusal=("unreadable", (fact or {}).get("problem") or listed.problem or "not listed")
            )
        if fact["log"] == "server" and not self.settings.server_log:
            return replace(bare, log="server", refusal=("not_asked", SERVER_SENTENCE))
        if fact["envelope"] is None or fact["log"] is None:
            return replace(
                bare, refusal=("not_kafka", "no line of a Kafka controller log in its first 256 KiB")
            )
        nodes = fact["node_ids"]
        if len(nodes) > 1:
            named = ", ".join(map(str, nodes))
            return replace(bare, refusal=("contradictory", f"its lines name several writing nodes: {named}"))
        node_id = nodes[0] if nodes else located.node
        zone = self.settings.zone_of(cluster_id, node_id)
        first, tail = (in_zone(fact[name], zone) for name in ("first_logged_local", "tail_logged_local"))
        if (since and tail and tail < since) or (until and first and first >= until):
            return replace(bare, refusal=("not_asked", "outside of --since and --until"))
        return replace(
            bare,
            node_id=node_id,
            log=fact["log"],
            envelope=fact["envelope"],
            zone=zone,
            size=fact["size"],
            first_record_hash=fact["first_record_hash"],
            only_record_hash=fact["only_record_hash"],
            tail_start=fact["tail_start"],
            ends_with_newline=fact["ends_with_newline"],
            tail_logged_at=tail,
            hashes=fact["hashes"],
            starts=frozenset(fact["starts"]),
        )

    def read(self, segments: Sequence[Segment]) -> DataFrame:
        """The records of the segments: plain files in ranges, compressed ones whole."""
        rows = [row for segment in segments for row in self.ranges(segment)]
        sizes = [row["end"] - row["start"] for row in rows]
        return log_record.build(binned(self.spark, rows, sizes, log_record.RANGE))

    def ranges(self, segment: Segment) -> list[dict[str, Any]]:
        file, limits = segment.looked, self.settings.limits
        step = limits.range_bytes if file.codec == "plain" else segment.limit - segment.start_offset
        return [
            {
                "cluster_id": file.cluster_id,
                "node_id": file.node_id,
                "log": file.log,
                "file_id": segment.file_id,
                "load_seq": segment.load_seq,
                "zone": file.zone,
                "envelope": file.envelope,
                "start": start,
                "end": min(start + step, segment.limit),
                "limit": segment.limit,
                "owns_preamble": start == segment.start_offset,
                "path": file.found.path,
                "codec": file.codec,
                "max_record_bytes": limits.max_record_bytes,
            }
            for start in range(segment.start_offset, segment.limit, step)
        ]

    def manifest(self, segments: Sequence[Segment], records: DataFrame) -> DataFrame:
        """Rows of bronze.source_file: what was planned, and what the records that were written add up to."""
        planned = self.spark.createDataFrame([self.planned(one) for one in segments], schema=PLANNED)
        counted = records.groupBy("load_seq").agg(
            F.count("*").alias("record_count"),
            F.count("event").alias("understood_count"),
            F.sum("byte_length").alias("record_bytes"),
            F.min("logged_at").alias("first_logged_at"),
            F.max("logged_at").alias("last_logged_at"),
        )
        return planned.join(F.broadcast(counted), on="load_seq", how="inner")

    def planned(self, segment: Segment) -> dict[str, Any]:
        file = segment.looked
        return {
            "cluster_id": file.cluster_id,
            "node_id": file.node_id,
            "log": file.log,
            "file_id": segment.file_id,
            "load_seq": segment.load_seq,
            "path": file.found.path,
            "codec": file.codec,
            "envelope": file.envelope,
            "zone": file.zone,
            "size_bytes": file.size,
            "start_offset": segment.start_offset,
            "consumed_bytes": segment.limit,
            "is_last_held_back": segment.is_last_held_back,
            "first_record_hash": segment.first_record_hash,
            "consumed_hash": file.hashes[segment.limit],
            "run_id": self.run_id,
        }

    def sightings(self, planned: Plan) -> DataFrame:
        rows = [
            {
                "cluster_id": self.store.cluster_id,
                "path": one.found.path,
                "size_bytes": one.found.size_bytes,
                "modified_at": one.found.modified_at,
                "state": one.state,
                "sentence": one.sentence,
                "file_id": one.file_id,
                "run_id": self.run_id,
            }
            for one in planned.sightings
        ]
        return self.spark.createDataFrame(rows, schema=file_sighting.SPEC.struct)


COUNTED = ("record_count", "understood_count", "record_bytes", "first_logged_at", "last_logged_at")
PLANNED = StructType([one for one in source_file.SPEC.struct.fields if one.name not in COUNTED])


def binned(
    spark: SparkSession, rows: list[dict[str, Any]], sizes: Sequence[int], schema: StructType
) -> DataFrame:
    """The rows with partitions of about 32 MiB of what they stand for, at least one per core: tasks follow bytes."""
    cores = spark.sparkContext.defaultParallelism
    count = max(min(cores, len(rows)), -(-sum(sizes) // BIN_BYTES))
    loads = [0] * count
    placed = []
    for index in sorted(range(len(rows)), key=lambda one: -sizes[one]):
        lightest = loads.index(min(loads))
        loads[lightest] += sizes[index] + 1
        placed.append({**rows[index], "bin": lightest})
    listed = spark.createDataFrame(
        placed, schema=StructType([*schema.fields, StructField("bin", LongType(), False)])
    )
    bins = spark.range(0, count, 1, count).withColumnRenamed("id", "bin")
    return bins.join(F.broadcast(listed), on="bin", how="inner").select(*schema.names)


def utc(moment: datetime | None) -> datetime | None:
    """Spark gives timestamps to Python in the local zone of the driver, without naming it."""
    return None if moment is None else moment.astimezone(UTC)


def in_zone(local: datetime | None, zone: str) -> datetime | None:
    return None if local is None else local.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
