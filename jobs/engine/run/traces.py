"""The stack traces of a failure, in a file of their own: who reads a run's outcome at night needs its one sentence."""

import contextlib
import os
import sys
import tempfile
import traceback
from pathlib import Path

from pipeline.store.failures import exception_chain, java_trace

PREFIX = "kafka-controller-audit-"


def kept_traces(job: str, problem: BaseException) -> str:
    """Where they stand: a file in the temporary folder (TMPDIR), as the warehouse may be what is full or read only.

    Only its owner may read it. It holds no value of a variable; what Java says may name paths and tables. Where no file
    can be written they go to stderr.
    """
    text = "".join([f"{job}\n", *traceback.format_exception(problem), *of_java(problem)])
    try:
        handle, path = tempfile.mkstemp(prefix=f"{PREFIX}{job}-", suffix=".txt")
    except OSError:
        print(text, file=sys.stderr)
        return "above, on stderr"
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError:
        with contextlib.suppress(OSError):
            Path(path).unlink()
        print(text, file=sys.stderr)
        return "above, on stderr"
    return f"in {path}"


def of_java(problem: BaseException) -> list[str]:
    return [f"\n{text}\n" for one in exception_chain(problem) if (text := java_trace(one))]
