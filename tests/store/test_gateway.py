"""What Java prints on stderr as Spark starts: all but the lines for nobody, as it comes."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from pipeline.store.spark.gateway import passed_on

WARNING = b"WARNING: Using incubator modules: jdk.incubator.vector"


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ([WARNING + b"\n"], b""),
        ([WARNING + b"\r\n"], b""),
        ([WARNING], WARNING),
        ([WARNING[:5], WARNING[5:40], WARNING[40:] + b"\nError: no Java\n"], b"Error: no Java\n"),
        ([b"Picked up JAVA_TOOL_OPTIONS: -Dx\n" + WARNING + b"\n"], b"Picked up JAVA_TOOL_OPTIONS: -Dx\n"),
        ([b"WARNING: Using inc", b"ense\n"], b"WARNING: Using incense\n"),
        ([b"x " + WARNING + b"\n"], b"x " + WARNING + b"\n"),
        ([b"\r 10%", b"\r 20%"], b"\r 10%\r 20%"),
        ([WARNING + b", jdk.incubator.foreign\n"], WARNING + b", jdk.incubator.foreign\n"),
        ([b"a" * 200_000 + b"\n" + WARNING + b"\nend"], b"a" * 200_000 + b"\nend"),
    ],
)
def test_everything_else_is_passed_on(printed: list[bytes], expected: bytes) -> None:
    reading, writing = os.pipe()
    said: list[bytes] = []
    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(passed_on, reading, said.append)
        for words in printed:
            os.write(writing, words)
        os.close(writing)
        ended.result()
    assert b"".join(said) == expected


def test_what_begins_otherwise_is_not_held_back() -> None:
    """A line without an end, as a prompt or a bar is, stands there at once."""
    reading, writing = os.pipe()
    back, forth = os.pipe()
    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(passed_on, reading, lambda words: os.write(forth, words))
        os.write(writing, b"Password: ")
        assert os.read(back, 100) == b"Password: "
        os.close(writing)
        ended.result()
    os.close(back)
    os.close(forth)
