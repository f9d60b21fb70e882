"""One piece of work as one task of an executor, in a job of Spark that has no other."""

import logging
from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark import TaskContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

ANSWER = "answer"
log = logging.getLogger("kafka_controller_audit")


def is_on_cluster(spark: SparkSession) -> bool:
    """Whether tasks run in executors of a cluster, and not in processes of the driver's machine alone."""
    return not (spark.conf.get("spark.master", "") or "local").startswith("local")


def run_in_task(spark: SparkSession, tag: str, work: Callable[[int], bytes]) -> bytes | None:
    """What `work` answers in the task; None: the task failed as often as Spark tries one (spark.task.maxFailures).

    work: takes how many attempts there were before, as Spark repeats a task whose executor is lost. tag: of the job,
    for cancel_tasks. Jobs of several threads run beside each other, as far as there are cores, and none fails another,
    as tasks of one job would. There is no shuffle, so nothing that a lost executor held is asked for.
    """

    def answered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            context = TaskContext.get()
            attempt = context.attemptNumber() if context is not None else 0
            yield pa.RecordBatch.from_pydict({ANSWER: pa.array([work(attempt)], pa.binary())})

    try:
        spark.addTag(tag)
        rows = spark.range(0, 1, 1, 1).mapInArrow(answered, f"{ANSWER} binary").collect()
    except (PySparkException, Py4JError) as problem:
        log.warning("a task on the executors failed: %s", last_sentence(str(problem)))
        return None
    return bytes(rows[0][ANSWER])


def last_sentence(text: str) -> str:
    """What Python said in a task stands last in what Spark says of it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "nothing is said of it"


def cancel_tasks(spark: SparkSession, tag: str) -> None:
    """Those of the tag that still run."""
    spark.interruptTag(tag)
