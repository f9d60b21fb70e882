"""The nightly job as a DAG of Airflow 3, on a worker that has the program: one run at a time."""

import os
import subprocess
from datetime import UTC, datetime, timedelta

from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowException, AirflowFailException

PROGRAM = "/opt/kca/bin/kafka-controller-audit"
WAREHOUSE = "/var/lib/kafka-controller-audit/warehouse"
METRICS = "/var/lib/kafka-controller-audit/metrics/kafka-controller-audit.prom"
NIGHTLY = (PROGRAM, "nightly", "--logs", "/var/log/kafka", "--warehouse", WAREHOUSE, "--wait", "600")
FINDINGS = (PROGRAM, "findings", "--warehouse", WAREHOUSE, "--format", "prometheus", "--output", METRICS)
# New findings to a webhook or chat, where KCA_NOTIFY_URL is in the environment of the worker.
NOTIFY = (PROGRAM, "notify", "--warehouse", WAREHOUSE, "--fail")
# The machine and a lock; every other code would come again.
WORTH_A_RETRY = (3, 6)
# 7: some of the logs could not be read, which metrics tell. Take it out to have the task fail, each night.
GOOD = (0, 7)


@dag(
    schedule="30 2 * * *",
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    default_args={"retries": 2, "retry_delay": timedelta(minutes=10)},
    tags=["kafka"],
)
def kafka_controller_audit() -> None:
    @task(execution_timeout=timedelta(hours=6))
    def nightly() -> None:
        """One task: as a task of their own, metrics that are written would make a failed run a good one."""
        code = code_of(NIGHTLY)
        code_of(FINDINGS)
        if os.environ.get("KCA_NOTIFY_URL"):
            sent = code_of(NOTIFY)
            code = sent if code in GOOD else code
        if code in WORTH_A_RETRY:
            raise AirflowException(f"exit code {code}")
        if code not in GOOD:
            raise AirflowFailException(f"exit code {code}")

    nightly()


def code_of(command: tuple[str, ...]) -> int:
    return subprocess.run(command, check=False).returncode  # noqa: S603  (the words above)


kafka_controller_audit()
