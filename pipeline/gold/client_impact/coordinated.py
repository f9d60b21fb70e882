"""Names of the groups and transactional ids that a coordinator's partition holds."""

import re

import polars as pl
from polars import col

from pipeline.core.masking import TOKEN_DIGITS
from pipeline.gold.client_impact.moves import COORDINATED
from schemas.gold.client_impact import MOST_NAMES

NAMED = ("group_named", "transactional_id_named")
# A name that was masked has the hash of another.
MASKED = re.compile(rf"-[0-9a-f]{{{TOKEN_DIGITS}}}$")
SUBJECT = ("cluster_id", "topic", "topic_life", "partition", "audience", "from_at")
TOPIC = ("cluster_id", "topic")
OF_NAME = (*TOPIC, "partition", "name")


def with_names(rows: pl.DataFrame, states: pl.DataFrame, client_event: pl.DataFrame) -> pl.DataFrame:
    """Rows with names (the first MOST_NAMES in order) and name_count: what lines up to until_earliest_at name."""
    known = first_named(states, client_event)
    asked = rows.filter(col("topic").is_in(COORDINATED)).select(*SUBJECT, "until_earliest_at")
    is_by_then = col("until_earliest_at").is_null() | (col("named_at") <= col("until_earliest_at"))
    held = (
        asked.join(known, on=[*TOPIC, "partition"])
        .filter(is_by_then)
        .group_by(SUBJECT)
        .agg(names=col("name").unique().sort().head(MOST_NAMES), name_count=col("name").n_unique())
    )
    empty = pl.lit([], pl.List(pl.String))
    return rows.join(
        held, on=list(SUBJECT), how="left", nulls_equal=True, maintain_order="left"
    ).with_columns(
        names=pl.coalesce("names", empty), name_count=col("name_count").cast(pl.Int64).fill_null(0)
    )


def first_named(states: pl.DataFrame, client_event: pl.DataFrame) -> pl.DataFrame:
    """(OF_NAME, named_at): by a line that names both, else by the name's hash and the number of partitions.

    Of how many partitions the topic is counts where all of them from 0 on are known and no line names a group in
    another place than its hash. Source: GroupMetadataManager.partitionFor, TransactionStateManager.partitionFor.
    """
    lines = client_event.filter(col("step").is_in(NAMED), col("name").is_not_null())
    whole = (
        states.filter(col("topic").is_in(COORDINATED))
        .group_by(TOPIC)
        .agg(count=col("partition").max() + 1, seen=col("partition").n_unique())
        .filter(col("count") == col("seen"), col("count") > 1)
        .select(*TOPIC, "count")
    )
    hashes = {name: java_hash(name) for name in lines["name"].unique() if not MASKED.search(name)}
    placed = lines.join(whole, on=list(TOPIC), how="left").with_columns(
        hashed=(col("name").replace_strict(hashes, default=None, return_dtype=pl.Int64) % col("count")).cast(
            pl.Int32
        )
    )
    is_elsewhere = (col("partition") != col("hashed")).fill_null(value=False)
    wrong = placed.filter(is_elsewhere).select(TOPIC).unique()
    sure = placed.join(wrong.with_columns(is_wrong=pl.lit(value=True)), on=list(TOPIC), how="left")
    hashed = pl.when(col("is_wrong").is_null()).then("hashed")
    return (
        sure.with_columns(partition=pl.coalesce("partition", hashed))
        .filter(col("partition").is_not_null())
        .group_by(OF_NAME)
        .agg(named_at=col("logged_at").min())
    )


def java_hash(name: str) -> int:
    """String.hashCode of Java without its sign, as Kafka's Utils.abs takes it."""
    found = 0
    units = name.encode("utf-16-be")
    for high, low in zip(units[::2], units[1::2], strict=True):
        found = (31 * found + (high << 8 | low)) & 0xFFFFFFFF
    return found & 0x7FFFFFFF
