"""Lines that prove findings, as Kafka wrote them."""

# Lines of clusters 2.2.2, 0.11.0.3, 3.9.1 and 4.3.1 as Kafka wrote them, but for what is said beside.
ELECTED_7 = "[2026-11-21 09:00:01,319] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 7 and epoch zk version is now 8 (kafka.controller.KafkaController)"
ELECTED_8 = "[2026-11-21 09:00:08,396] INFO [Controller id=2] 2 successfully elected as the controller. Epoch incremented to 8 and epoch zk version is now 9 (kafka.controller.KafkaController)"
RESIGNING = "[2026-11-21 09:00:12,155] DEBUG [Controller id=1] Resigning (kafka.controller.KafkaController)"
OLD_ELECTED_1 = "[2026-11-21 08:36:08,384] INFO [Controller 1]: 1 successfully elected as the controller (kafka.controller.KafkaController)"
OLD_EPOCH_1 = "[2026-11-21 08:36:08,429] INFO [Controller 1]: Controller 1 incremented epoch to 1 (kafka.controller.KafkaController)"
OLD_ELECTED_2 = "[2026-11-21 08:36:31,010] INFO [Controller 3]: 3 successfully elected as the controller (kafka.controller.KafkaController)"
OLD_EPOCH_2 = "[2026-11-21 08:36:31,018] INFO [Controller 3]: Controller 3 incremented epoch to 2 (kafka.controller.KafkaController)"
OLD_RESIGNING = "[2026-11-21 08:36:35,265] DEBUG [Controller 1]: Controller resigning, broker id 1 (kafka.controller.KafkaController)"
ELECTED_1 = "[2026-11-21 08:57:42,472] INFO [Controller id=2] 2 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)"
LAST_OF_1 = "[2026-11-21 08:57:45,839] TRACE [Controller id=2 epoch=1] Received response {error_code=0} for request UPDATE_METADATA with correlation id 27 sent to broker 127.0.0.1:20303 (id: 3 rack: null) (state.change.logger)"
ELECTED_2 = "[2026-11-21 08:57:52,402] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 2 and epoch zk version is now 2 (kafka.controller.KafkaController)"
ONLINE = "[2026-11-21 09:00:12,173] TRACE [Controller id=2 epoch=8] Changed state of replica 1 for partition audit_log-0 from ReplicaDeletionIneligible to OnlineReplica (state.change.logger)"
ONLINE_AGAIN = "[2026-11-21 09:00:25,753] TRACE [Controller id=2 epoch=8] Changed state of replica 1 for partition audit_log-0 from OfflineReplica to OnlineReplica (state.change.logger)"
# Kafka never did an illegal move: the state left was OfflineReplica.
ILLEGAL = ONLINE_AGAIN.replace("from OfflineReplica", "from NonExistentReplica")
REFUSED = """\
[2026-11-21 09:00:21,682] ERROR [Controller id=2 epoch=8] Controller 2 epoch 8 initiated state change of replica 1 for partition payments-1 from OfflineReplica to ReplicaDeletionIneligible failed (state.change.logger)
java.lang.IllegalStateException: Replica [Topic=payments,Partition=1,Replica=1] should be in the ReplicaDeletionStarted states before moving to ReplicaDeletionIneligible state. Instead it is in OfflineReplica state
	at kafka.controller.ReplicaStateMachine.logInvalidTransition(ReplicaStateMachine.scala:397)"""
