"""The warehouse's file system: this machine's, else as Hadoop sees it, by the scheme and credentials that Spark writes
with."""

from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from pipeline.store.files.files import Files
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.spark.late_session import LateSession

# Hadoop's name of a write that the store refuses where the object is there (HADOOP-19256, Hadoop 3.4.2).
CONDITIONAL = "fs.option.create.conditional.overwrite"
# What a file system says as it creates a file that is there: S3A at the end, by the answer 412 of the store.
ALREADY_THERE = ("FileAlreadyExistsException", "RemoteFileChangedException")


def files_for_uri(session: LateSession, uri: str) -> Files:
    """Those that a URI is of; on this machine they need no Spark."""
    return LocalFiles() if session.is_local(uri) else HadoopFiles(session.get())


def java_class(spark: SparkSession, name: str) -> Any:
    """A class by its full name: asked for package by package it takes seven times as long (1.7 ms)."""
    return getattr(spark._jvm, name)


@dataclass(frozen=True)
class HadoopFiles:
    """Files at any URI that Spark can write. Each operation is some round trips to the JVM."""

    spark: SparkSession

    def path(self, uri: str) -> Any:
        return java_class(self.spark, "org.apache.hadoop.fs.Path")(uri)

    def system(self, uri: str) -> Any:
        return self.path(uri).getFileSystem(self.spark._jsc.hadoopConfiguration())

    def qualified(self, uri: str) -> str:
        full = str(self.system(uri).makeQualified(self.path(uri)).toString()).rstrip("/")
        return f"/{full.removeprefix('file:').lstrip('/')}" if full.startswith("file:") else full

    def exists(self, uri: str) -> bool:
        return bool(self.system(uri).exists(self.path(uri)))

    def names(self, uri: str) -> list[str]:
        if not self.exists(uri):
            return []
        return sorted(status.getPath().getName() for status in self.system(uri).listStatus(self.path(uri)))

    def create(self, uri: str, text: str) -> bool:
        """False: it is there. As atomic as the store's create without overwrite: that of HDFS, ABFS and GCS is. S3A,
        which looks first, is asked for a conditional write, which it has from Hadoop 3.4.2 on."""
        try:
            stream = self.new_file(uri)
            stream.write(bytearray(text.encode()))
            stream.close()
        except Py4JJavaError as error:
            if any(name in str(error.java_exception) for name in ALREADY_THERE):
                return False
            raise
        return True

    def new_file(self, uri: str) -> Any:
        """A stream into a file that is not there yet."""
        system, path = self.system(uri), self.path(uri)
        if not system.hasPathCapability(path, CONDITIONAL):
            return system.create(path, False)
        return system.createFile(path).overwrite(False).must(CONDITIONAL, "true").build()

    def replace(self, uri: str, text: str) -> None:
        stream = self.system(uri).create(self.path(uri), True)
        stream.write(bytearray(text.encode()))
        stream.close()

    def modified_ms(self, uri: str) -> int | None:
        try:
            return int(self.system(uri).getFileStatus(self.path(uri)).getModificationTime())
        except Py4JJavaError as error:
            if "FileNotFoundException" in str(error.java_exception):
                return None
            raise

    def size_bytes(self, uri: str) -> int:
        return int(self.system(uri).getContentSummary(self.path(uri)).getLength())

    def text(self, uri: str) -> str | None:
        try:
            stream = self.system(uri).open(self.path(uri))
        except Py4JJavaError as error:
            if "FileNotFoundException" in str(error.java_exception):
                return None
            raise
        content = java_class(self.spark, "org.apache.commons.io.IOUtils").toString(stream, "UTF-8")
        stream.close()
        return str(content)

    def rename(self, uri: str, to: str) -> None:
        if self.exists(uri):
            self.system(uri).rename(self.path(uri), self.path(to))

    def delete(self, uri: str, *, with_content: bool = True) -> None:
        try:
            self.system(uri).delete(self.path(uri), with_content)
        except Py4JJavaError as error:
            if with_content or "is not empty" not in str(error.java_exception):
                raise
