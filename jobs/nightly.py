"""The nightly job: reads what is new, builds every table, judges, publishes and prints the first screen."""

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

# With the wheel, or its zip in --py-files, executors have the modules of that.
if TYPE_CHECKING or find_spec("kafka_controller_audit") is None:
    from jobs.main import run_job
else:
    from kafka_controller_audit.jobs.main import run_job


def main(argv: list[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    return run_job(
        "nightly", "Audit of Kafka's controller logs: reads what is new and prints the first screen.", argv
    )


if __name__ == "__main__":
    sys.exit(main())