OLD_REFUSED = """\
[2026-11-21 08:36:19,471] ERROR Controller 1 epoch 1 initiated state change of replica 3 for partition [audit_log,1] from OfflineReplica to ReplicaDeletionIneligible failed (state.change.logger)
java.lang.AssertionError: assertion failed: Replica [Topic=audit_log,Partition=1,Replica=3] should be in the ReplicaDeletionStarted states before moving to ReplicaDeletionIneligible state. Instead it is in OfflineReplica state"""
UNCLEAN = "[2026-11-21 08:36:53,460] WARN [OfflinePartitionLeaderSelector]: No broker in ISR is alive for [alerts,0]. Elect leader 2 from live brokers 2. There's potential data loss. (kafka.controller.OfflinePartitionLeaderSelector)"
UNCLEAN_ONLINE = "[2026-11-21 08:36:53,461] TRACE Controller 1 epoch 3 changed partition [alerts,0] from OfflinePartition to OnlinePartition with leader 2 (state.change.logger)"
LEFT_ALONE = "[2026-11-21 08:33:27,224] TRACE [Controller id=2 epoch=8] Sending become-follower LeaderAndIsr request LeaderAndIsrPartitionState(topicName='clicks', partitionIndex=1, controllerEpoch=8, leader=-1, leaderEpoch=12, isr=[1], zkVersion=17, replicas=[3, 1], addingReplicas=[], removingReplicas=[], isNew=false) to broker 3 for partition clicks-1 (state.change.logger)"
OUTSIDER = "[2026-11-21 08:33:27,238] TRACE [Controller id=2 epoch=8] Changed partition clicks-1 from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader=3, leaderEpoch=13, isr=List(3), zkVersion=18) (state.change.logger)"
KRAFT_UNCLEAN = "[2026-11-21 08:05:55,264] INFO Setting new leader for topicId 9RKjcrYoTGisVPImvRI5Sg, partition 0 to 1 using an unclean election. Previous partition: PartitionRegistration(replicas=[1], directories=[j1iM45MYIuOCtr5wZZvfQQ], isr=[], removingReplicas=[], addingReplicas=[], elr=[], lastKnownElr=[1], leader=-1, leaderRecoveryState=RECOVERED, leaderEpoch=1, partitionEpoch=2), change record: PartitionChangeRecord(partitionId=0, topicId=9RKjcrYoTGisVPImvRI5Sg, isr=null, leader=-2, replicas=null, removingReplicas=null, addingReplicas=null, leaderRecoveryState=-1, directories=null, eligibleLeaderReplicas=null, lastKnownElr=null) (org.apache.kafka.controller.PartitionChangeBuilder)"
# Why the controller chose it.
KRAFT_BACK = "[2026-11-21 08:05:55,262] INFO [QuorumController id=103] The request from broker 1 to unfence has been granted because it has caught up with the offset of its register broker record 167. (org.apache.kafka.controller.BrokerHeartbeatManager)"
# What came of it.
KRAFT_DIFF = "[2026-11-21 08:05:55,269] INFO [QuorumController id=103] UNCLEAN partition change for rf1-0 with topic ID 9RKjcrYoTGisVPImvRI5Sg: isr: [] -> [1], leader: -1 -> 1, leaderRecoveryState: RECOVERED -> RECOVERING, leaderEpoch: 1 -> 2, lastKnownElr: [1] -> [], partitionEpoch: 2 -> 3 (org.apache.kafka.controller.ReplicationControlManager)"
DISK_OF_1 = "[2026-11-21 08:05:50,795] WARN [QuorumController id=102] Directories [tHtBXU6uvjksqDSFk0yRxw] in broker 1 marked offline, remaining directories: [_U-jhuZXYGOr8y7a9SU0Kg] (org.apache.kafka.controller.ReplicationControlManager)"
KRAFT_LEADER = "[2026-11-21 08:05:55,322] INFO [Broker id=1] Leader rf1-0 with topic id Some(9RKjcrYoTGisVPImvRI5Sg) starts at leader epoch 2 from offset 44 with partition epoch 3, high watermark 44, ISR [1], adding replicas [] and removing replicas [] . Previous leader Some(-1) and previous leader epoch was 1. (state.change.logger)"
# Cluster 3.9.1: what the leader has, and what one has that comes back.
LED_FROM_0 = "[2026-11-21 08:10:26,600] INFO [Broker id=3] Leader alerts-0 with topic id Some(3L5lLg1zSQ-XVxZBGZ3ouw) starts at leader epoch 15 from offset 0 with partition epoch 22, high watermark 0, ISR [3], adding replicas [] and removing replicas [] . Previous leader Some(-1) and previous leader epoch was 14. (state.change.logger)"
BACK_FROM_50 = "[2026-11-21 08:10:29,700] INFO [Broker id=2] Follower alerts-0 starts at leader epoch 15 from offset 50 with partition epoch 22 and high watermark 50. Current leader is 3. Previous leader None and previous leader epoch was -1. (state.change.logger)"
LED_FROM_0_IN_2_2 = "[2026-11-21 08:59:36,202] INFO [Partition audit_log-0 broker=1] audit_log-0 starts at Leader Epoch 9 from offset 0. Previous Leader Epoch was: -1 (kafka.cluster.Partition)"
LOADED_TO_50 = "[2026-11-21 08:59:37,238] INFO [Log partition=audit_log-0, dir=/data] Completed load of log with 1 segments, log start offset 0 and log end offset 50 in 8 ms (kafka.log.Log)"
STATED = "[2026-11-21 08:43:02,753] INFO [Controller id=1 epoch=4] Changed partition geo-points-3 from OnlinePartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=11, isrWithBrokerEpoch=List(BrokerState(brokerId=2, brokerEpoch=-1), BrokerState(brokerId=3, brokerEpoch=-1), BrokerState(brokerId=1, brokerEpoch=-1)), leaderRecoveryState=RECOVERED, partitionEpoch=16) (state.change.logger)"
# No cluster here printed this one: the wording is that of STATED.
RECOVERING = STATED.replace("=RECOVERED", "=RECOVERING")
# Cut from a dump of 109 states, of which one is changed.
DUMP = "[2026-11-21 09:00:12,174] INFO [ReplicaStateMachine controllerId=2] Started replica state machine with initial state -> Map([Topic=alerts,Partition=0,Replica=2] -> OnlineReplica, [Topic=audit_log,Partition=0,Replica=1] -> OfflineReplica) (kafka.controller.ReplicaStateMachine)"
STACK = "\tat kafka.controller.ReplicaStateMachine.logInvalidTransition(ReplicaStateMachine.scala:397)"
# Broker 1 was away while broker 3, which led audit_log-0, left; cluster 2.2.2.
LED_BY_3 = "[2026-11-21 08:59:26,484] TRACE [Controller id=3 epoch=5] Sending become-leader LeaderAndIsr request PartitionState(controllerEpoch=5, leader=3, leaderEpoch=8, isr=3, zkVersion=14, replicas=3,1, isNew=false) to broker 3 for partition audit_log-0 (state.change.logger)"
WRITTEN_BY_3 = "[2026-11-21 08:59:30,100] INFO [Partition audit_log-0 broker=3] ISR updated to [3] and zkVersion updated to [14] (kafka.cluster.Partition)"
SHRUNK_BY_3 = "[2026-11-21 08:59:30,100] INFO [Partition audit_log-0 broker=3] Shrinking ISR from 3,1 to 3 (kafka.cluster.Partition)"
LEFT_1 = "[2026-11-21 08:59:26,395] INFO [Controller id=3] Newly added brokers: , deleted brokers: 1, bounced brokers: , all live brokers: 2,3 (kafka.controller.KafkaController)"
FOUND_2 = "[2026-11-21 08:59:33,439] INFO [Controller id=2] Currently active brokers in the cluster: Set(2) (kafka.controller.KafkaController)"
BACK_1 = "[2026-11-21 08:59:35,950] INFO [Controller id=2] Newly added brokers: 1, deleted brokers: , bounced brokers: , all live brokers: 1,2 (kafka.controller.KafkaController)"
LED_BY_1 = "[2026-11-21 08:59:35,967] TRACE [Controller id=2 epoch=6] Changed partition audit_log-0 from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=9, isr=List(1), zkVersion=15) (state.change.logger)"
ACTIVE_2 = "[2026-11-21 08:01:41,420] INFO [QuorumController id=102] Becoming the active controller at epoch 2, next write offset 1. (org.apache.kafka.controller.QuorumController)"
VACANT_3 = "[2026-11-21 08:02:33,674] INFO [QuorumController id=101] In the new epoch 3, the leader is (none). (org.apache.kafka.controller.QuorumController)"
RENOUNCING_2 = "[2026-11-21 08:02:36,500] INFO [QuorumController id=102] maybeFenceReplicas: event failed with NotLeaderException (treated as NotControllerException) at epoch 2 in 1085 microseconds. Renouncing leadership and reverting to the last committed offset 990. Exception message: x (org.apache.kafka.controller.QuorumController)"
LAST_OF_102 = "[2026-11-21 08:01:50,000] INFO [QuorumController id=102] Replayed BrokerRegistrationChangeRecord modifying the registration for broker 3: BrokerRegistrationChangeRecord(brokerId=3, brokerEpoch=551, fenced=1, inControlledShutdown=0, logDirs=[]) (org.apache.kafka.controller.ClusterControlManager)"
ACTIVE_4 = "[2026-11-21 08:02:35,100] INFO [QuorumController id=103] Becoming the active controller at epoch 4, next write offset 346. (org.apache.kafka.controller.QuorumController)"
