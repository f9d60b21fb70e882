"""The imbalance job: reads what is new and computes each broker's leader imbalance ratio; or answers from that."""

import sys

from jobs.main import run_job
from jobs.questions import imbalance as imbalance_ask


def main(argv: list[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES. With --at, --broker, --threshold or --format no run is made."""
    given = list(sys.argv[1:] if argv is None else argv)
    if imbalance_ask.is_question(given):
        return imbalance_ask.main(given)
    description = (
        "Reads what is new and computes each broker's leader imbalance ratio. With --at TIME, --broker N, "
        "--threshold PERCENT or --format text|json|csv|parquet it asks what was published, and reads no logs."
    )
    return run_job("imbalance", description, given)


if __name__ == "__main__":
    sys.exit(main())
