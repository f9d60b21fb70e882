"""When lines of a controller are missing within its term, by leader epochs that are left out, in ZooKeeper mode."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import polars as pl
from polars import col, when

from pipeline.model.partitions.listed_topics import LIST
from pipeline.model.partitions.statements import PARTITION, SENT
from pipeline.model.partitions.topic_lives import GONE, PARTITION_ORDER

NEW, NOBODY = "NewPartition", -1
UNLED = ("NewPartition", "OfflinePartition", "NonExistentPartition")
MOVED = "partition_transition"
DAY = ("cluster_id", "era", "day")
MOMENT = pl.Datetime("us", "UTC")
EPOCH_JUMP = pl.Schema(
    {
        "cluster_id": pl.String(),
        "era": pl.Int32(),
        "day": MOMENT,
        "since_at": MOMENT,
        "until_at": MOMENT,
        "is_end": pl.Boolean(),
    }
)


def leader_epoch_holes(jumps: pl.DataFrame, stretches: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, life, from_at): after which time lines that change partitions are missing, which no stretch
    (succession.unseen_stretches) tells. Each election raises the leader epoch of its partition by one: between two
    statements whose epochs are further apart there was another one. So it is with topics that ended unseen though
    controller.log of the controller that led them last is read.

    Several partitions of which that is so have one hole where there is a time that lies between both statements of all
    of them: it begins after the last one of the first statements. What is found by a statement of one day (UTC) says
    nothing of the days before. jumps: epoch_jumps() of all partitions of the cluster.
    """
    unexplained = unexplained_epoch_jumps(jumps, stretches)
    found = [
        (cluster_id, era, from_at)
        # Not held together: what one of both narrows down need not be the hole of the other.
        for (cluster_id, era, _, _), rows in unexplained.group_by(*DAY, "is_end")
        for from_at in hole_begin_times(
            list(rows.sort("until_at", "since_at").select("since_at", "until_at").iter_rows())
        )
    ]
    schema: dict[str, Any] = {"cluster_id": pl.String, "life": pl.Int32, "from_at": MOMENT}
    return pl.DataFrame(found, schema, orient="row").unique()


def epoch_jumps(said: pl.DataFrame, ended: pl.DataFrame) -> pl.DataFrame:
    """(EPOCH_JUMP): between these times a line is missing that changed a partition: leader epochs
    are left out, or, is_end, a topic ended unseen. said: statements of partitions, with their era; ended: of
    ends_unseen()."""
    unseen_ends = ended.filter("is_log_read").select(*DAY, "since_at", "until_at")
    kinds = (left_out_epochs(said), False), (unseen_ends, True)
    rows = [rows.with_columns(is_end=pl.lit(is_end)).select(*EPOCH_JUMP) for rows, is_end in kinds]
    return pl.concat(rows).unique()


