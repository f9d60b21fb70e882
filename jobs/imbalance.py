"""The imbalance job: reads what is new and computes each broker's leader imbalance ratio."""

import sys

from jobs.main import run_job


def main(argv: list[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    return run_job("imbalance", "Reads what is new and computes each broker's leader imbalance ratio.", argv)


if __name__ == "__main__":
    sys.exit(main())
