"""The rule new_life."""

import polars as pl
from polars import col, lit, when

from pipeline.rules.new_life.apart import without_apart
from pipeline.rules.rule import Rule
from pipeline.rules.shared.wording import (
    NO_TERM,
    enumerated_ids,
    facts_column,
    filled_text,
    root_columns,
    severity_column,
)

LINE = pl.struct("file_id", "byte_offset")
NODE = ("cluster_id", "node_id")
MODE = ("cluster_id", "mode")
ANOTHER = "what was before is another cluster, its partitions end there and nothing says that they were served again"


def find(controller_term: pl.DataFrame, controller_step: pl.DataFrame, earlier: pl.DataFrame) -> pl.DataFrame:
    """The metadata of the cluster began anew: its id is another one (KRaft), or epochs of controllers began again at 1.

    No such finding: a migration to KRaft, whose epochs are the quorum's, and epochs that go back to another number, as
    where ZooKeeper's data were put back. earlier: findings of controllers_apart: two clusters in one, no new life.
    """
    by_id = formatted_cluster_findings(controller_step)
    told = by_id.select("cluster_id", told_at="valid_from_at").sort("told_at")
    by_epoch = (
        begun_again(controller_term)
        .sort("valid_from_at")
        .join_asof(
            told,
            left_on="valid_from_at",
            right_on="told_at",
            by="cluster_id",
            tolerance="5m",
            strategy="nearest",
            check_sortedness=False,
        )
        .filter(col("told_at").is_null())
        .drop("told_at")
    )
    return pl.concat([by_id, by_epoch.select(by_id.columns)]).pipe(without_apart, earlier)


def formatted_cluster_findings(controller_step: pl.DataFrame) -> pl.DataFrame:
    """Controllers that start with another cluster id than before: one finding for each new id."""
    groups = (
        controller_step.filter(col("step") == "created", col("detail").is_not_null())
        .sort("logged_at", "file_id", "byte_offset")
        .with_columns(
            old_id=col("detail").shift(1).over(NODE),
            evidence=pl.concat_list(LINE.shift(1).over(NODE), LINE),
        )
        .filter(col("detail") != col("old_id"))
        .group_by("cluster_id", "old_id", "detail", maintain_order=True)
        .agg(
            col("evidence", "node_id").first(),
            nodes=col("node_id").drop_nulls().unique().sort(),
            valid_from_at=col("logged_at").first(),
        )
    )
    one, more = (
        filled_text("node {} was", enumerated_ids("nodes")),
        filled_text("nodes {} were", enumerated_ids("nodes")),
    )
    who = when(col("nodes").list.len() > 1).then(more).otherwise(one)
    sentence = "{} formatted anew before {} (cluster id {}, then {}): {}"
    return groups.select(
        *("cluster_id", "valid_from_at", "evidence"),
        *severity_column("warning"),
        entity=filled_text("cluster {}", "detail"),
        root_event=filled_text("cluster {}", "old_id"),
        **root_columns("new life", "valid_from_at"),
        term_id=NO_TERM,
        valid_until_at=col("valid_from_at"),
        sentence=filled_text(
            sentence, who, life_begin_text("valid_from_at"), "old_id", "detail", lit(ANOTHER)
        ),
        facts=facts_column(node_id="node_id", old_cluster="old_id", new_cluster="detail"),
        certainty=lit("proved"),
    )


def begun_again(controller_term: pl.DataFrame) -> pl.DataFrame:
    """Lives that begin with epoch 1 after others of the same mode, by the elections that were seen."""
    in_turn = (
        controller_term.with_columns(began="elected_at")
        .filter(col("began").is_not_null(), col("evidence").list.len() > 0)
        .sort(*MODE, "began", "controller_epoch")
        .with_columns(
            is_other=col("life") != col("life").shift(1).over(MODE),
            old_epoch=col("controller_epoch").shift(1).over(MODE),
            evidence=pl.concat_list(
                col("evidence").list.head(2).shift(1).over(MODE), col("evidence").list.head(2)
            ),
        )
        .filter("is_other", col("controller_epoch") == 1)
    )
    sentence = "the cluster began anew before {} (controller epochs {}, then {}): {}"
    return in_turn.select(
        *("cluster_id", "evidence", "term_id"),
        *severity_column("warning"),
        valid_from_at="began",
        valid_until_at="began",
        entity=lit("cluster"),
        root_event=filled_text("epoch {} after {}", "controller_epoch", "old_epoch"),
        **root_columns("new life", "began"),
        sentence=filled_text(
            sentence, life_begin_text("began"), "old_epoch", "controller_epoch", lit(ANOTHER)
        ),
        facts=facts_column(
            controller_id="controller_id", controller_epoch="controller_epoch", old_epoch="old_epoch"
        ),
        certainty=lit("inferred"),
    )


def life_begin_text(name: str) -> pl.Expr:
    return col(name).dt.strftime("%Y-%m-%d %H:%M:%S")


RULE = Rule(
    name="new_life",
    version=1,
    severities=("warning",),
    facts=("controller_id", "controller_epoch", "old_epoch", "node_id", "old_cluster", "new_cluster"),
    find=find,
    after=("controllers_apart",),
)
