"""What the exceptions below records name as their causes, as columns of a frame."""

import polars as pl
import pyarrow as pa
from polars import col

from pipeline.core.frames import frame_of
from pipeline.core.made_of import needs_rows_of
from pipeline.kafka.wording.exception_lines import named_causes

EXCEPTION = ("event", "exception_class", "exception_message")


@needs_rows_of("records")
def with_exception_causes(records: pl.DataFrame) -> pl.DataFrame:
    """With cause (exception_lines.tsv; null: the record has no exception, or one that names none) and cause_fields, the
    fields of the exception's message as map<string, string>.

    records: those of bronze.log_record, or rows that carry EXCEPTION. exception_class is the inner exception that names
    the cause where the outer one does not (pipeline.kafka.reading.understanding).
    """
    told = records.select(EXCEPTION).filter(col("exception_class").is_not_null()).unique(maintain_order=True)
    named, fields = named_causes(*(told[name].to_list() for name in EXCEPTION))
    causes = frame_of(
        pa.table(
            {
                "cause": pa.array([one.cause if one else None for one in named], pa.string()),
                "cause_fields": fields,
            }
        )
    )
    joined = pl.concat([told, causes], how="horizontal")
    return records.join(joined, on=EXCEPTION, how="left", nulls_equal=True, maintain_order="left")
