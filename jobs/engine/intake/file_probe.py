"""Looks into files and says of each what it is, or why it is not read."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast
from zoneinfo import ZoneInfo

from jobs.engine.incremental.placement import Placement
from jobs.engine.intake.discovery import Candidate
from jobs.engine.intake.executors import Fact, IntakeExecutors
from jobs.engine.intake.told_counts import tell_count, tell_nothing
from jobs.settings.model import Settings
from pipeline.bronze import file_look
from pipeline.bronze.file_look import Wanted
from pipeline.bronze.planning import unique_file_id
from pipeline.core.contents import InspectedFile
from pipeline.core.errors import InputProblem
from pipeline.core.opening import is_there
from pipeline.kafka.metadata_log.file_names import is_file_of_data
from pipeline.kafka.reading.sniff import HEAD_BYTES
from schemas.bronze.file_sighting import LOOKS_LIKE

SERVER_SENTENCE = "a server.log is read by default of KRaft clusters only (--server-log reads it)"
TURNED_OFF = "a server.log is not read, as the settings say (server_log: false)"
EMPTY = "the file is empty"
OF_DATA = "a file of Kafka's data directory, which is not opened"
OF_SERVER_LOG = (SERVER_SENTENCE, TURNED_OFF)
CONTRADICTORY = "nodes {} wrote it, and its lines do not tell which line is whose"


class Looker:
    """Looks of one run on one cluster; since and until leave out files whose records lie outside of them.

    is_kraft: the cluster is known to be in KRaft, or the looks so far told it: where the settings do not say whether
    server.log is read, it is there, as KRaft writes elections, fencing and departures into it. executors: None: all is
    looked at here. other_zones: by node why its files are not to be read.
    """

    def __init__(
        self,
        cluster_id: str,
        settings: Settings,
        since: datetime | None,
        until: datetime | None,
        *,
        is_kraft: bool = False,
        executors: IntakeExecutors | None = None,
        other_zones: Mapping[int, str] | None = None,
    ) -> None:
        self.is_kraft, self.other_zones = is_kraft, other_zones or {}
        self.cluster_id, self.settings, self.since, self.until = cluster_id, settings, since, until
        self.executors = executors
        self.placement = Placement.EXECUTORS
        self.tell: Callable[[str], None] = tell_nothing
        self.masking = settings.masking.rules()

    @property
    def is_server_read(self) -> bool:
        return self.settings.is_server_read(is_kraft=self.is_kraft)

    def look(
        self, candidates: Iterable[Candidate], offsets: Mapping[str, frozenset[int]]
    ) -> list[InspectedFile]:
        """Each candidate as an executor sees it, without those that are gone. offsets: by name the beginnings whose
        hash is wanted.

        InputProblem: executors find no such file where the driver has one.
        """
        by_path = {one.listed.bytes_at: one for one in candidates}
        readable = [one for one in by_path.values() if one.listed.problem is None and is_opened(one)]
        rows = [
            {
                "path": one.listed.bytes_at,
                "log": one.located.log,
                "envelope": envelope_of(one, self.settings, self.cluster_id),
                "stored_bytes": one.listed.size_bytes,
                "max_file_bytes": self.settings.limits.max_file_bytes,
                "max_ratio": self.settings.limits.max_ratio,
                "max_record_bytes": self.settings.limits.max_record_bytes,
            }
            for one in readable
        ]
        facts = self.told(rows, Wanted(offsets, self.masking))
        gone = {path for path, fact in facts.items() if fact["is_missing"]}
        require_same_files(sorted(gone), len(facts))
        return [self.looked(one, facts.get(path)) for path, one in by_path.items() if path not in gone]

    def told(self, rows: Sequence[Fact], wanted: Wanted) -> dict[str, Fact]:
        """By path what a look says. The first look that tells that the cluster is in KRaft is followed by one into its
        files of server.log."""
        facts = {fact["path"]: fact for fact in self.facts(rows, wanted)}
        was_read = self.is_server_read
        self.is_kraft = self.is_kraft or any(fact["is_kraft"] for fact in facts.values())
        if was_read or not self.is_server_read:
            return facts
        passed = [row for row in rows if facts[row["path"]]["log"] == "server"]
        return facts | {fact["path"]: fact for fact in self.facts(passed, wanted)}

    def facts(self, rows: Sequence[Fact], wanted: Wanted) -> Iterable[Fact]:
        """What a look says of each file, where the night is read."""
        rows = [row | {"is_server_read": self.is_server_read} for row in rows]
        if not rows:
            return ()
        if self.executors is None or self.placement is Placement.DRIVER:
            told = tell_count(rows, self.tell, "files looked into")
            looks = (file_look.inspect_file(wanted=wanted, **row) for row in told)
            return [one | {"hashes": dict(one["hashes"])} for one in looks]
        return self.executors.look(rows, wanted)

    def looked(self, candidate: Candidate, fact: Fact | None) -> InspectedFile:
        listed, located, cluster_id = candidate.listed, candidate.located, self.cluster_id
        stored_path = None if self.masking is None else self.masking.path(listed.path)
        bare = InspectedFile(
            listed, cluster_id, located.node, located.log or "mixed", stored_path=stored_path
        )
        if listed.problem is None and listed.size_bytes and not is_opened(candidate):
            return replace(bare, refusal=("not_kafka", OF_DATA))
        if fact is None:
            state = "known" if listed.is_elsewhere else "unreadable" if listed.problem else "waiting"
            return replace(bare, refusal=(state, listed.problem or EMPTY))
        nodes = fact["node_ids"]
        is_shared = len(nodes) > 1
        node_id = None if is_shared else nodes[0] if nodes else located.node
        zone = self.settings.zone_of(cluster_id, node_id)
        times = {name: record_time_in_zone(fact, name, zone) for name in ("first", "tail")}
        given = envelope_of(candidate, self.settings, cluster_id)
        refusal = self.refusal(fact, given, times["first"], times["tail"]) or self.of_other_zone(node_id)
        if refusal is not None:
            begun = replace(bare, node_id=node_id, first_record_hash=fact["first_record_hash"])
            is_begun = fact["problem"] is not None and fact["first_record_hash"] is not None
            return replace(
                bare, refusal=refusal, begins_as=unique_file_id(begun, 0, ()) if is_begun else None
            )
        return replace(
            bare,
            node_id=node_id,
            is_shared=is_shared,
            log=fact["log"],
            codec=fact["codec"],
            envelope=fact["envelope"],
            zone=zone,
            size=fact["size"],
            first_record_hash=fact["first_record_hash"],
            tail_start=fact["tail_start"],
            ends_with_newline=fact["ends_with_newline"],
            tail_logged_at=times["tail"],
            hashes={offset: self.hidden(one) for offset, one in fact["hashes"].items()},
            starts=frozenset(fact["starts"]),
            first_logged_at=times["first"],
            breaks_off=fact["breaks_off"],
        )

    def hidden(self, content_hash: str) -> str:
        """As the name of a content is under masking."""
        return content_hash if self.masking is None else self.masking.masker.digest(content_hash)

    def refusal(
        self, fact: Fact, given: str | None, first: datetime | None, tail: datetime | None
    ) -> tuple[str, str] | None:
        """A state of bronze.file_sighting and its sentence, if the file is not to be read."""
        nodes = fact["node_ids"]
        is_outside = (self.since and tail and tail < self.since) or (
            self.until and first and first >= self.until
        )
        is_none = fact["envelope"] is None or fact["log"] is None
        said = self.not_kafka(given) + (LOOKS_LIKE + fact["looks_like"] if fact["looks_like"] else "")
        reasons: tuple[tuple[object, str, str], ...] = (
            (fact["problem"], "unreadable", str(fact["problem"])),
            (fact["looks_like"] and not is_none, "not_asked", str(fact["looks_like"])),
            (fact["log"] == "server" and not self.is_server_read, "not_asked", self.not_asked),
            (is_none, "not_kafka", said),
            (not fact["is_told_apart"], "contradictory", CONTRADICTORY.format(nodes)),
            (is_outside, "outside", "outside of --since and --until"),
        )
        return next(((state, sentence) for holds, state, sentence in reasons if holds), None)

    def of_other_zone(self, node_id: int | None) -> tuple[str, str] | None:
        """As refusal gives it, of a node whose times are of another zone than the settings say."""
        said = None if node_id is None else self.other_zones.get(node_id)
        return None if said is None else ("contradictory", said)

    @property
    def not_asked(self) -> str:
        return SERVER_SENTENCE if self.settings.server_log is None else TURNED_OFF

    def not_kafka(self, given: str | None) -> str:
        """Why a file is none of Kafka's, with all that this rests on: when that changes, files are looked at again.
        How one begins that looks like Kafka's follows LOOKS_LIKE.

        given: the envelope that the settings give it.
        """
        looked_at = max(HEAD_BYTES, self.settings.limits.max_record_bytes)
        sentence = f"no line of a Kafka controller log in its first {looked_at:,} bytes"
        return sentence if given is None else f"{sentence}, read as {given}"


def is_opened(candidate: Candidate) -> bool:
    """False of what is empty, and of what Kafka keeps of its topics, which is people's own."""
    listed = candidate.listed
    return bool(listed.size_bytes) and not is_file_of_data(listed.path)


def require_same_files(missing: Sequence[str], looked_at: int) -> None:
    """Executors have to see what the driver listed. InputProblem: they do not; a file that is gone is no such case."""
    hidden = next((path for path in missing if is_there(path)), None)
    if hidden is not None:
        raise InputProblem(
            expected="executors that see the same log files as the driver",
            found=f"that {len(missing)} of {looked_at} are not there for them, first {hidden}",
            todo="mount the folder on every executor, or give a URI that all of them can read",
        )


def envelope_of(candidate: Candidate, settings: Settings, cluster_id: str) -> str | None:
    """The envelope that the settings give a file; None: it is detected."""
    return settings.envelope_of(cluster_id, candidate.located.node, candidate.listed.relative)


def record_time_in_zone(fact: Fact, name: str, zone: str) -> datetime | None:
    """The time of the first or the last record: as the record tells it, else its local time in that zone."""
    told, local = fact[f"{name}_logged_at"], fact[f"{name}_logged_local"]
    if told is not None:
        # Spark gives timestamps to Python in the local zone of the driver, without naming it.
        return cast(datetime, told).astimezone(UTC)
    return None if local is None else cast(datetime, local).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
