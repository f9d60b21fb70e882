"""Parts of files read in tasks of Spark, without rows of Spark between the file and the task."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from pipeline.store.spark.arrow_rows import MapBatches
from pipeline.store.tables.file_parts import ROWS_OF_A_PART, FilePart

Read = Callable[[FilePart], pa.Table]
PARTS_OF_A_TASK = 2


def in_tasks(
    spark: SparkSession, parts: Sequence[FilePart], read: Read, pack: MapBatches, schema: StructType
) -> DataFrame:
    """What `pack` makes of the rows of all parts, those of a task together. read: gives those of one."""
    cores = spark.sparkContext.defaultParallelism
    tasks = max(1, min(len(parts), max(cores, -(-len(parts) // PARTS_OF_A_TASK))))
    shares = shared_out(parts, tasks)

    def packed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        numbers = (number for batch in batches for number in batch.column(0).to_pylist())
        yield from pack(
            one for number in numbers for part in shares[number] for one in read(part).to_batches()
        )

    return spark.range(0, tasks, 1, tasks).mapInArrow(packed, schema=schema)


def shared_out(parts: Sequence[FilePart], tasks: int) -> list[list[FilePart]]:
    """The parts in so many shares of about as many rows."""
    loads, shares = [0] * tasks, [list[FilePart]() for _ in range(tasks)]
    for part in sorted(parts, key=rows_at_most, reverse=True):
        lightest = loads.index(min(loads))
        loads[lightest] += rows_at_most(part)
        shares[lightest].append(part)
    return shares


def rows_at_most(part: FilePart) -> int:
    return part.count or ROWS_OF_A_PART
