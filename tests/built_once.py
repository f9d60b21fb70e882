"""Tables of large inputs, such as a lab cluster, built once for all processes of one run of the tests.

Kernels are pure: the same records give the same rows, whichever process asks. What is kept lies in a folder of the run,
so that no table outlives the code that made it.
"""

import io
import os
import shutil
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from tempfile import mkdtemp

import polars as pl
import pyarrow as pa
import pytest

FOLDER = "TESTS_BUILT_ONCE"
# Below it a build costs less than looking for it.
LEAST_RECORDS = 1_000


class BuiltOnce:
    """What is kept of tables made of the same records; `folder` None: nothing is."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def table(self, name: str) -> pl.DataFrame | None:
        """The rows, if a process of this run has built them."""
        if self.folder is None:
            return None
        try:
            return pl.read_ipc(self.folder / name)
        except FileNotFoundError:
            return None

    def keep(self, name: str, rows: pl.DataFrame) -> None:
        if self.folder is None:
            return
        path = self.folder / f"{name}.{os.getpid()}"
        rows.write_ipc(path, compression="lz4")
        path.replace(self.folder / name)


NOTHING = BuiltOnce(None)


def built_once_of(records: pl.DataFrame) -> BuiltOnce:
    """What is kept of the tables of these records, by all that the records say."""
    home = os.environ.get(FOLDER)
    if home is None or len(records) < LEAST_RECORDS:
        return NOTHING
    content = io.BytesIO()
    records.write_ipc(content, compression="uncompressed")
    folder = Path(home) / blake2b(content.getbuffer(), digest_size=16).hexdigest()
    folder.mkdir(exist_ok=True)
    return BuiltOnce(folder)


def arrow_once(key: str, make: Callable[[], pa.Table]) -> pa.Table:
    """What a process of this run has made under this key, else what is made now. As a stream, which may have another
    dictionary in each batch."""
    home = os.environ.get(FOLDER)
    if home is None:
        return make()
    path = Path(home) / f"{blake2b(key.encode(), digest_size=16).hexdigest()}.arrows"
    try:
        with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as stream:
            return stream.read_all()
    except FileNotFoundError:
        made = make()
    own = path.with_suffix(f".{os.getpid()}")
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.OSFile(str(own), "wb") as file, pa.ipc.new_stream(file, made.schema, options=options) as stream:
        stream.write_table(made)
    own.replace(path)
    return made


def begin(config: pytest.Config) -> None:
    """Of the process that starts the others, which take its environment."""
    if not hasattr(config, "workerinput"):
        os.environ[FOLDER] = mkdtemp(prefix="kafka-controller-audit-tests-")


def end(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop(FOLDER, ""), ignore_errors=True)
