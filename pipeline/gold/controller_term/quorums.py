"""Whether most of a KRaft quorum was down when a term ended: then nobody could elect, and nobody says so."""

from datetime import timedelta

import polars as pl
from polars import col

from pipeline.core.span_join import rows_in_spans
from pipeline.gold.controller_term.ends import node_set, quorum_nodes
from pipeline.model.terms.term_steps import TERM

CREATED = "controller_created"
AT_ONCE = timedelta(
    seconds=5
)  # a quorum with a majority elects within its time-outs: findings.no_quorum_leader_ms


def with_lost_quorum(term: pl.DataFrame, controller_event: pl.DataFrame) -> pl.DataFrame:
    """is_quorum_lost: the controller's process ended, and the next one was elected as soon as another node had started;
    these nodes are half of the quorum or more. From 4.0 on (pre-vote, KIP-996) nodes that are left without a majority
    print nothing into controller.log, until 3.9 that nobody leads in each epoch that they try."""
    ended = (
        term.filter(col("mode") == "kraft", col("ended_how") == "process_end", col("is_succeeded"))
        .with_columns(since_at=pl.max_horizontal("ended_at", col("superseded_at") - AT_ONCE))
        .filter(col("since_at") < col("superseded_at"))
    )
    started = controller_event.filter(col("event") == CREATED, col("node_id").is_not_null())
    starts = started.select("cluster_id", "logged_at", started_id="node_id")
    down = (
        rows_in_spans(
            ended.select(*TERM, "controller_id", "since_at", "superseded_at"), starts, ["cluster_id"],
            ("since_at", "superseded_at"), "logged_at", closed="right",
        )
        .group_by(*TERM, "controller_id")
        .agg(started=col("started_id").unique())
        .with_columns(down=pl.concat_list("started", "controller_id").list.unique())
    )  # fmt: skip
    quorum = node_set(quorum_nodes(term, controller_event), "quorum")
    has_others = col("started").list.set_difference(pl.concat_list("controller_id")).list.len() > 0
    is_lost = has_others & (col("down").list.len() * 2 >= col("quorum").list.len())
    found = down.join(quorum, on="cluster_id").select(*TERM, is_quorum_lost=is_lost)
    return term.join(found, on=TERM, how="left", maintain_order="left").with_columns(
        col("is_quorum_lost").fill_null(value=False)
    )
