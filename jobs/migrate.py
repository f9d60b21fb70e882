"""The migrate job: brings a warehouse that an older release wrote to the tables that this one declares.

Every run that meets such a cluster does the same first; as a job of its own it reads no logs.
"""

import sys
from collections.abc import Sequence

from jobs.engine.run.migration import migrate_older
from jobs.engine.run.on_clusters import run_on_clusters
from jobs.engine.run.progress import Progress
from jobs.parser import Parser
from jobs.settings.arguments import on_warehouse
from jobs.settings.model import Settings
from pipeline.store.locks.lock import ClusterLock
from pipeline.store.runs.published import FORMAT_VERSION
from pipeline.store.warehouse import ClusterWarehouse


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    arguments = Parser(prog="kafka-controller-audit migrate", description=__doc__.partition("\n")[0])
    arguments.add_argument("--cluster", metavar="NAME", help="one cluster (all of the warehouse)")
    on_warehouse(arguments)
    given = arguments.parse_args(argv)

    return run_on_clusters("migrate", given, migrate_cluster)


def migrate_cluster(
    store: ClusterWarehouse, settings: Settings, progress: Progress, lock: ClusterLock
) -> str:
    changed = migrate_older(store, settings, progress, lock)
    if not changed:
        return f"NOTHING TO MIGRATE  format {FORMAT_VERSION}"
    return f"MIGRATED  to format {FORMAT_VERSION}: {', '.join(changed)}"


if __name__ == "__main__":
    sys.exit(main())
