"""Finds the log files of a run and the cluster and node that each belongs to, as far as paths tell."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from jobs.settings.model import Settings
from jobs.settings.types import CLUSTER_NAME
from pipeline.core.errors import InputProblem
from pipeline.core.files import Listed, list_files
from pipeline.kafka.layout.paths import Located, locate_path

Below = Callable[[str], Iterable[Listed]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that may be a log of Kafka."""

    listed: Listed
    located: Located


@dataclass(frozen=True)
class Listing:
    """What a run of one cluster finds. others: the paths below the roots that are another cluster's."""

    candidates: Sequence[Candidate]
    roots: Sequence[str] = ()
    others: frozenset[str] = frozenset()


def candidates_by_cluster(
    roots: Sequence[str], settings: Settings, cluster: str | None, below: Below | None = None
) -> dict[str, list[Candidate]]:
    """All files below the roots by cluster: the one given, else the one in the path, else the default of conf. below:
    lists a root.

    InputProblem: a root is missing or may not be read, there is no file at all, or no cluster with a usable name.
    """
    clusters = located_below(roots, settings, cluster, below)
    if not clusters:
        raise InputProblem(
            expected=f"log files below {', '.join(roots)}",
            found="no file at all",
            todo="name the folder that holds controller.log and state-change.log",
        )
    if not usable_cluster_names(clusters):
        raise InputProblem(
            expected="names of clusters out of letters, digits, '.', '_' and '-'",
            found=f"{min(clusters)!r}, the name of a folder",
            todo="name the cluster with --cluster (make run CLUSTER=...), or set path_patterns",
        )
    return merge_unreadable_clusters(clusters, settings.cluster_id)


def listing_now(
    roots: Sequence[str], settings: Settings, cluster: str | None, running: Collection[str], cluster_id: str
) -> Listing:
    """The files of a cluster as they are once it is locked: since all were found another run may have read them, some
    may have come and all may have gone. running: the clusters that are run in turn.

    InputProblem: a root is missing or may not be read by now.
    """
    clusters = located_below(roots, settings, cluster)
    for name in running:
        clusters.setdefault(name, [])
    found = merge_unreadable_clusters(clusters, settings.cluster_id, running)
    others = frozenset(one.listed.path for name in found if name != cluster_id for one in found[name])
    return Listing(found[cluster_id], roots, others)


def located_below(
    roots: Sequence[str], settings: Settings, cluster: str | None, below: Below | None = None
) -> dict[str, list[Candidate]]:
    """By cluster, whatever its name, its files in the order of their paths."""
    found = candidates_below(
        roots, settings, below or partial(listed_below, follow_links=settings.follow_links)
    )
    clusters: dict[str, list[Candidate]] = defaultdict(list)
    for path in sorted(found):
        candidate = found[path]
        clusters[cluster or candidate.located.cluster or settings.cluster_id].append(candidate)
    return clusters


def usable_cluster_names(names: Iterable[str]) -> list[str]:
    return [name for name in sorted(names) if re.fullmatch(CLUSTER_NAME, name)]


def merge_unreadable_clusters(
    clusters: dict[str, list[Candidate]], default: str, running: Collection[str] = ()
) -> dict[str, list[Candidate]]:
    """The clusters that have something to read, or are run; what cannot be read of others is told in one of them.

    A name that no folder can have, such as '..', could lead out of the warehouse.
    """
    names = sorted({*usable_cluster_names(clusters), *running})
    readable = {name for name, some in clusters.items() if any(one.listed.problem is None for one in some)}
    homes = [name for name in names if name in readable or name in running] or names
    home = default if default in homes else homes[0]
    for name in sorted(set(clusters) - set(homes)):
        clusters[home] += [
            one if name in names else with_cluster_name_problem(one, name) for one in clusters[name]
        ]
    return {name: clusters[name] for name in homes}


def candidates_below(roots: Sequence[str], settings: Settings, below: Below) -> dict[str, Candidate]:
    """By path; what the same text stands for twice is the one that can be read."""
    found: dict[str, Candidate] = {}
    patterns = settings.patterns()
    for root in roots:
        for listed in below(root):
            before = found.get(listed.path)
            if before is None or (before.listed.problem and not listed.problem):
                # What is refused may be a folder, whose name tells what its files belong to.
                told = f"{listed.relative}/-" if listed.problem else listed.relative
                found[listed.path] = Candidate(listed, locate_path(told, patterns))
    return found


def with_cluster_name_problem(candidate: Candidate, cluster: str) -> Candidate:
    said = f"its path names a cluster {cluster!r}, which no folder can have as name: give --cluster"
    return replace(candidate, listed=replace(candidate.listed, problem=said))


def listed_below(root: str, *, follow_links: bool) -> Iterator[Listed]:
    try:
        yield from list_files(root, follow_links=follow_links)
    except FileNotFoundError as error:
        raise InputProblem(
            expected=f"a log folder, file or glob at {root}",
            found=f"no {error.filename or error}",
            todo="check the path that is given",
        ) from error
    except OSError as error:
        raise InputProblem(
            expected=f"to read the log folder {root}",
            found=error.strerror or str(error),
            todo="run as a user who may read it, or copy the logs elsewhere",
        ) from error
