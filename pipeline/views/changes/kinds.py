"""What counts as a change that somebody asked for, with its words; a fact of the audit, kept as data."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """rank: place on the first screen. one, many: words, of one change by its values, and of several by their count."""

    rank: int
    one: str
    many: str


KINDS: dict[str, Kind] = {
    "epoch_rewritten": Kind(
        1,
        "/controller_epoch was rewritten, at the latest then: ZooKeeper refused controller {controller_id} in office",
        "/controller_epoch was rewritten {count} times",
    ),
    "controller_znode_deleted": Kind(
        1, "/controller was deleted or rewritten", "/controller was deleted or rewritten {count} times"
    ),
    "controller_resigned": Kind(
        5,
        "controller {controller_id} resigned: /controller was deleted, or its session expired",
        "controllers resigned {count} times, by hand or not",
    ),
    "metadata_wiped": Kind(
        1, "the metadata began anew (life {life})", "the metadata began anew {count} times"
    ),
    "migration": Kind(
        1, "a controller of KRaft came into office (migration from ZooKeeper)", "{count} migrations to KRaft"
    ),
    "unclean_election": Kind(
        2, "unclean election of {partitions}", "{count} unclean elections were asked for"
    ),
    "unclean_enabled": Kind(
        2, "unclean elections were allowed for {allowed}", "unclean elections were allowed {count} times"
    ),
    "broker_unregistered": Kind(
        2, "broker {broker_id} was unregistered", "{count} brokers were unregistered"
    ),
    "voters_changed": Kind(
        2,
        "voters of the quorum are {named} since then at the latest",
        "voters of the quorum were changed {count} times",
    ),
    "feature_set": Kind(2, "feature {named}", "{count} features were set"),
    "feature_removed": Kind(2, "feature {named} was removed", "{count} features were removed"),
    "topic_removed_by_hand": Kind(
        2,
        "topic {topic} was removed from ZooKeeper by hand",
        "{count} topics were removed from ZooKeeper by hand",
    ),
    "controlled_shutdown": Kind(
        3, "broker {broker_id} asked to be shut down", "{count} controlled shutdowns of brokers"
    ),
    "reassignment": Kind(3, "reassignment of {partitions}", "{count} reassignments"),
    "reassignment_overridden": Kind(
        3,
        "reassignment of {partitions} to other replicas than before",
        "{count} reassignments to other replicas",
    ),
    "reassignment_cancelled": Kind(
        3, "reassignment of {partitions} was cancelled", "{count} times reassignments were cancelled"
    ),
    "reassignment_refused": Kind(
        4, "reassignment of {partitions} was asked for and not begun", "{count} reassignments were not begun"
    ),
    "deletion": Kind(3, "deletion of topic {topic}", "{count} deletions of topics"),
    "deletion_of_nothing": Kind(
        5, "deletion of topic {topic}, which is not there", "{count} deletions of topics that are not there"
    ),
    "deletion_refused": Kind(5, "deletion of topic {topic}", "{count} deletions of topics were refused"),
    "settings": Kind(3, "settings of {resource}: {named}", "settings were changed {count} times"),
    "quota": Kind(4, "quota of {resource}: {named}", "quotas were changed {count} times"),
    "acl": Kind(4, "right {named}", "rights were changed {count} times"),
    "scram": Kind(4, "credential of {resource}: {named}", "credentials were changed {count} times"),
    "preferred_election": Kind(
        4, "preferred leaders for {partitions}", "{count} times preferred leaders were asked for"
    ),
    "topic_grown": Kind(
        4,
        "topic {topic} was given partitions: {from_count} to {to_count}",
        "{count} topics were given partitions",
    ),
    "topic_created": Kind(4, "topic {topic} was created ({size})", "{count} creations of topics"),
    "creation_refused": Kind(5, "creation of topic {topic}", "{count} creations of topics were refused"),
}

# What became of it, as far as another table knows. With {length} where it is known how long it took.
OUTCOMES = {
    "served": "served after {length}",
    "not_served": "no line tells that it was served",
    "completed": "completed after {length}",
    "done": "completed",
    "put_off": "put off, waits",
    "in_progress": "goes on",
    "requested": "not begun",
    "disabled": "dropped: delete.topic.enable=false",
    "cancelled": "cancelled",
    "overridden": "overridden",
    "topic_deleted": "ended with the topic",
    "wiped": "gone with the metadata",
    "forgotten": "forgotten by the next controller",
    "lines_missing": "its end is not told",
    "refused": "refused: {reason}",
    "failed": "failed",
    "skipped": "{reason}",
    "elected": "{led} of {asked} got another leader",
    "none_elected": "no leader changed",
    "left": "left after {length}",
    "stayed": "no line tells that it left",
    "hidden": "set or removed: Kafka hides which",
}
# Why a reassignment was not begun: reason of gold.reassignment.
REASONS = {
    "already_assigned": "its replicas are these already",
    "unknown_partition": "there is no such partition",
    "never_created": "the partition never had a leader",
    "topic_deleting": "the topic is being deleted",
    "rejected": "refused",
    "request_failed": "the request could not be read",
    "controller_moved": "another controller was elected",
    "error": "an error",
    "unknown": "no reason is said",
}
# Who may have asked, where it was not a person's tool for certain.
ASKED_BY = {
    "broker": "by a broker, for itself",
    "unknown": "",
}
# Topics that brokers create for themselves. Source: Topic.INTERNAL_TOPICS, Topic.SHARE_GROUP_STATE_TOPIC_NAME.
INTERNAL = ("__consumer_offsets", "__transaction_state", "__share_group_state", "__remote_log_metadata")

# What leaves no line, by the mode of the cluster.
UNSEEN = {
    "zookeeper": "What leaves no line is not seen: settings, quotas and credentials where server.log was not read "
    "(--server-log), ACLs; what a broker refused by itself; an election of a leader that leads already.",
    "kraft": "What leaves no line is not seen: a reassignment in one step (another order, a replica less), a refused "
    "setting, an election of a leader that leads already; up to 3.8 what an asked election of preferred leaders "
    "changed, up to 3.5 quotas and ACLs.",
}
AUTO = "Whether a tool created a topic, or a broker because a client named it, no line tells."
UNREAD = "Of the controllers of {terms} no election was read: what they were asked is told as far as others print it."
