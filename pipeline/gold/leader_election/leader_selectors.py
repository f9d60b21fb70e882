"""How Kafka's controller chooses a leader, by kind of election, and what its choice was."""

import polars as pl
from polars import col, lit, when

from pipeline.model.brokers.candidates import brokers_shutting_down
from pipeline.model.partitions.controller_view import first_replica

NOBODY = -1
NEW, ONLINE, OFFLINE = "NewPartition", "OnlinePartition", "OfflinePartition"
STRATEGY = r"under strategy (\w+)"
# By kind the rule in Kafka's words: up to 1.0, and since.
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
KIND_OF_STRATEGY = {
    SELECTORS[kind][1]: kind for kind in ("offline", "preferred", "reassign", "controlled_shutdown")
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


def election_kind() -> pl.Expr:
    """By (how, from_state, trigger, strategy, leader, replicas, event_seq, admin_seq). A failed election from 1.1 on
    names its strategy."""
    of_cause = col("trigger").replace_strict(KIND_OF_CAUSE, default=None, return_dtype=pl.String)
    is_admin = (col("trigger") == "unclean election") & (col("event_seq") == col("admin_seq"))
    is_head = (col("from_state") == ONLINE) | (col("leader") == first_replica("replicas"))
    of_strategy = col("strategy").replace_strict(KIND_OF_STRATEGY, default="offline", return_dtype=pl.String)
    of_offline = when(is_admin).then(lit("offline_admin_unclean")).otherwise(lit("offline"))
    by_strategy = when(of_strategy == "offline").then(of_offline).otherwise(of_strategy)
    return (
        when(col("how") != "move").then(lit("isr_removal"))
        .when(col("from_state") == NEW).then(lit("init"))
        .when(col("strategy").is_not_null()).then(by_strategy)
        .when((of_cause == "preferred") & is_head).then(of_cause)
        .when(is_admin).then(lit("offline_admin_unclean"))
        .when(col("from_state") != ONLINE).then(lit("offline"))
        .otherwise(of_cause.fill_null("unknown"))
    )  # fmt: skip


def selector_name() -> pl.Expr:
    """The rule in Kafka's words, as said or by kind and release: is_old is true up to 1.0."""
    old, new = (
        col("kind").replace_strict(
            {name: words[place] for name, words in SELECTORS.items()}, default=None, return_dtype=pl.String
        )
        for place in (0, 1)
    )
    by_kind = when(col("is_old")).then(old).when(~col("is_old")).then(new)
    return when(col("how") == "move").then(pl.coalesce("said_selector", by_kind))


def failure_reason() -> pl.Expr:
    """Why it failed, by the message; where nobody was found, by what was live."""
    message = pl.concat_str("exception_class", "message", separator=" ", ignore_nulls=True)
    by_message = pl.coalesce(
        *(when(message.str.contains(pattern)).then(lit(name)) for pattern, name in MESSAGES), lit("other")
    )
    has_live = common_replicas("choices", "online").list.len() > 0
    by_live = (
        when(has_live).then(lit("no_live_in_isr"))
        .when(~has_live).then(lit("no_live_assigned"))
        .otherwise(lit("undetermined"))
    )  # fmt: skip
    of_nobody = (
        when(col("kind") == "preferred").then(lit("preferred_unavailable"))
        .when(col("kind") == "controlled_shutdown").then(lit("only_shutting_down_in_isr"))
        .otherwise(by_live)
    )  # fmt: skip
    why = when(col("strategy").is_not_null()).then(of_nobody).otherwise(by_message)
    return when(col("outcome") == "failed").then(why)


def selectable_replicas() -> pl.Expr:
    """The replicas that the rule goes through in order."""
    return when(col("kind") == "reassign").then("target_replicas").otherwise("replicas")


def common_replicas(replicas: str, *within: pl.Expr | str) -> pl.Expr:
    """The replicas that are in all of these, in their order; null if one of them is unknown."""
    found = col(replicas)
    for one in within:
        found = found.list.set_intersection(one)
    return found


def first_in(replicas: str, *within: pl.Expr | str) -> pl.Expr:
    """The first replica that is in all of these; null if none is, or one of them is unknown."""
    return common_replicas(replicas, *within).list.get(0, null_on_oob=True)


def expected_by_isr() -> pl.Expr:
    """The leader by the ISR before, where that is certain and the brokers are known."""
    certain = when(col("is_isr_before_certain")).then("isr_before")
    in_isr = first_in("choices", "online", certain)
    is_there = col("online").list.set_union(brokers_shutting_down())
    leaves = first_in("choices", is_there, certain.list.set_difference(brokers_shutting_down()))
    # Somebody shuts down: an empty list is that of the start, the one of this moment (DEBUG) was not printed.
    is_leaver_known = col("shutting_down_brokers").list.len() > 0
    is_known = certain.is_not_null() & col("online").is_not_null()
    outside = when(is_known).then(first_in("choices", "online"))
    name = col("kind")
    return (
        when(name == "init").then(first_in("choices", "online"))
        .when(name == "preferred").then(when(is_known).then(first_replica("choices")))
        .when(name == "reassign").then(in_isr)
        .when(name == "controlled_shutdown").then(when(is_leaver_known).then(leaves))
        .when(name.is_in(["offline", "offline_admin_unclean"])).then(pl.coalesce(in_isr, outside))
    )  # fmt: skip


def was_taken_out(leader: pl.Expr) -> pl.Expr:
    """True if the election of an offline partition took it out of the ISR, which keeps all that are online: the
    controller held it for offline, though its broker lives, as one whose log directory failed.

    Source: Election.leaderForOffline, ControllerContext.isReplicaOnline, from 1.0.
    """
    is_offline = col("kind").is_in(["offline", "offline_admin_unclean"])
    was_in, is_in = (col(isr).list.contains(leader) for isr in ("isr_before", "isr"))
    return (is_offline & was_in & ~is_in).fill_null(value=False)


def expected_by_result() -> pl.Expr:
    """The leader by the ISR that came of it: the one before without those that are gone."""
    preferred = when(col("isr").is_not_null()).then(first_replica("choices"))
    return when(col("kind") == "preferred").then(preferred).otherwise(first_in("choices", "isr"))


def expected_of_removal() -> pl.Expr:
    """The same leader, or nobody where it was the one that was removed; the last one stays in the ISR all the same."""
    old, isr, leader = col("old_leader"), col("isr"), col("leader")
    is_in_isr = isr.list.contains(old)
    is_last = (isr.list.len() == 1) & is_in_isr
    return (
        when(old == NOBODY).then(NOBODY)
        .when(is_last & (leader == NOBODY)).then(NOBODY)
        .when(is_in_isr).then(old)
        .when(isr.is_not_null() & old.is_not_null()).then(NOBODY)
    )  # fmt: skip


def is_clean_election() -> pl.Expr:
    """True if what was elected was in the ISR before; null: undetermined, or nobody was elected.

    is_unclean_said, is_clean_said: a line notes that the choice was outside of the ISR, or in it.
    """
    is_removal = col("kind") == "isr_removal"
    is_chosen = (col("outcome") == "done") & (col("leader") >= 0) & ~is_removal
    was_in_isr = when(col("is_isr_before_certain")).then(col("isr_before").list.contains(col("leader")))
    is_safe = col("kind").is_in(CLEAN_ALWAYS) & (col("from_state") != OFFLINE)
    found = (
        when(col("is_unclean_said")).then(lit(value=False))
        .when(is_safe | col("is_clean_said")).then(lit(value=True))
        .when(col("isr").list.len() > 1).then(lit(value=True))
        .otherwise(was_in_isr)
    )  # fmt: skip
    return when(is_chosen).then(found)
