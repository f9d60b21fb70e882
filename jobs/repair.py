"""The repair job: mends what doctor found damaged, from what is left of the warehouse and from the logs."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from functools import partial

from jobs.cluster_job import ClusterJob, Printed
from jobs.engine.intake.discovery import Candidate, candidates_by_cluster
from jobs.engine.mending.repair import Repair
from jobs.engine.run.on_clusters import run_on_clusters
from jobs.engine.run.outcome import worst_exit_code
from jobs.engine.run.progress import Progress
from jobs.fleet import run_without_spark
from jobs.main import run_clusters
from jobs.settings.arguments import job_parser, settings_of


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    arguments = job_parser("repair", __doc__.partition("\n")[0])
    given = arguments.parse_args(argv)
    repair = Repair(lambda cluster: candidates_of(given, cluster), is_of_logs=bool(given.logs))
    code = run_on_clusters("repair", given, repair.repaired, is_damaged=True)
    codes = [code, *(read_again(arguments_of_cluster(given, one)) for one in repair.again)]
    settle = partial(run_on_clusters, "repair", work=repair.repaired, is_damaged=True)
    codes.extend(settle(arguments_of_cluster(given, one)) for one in tuple(repair.to_settle))
    return worst_exit_code(codes)


def read_again(given: Namespace) -> int:
    """Exit code of a night of the cluster, which reads what was lost: without Spark, if it can do without."""
    done = run_without_spark(
        ClusterJob("nightly", given, settings_of(given), (given.cluster,), given.cluster), Progress()
    )
    if done is None:
        return run_clusters("nightly", given)
    outcome, kept = done
    kept.tell(Printed())
    return outcome.nothing_code if outcome.code is None else outcome.code


def candidates_of(given: Namespace, cluster: str) -> Sequence[Candidate]:
    """The files of a cluster below --logs; none where no logs were given."""
    if not given.logs:
        return ()
    return candidates_by_cluster(given.logs, settings_of(given), given.cluster).get(cluster, ())


def arguments_of_cluster(given: Namespace, cluster: str) -> Namespace:
    """The same arguments for a run that reads what was lost."""
    return Namespace(**vars(given) | {"cluster": cluster})


if __name__ == "__main__":
    sys.exit(main())
