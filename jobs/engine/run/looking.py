"""What a run finds of the logs of its cluster: which files are there, which are new, what is read of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from jobs.engine.incremental.fingerprints import FORMS_READ, forms_read
from jobs.engine.incremental.placement import placement_of, unpacked_bytes
from jobs.engine.intake.discovery import Candidate
from jobs.engine.intake.executors import IntakeExecutors
from jobs.engine.intake.file_probe import Looker
from jobs.engine.intake.metadata_bytes import is_copy
from jobs.engine.intake.segments import Loader, Seen
from jobs.engine.intake.vanished_paths import held_by, vanished_sightings, without_gone
from jobs.engine.run.preconditions import require_kafka
from jobs.engine.run.progress import Progress
from jobs.engine.run.request import IS_KRAFT, RunRequest, has_other_problems, new_sightings
from pipeline.bronze.planning import Plan
from pipeline.core.stored_tables import StoredTables
from pipeline.store.runs.published import Published

# Of what is stored already a run reads so small a part.
HISTORY_COUNTS = 32


@dataclass(frozen=True)
class LogLookResult:
    """planned: segments to read, and sightings that are news. states: by path what is known of a file, and a sentence
    on it. new_bytes: of files that are new or changed, unpacked. is_other_problem: a file cannot be read of which that
    is new, or can be that could not. is_kraft: the cluster is in KRaft, or on its way there. metadata:
    copies of its metadata log."""

    loader: Loader
    planned: Plan
    states: dict[str, tuple[str, str | None]]
    new_bytes: int
    is_other_problem: bool
    is_kraft: bool
    metadata: Sequence[Candidate] = ()

    def part(self, planned: Plan, size: int, run_id: str, tables: StoredTables) -> "LogLookResult":
        """What one run of several reads of it, so many bytes."""
        loader = self.loader.of_run(run_id, tables)
        loader.looker.placement = placement_of(loader.settings, size)
        return replace(self, loader=loader, planned=planned, new_bytes=size)


@dataclass(frozen=True)
class LogLook:
    """A look of one run at the logs; published, tables: as they are before it. executors: None: it looks itself.
    tune: is told how many bytes the run reads and how many are stored, about. other_zones: as Looker takes it."""

    tables: StoredTables
    request: RunRequest
    run_id: str
    published: Published
    progress: Progress
    executors: IntakeExecutors | None = None
    tune: Callable[[int, int], None] | None = None
    other_zones: Mapping[int, str] = field(default_factory=dict)

    def look(self) -> LogLookResult:
        """Lists the files, looks into those that are new or changed, and plans what is read of them.

        NothingToRead, where nothing was ever read and no file can be.
        """
        settings = self.request.settings
        is_kraft = bool(self.published.counts.get(IS_KRAFT))
        cluster_id, window = self.request.cluster_id, (self.request.since, self.request.until)
        looker = Looker(
            cluster_id,
            settings,
            *window,
            is_kraft=is_kraft,
            executors=self.executors,
            other_zones=self.other_zones,
        )
        looker.tell = self.progress.detail
        loader = Loader(cluster_id, settings, self.run_id, self.tables, looker)
        listing = self.request.list_logs()
        metadata = [one for one in listing.candidates if is_copy(one)]
        listing = replace(listing, candidates=[one for one in listing.candidates if not is_copy(one)])
        seen = loader.seen(listing.candidates)
        changed = self.changed(loader, listing.candidates, seen)
        self.progress.stage("files", f"{len(listing.candidates)} found, {len(changed)} new or changed")
        self.tell_sizes(sum(one.listed.size_bytes for one in changed))
        new_bytes = unpacked_bytes(one.listed for one in changed)
        looker.placement = placement_of(settings, new_bytes)
        planned = loader.plan(changed, listing.candidates, seen) if changed else Plan((), ())
        self.say_server_log(looker)
        listing = without_gone(listing, changed, planned)
        held = held_by(listing.candidates, planned, seen)
        over = vanished_sightings(listing, loader.sighted, held, loader.stored_path)
        planned = Plan(planned.segments, (*new_sightings(planned, seen), *over))
        states = states_of(listing.candidates, planned, seen)
        if not planned.segments and not self.published.counts.get("load_seq"):
            require_kafka(cluster_id, states)
        is_other = has_other_problems(planned, loader.sighted | seen)
        return LogLookResult(loader, planned, states, new_bytes, is_other, looker.is_kraft, metadata)

    def say_server_log(self, looker: Looker) -> None:
        """Says that server.log is read though nobody asked for it."""
        if looker.is_kraft and looker.settings.server_log is None:
            self.progress.stage("server.log", "read too, as the cluster is in KRaft (--no-server-log: not)")

    def changed(
        self, loader: Loader, candidates: Sequence[Candidate], seen: dict[str, Seen]
    ) -> Sequence[Candidate]:
        """The files to look into: all of them where a run looked last that recognised them by something else."""
        now = forms_read(self.request.settings, self.request.cluster_id)
        is_other = self.published.watermarks.get(FORMS_READ, now) != now
        return candidates if is_other else loader.changed(candidates, seen)

    def tell_sizes(self, new_bytes: int) -> None:
        """Tables are built from the night on, few of them from all that is stored, and of that from little."""
        total = new_bytes + self.published.counts.get("total_bytes", 0)
        if self.tune is not None:
            self.tune(max(new_bytes, total // HISTORY_COUNTS), total)


def states_of(
    candidates: Sequence[Candidate], planned: Plan, seen: Mapping[str, Seen]
) -> dict[str, tuple[str, str | None]]:
    """By path of each file that is there: its state, as this run finds it, else as an earlier one did, and why."""
    states = {path: (one["state"], one["sentence"]) for path, one in seen.items()}
    states |= {one.found.path: (one.state, one.sentence) for one in planned.sightings}
    return {one.listed.path: states[one.listed.path] for one in candidates}
