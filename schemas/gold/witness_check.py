"""What the metadata log of a KRaft cluster has on record, held against what lines of text gave."""

from schemas.spec import CLUSTER_ID, DAY_AT, EVIDENCE, Check, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, LONG, STRING, TIMESTAMP, array_type

SPEC = TableSpec(
    name="gold.witness_check",
    grain="One day of which partitions have states on record while lines of the cluster are at hand.",
    key=("day_at",),
    fields=(
        CLUSTER_ID,
        DAY_AT,
        required_field("said_count", LONG, "States of partitions that records of the day made."),
        required_field("equal_count", LONG, "Of them those that lines of the day or the next give alike."),
        required_field("unproved_count", LONG, "Of the equal ones those that lines alone leave inferred."),
        required_field("undecided_count", LONG, "Those that are in no line."),
        required_field("differing_count", LONG, "Those that lines give otherwise."),
        required_field("first_offset", LONG, "Offset of the first of these records."),
        required_field("last_offset", LONG, "Offset of the last."),
        required_field("examples", array_type(STRING), "Some that differ: partition, offset, record, lines."),
        nullable_field("topic", STRING, "Topic of the first that differs; null: none does."),
        nullable_field("partition", INTEGER, "Its partition."),
        nullable_field("partition_epoch", INTEGER, "Its partition epoch."),
        nullable_field("record_offset", LONG, "Offset of its record."),
        nullable_field("differing_at", TIMESTAMP, "Since when lines have it, UTC."),
        EVIDENCE,
    ),
    checks=(Check("all_are_counted", "said_count = equal_count + undecided_count + differing_count"),),
)
