"""How Kafka's controller chooses a leader, by kind of election, and what its choice was."""

from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F

NOBODY = -1
NEW, ONLINE, OFFLINE = "NewPartition", "OnlinePartition", "OfflinePartition"
STRATEGY = r"under strategy (\w+)"
SELECTORS = {
    "offline": ("OfflinePartitionLeaderSelector", "OfflinePartitionLeaderElectionStrategy"),
    "offline_admin_unclean": (None, "OfflinePartitionLeaderElectionStrategy"),
    "preferred": (
        "PreferredReplicaPartitionLeaderSelector",
        "PreferredReplicaPartitionLeaderElectionStrategy",
    ),
    "reassign": ("ReassignedPartitionLeaderSelector", "ReassignPartitionLeaderElectionStrategy"),
    "controlled_shutdown": (
        "ControlledShutdownLeaderSelector",
        "ControlledShutdownPartitionLeaderElectionStrategy",
    ),
}
KIND_OF_CAUSE = {
    "preferred election by tool": "preferred",
    "automatic rebalance": "preferred",
    "controlled shutdown": "controlled_shutdown",
    "reassignment": "reassign",
}
# Messages of exceptions, the first that fits; ELECTING says only by which strategy nobody was found.
MESSAGES = (
    (r"No assigned replica is alive|No replica for partition", "no_live_assigned"),
    (r"No (?:broker|replica) in ISR|No replica in ISR", "no_live_in_isr"),
    (r"Preferred replica .* (?:not alive|not in the isr)", "preferred_unavailable"),
    (r"No other replicas in ISR|shutting down", "only_shutting_down_in_isr"),
    (r"already written by another controller|soft failure|elected with epoch", "superseded"),
    (r"path already exists|NodeExists", "znode_exists"),
    (r"LeaderAndIsr information doesn't exist|NoNode", "no_leader_information"),
    (r"machine has not started|partition state machine has not", "machine_not_started"),
    (r"[Ss]ession (?:has )?expired|SessionExpired", "session_expired"),
    (r"ontroller (?:epoch zkVersion check fails|moved)", "fenced"),
    (r"KeeperErrorCode|[Zz]oo[Kk]eeper|zkclient", "zookeeper_error"),
)
CLEAN_ALWAYS = ("init", "preferred", "reassign", "controlled_shutdown")


def kind() -> Column:
    """Of (how, from_state, trigger, event_seq, admin_seq)."""
    of_cause = F.create_map(*(F.lit(one) for pair in KIND_OF_CAUSE.items() for one in pair))[F.col("trigger")]
    is_admin = (F.col("trigger") == "unclean election") & (F.col("event_seq") == F.col("admin_seq"))
    is_head = (F.col("from_state") == ONLINE) | (F.col("leader") == F.get("replicas", F.lit(0)))
    return (
        F.when(F.col("how") != "move", "isr_removal")
        .when(F.col("from_state") == NEW, "init")
        .when(F.col("strategy").isNotNull(), kind_of_selector())
        .when((of_cause == "preferred") & is_head, of_cause)
        .when(is_admin, "offline_admin_unclean")
        .when(F.col("from_state") != ONLINE, "offline")
        .otherwise(F.coalesce(of_cause, F.lit("unknown")))
    )


def kind_of_selector() -> Column:
    """A failed election from 1.1 on names its strategy."""
    is_admin = (F.col("trigger") == "unclean election") & (F.col("event_seq") == F.col("admin_seq"))
    found = F.when(F.lit(False), "")
    for name in ("preferred", "reassign", "controlled_shutdown"):
        found = found.when(F.col("strategy") == SELECTORS[name][1], name)
    return found.when(is_admin, "offline_admin_unclean").otherwise("offline")


def selector() -> Column:
    """In Kafka's words, as said or by kind and release: is_old tells up to 1.0."""
    found = F.when(F.lit(False), "")
    for name, (old, new) in SELECTORS.items():
        found = found.when(
            F.col("kind") == name, F.when(F.col("is_old"), F.lit(old)).when(~F.col("is_old"), F.lit(new))
        )
    return F.when(F.col("how") == "move", F.coalesce("said_selector", found))


