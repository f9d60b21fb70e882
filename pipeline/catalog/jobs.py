"""Which tables each job builds."""

from pipeline.catalog.tables import TABLES, Refresh, stands_on


def wanted_by(*goals: str) -> tuple[str, ...]:
    """Names of the tables that are built for these, in the order of building."""
    needed = frozenset[str]().union(*(stands_on(goal) for goal in goals))
    return tuple(one.spec.name for one in TABLES if one.build is not None and one.spec.table in needed)


SEGMENTED = tuple(one.spec.table for one in TABLES if one.refresh is Refresh.APPEND)
JOBS: dict[str, tuple[str, ...]] = {
    "ingest": wanted_by(*SEGMENTED, "controller_line", "log_gap"),
    "replay": wanted_by(*SEGMENTED, "controller_term", "replay_check", "replay_summary", "evidence"),
    "imbalance": wanted_by(
        *SEGMENTED, "imbalance_breach", "partition_outage", "partition_view", "controller_day"
    ),
    "nightly": wanted_by(*(one.spec.table for one in TABLES)),
}
