"""The clusters whose logs are held, with what was read of them."""

from collections.abc import Callable, Mapping, Sequence

from jobs.engine.intake.discovery import Candidate, Listing, candidates_by_cluster
from jobs.engine.run.looking import LogLookResult
from jobs.engine.run.progress import Progress
from jobs.engine.run.request import RunRequest
from jobs.incident.clusters import JOB
from jobs.incident.following.held import HeldLogs
from jobs.incident.following.stream import FollowedLogs
from jobs.incident.in_memory import AnalyzedLogs
from jobs.metadata.files import split_candidates
from jobs.settings.model import Settings


class HeldClusters:
    """cluster: that all logs belong to; None: by their paths. window_bytes: as HeldLogs takes it. metadata: files of
    metadata logs by cluster, as they were found last."""

    def __init__(
        self, logs: FollowedLogs, settings: Settings, cluster: str | None, window_bytes: int
    ) -> None:
        self.logs, self.settings, self.cluster, self.window_bytes = logs, settings, cluster, window_bytes
        self.held: dict[str, HeldLogs] = {}
        self.metadata: Mapping[str, Sequence[Candidate]] = {}

    def found(self) -> Mapping[str, Sequence[Candidate]]:
        """The files that are there by cluster; of clusters that are held and whose files went, none. InputProblem: as
        candidates_by_cluster."""
        held: dict[str, Sequence[Candidate]] = {name: [] for name in self.held}
        paths = self.logs.paths
        found = candidates_by_cluster(paths, self.settings, self.cluster, self.logs.below)
        split = {name: split_candidates(some, paths) for name, some in found.items()}
        self.metadata = {name: one.metadata for name, one in split.items()}
        return held | {name: one.logs for name, one in split.items()}

    def request(self, cluster_id: str, candidates: Sequence[Candidate], settings: Settings) -> RunRequest:
        listing = Listing(candidates, self.logs.paths)
        return RunRequest(JOB, "", cluster_id, lambda: listing, settings)

    def look(
        self, request: RunRequest, progress: Progress, require_room: Callable[[LogLookResult], None]
    ) -> AnalyzedLogs:
        """As HeldLogs.look."""
        held = self.held.setdefault(request.cluster_id, HeldLogs(self.window_bytes))
        return held.look(request, progress, require_room)
