"""What all rules say alike: name, place of a record, evidence that is kept, name of a controller."""

from pyspark.sql import Column
from pyspark.sql import functions as F

EVIDENCE_KEPT = 5


def rule(name: str, severity: str, version: int = 1) -> tuple[Column, ...]:
    return (
        F.lit(name).alias("rule"),
        F.lit(version).alias("rule_version"),
        F.lit(severity).alias("severity"),
    )


def place() -> Column:
    return F.struct("file_id", "byte_offset")


def kept(lines: Column) -> Column:
    return F.slice(F.array_sort(lines), 1, EVIDENCE_KEPT)


def kept_of(ordered: Column) -> Column:
    """The evidence of the first ones of (order ..., evidence), joined."""
    return F.flatten(kept(ordered)["evidence"])


def controller_name() -> Column:
    return F.format_string("controller %d (epoch %d)", "controller_id", "controller_epoch")
