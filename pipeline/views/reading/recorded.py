"""What a night knows of the metadata log, in counts: moves on record, copies, and states held against lines."""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

import polars as pl
from polars import col

from pipeline.bronze.metadata_rows import merged_stretches
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row
from pipeline.views.reading.times import begin_of_utc_day, reached_since

MACHINES = ("silver.metadata_partition", "silver.metadata_broker")


def count_recorded_moves(answers: Answers, since: datetime | None) -> dict[str, int]:
    """How many moves of partitions and brokers by verdict, broken_rules among them; nothing where none is on record."""
    found: dict[str, int] = {}
    for name in MACHINES:
        if not answers.has(name):
            continue
        rows = answers.rows(name, reached_since("ordered_at", since), ("verdict", "broken_rules"))
        for verdict, count in rows.drop_nulls("verdict").group_by("verdict").len().iter_rows():
            found[verdict] = found.get(verdict, 0) + count
        broken = int(rows["broken_rules"].list.len().sum())
        found["broken_rules"] = found.get("broken_rules", 0) + broken
    return found if sum(found.values()) else {}


def witness_counts(answers: Answers, since: datetime | None) -> Row | None:
    """States on record: said, equal, undecided, differing, examples; None: none was held against a line."""
    if not answers.has("gold.witness_check"):
        return None
    names = ("said", "equal", "undecided", "differing")
    told = reached_since("day_at", since and begin_of_utc_day(since))
    rows = answers.rows("gold.witness_check", told, (*(f"{name}_count" for name in names), "examples"))
    if rows.is_empty():
        return None
    counts = rows.select(**{name: col(f"{name}_count").sum() for name in names}).row(0, named=True)
    return counts | {"examples": [one for some in rows["examples"].to_list() for one in some]}


def copies_of_log(answers: Answers) -> Row | None:
    """The copies as one: node_ids, offsets and epochs first and last, last_at (the end of what stands),
    certain_until_offset, certain_by, void_count, damaged_nodes (null: of an unknown node), holes (what no copy has
    between its offsets, as first missing and first behind); None: no copy was read."""
    if not answers.has("silver.metadata_span"):
        return None
    rows = answers.rows("silver.metadata_span")
    if rows.is_empty():
        return None
    stands = pl.min_horizontal("last_offset", col("void_from_offset") - 1)
    ends = rows.sort("first_offset", "last_offset").unique("file_id", keep="last")
    damaged = ends.filter(col("ended_how") == "damaged")["node_id"].unique().sort().to_list()
    stretches = rows.select("first_offset", stands.alias("last_offset")).sort("first_offset", "last_offset")
    found = rows.select(
        node_ids=col("node_id").drop_nulls().unique().sort().implode(),
        first_offset=col("first_offset").min(),
        last_offset=stands.max(),
        first_epoch=col("controller_epoch").min(),
        last_epoch=col("controller_epoch").max(),
        certain_until_offset=col("certain_until_offset").first(),
        certain_by=col("certain_by").first(),
        void_count=(col("last_offset") - stands).sum(),
        last_at=col("last_at").filter(col("void_from_offset").is_null()).max(),
    ).row(0, named=True)
    return found | {"damaged_nodes": damaged, "holes": holes_between(stretches.rows())}


def holes_between(stretches: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Offsets that lie between stretches (first, last) in order and in none, as (first missing, first behind)."""
    merged = merged_stretches(one for one in stretches if one[0] <= one[1])
    return [(last + 1, first) for (_, last), (first, _) in pairwise(merged)]
