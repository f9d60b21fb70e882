"""The imbalance job: reads what is new and computes each broker's leader imbalance ratio; or answers from that."""

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

# With the wheel, or its zip in --py-files, executors have the modules of that.
if TYPE_CHECKING or find_spec("kafka_controller_audit") is None:
    from jobs.main import run_job
    from jobs.questions.asking import ask_by_command
    from jobs.questions.imbalance import is_question
    from jobs.questions.question_parsers import add_taken
    from jobs.settings.arguments import job_parser
else:
    from kafka_controller_audit.jobs.main import run_job
    from kafka_controller_audit.jobs.questions.asking import ask_by_command
    from kafka_controller_audit.jobs.questions.imbalance import is_question
    from kafka_controller_audit.jobs.questions.question_parsers import add_taken
    from kafka_controller_audit.jobs.settings.arguments import job_parser

DESCRIPTION = (
    "Reads what is new and computes each broker's leader imbalance ratio. With one of the last group of options it "
    "asks what was published, and reads no logs: beside them it takes --warehouse, --cluster and --run-id."
)
TITLE = "what was published, of which no run is made"


def main(argv: list[str] | None = None) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES. With --at, --broker, --threshold or --format no run is made."""
    given = list(sys.argv[1:] if argv is None else argv)
    if is_question(given):
        return ask_by_command("imbalance", given)
    if {"-h", "--help"} & set(given):
        arguments = job_parser("imbalance", DESCRIPTION)
        add_taken(arguments.add_argument_group(TITLE), "imbalance")
        arguments.print_help()
        return 0
    return run_job("imbalance", DESCRIPTION, given)


if __name__ == "__main__":
    sys.exit(main())
