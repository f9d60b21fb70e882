"""Which clusters of a warehouse a command is about."""

from pipeline.core.errors import InputProblem


def chosen_clusters(known: list[str], warehouse: str, cluster: str | None) -> list[str]:
    """The cluster that is named, else all. InputProblem: there is no such, or none at all."""
    if known and (cluster is None or cluster in known):
        return known if cluster is None else [cluster]
    raise InputProblem(
        expected=f"cluster {cluster} in the warehouse {warehouse}"
        if cluster
        else f"a cluster in {warehouse}",
        found=f"clusters: {', '.join(known) or 'none'}",
        todo="check --warehouse and --cluster, or run the nightly job on it first",
    )
