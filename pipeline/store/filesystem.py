"""The warehouse's file system, as Hadoop sees it: the same scheme and credentials that Spark writes with."""

from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession


@dataclass(frozen=True)
class HadoopFiles:
    """Few small file operations on any URI that Spark can write."""

    spark: SparkSession

    @property
    def java(self) -> Any:
        return self.spark._jvm

    def path(self, uri: str) -> Any:
        return self.java.org.apache.hadoop.fs.Path(uri)

    def system(self, uri: str) -> Any:
        return self.path(uri).getFileSystem(self.spark._jsc.hadoopConfiguration())

    def qualified(self, uri: str) -> str:
        """The path from the root of its file system: Delta takes no relative one. Local paths stay without scheme."""
        full = str(self.system(uri).makeQualified(self.path(uri)).toString()).rstrip("/")
        return f"/{full.removeprefix('file:').lstrip('/')}" if full.startswith("file:") else full

    def exists(self, uri: str) -> bool:
        return bool(self.system(uri).exists(self.path(uri)))

    def names(self, uri: str) -> list[str]:
        """Names in a folder, sorted; none where there is no such folder."""
        if not self.exists(uri):
            return []
        return sorted(status.getPath().getName() for status in self.system(uri).listStatus(self.path(uri)))

    def create(self, uri: str, text: str) -> bool:
        """Writes a new file; False if one is there already (atomic where the store gives it)."""
        try:
            stream = self.system(uri).create(self.path(uri), False)
        except Py4JJavaError as error:
            if "FileAlreadyExistsException" in str(error.java_exception):
                return False
            raise
        stream.write(bytearray(text.encode()))
        stream.close()
        return True

    def replace(self, uri: str, text: str) -> None:
        stream = self.system(uri).create(self.path(uri), True)
        stream.write(bytearray(text.encode()))
        stream.close()

    def text(self, uri: str) -> str | None:
        """Content of a small file; None if it is gone."""
        try:
            stream = self.system(uri).open(self.path(uri))
        except Py4JJavaError as error:
            if "FileNotFoundException" in str(error.java_exception):
                return None
            raise
        content = self.java.org.apache.commons.io.IOUtils.toString(stream, "UTF-8")
        stream.close()
        return str(content)

    def rename(self, source: str, target: str) -> bool:
        """True if this call moved it: of two callers only one does."""
        return bool(self.system(source).rename(self.path(source), self.path(target)))

    def delete(self, uri: str, *, with_content: bool = True) -> None:
        """Without its content an empty folder only: one that is filled meanwhile stays."""
        try:
            self.system(uri).delete(self.path(uri), with_content)
        except Py4JJavaError as error:
            if with_content or "is not empty" not in str(error.java_exception):
                raise
