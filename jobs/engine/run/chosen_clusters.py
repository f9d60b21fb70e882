"""Which clusters of a warehouse a command is about."""

from jobs.engine.run.late_warehouse import open_directly
from jobs.text import NAME_WIDTH, first_names, shorten_line
from pipeline.core.errors import InputProblem
from pipeline.store.files.local_files import LocalFiles


def chosen_clusters(known: list[str], warehouse: str, cluster: str | None) -> list[str]:
    """The cluster that is named, else all. InputProblem: there is no such, or none at all."""
    if known and (cluster is None or cluster in known):
        return known if cluster is None else [cluster]
    raise InputProblem(
        expected=f"cluster {shorten_line(cluster, NAME_WIDTH)} in the warehouse {warehouse}"
        if cluster
        else f"a cluster in {warehouse}",
        found=f"clusters: {first_names(known) or 'none'}",
        todo="there is no such folder: check --warehouse, or run the nightly job first"
        if is_warehouse_missing(warehouse)
        else "check --warehouse and --cluster, or run the nightly job on it first",
    )


def is_warehouse_missing(warehouse: str) -> bool:
    """True if it would be a folder of this machine, and there is none."""
    direct = open_directly(warehouse)
    return (
        direct is not None and isinstance(direct.files, LocalFiles) and not direct.files.exists(direct.root)
    )
