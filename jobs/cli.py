"""The command `kafka-controller-audit`: the jobs, and the questions to ask of what they published."""

import argparse
import sys
from collections.abc import Callable, Sequence

from jobs import ask, imbalance, ingest, nightly, replay

Command = Callable[[list[str]], int]

COMMANDS: dict[str, tuple[Command, str]] = {
    "nightly": (nightly.main, "read what is new, build every table, print the first screen"),
    "ingest": (ingest.main, "read what is new and no more"),
    "replay": (replay.main, "ingest, then judge every state change"),
    "imbalance": (imbalance.main, "ingest, then leader imbalance over time"),
    "show": (ask.show_main, "F1: a finding with every line that proves it"),
    "partition": (ask.partition_main, "TOPIC-N: what happened to a partition"),
    "brokers": (ask.brokers_main, "[--at TIME]: leader imbalance of each broker"),
    "terms": (ask.terms_main, "who was controller, from when until when"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command with the arguments after it; exit code as in pipeline.core.errors.EXIT_CODES."""
    given = list(sys.argv[1:] if argv is None else argv)
    command = parser().parse_args(given[:1]).command
    run, _ = COMMANDS[command]
    return run(given[1:])


def parser() -> argparse.ArgumentParser:
    listed = "\n".join(f"  {name:<10} {words}" for name, (_, words) in COMMANDS.items())
    arguments = argparse.ArgumentParser(
        prog="kafka-controller-audit",
        usage="kafka-controller-audit COMMAND ... (COMMAND --help says more)",
        description="Audit of Apache Kafka's controllers from their logs.",
        epilog=f"commands:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    arguments.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of those below")
    return arguments