def ends_unseen(said: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """(DAY, topic, since_at, until_at, is_log_read) of topics that a list alone ends (listed_topics.ends_by_lists):
    since_at: what was said of a partition of it last, of the day of the list. is_log_read: of the controller that said
    so controller.log is read, which prints each deletion."""
    of_topics = said.filter(col("event") == LIST, col("state") == GONE).select("cluster_id", "topic").unique()
    day = col("at").dt.truncate("1d")
    elected = term.filter(col("elected_at").is_not_null())["term_id"].implode()
    own = {f"{name}_before": col(name).shift(1).over(PARTITION) for name in ("at", "era", "term_id")}
    return (
        said.join(of_topics, on=["cluster_id", "topic"], how="semi")
        .sort(*PARTITION, *PARTITION_ORDER)
        .with_columns(**own)
        .filter(col("event") == LIST, col("state") == GONE, col("era") == col("era_before"))
        .select(
            *("cluster_id", "era", "topic"),
            day=day,
            since_at=pl.max_horizontal("at_before", day),
            until_at="at",
            is_log_read=col("term_id_before").is_in(elected),
        )
    )


def left_out_epochs(said: pl.DataFrame) -> pl.DataFrame:
    """(DAY, since_at, until_at) of two statements of a partition in turn between which leader epochs are left out;
    since_at: the first one, of the day of the second. A request tells what came of several changes, of which up to 2.5
    no line tells, but for another leader, or one where nobody led: a line before the request elects it; and that
    nobody leads comes of as many changes at most as it has replicas. Of the changes that end in one request no more
    are removals than there are replicas out of the ISR. A partition that is New begins anew."""
    highest = col("leader_epoch").cum_max().forward_fill().over(PARTITION)
    # Not of a controller that was deposed.
    is_current = (col("leader_epoch") == highest).fill_null(value=True)
    led = when(is_current).then("leader").forward_fill().shift(1).over(PARTITION)
    # As many may be in the ISR, whoever was when it was told last.
    removals = col("replicas").list.len().forward_fill().shift(1).over(PARTITION)
    stated = (
        said.sort(*PARTITION, *PARTITION_ORDER)
        .with_columns(
            leader_before=led,
            highest_before=highest.shift(1).over(PARTITION),
            removals=removals,
            **change_counts(),
        )
        .filter(col("leader_epoch").is_not_null())
    )
    before = {
        f"{name}_before": col(name).shift(1).over(PARTITION)
        for name in ("leader_epoch", "at", "era", "state", *change_counts())
    }
    is_new = pl.any_horizontal(col("state", "state_before") == NEW).fill_null(value=False)
    is_sent = col("event").is_in(SENT).fill_null(value=False)
    is_missed = col("leader_epoch") > col("leader_epoch_before") + 1
    is_led = (col("leader") >= 0) & (col("leader") != col("leader_before"))
    is_elected_unseen = is_led & (col("leader_epoch") > col("highest_before"))
    is_lost = (col("leader") == NOBODY) & (col("leader_before") >= 0)
    is_gap = is_lost & (col("leader_epoch") > col("leader_epoch_before") + col("removals"))
    is_untold = (
        when(is_sent)
        .then((is_elected_unseen | is_gap | is_too_far()).fill_null(value=False))
        .otherwise(is_missed)
    )
    is_left_out = is_untold & (col("era") == col("era_before"))
    day = col("at").dt.truncate("1d")
    return (
        stated.with_columns(**before)
        .filter(is_left_out, ~is_new, col("at_before") <= col("at"))
        .select("cluster_id", "era", day=day, since_at=pl.max_horizontal("at_before", day), until_at="at")
    )


def change_counts() -> dict[str, pl.Expr]:
    """Of statements in order: how many elections their partition had so far, and how often nobody led it."""
    is_elected = (col("event") == MOVED) & (col("leader") >= 0)
    is_not_led = col("state").is_in(UNLED) | (col("leader") < 0)
    return {
        "elected_count": is_elected.fill_null(value=False).cum_sum().over(PARTITION),
        "unled_count": is_not_led.fill_null(value=False).cum_sum().over(PARTITION),
    }


def is_too_far() -> pl.Expr:
    """True of a request whose leader epoch more changes lead to than the elections since the one before, and removals
    of those that are out of the ISR, while somebody led."""
    out_of_isr = when(col("isr").is_not_null()).then(col("replicas").list.set_difference("isr").list.len())
    changes = col("elected_count") - col("elected_count_before") + out_of_isr
    is_led_all_the_time = col("unled_count") == col("unled_count_before")
    added = col("leader_epoch") - col("leader_epoch_before")
    return is_led_all_the_time & (added > 1) & (added > changes)


def unexplained_epoch_jumps(jumps: pl.DataFrame, stretches: pl.DataFrame) -> pl.DataFrame:
    """Without those in which a term begins to be missing."""
    missing = stretches.select("cluster_id", era="life", missing_at="from_at").sort("missing_at")
    is_explained = (col("missing_at") >= col("since_at")).fill_null(value=False)
    return (
        jumps.sort("until_at")
        .join_asof(
            missing,
            left_on="until_at",
            right_on="missing_at",
            by=["cluster_id", "era"],
            check_sortedness=False,
        )
        .filter(~is_explained)
        .drop("missing_at")
    )


def hole_begin_times(spans: Iterable[tuple[datetime, datetime]]) -> Iterator[datetime]:
    """When each of the fewest holes begins that all spans (since, until), sorted by until, can have."""
    since: datetime | None = None
    until: datetime | None = None
    for since_at, until_at in spans:
        if since is not None and until is not None and since_at < until:
            since = max(since, since_at)
            continue
        if since is not None:
            yield since
        since, until = since_at, until_at
    if since is not None:
        yield since
