"""Files opened on the executors, as uncompressed bytes."""

import os
import stat
from typing import BinaryIO, cast

from pipeline.core.files import URI, at_uri, local_path
from pipeline.core.streams import MAGIC_BYTES, codec_of, uncompressed_stream


def open_input(path: str, codec: str) -> BinaryIO:
    """The uncompressed bytes of a file. codec: plain, gzip or zstd; plain files can seek.

    OSError: there is no such file, or it is none that holds bytes.
    """
    path = local_path(path)
    stored = open_uri(path, codec) if URI.match(path) else open_local(path)
    return uncompressed_stream(stored, codec)


def is_there(path: str) -> bool:
    try:
        open_input(path, "plain").close()
    except OSError as problem:
        return not isinstance(problem, FileNotFoundError)
    return True


def open_uri(uri: str, codec: str) -> BinaryIO:
    system, inner = at_uri(uri)
    if codec == "plain":
        return cast(BinaryIO, system.open_input_file(inner))
    return cast(BinaryIO, system.open_input_stream(inner, compression=None))  # by default pyarrow undoes .gz


def open_local(path: str) -> BinaryIO:
    # A pipe that took the file's name since it was listed would be waited for until somebody writes into it.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    stream = os.fdopen(descriptor, "rb", buffering=0)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        stream.close()
        raise OSError(f"no regular file: {path}")
    return cast(BinaryIO, stream)


def open_by_content(path: str) -> tuple[str, BinaryIO]:
    """The codec of a file, and its uncompressed bytes from the beginning."""
    stream = open_input(path, "plain")
    codec = codec_of(stream.read(MAGIC_BYTES))
    if codec == "plain":
        stream.seek(0)
        return codec, stream
    stream.close()
    return codec, open_input(path, codec)
