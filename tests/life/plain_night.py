"""`python -m tests.life.plain_night --logs DIR --warehouse DIR --cluster c`: a nightly of one cluster without Spark."""

import sys

from jobs.cluster_job import ClusterJob, Kept
from jobs.engine.run.progress import Progress
from jobs.settings.arguments import job_parser, settings_of
from pipeline.core.errors import NeedsSpark
from pipeline.store.spark.late_session import absent_session
from tests.life.plain_nights import NEEDS_SPARK


def main() -> int:
    print("begun", flush=True)
    kept, given = Kept(), job_parser("nightly", "").parse_args()
    job = ClusterJob("nightly", given, settings_of(given), (given.cluster,), given.cluster)
    try:
        outcome = job.run(absent_session(), Progress(), kept)
    except NeedsSpark:
        return NEEDS_SPARK
    print("\n".join(kept.problems))
    return outcome.nothing_code if outcome.code is None else outcome.code


if __name__ == "__main__":
    sys.exit(main())
