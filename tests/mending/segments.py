"""Segments of a cluster with their records, for tests of what was lost of them."""

import polars as pl

from schemas.bronze import log_record, source_file
from tests.frames import frame

MANIFEST = """
file_id | load_seq | start_offset | consumed_bytes | record_count | record_bytes | last_logged_at
a       | 1        | 0            | 10             | 2            | 10           | 10
a       | 2        | 10           | 30             | 3            | 20           | 20
b       | 3        | 0            | 7              | 1            | 7            | 30
"""


RECORDS = """
cluster_id | file_id | load_seq | byte_offset | byte_length | node_id | log        | event | logged_at
c          | a       | 1        | 0           | 4           | 1       | controller | x     | 5
c          | a       | 1        | 4           | 6           | 1       | controller |       | 10
c          | a       | 2        | 10          | 5           | 1       | controller | x     | 11
c          | a       | 2        | 15          | 5           | 1       | controller | x     | 12
c          | a       | 2        | 20          | 10          | 1       | controller | x     | 20
c          | b       | 3        | 0           | 7           | 2       | controller | x     | 30
"""


def manifest(text: str = MANIFEST) -> pl.DataFrame:
    return frame(source_file.SPEC, text)


def records(*left_out: int) -> pl.DataFrame:
    """The records without those of some places in the text."""
    found = frame(log_record.SPEC, RECORDS).with_row_index("place")
    return found.filter(~pl.col("place").is_in(left_out)).drop("place")
