"""The ingest job: reads new log lines into the bronze and silver tables."""

import sys

from jobs.main import run_job


def main(argv: list[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    return run_job("ingest", "Reads new log lines into the bronze and silver tables.", argv)


if __name__ == "__main__":
    sys.exit(main())
