"""New leaders that were away while the old leader died: the ISR that it left cannot have held them."""

import polars as pl
from polars import col

BROKER = ("cluster_id", "broker_id")
# How a broker left for certain, and for the controller to handle: what it leaves it takes out of the ISR.
LEFT = ("controlled", "uncontrolled", "missing_at_startup")
OUT_OF_SERVICE = ("offline", "offline_admin_unclean", "unknown")


def with_absence(found: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """Elections with away: the lines with which the new leader left, the old one left and the new one came back, where
    it was so in this order and the ISR last stated is without the new leader; else null.

    A broker that left is taken out of every ISR but one that it is alone in, and nobody can come into an ISR before a
    controller lists it again (up to 2.6 the leader adds whoever has caught up; a broker that lost ZooKeeper alone and
    goes on copying is not told apart). Source: KafkaController.onBrokerFailure, ReplicaManager.becomeFollower.
    """
    sessions = sessions_with_previous(broker_session)
    is_back = ~(col("new_left_at") <= col("elected_at")).fill_null(value=False)
    is_in_turn = (
        (col("new_left_at_before") < col("old_left_at"))
        & (col("old_left_at") <= col("new_joined_at"))
        & col("new_left_how_before").is_in(LEFT)
        & col("old_left_how").is_in(LEFT)
        & is_back
    )
    is_outside = ~col("isr_before").list.contains(col("leader"))
    is_asked = (col("outcome") == "done") & col("kind").is_in(OUT_OF_SERVICE)
    rows = (
        found.with_row_index("row")
        .sort("elected_at")
        .pipe(with_last_session, "leader", sessions, "new_")
        .pipe(with_last_session, "old_leader", sessions, "old_")
    )
    away = rows.filter(is_asked, is_outside, is_in_turn).select(
        "row", away=pl.concat_list("new_left_line_before", "old_left_line", "new_joined_line")
    )
    return rows.select("row", *found.columns).join(away, on="row", how="left").drop("row")


def sessions_with_previous(broker_session: pl.DataFrame) -> pl.DataFrame:
    """The sessions in order of their begins: BROKER, joined_at, joined_line, left_at, left_how, left_line; with _before
    how the session before it of the same broker ended."""
    evidence = col("evidence").list
    its_end = ("left_at", "left_how", "left_line")
    return (
        broker_session.select(
            *BROKER,
            *("joined_at", "left_at", "left_how"),
            joined_line=evidence.get(0, null_on_oob=True),
            left_line=evidence.get(-1, null_on_oob=True),
        )
        .sort("joined_at", "left_at", "left_how", "joined_line", "left_line")
        .with_columns(col(its_end).shift(1).over(BROKER).name.suffix("_before"))
    )


def with_last_session(found: pl.DataFrame, broker: str, sessions: pl.DataFrame, prefix: str) -> pl.DataFrame:
    """Elections, sorted by elected_at, with the last session of a broker that began by then; prefix: of its columns."""
    named = sessions.rename({name: f"{prefix}{name}" for name in sessions.columns if name not in BROKER})
    return found.join_asof(
        named, left_on="elected_at", right_on=f"{prefix}joined_at", by_left=["cluster_id", broker], by_right=BROKER,
        coalesce=False, check_sortedness=False,
    )  # fmt: skip
