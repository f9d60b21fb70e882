"""A job whose process is killed at an act of the store: python -m tests.life.dying AT before|after LAYER JOB ARGS..."""

import os
import signal
import sys
from importlib import import_module

from tests.life.faults import Acts, Fault, failing


class Killing(Acts):
    """The process ends where others would raise: no handler runs, nothing is told."""

    def fail(self) -> Fault:
        os.kill(os.getpid(), signal.SIGKILL)
        return Fault()


def main() -> int:
    at, when, layer, job, *arguments = sys.argv[1:]
    with failing(Killing(int(at), is_after=when == "after", layer=layer)) as acts:
        code: int = import_module(f"jobs.{job}").main(arguments)
    print(f"acts {acts.count}")
    return code


if __name__ == "__main__":
    sys.exit(main())
