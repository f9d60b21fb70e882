"""Where the command begins. It imports nothing yet: an interrupt while the rest is loaded is one sentence, too."""

import sys

INTERRUPTED = 130  # as a shell says it of SIGINT


def main() -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    try:
        from jobs.cli import main as run_command  # noqa: PLC0415  (what may be interrupted)

        return run_command()
    except KeyboardInterrupt:
        name = next((one for one in sys.argv[1:2] if not one.startswith("-")), "kafka-controller-audit")
        print(f"{name}: interrupted, nothing was changed", file=sys.stderr, flush=True)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