def failure() -> Column:
    """Why it failed, by the message; where nobody was found, by what was live."""
    message = F.concat_ws(" ", "exception_class", "message")
    found = F.when(F.lit(False), "")
    for pattern, name in MESSAGES:
        found = found.when(message.rlike(pattern), name)
    has_live = F.size(F.array_intersect("choices", "online")) > 0
    by_live = F.when(has_live, "no_live_in_isr").when(~has_live, "no_live_assigned").otherwise("undetermined")
    electing = (
        F.when(F.col("kind") == "preferred", "preferred_unavailable")
        .when(F.col("kind") == "controlled_shutdown", "only_shutting_down_in_isr")
        .otherwise(by_live)
    )
    why = F.when(F.col("strategy").isNotNull(), electing).otherwise(F.coalesce(found, F.lit("other")))
    return F.when(F.col("outcome") == "failed", why)


def online() -> Column:
    """Live and not shutting down; null where no list was seen."""
    none = F.array().cast("array<int>")
    return F.array_except("live_brokers", F.coalesce("shutting_down_brokers", none))


def choices() -> Column:
    """The replicas that the rule goes through in order."""
    return F.when(F.col("kind") == "reassign", F.col("target_replicas")).otherwise(F.col("replicas"))


def first_in(replicas: Column, *within: Column) -> Column:
    """The first replica that is in all of these; null if none is, or one of them is unknown."""
    found = reduce(F.array_intersect, within, replicas)
    return F.get(found, F.lit(0))


def expected_by_isr() -> Column:
    """The leader by the ISR before, where that is certain and the brokers are known."""
    none = F.array().cast("array<int>")
    certain = F.when(F.col("is_isr_before_certain"), F.col("isr_before"))
    shutting = F.coalesce("shutting_down_brokers", none)
    live, replicas = F.col("online"), F.col("choices")
    in_isr = first_in(replicas, live, certain)
    leaves = first_in(replicas, F.array_union(live, shutting), F.array_except(certain, shutting))
    outside = F.when(certain.isNotNull() & live.isNotNull(), first_in(replicas, live))
    name = F.col("kind")
    return (
        F.when(name == "init", first_in(replicas, live))
        .when(name == "preferred", F.when(certain.isNotNull() & live.isNotNull(), F.get(replicas, F.lit(0))))
        .when(name == "reassign", in_isr)
        .when(name == "controlled_shutdown", leaves)
        .when(name.isin("offline", "offline_admin_unclean"), F.coalesce(in_isr, outside))
    )


def expected_by_result() -> Column:
    """The leader by the ISR that came of it: the one before without those that are gone."""
    replicas = F.col("choices")
    preferred = F.when(F.col("isr").isNotNull(), F.get(replicas, F.lit(0)))
    return F.when(F.col("kind") == "preferred", preferred).otherwise(first_in(replicas, F.col("isr")))


def expected_of_removal() -> Column:
    """The same leader, or nobody where it was the one that was removed; the last one stays in the ISR all the same."""
    old, isr, leader = F.col("old_leader"), F.col("isr"), F.col("leader")
    is_last = (F.size(isr) == 1) & F.array_contains(isr, old)
    return (
        F.when(old == NOBODY, F.lit(NOBODY))
        .when(is_last & leader.isin(NOBODY), F.lit(NOBODY))
        .when(F.array_contains(isr, old), old)
        .when(isr.isNotNull() & old.isNotNull(), F.lit(NOBODY))
    )


def is_unclean_said() -> Column:
    """The selector says that it went outside of the ISR (up to 1.0), or the state elected is to recover (from 3.2)."""
    noted = ("selector_unclean_elected", "partition_transition")
    return F.arrays_overlap("notes", F.array(*(F.lit(f"{event} elected_unclean") for event in noted)))


def is_clean() -> Column:
    """Whether what was elected was in the ISR before; null: undetermined, or nobody was elected."""
    is_chosen = (F.col("outcome") == "done") & (F.col("leader") >= 0) & (F.col("kind") != "isr_removal")
    certain = F.when(F.col("is_isr_before_certain"), F.array_contains("isr_before", F.col("leader")))
    found = (
        F.when(F.col("is_unclean_said"), F.lit(False))
        .when(F.col("kind").isin(*CLEAN_ALWAYS) & (F.col("from_state") != OFFLINE), F.lit(True))
        .when(F.array_contains("notes", "selector_isr_elected elected"), F.lit(True))
        .when(F.size("isr") > 1, F.lit(True))
        .otherwise(certain)
    )
    return F.when(is_chosen, found)
