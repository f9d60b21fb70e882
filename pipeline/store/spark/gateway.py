"""The Java process of Spark, started so that of its own words those for nobody stay out of what people read."""

import contextlib
import os
import re
import threading
from collections.abc import Callable
from typing import Any

from pyspark import SparkContext
from pyspark.java_gateway import launch_gateway

# Spark starts Java with --add-modules=jdk.incubator.vector, and no option of Java's takes back what it says of that.
FOR_NOBODY = re.compile(rb"WARNING: Using incubator modules: jdk\.incubator\.vector\r?")
CHUNK = 1 << 16
DEADLINE_SECONDS = 5
STDERR = 2
Write = Callable[[bytes], object]


def start_gateway() -> None:
    """Starts Java for the session that comes next, if none runs and nobody has started one: spark-submit has.

    What it prints on stderr comes through this process, byte by byte as it is printed.
    """
    if SparkContext._gateway is not None or "PYSPARK_GATEWAY_PORT" in os.environ:
        return
    reading, writing = os.pipe()
    through = threading.Thread(target=passed_on, args=(reading, to_stderr), daemon=True)
    through.start()
    try:
        gateway: Any = launch_gateway(popen_kwargs={"stderr": writing})  # type: ignore[no-untyped-call]  # of pyspark
    except BaseException:
        os.close(writing)
        through.join(DEADLINE_SECONDS)  # its last words stand above ours
        raise
    os.close(writing)
    SparkContext._ensure_initialized(gateway=gateway)


def to_stderr(words: bytes) -> None:
    """Where nobody reads it, the process that prints must not wait for ever."""
    with contextlib.suppress(OSError), os.fdopen(STDERR, "wb", closefd=False) as stderr:
        stderr.write(words)


def passed_on(reading: int, write: Write) -> None:
    """All that comes out of a pipe until its end but the lines for nobody. Of a line that may be one its end is
    waited for."""
    held = b""
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        while chunk := pipe.read(CHUNK):
            *lines, held = (held + chunk).split(b"\n")
            said = b"".join(line + b"\n" for line in lines if not FOR_NOBODY.fullmatch(line))
            if not may_be_unwanted_warning(held):
                said, held = said + held, b""
            if said:
                write(said)
    write(held)


def may_be_unwanted_warning(line: bytes) -> bool:
    """Whether a line of which more may come begins as one for nobody does."""
    beginning = b"WARNING: Using incubator modules: "
    return bool(line) and (line.startswith(beginning) or beginning.startswith(line))
