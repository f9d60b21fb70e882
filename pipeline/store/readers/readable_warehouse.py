"""What a warehouse publishes, read without Spark where delta-rs reaches it, else through Spark."""

import re
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Protocol, cast

from pipeline.core.errors import EnvironmentProblem
from pipeline.store.files.files import ReadableFiles
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.files.object_files import ObjectFiles
from pipeline.store.readers.published_tables import PublishedTables, TablesOfVersions
from pipeline.store.runs.damage import published_as_written
from pipeline.store.runs.published import Published, is_cluster
from pipeline.store.runs.seen import read_run_or_copy
from pipeline.store.spark.spark_configuration import is_configured
from pipeline.store.tables.direct_reading import read_run_rows
from schemas.namespace import full_module_name

SCHEME = re.compile(r"^([a-z][a-z0-9+.-]*):/")
OF_OBJECT_STORES = ("s3", "s3a", "gs", "abfs", "abfss", "az")


class ReadableWarehouse(Protocol):
    """What the questions ask."""

    def clusters(self) -> list[str]:
        """All of them, sorted."""

    def published(self, cluster: str, run_id: str | None = None) -> Published:
        """See `pipeline.store.runs.seen.seen`."""

    def tables(self, cluster: str, seen: Published) -> TablesOfVersions:
        """The tables of a cluster as a run published them."""


@dataclass(frozen=True)
class DirectWarehouse:
    """root: a path or a URI that delta-rs reads."""

    root: str
    files: ReadableFiles

    def clusters(self) -> list[str]:
        return [name for name in self.files.names(self.root) if is_cluster(self.files, f"{self.root}/{name}")]

    def published(self, cluster: str, run_id: str | None = None) -> Published:
        return read_run_or_copy(self.files, f"{self.root}/{cluster}", partial(self.run_rows, cluster), run_id)

    def noted(self, cluster: str) -> Published:
        """The newest run as ops.run itself tells."""
        return published_as_written(self.files, f"{self.root}/{cluster}", partial(self.run_rows, cluster))

    def run_rows(self, cluster: str, run_id: str | None) -> list[dict[str, Any]]:
        """The newest row of ops.run, or the one of a run_id."""
        return read_run_rows(f"{self.root}/{cluster}", run_id)

    def tables(self, cluster: str, seen: Published) -> TablesOfVersions:
        return PublishedTables(f"{self.root}/{cluster}", seen.versions, seen.contents, seen.lost)


def readable_warehouse(uri: str) -> ReadableWarehouse:
    """EnvironmentProblem: Spark is needed, and not installed."""
    return direct_warehouse(uri) or through_spark(uri)


def direct_warehouse(uri: str) -> DirectWarehouse | None:
    """A path is one of this machine unless somebody configured Spark: then only Spark can tell, as of HDFS; None."""
    scheme = SCHEME.match(uri)
    if (scheme is None and not is_configured()) or (scheme is not None and scheme[1] == "file"):
        files = LocalFiles()
        return DirectWarehouse(files.qualified(uri), files)
    if scheme is not None and scheme[1] in OF_OBJECT_STORES:
        return DirectWarehouse(uri.rstrip("/"), ObjectFiles())
    return None


def readable_directly(uri: str) -> DirectWarehouse | None:
    """The same, but that a path is asked of Spark where somebody configured it; None: only Spark reads it."""
    found = direct_warehouse(uri)
    asked = readable_warehouse(uri) if found is None and SCHEME.match(uri) is None else found
    return asked if isinstance(asked, DirectWarehouse) else None


def through_spark(uri: str) -> ReadableWarehouse:
    try:
        module = import_module(full_module_name("pipeline.store.readers.spark_published_tables"))
    except ModuleNotFoundError as problem:
        raise EnvironmentProblem(
            expected=f"pyspark, as only Spark reads {uri}",
            found=f"no module {problem.name}",
            todo="install kafka-controller-audit[spark], or copy the warehouse to a disk or an object store",
        ) from problem
    return cast("ReadableWarehouse", module.SparkWarehouse.at(uri))
