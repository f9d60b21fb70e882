"""The replay job: reads what is new and replays the state machines: is every move legal?"""

import sys

from jobs.main import run_job


def main(argv: list[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    return run_job("replay", "Reads what is new and replays the state machines: is every move legal?", argv)


if __name__ == "__main__":
    sys.exit(main())
