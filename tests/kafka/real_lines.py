"""Real log lines of many releases and modes, as written by Kafka."""

# Event, releases of the wording, one field, line.
REAL = [
    ("controller_failover_started", "0.8.0 to 0.11.0, ZooKeeper mode", ("controller_id", 0),
     "[2016-12-02 01:04:38,582] INFO [Controller 0]: Broker 0 starting become controller state transition (kafka.controller.KafkaController)"),
    ("partition_transition", "0.8.0 to 0.11.0, ZooKeeper mode", ("topic", "0-numbers-0"),
     "[2026-11-21 08:36:36,335] TRACE Controller 3 epoch 2 changed partition [0-numbers-0,2] from OnlinePartition to OnlinePartition with leader 1 (state.change.logger)"),
    ("selector_unclean_elected", "1.0, ZooKeeper mode", ("new_leader", 1),
     "[2026-11-21 08:35:20,454] WARN [OfflinePartitionLeaderSelector]: No broker in ISR is alive for orders-1. Elect leader 1 from live brokers 1. There's potential data loss. (kafka.controller.OfflinePartitionLeaderSelector)"),
    ("imbalance_ratio", "1.0 to 3.9, ZooKeeper mode", ("imbalance_ratio", 0.0),
     "[2026-11-21 08:08:47,971] TRACE [Controller id=1] Leader imbalance ratio for broker 1 is 0.0 (kafka.controller.KafkaController)"),
    ("replica_transition_failed", "1.1 to 3.9, ZooKeeper mode", ("replica_id", 2),
     "[2026-11-21 08:32:39,079] ERROR [Controller id=3 epoch=6] Controller 3 epoch 6 initiated state change of replica 2 for partition billing.v2-2 from OnlineReplica to NewReplica failed (state.change.logger)"),
    ("broker_recovering_cleared", "3.3 to 3.9, ZooKeeper mode; 3.3 and later, KRaft mode", ("partition", 0),
     "[2026-11-21 08:10:26,932] INFO [Broker id=3] The topic partition alerts-0 was marked as RECOVERING. Marking the topic partition as RECOVERED. (state.change.logger)"),
    ("broker_session_timeout", "2.8 to 3.4, KRaft mode", ("broker_id", 2),
     "[2026-11-21 08:30:46,110] INFO [Controller 1] Fencing broker 2 because its session has timed out. (org.apache.kafka.controller.ReplicationControlManager)"),
    ("partition_diff_unclean", "3.5 and later, KRaft mode", ("topic", "rf1"),
     "[2026-11-21 08:05:55,313] INFO [QuorumController id=101] UNCLEAN partition change for rf1-0 with topic ID 9RKjcrYoTGisVPImvRI5Sg: isr: [] -> [1], leader: -1 -> 1, leaderRecoveryState: RECOVERED -> RECOVERING, leaderEpoch: 1 -> 2, lastKnownElr: [1] -> [], partitionEpoch: 2 -> 3 (org.apache.kafka.controller.ReplicationControlManager)"),
    ("follower_same_epoch_update", "4.2 and later, KRaft mode", ("replicas", [1, 3]),
     "[2026-11-21 08:05:55,740] INFO [Broker id=1] Skipped the become-follower state change for unclean-yes-1 with topic id Some(8c4GL_49T_inedUZ5Y2ruw), partition registration PartitionRegistration(replicas=[1, 3], directories=[j1iM45MYIuOCtr5wZZvfQQ, Gijnlv2hTVlaWOZmOlolwQ], isr=[1, 3], removingReplicas=[], addingReplicas=[], elr=[], lastKnownElr=[], leader=3, leaderRecoveryState=RECOVERED, leaderEpoch=1, partitionEpoch=2) and isNew=false since it is already a follower with leader epoch 1. (state.change.logger)"),
    ("reassignment_removed", "2.4 to 3.9, ZooKeeper mode", ("reassignments", "Map(billing.v2-2 -> Buffer(1, 3))"),
     "[2026-11-21 08:32:26,959] INFO [Controller id=3] Removing partitions Map(billing.v2-2 -> Buffer(1, 3)) from the list of reassigned partitions in zookeeper (kafka.controller.KafkaController)"),
    ("reassignment_removed", "2.0 to 2.3, ZooKeeper mode", ("removed_partitions", "Set()"),
     "[2026-11-21 08:57:42,575] INFO [Controller id=2] Removing partitions Set() from the list of reassigned partitions in zookeeper (kafka.controller.KafkaController)"),
    ("thread_lifecycle", "0.9.0 to 0.10.2, ZooKeeper mode", ("thread_name_prefix", "kafka-mini-cluster"),
     "[2016-08-02 05:38:15,001] INFO [kafka-mini-cluster:Controller-0-to-broker-0-send-thread], Shutting down (kafka.controller.RequestSendThread)"),
    ("log4j_jmx_noise", "0.8.0 to 3.1.0, ZooKeeper mode", ("jmx_name", "log4j:logger=kafka.controller"),
     "[2014-01-21 10:00:00,000] DEBUG preRegister called. Server=com.sun.jmx.mbeanserver.JmxMBeanServer@1, name=log4j:logger=kafka.controller (kafka.controller)"),
]  # fmt: skip
TIME = "[2026-11-21 09:00:21,682]"
READY = "[2026-11-21 09:00:21,682] INFO [Controller id=2] Ready to serve as the new controller with epoch 8 (kafka.controller.KafkaController)"
MESSAGE = READY[READY.index("[Controller") : READY.rindex(" (")]
