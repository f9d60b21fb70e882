"""The ingest job: reads new log lines into the bronze and silver tables."""

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
    return run_job("ingest", "Reads new log lines into the bronze and silver tables.", argv)


if __name__ == "__main__":
    sys.exit(main())
