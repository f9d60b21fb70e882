"""Where the command begins. It imports nothing yet: an interrupt while the rest is loaded is one sentence, too."""

import sys

INTERRUPTED = 130  # as a shell says it of SIGINT


def main() -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    try:
        from jobs.cli import WRITING  # noqa: PLC0415  (what may be interrupted)
        from jobs.cli import main as run_command  # noqa: PLC0415  (what may be interrupted)

        if not {*WRITING}.intersection(sys.argv[1:2]):
            leave_pandas_out()
        return run_command()
    except KeyboardInterrupt:
        name = next((one for one in sys.argv[1:2] if not one.startswith("-")), "kafka-controller-audit")
        print(f"{name}: interrupted, nothing was changed", file=sys.stderr, flush=True)
        return INTERRUPTED


class WithoutPandas:
    """A finder of modules for which pandas is not installed."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name=name)


def leave_pandas_out() -> None:
    """pyarrow looks for pandas when the first list becomes an array, and remembers that there is none. Where it is
    installed, as Spark needs it, loading it takes some tenths of a second; only jobs of Spark use it."""
    import pyarrow as pa  # noqa: PLC0415  (what may be interrupted)

    finder = WithoutPandas()
    sys.meta_path.insert(0, finder)
    pa.array([])
    sys.meta_path.remove(finder)


if __name__ == "__main__":
    sys.exit(main())
