"""What the voters of a KRaft quorum say of votes in server.log: who asked in vain, who refused, who did not answer."""

import polars as pl
from polars import col

from pipeline.core.made_of import needs_rows_of
from pipeline.core.span_join import rows_in_spans
from pipeline.model.brokers.connections import OF_QUORUM
from pipeline.model.lines.evidence import LINE, NO_LINES, known_lines
from pipeline.rules.shared.quorum_votes import (
    ASKED,
    IN_TURN,
    NO_IDS,
    NODE,
    REFUSED,
    UNREACHED,
    most_frequent_steps,
)


@needs_rows_of("found")
def with_votes(found: pl.DataFrame, signs: pl.DataFrame, connection_event: pl.DataFrame) -> pl.DataFrame:
    """ASKS, vote_lines: who asked for votes from since_at until over_at (until_at), who refused them, whose answers
    were missing or who could not be reached; by the first line of what a node said most. null: no line tells."""
    spans = found.with_row_index("nr").select(
        "nr", "cluster_id", "since_at", end_at=pl.coalesce("over_at", "until_at")
    )
    between = ("since_at", "end_at")
    asked = rows_in_spans(
        spans, signs.filter(col("step").is_in(ASKED)), ["cluster_id"], between, "at", closed="both"
    )
    voted = (
        asked.pipe(most_frequent_steps)
        .group_by("nr")
        .agg(
            asking_ids=col("node_id").unique().sort(),
            refused_ids=col("node_id").filter(col("step") == REFUSED).unique().sort(),
            refusing_ids=col("refusing").explode().drop_nulls().unique().sort(),
            silent_ids=col("unanswered").explode().drop_nulls().unique(),
            asked_lines=col("line").explode(),
        )
    )
    unreached = rows_in_spans(
        spans.join(voted.select("nr", "asking_ids"), on="nr"),
        raft_connections(connection_event), ["cluster_id"], between, "at", closed="both",
    ).filter(col("asking_ids").list.contains(col("node_id")))  # fmt: skip
    answering = pl.concat_list("asking_ids", "refusing_ids").list.unique()
    of_peers = (
        unreached.sort(IN_TURN)
        .unique(["nr", "node_id", "peer_id"], keep="first", maintain_order=True)
        .join(voted.select("nr", answering=answering), on="nr")
        .filter(~col("answering").list.contains(col("peer_id")))
        .group_by("nr")
        .agg(peer_ids=col("peer_id").unique(), peer_lines=col("line").explode())
    )
    missing = pl.concat_list(col("silent_ids"), col("peer_ids").fill_null(NO_IDS)).list.unique().list.sort()
    told = voted.join(of_peers, on="nr", how="left").select(
        *("nr", "asking_ids", "refused_ids", "refusing_ids"),
        unanswered_ids=missing.list.set_difference(answering).list.sort(),
        vote_lines=pl.concat_list("asked_lines", col("peer_lines").fill_null(NO_LINES)),
    )
    return (
        found.with_row_index("nr")
        .join(told, on="nr", how="left", maintain_order="left")
        .with_columns(col("vote_lines").fill_null(NO_LINES))
        .drop("nr")
    )


def raft_connections(connection_event: pl.DataFrame) -> pl.DataFrame:
    """Lines by which a voter says that it does not reach another one: cluster_id, node_id, peer_id, at, line."""
    is_of_quorum = col("client").str.starts_with(OF_QUORUM).fill_null(value=False) & (col("peer_id") >= 0)
    return connection_event.filter(
        col("step").is_in(UNREACHED), is_of_quorum, col("node_id").is_not_null()
    ).select(*NODE, "peer_id", at="logged_at", line=known_lines(LINE))
