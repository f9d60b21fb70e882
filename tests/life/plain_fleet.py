"""`python -m tests.life.plain_fleet --logs DIR --warehouse DIR`: a nightly of clusters b and c side by side without Spark.
It prints NAME and exit code of each; `none` where its process ended before it."""

from jobs.cluster_job import ClusterJob
from jobs.engine.run.progress import Progress
from jobs.fleet import LocalProcesses, run_side_by_side
from jobs.settings.arguments import job_parser, settings_of

CLUSTERS = ("b", "c")


def main() -> None:
    given = job_parser("nightly", "").parse_args()
    settings = settings_of(given)
    jobs = [ClusterJob("nightly", given, settings, CLUSTERS, name) for name in CLUSTERS]
    for job, done in run_side_by_side(jobs, LocalProcesses(len(jobs)), Progress()):
        print(job.cluster_id, "none" if done is None else done[0].code, flush=True)


if __name__ == "__main__":
    main()
