"""Which epochs of a KRaft quorum had no leader, and whether most of it was down when a term ended."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.span_join import rows_in_spans
from pipeline.gold.controller_term.ends import OBSERVED, node_set, quorum_nodes
from pipeline.model.terms.term_steps import MODE, TERM

CREATED = "controller_created"
# A quorum with a majority elects within its time-outs: findings.no_quorum_leader_ms.
AT_ONCE = timedelta(seconds=5)
UNHEARD = timedelta(seconds=60)


def without_ended_processes(term: pl.DataFrame, process_run: pl.DataFrame) -> pl.DataFrame:
    """Terms of KRaft without an end (ended_how: open) where the process of the controller says later that it ends: how
    the term did is in lines that are missing."""
    is_said = (col("end_at") <= col("last_line_at")) & col("next_started_at").is_null()
    stopped = process_run.filter(is_said).group_by("cluster_id", controller_id="node_id")
    ends = stopped.agg(own_end_at=col("end_at").max())
    is_open = (col("mode") == "kraft") & (col("ended_how") == "open")
    is_stopped = (is_open & (col("own_end_at") > col("began_at"))).fill_null(value=False)
    return (
        term.join(ends, on=["cluster_id", "controller_id"], how="left", maintain_order="left")
        .with_columns(ended_how=when(~is_stopped).then("ended_how"))
        .drop("own_end_at")
    )


def with_lost_quorum(term: pl.DataFrame, controller_step: pl.DataFrame) -> pl.DataFrame:
    """is_quorum_lost: the controller's process ended, and the next one was elected as soon as another node had started;
    these nodes are half of the quorum or more. From 4.0 on (pre-vote, KIP-996) nodes that are left without a majority
    print nothing into controller.log, until 3.9 that nobody leads in each epoch that they try."""
    ended = (
        term.filter(col("mode") == "kraft", col("ended_how") == "process_end", col("is_succeeded"))
        .with_columns(since_at=pl.max_horizontal("ended_at", col("superseded_at") - AT_ONCE))
        .filter(col("since_at") < col("superseded_at"))
    )
    started = controller_step.filter(col("event") == CREATED, col("node_id").is_not_null())
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
    quorum = node_set(quorum_nodes(term, controller_step), "quorum")
    has_others = col("started").list.set_difference(pl.concat_list("controller_id")).list.len() > 0
    is_lost = has_others & (col("down").list.len() * 2 >= col("quorum").list.len())
    found = down.join(quorum, on="cluster_id").select(*TERM, is_quorum_lost=is_lost)
    return term.join(found, on=TERM, how="left", maintain_order="left").with_columns(
        col("is_quorum_lost").fill_null(value=False)
    )


def with_leaderless_epochs(term: pl.DataFrame, controller_step: pl.DataFrame) -> pl.DataFrame:
    """Terms in their turn, in KRaft is_succeeded only where each epoch up to the next term has a line by which it had
    no leader: of others a term may be missing. Within a minute nodes that start one after the other say none.

    Source: QuorumController.QuorumMetaLogListener.handleLeaderChange, from 3.3.
    """
    heard = controller_step.filter(
        col("event") == OBSERVED, col("active_controller_id").is_null(), col("controller_epoch").is_not_null()
    ).select("cluster_id", "logged_at", heard_epoch="controller_epoch")
    observed = controller_step.filter(col("event") == OBSERVED, col("active_controller_id").is_not_null())
    led = observed.select("cluster_id", heard_epoch="controller_epoch").unique()
    heard = heard.join(led, on=["cluster_id", "heard_epoch"], how="anti")
    skipped = col("controller_epoch").shift(-1).over(MODE) - col("controller_epoch") - 1
    is_long = col("superseded_at") - col("last_seen_at") > UNHEARD
    spans = (
        term.with_columns(skipped=skipped, next_epoch=col("controller_epoch").shift(-1).over(MODE))
        .filter(col("mode") == "kraft", col("is_succeeded"), col("skipped") > 0, is_long)
        .select(*TERM, "controller_epoch", "next_epoch", "skipped", "began_at", "superseded_at")
    )
    is_between = (col("heard_epoch") > col("controller_epoch")) & (col("heard_epoch") < col("next_epoch"))
    counted = (
        rows_in_spans(spans, heard, ["cluster_id"], ("began_at", "superseded_at"), "logged_at", closed="both")
        .filter(is_between)
        .group_by(TERM)
        .agg(heard=col("heard_epoch").n_unique())
    )
    unseen = (
        spans.join(counted, on=TERM, how="left")
        .filter(col("heard").fill_null(0) < col("skipped"))
        .select(*TERM, is_unseen=lit(value=True))
    )
    return (
        term.join(unseen, on=TERM, how="left", maintain_order="left")
        .with_columns(is_succeeded=col("is_succeeded") & col("is_unseen").is_null())
        .drop("is_unseen")
    )
