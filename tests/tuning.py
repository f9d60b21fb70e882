"""What a run sets in the session of Spark that all tests share."""

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession

from pipeline.store.spark.session import TUNED


@contextmanager
def tuning_kept(spark: SparkSession) -> Iterator[None]:
    """What is set in it by the size of the logs is as it was afterwards."""
    before = {key: spark.conf.get(key, None) for key in TUNED}
    try:
        yield
    finally:
        for key, found in before.items():
            if found is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, found)
