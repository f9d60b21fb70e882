"""What a partition usually costs a controller, by kind of event and release."""

import polars as pl
from polars import col

from pipeline.core.made_of import needs_rows_of
from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.wording.releases import release_bits, releases_of_bits


@needs_rows_of("slow")
def with_usual_cost(slow: pl.DataFrame, release_span: pl.DataFrame) -> pl.DataFrame:
    """Adds usual_from_ms and usual_until_ms, milliseconds a partition, where the release of the controller decides it;
    null elsewhere. Rows in, rows out."""
    spans = release_span.filter(col("node_id").is_not_null()).select(
        "cluster_id", "releases", "valid_until_at", at="valid_from_at", controller_id="node_id"
    )
    costs = pl.concat(
        [
            found.filter(
                col("kind") == row["kind"],
                col("occasion").fill_null("") == row["occasion"],
                col("releases").list.eval(pl.element().is_in(releases_of_cost(row))).list.all(),
            ).select(
                *("cluster_id", "term_id", "work_seq"),
                usual_from_ms=pl.lit(float(row["usual_from_ms"])),
                usual_until_ms=pl.lit(float(row["usual_until_ms"])),
            )
            for found in [with_releases(slow, spans)]
            for row in read_fact_table("wording/work_cost.tsv")
        ]
    )
    return slow.join(costs, on=["cluster_id", "term_id", "work_seq"], how="left", maintain_order="left")


def with_releases(slow: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """releases: all that the controller can have been as the event began; those of which none is known are left out."""
    return (
        slow.sort("began_at")
        .join_asof(
            spans.sort("at"),
            left_on="began_at",
            right_on="at",
            by=["cluster_id", "controller_id"],
            check_sortedness=False,
        )
        .filter(col("began_at") < col("valid_until_at"))
    )


def releases_of_cost(row: dict[str, str]) -> list[str]:
    return releases_of_bits(release_bits(row["since"], row["until"]))
