"""A job on one cluster in this process, without Spark: as a process of a fleet runs it, in a third of the time."""

import sys

from jobs.cluster_job import ClusterJob, Printed
from jobs.engine.run.outcome import print_problem
from jobs.engine.run.progress import Progress
from jobs.settings.arguments import job_parser, settings_of
from pipeline.store.spark.late_session import absent_session


def plain_nightly(argv: list[str]) -> int:
    return plain_job("nightly", argv)


def plain_ingest(argv: list[str]) -> int:
    return plain_job("ingest", argv)


def plain_job(name: str, argv: list[str]) -> int:
    """Exit code. NeedsSpark: it cannot do without."""
    given = job_parser(name, "").parse_args(argv)
    job = ClusterJob(name, given, settings_of(given), (given.cluster,), given.cluster)
    outcome = job.run(absent_session(), Progress(), Printed())
    if outcome.code is None:
        print_problem(outcome.nothing)
        return outcome.nothing_code
    return outcome.code


if __name__ == "__main__":
    sys.exit(plain_nightly(sys.argv[1:]))
