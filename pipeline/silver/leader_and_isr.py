"""Statements about leader, ISR and assignment, from bronze.log_record."""

import polars as pl
from polars import col

from pipeline.model.lines.families import fed, field_text
from pipeline.model.lines.texts import assignment_entries, broker_list, last_of_each, part
from schemas.silver.leader_and_isr import SPEC

STATED = ("topic", "partition", "replicas")


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per partition that a line makes a statement about.

    Rows: a line about one partition gives one; New topics / New partitions lines one per partition.
    Lines that only ask for a leader (leader named by a request to a broker about another matter) keep what they say.
    """
    records = fed(log_record, "leader_and_isr").rename({"kind": "teller"})
    has_topic = col("topic").is_not_null()
    one = records.filter(has_topic).with_columns(replicas=pl.coalesce("replicas", broker_list(field_text())))
    entries = assignment_entries(field_text()).list.eval(pl.struct(*map(part, STATED)))
    many = records.filter(~has_topic).pipe(last_of_each, entries, "topic", "partition")
    is_said = pl.any_horizontal(col("leader", "isr", "replicas").is_not_null())
    is_named = col("topic").is_not_null() & col("partition").is_not_null()
    return pl.concat(rows.filter(is_said, is_named).select(SPEC.columns) for rows in (one, many))
