"""Brings a cluster that an older release wrote to the tables that this one declares."""

from collections.abc import Callable

from jobs.engine.run.progress import Progress
from jobs.engine.run.upkeep import Upkeep
from jobs.settings.model import Settings
from pipeline.catalog.knowledge import knowledge_fingerprint
from pipeline.catalog.tables import BY_NAME, KEPT, SPECS, Refresh
from pipeline.store.health.upkeep import Difference, add_columns, declaration_difference, widen_table
from pipeline.store.locks.lock import ClusterLock
from pipeline.store.runs.published import FORMAT_VERSION
from pipeline.store.warehouse import ClusterWarehouse
from schemas.ops import run
from schemas.spec import TableSpec

# What brings a cluster from format 1 to 2, 2 to 3, and so on; declarations that changed need no step of their own.
STEPS: tuple[Callable[[Upkeep], None], ...] = ()


def migrate_older(
    store: ClusterWarehouse, settings: Settings, progress: Progress, lock: ClusterLock
) -> list[str]:
    """Names of the tables that it changed; nothing is looked at where this release's code published last."""
    published = store.published()
    if published.run_id is None or (
        published.format_version == FORMAT_VERSION
        and published.knowledge_fingerprint == knowledge_fingerprint()
    ):
        return []
    upkeep = Upkeep(store, settings, "migrate", progress, lock)
    for step in STEPS[published.format_version - 1 :]:
        step(upkeep)
    specs = (*upkeep.tables, run.SPEC)
    found = [one for spec in specs if (one := declaration_difference(store.delta, spec)).is_any]
    missing = [spec for spec in SPECS if is_behind(spec, upkeep)]
    if not found and not missing and published.format_version == FORMAT_VERSION:
        return []
    progress.stage(
        "migrate", f"{len(found)} tables differ from their declaration, {len(missing)} are missing"
    )
    for one in found:
        migrate_table(store, one)
    store.create_missing(SPECS, upkeep.versions)
    names = {one.spec.name for one in found if one.spec is not run.SPEC} | {spec.name for spec in missing}
    upkeep.rebuild({name for name in names if BY_NAME[name].refresh is Refresh.APPEND} | upkeep.built())
    upkeep.publish()
    return sorted(names)


def is_behind(spec: TableSpec, upkeep: Upkeep) -> bool:
    """A table of log lines that is not there although lines were read."""
    is_derived = BY_NAME[spec.name].refresh is Refresh.APPEND
    return is_derived and spec.name not in upkeep.versions and upkeep.counts["load_seq"] > 0


def migrate_table(store: ClusterWarehouse, one: Difference) -> None:
    """Makes a table as declared. What holds the bytes is widened; what is built from them is emptied, if it must."""
    refresh = Refresh.RUN if one.spec is run.SPEC else BY_NAME[one.spec.name].refresh
    if refresh in KEPT:
        widen_table(store.delta, one)
    elif refresh is Refresh.FULL and one.is_additive:
        add_columns(store.delta, one)
    else:
        store.delta.create(one.spec, is_replaced=True)
