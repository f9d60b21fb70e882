"""When lines of a KRaft controller in office are missing, by records that the others replay and it does not."""

from typing import Literal

import polars as pl
from polars import col

SOON = pl.duration(seconds=3)  # two standbys print one record so far apart
RECORD = ("cluster_id", "broker_id", "broker_epoch", "step")
CONTROLLER = ("cluster_id", "controller_id")
TERM = ("cluster_id", "term_id")
FROM_BEGIN = pl.datetime(1970, 1, 1, time_zone="UTC")


def unread_stretches(told: pl.DataFrame, broker_event: pl.DataFrame) -> pl.DataFrame:
    """(TERM, since_at, until_at): between these two lines of a controller others are missing, as two more nodes replay
    a record of a broker that no line of it names. A controller in office replays what it writes, and prints it. One
    node alone may have started anew: it replays what was written before.

    told: (TERM, controller_id, elected_at) of terms. since_at, until_at: null where it has no line before, or behind.
    Source: ClusterControlManager.replay, from 3.0.
    """
    own = broker_event.filter(col("said_by").is_in(["replay", "decision"])).select(
        "cluster_id", controller_id="node_id", own_at="logged_at"
    )
    unseen = unseen_records(told, broker_event)
    before = with_nearest_line(unseen, own, "backward", "since_at")
    return (
        with_nearest_line(before, own, "forward", "until_at").select(*TERM, "since_at", "until_at").unique()
    )


def unseen_records(told: pl.DataFrame, broker_event: pl.DataFrame) -> pl.DataFrame:
    """(RECORD, TERM, controller_id, at): what two nodes replay within the term of a controller that does not."""
    is_replay = (col("said_by") == "replay") & col("broker_epoch").is_not_null()
    replays = broker_event.filter(is_replay).select(*RECORD, "node_id", at="logged_at")
    printed = replays.select(*RECORD, controller_id="node_id")
    of_terms = replays.sort("at").join_asof(
        told.sort("elected_at"), left_on="at", right_on="elected_at", by="cluster_id", check_sortedness=False
    )
    return (
        of_terms.filter(col("term_id").is_not_null(), col("node_id") != col("controller_id"))
        .join(printed, on=[*RECORD, "controller_id"], how="anti")
        .group_by(*RECORD, "term_id", "controller_id")
        .agg(at=col("at").min(), last_at=col("at").max(), nodes=col("node_id").n_unique())
        .filter(col("nodes") > 1, col("last_at") - col("at") <= SOON)
    )


def with_nearest_line(
    unseen: pl.DataFrame, own: pl.DataFrame, strategy: Literal["backward", "forward"], name: str
) -> pl.DataFrame:
    """The time of the last line of that controller before, or of the first one behind, under this name."""
    found = unseen.sort("at").join_asof(
        own.sort("own_at"), left_on="at", right_on="own_at", by=CONTROLLER, strategy=strategy, coalesce=False,
        check_sortedness=False,
    )  # fmt: skip
    return found.rename({"own_at": name})


def with_unread(found: pl.DataFrame, stretches: pl.DataFrame) -> pl.DataFrame:
    """Changes (TERM, valid_from_at) with is_unread: it is in such a stretch of its term."""
    begun = stretches.select(
        *TERM, unread_from_at=col("since_at").fill_null(FROM_BEGIN), unread_until_at="until_at"
    )
    is_over = (col("valid_from_at") >= col("unread_until_at")).fill_null(value=False)
    return (
        found.sort("valid_from_at")
        .join_asof(
            begun.sort("unread_from_at"), left_on="valid_from_at", right_on="unread_from_at", by=TERM, coalesce=False,
            check_sortedness=False,
        )
        .with_columns(is_unread=col("unread_from_at").is_not_null() & ~is_over)
        .drop("unread_from_at", "unread_until_at")
    )  # fmt: skip
