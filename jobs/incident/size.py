"""How much an answer in memory may take on; more is the nightly's."""

from collections.abc import Iterable, Sequence

from jobs.engine.incremental.placement import unpacked_bytes
from jobs.engine.intake.discovery import Candidate
from jobs.engine.run.looking import LogLookResult
from jobs.settings.model import Settings
from jobs.text import human_bytes
from pipeline.core.errors import InputProblem


def require_candidates(clusters: Iterable[Sequence[Candidate]], settings: Settings) -> None:
    """InputProblem: what is named as a log of Kafka is more by far, before any of it is looked into."""
    for candidates in clusters:
        named = [one.listed for one in candidates if one.located.log is not None]
        require_size_limit(unpacked_bytes(named), settings)


def require_planned(settings: Settings, found: LogLookResult) -> None:
    """InputProblem: what was found to be read is more."""
    require_size_limit(sum(one.limit - one.start_offset for one in found.planned.segments), settings)


def require_size_limit(size: int, settings: Settings) -> None:
    most = settings.limits.incident_bytes
    if size > most:
        raise InputProblem(
            expected=f"at most {human_bytes(most)} of logs of one cluster (limits.incident_bytes)",
            found=f"about {human_bytes(size)}",
            todo="name fewer files, raise the limit (14 to 40 times as much memory), or let the nightly job read them",
        )
