"""Whether a new leader was away while the old one died: then the ISR that it left cannot have held it."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

# How a broker left for certain, and for the controller to handle: what it leaves it takes out of the ISR.
LEFT = ("controlled", "uncontrolled", "missing_at_startup")
OUT_OF_SERVICE = ("offline", "offline_admin_unclean", "unknown")


def with_away(found: DataFrame, broker_session: DataFrame) -> DataFrame:
    """Adds away: the lines with which the new leader left, the old one left and the new one came back, where it was so
    in this order and the ISR last stated is without the new leader; else null.

    A broker that left is taken out of every ISR but one that it is alone in, and nobody can come into an ISR before a
    controller lists it again (up to 2.6 the leader adds whoever has caught up; a broker that lost ZooKeeper alone and
    goes on copying is not told apart). Source: KafkaController.onBrokerFailure, ReplicaManager.becomeFollower.
    """
    stay = F.struct(
        "joined_at", "left_at", "left_how",
        F.get("evidence", F.lit(0)).alias("joined_line"), F.element_at("evidence", -1).alias("left_line"),
    )  # fmt: skip
    stays = broker_session.groupBy("cluster_id", "broker_id").agg(
        F.sort_array(F.collect_list(stay)).alias("stays")
    )
    of_new, of_old = (
        F.broadcast(stays.withColumnsRenamed({"broker_id": leader, "stays": f"stays_of_{leader}"}))
        for leader in ("leader", "old_leader")
    )
    back, before, dead = stay_of("leader", 1), stay_of("leader", 2), stay_of("old_leader", 1)
    is_in_turn = (
        (before["left_at"] < dead["left_at"])
        & (dead["left_at"] <= back["joined_at"])
        & before["left_how"].isin(*LEFT)
        & dead["left_how"].isin(*LEFT)
        & back["left_at"].isNull()
    )
    is_outside = ~F.array_contains("isr_before", F.col("leader"))
    is_asked = (F.col("outcome") == "done") & F.col("kind").isin(*OUT_OF_SERVICE)
    lines = F.array(before["left_line"], dead["left_line"], back["joined_line"])
    return (
        found.join(of_new, on=["cluster_id", "leader"], how="left")
        .join(of_old, on=["cluster_id", "old_leader"], how="left")
        .withColumn("away", F.when(is_asked & is_outside & is_in_turn, lines))
    )


def stay_of(leader: str, place: int) -> Column:
    """Of the stays that began by then the last one, or the one before; what ended later had not ended."""
    stays = F.col(f"stays_of_{leader}")
    so_far = F.filter(stays, lambda one: one["joined_at"] <= F.col("elected_at"))
    one = F.get(so_far, F.size(so_far) - place)
    left_at = F.when(one["left_at"] <= F.col("elected_at"), one["left_at"])
    return one.withField("left_at", left_at)
