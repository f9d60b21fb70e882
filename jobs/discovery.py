"""Finds the log files of a run and the cluster and node that each belongs to, as far as paths tell."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from jobs.settings import CLUSTER_NAME, Settings
from pipeline.core.errors import InputProblem
from pipeline.core.files import Listed, list_files
from pipeline.kafka.layout import Located, locate


@dataclass(frozen=True)
class Candidate:
    """A file that may be a log of Kafka."""

    listed: Listed
    located: Located


def candidates_by_cluster(
    roots: Sequence[str], settings: Settings, cluster: str | None
) -> dict[str, list[Candidate]]:
    """All files below the roots by cluster: the one given, else the one in the path, else the default of conf.

    InputProblem: a root is missing or may not be read, or there is no file at all.
    """
    found: dict[str, Candidate] = {}
    for root in roots:
        for listed in listed_below(root):
            found.setdefault(listed.path, Candidate(listed, locate(listed.relative, settings.patterns())))
    if not found:
        raise InputProblem(
            expected=f"log files below {', '.join(roots)}",
            found="no file at all",
            todo="give the folder that holds controller.log and state-change.log with --logs (make run LOGS=...)",
        )
    clusters: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in found.values():
        clusters[cluster or candidate.located.cluster or settings.cluster_id].append(candidate)
    for name in clusters:
        if not re.fullmatch(CLUSTER_NAME, name):
            raise InputProblem(
                expected="names of clusters out of letters, digits, '.', '_' and '-'",
                found=f"{name!r}, the name of a folder",
                todo="name the cluster with --cluster (make run CLUSTER=...), or set path_patterns",
            )
    return dict(sorted(clusters.items()))


def listed_below(root: str) -> list[Listed]:
    try:
        return list_files(root)
    except FileNotFoundError as error:
        raise InputProblem(
            expected=f"a log folder, file or glob at {root}",
            found=f"no {error}",
            todo="check the path given with --logs (make run LOGS=...)",
        ) from error
    except PermissionError as error:
        raise InputProblem(
            expected=f"to read the log folder {root}",
            found=f"no permission for {error}",
            todo="run as a user who may read it, or copy the logs elsewhere",
        ) from error
