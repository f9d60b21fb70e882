"""One small story of elections for each way in which releases print them: logs, and the rows that they give."""

BORN_DEAD = "Controller 2 epoch 4 encountered error during state change of partition a-0 from New to Online, assigned replicas are [], live brokers are [Set(1, 2)]. No assigned replica is alive."
EXPIRED = "Session expired either before or while waiting for connection"
NO_REPLICA = "No replica for partition [a,0] is alive. Live brokers are: [Set(1)]. Assigned replicas are: [List(2, 3)]."
START = """
    00,000 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1
    00,001 Currently active brokers in the cluster: Set(1, 2, 3)
    00,001 Currently shutting brokers in the cluster: Set()
"""
BORN = """
    {at} Changed partition {name} state from NonExistentPartition to NewPartition with assigned replicas {replicas}
    {at} Changed partition {name} from NewPartition to OnlinePartition with state LeaderAndIsr(leader={leader}, leaderEpoch=0, isr=List({isr}), {end})
"""
UNDER_OFFLINE = "kafka.common.StateChangeFailedException: Failed to elect leader for partition {} under strategy OfflinePartitionLeaderElectionStrategy"
SENT = "Sending UpdateMetadata request PartitionState(controllerEpoch=1, leader={}, leaderEpoch={}, isr=[{}], zkVersion=1, replicas=[2, 1], offlineReplicas=[2]) to brokers Set(1, 3) for partition {}"

CONTROLLER_2_2 = f"""
    {START}
    01,000 New topics: [Set(a, b, c, d, e, f, g, h, i)], deleted topics: [Set()], new partition replica assignment [Map()]
    02,000 Starting preferred replica leader election for partitions f-0,g-0
    03,000 Leader 1 for partition h-0 being reassigned, is not in the new list of replicas 3,2. Re-electing leader
    04,000 Shutting down broker 3
    04,000 All shutting down brokers: 3
    05,000 Newly added brokers: , deleted brokers: 2, bounced brokers: , all live brokers: 1,3
    05,000 Broker failure callback for 2
    06,000 Unclean leader election has been enabled for topic d
"""
STATE_CHANGE_2_2 = "".join((
    *(BORN.format(at="01,001", name=f"{topic}-0", replicas=replicas, leader=replicas[0], isr=replicas, end="zkVersion=0")
      for topic, replicas in (("a", "2,1"), ("b", "2,1,3"), ("c", "2"), ("d", "2,1"), ("e", "3,1"), ("f", "1,3"), ("g", "1,2"), ("h", "1,2"))),
    f"""
    01,002 Controller 1 epoch 1 failed to change state for partition i-0 from NewPartition to OnlinePartition
    kafka.common.StateChangeFailedException: {BORN_DEAD}
    02,001 Changed partition f-0 from OnlinePartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=1, isr=List(1, 3), zkVersion=1)
    02,001 Changed partition g-0 from OnlinePartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=1, isr=List(1, 2), zkVersion=1)
    03,001 Changed partition h-0 from OnlinePartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=1, isr=List(1, 2), zkVersion=1)
    04,001 Changed partition e-0 from OnlinePartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=1, isr=List(1), zkVersion=1)
    05,001 Changed partition a-0 from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=1, isr=List(1), zkVersion=3)
    05,001 Changed partition b-0 from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader=3, leaderEpoch=1, isr=List(3, 1), zkVersion=1)
    05,002 Controller 1 epoch 1 failed to change state for partition c-0 from OfflinePartition to OnlinePartition
    {UNDER_OFFLINE.format("c-0")}
    05,002 Controller 1 epoch 1 failed to change state for partition d-0 from OfflinePartition to OnlinePartition
    {UNDER_OFFLINE.format("d-0")}
    05,003 Changed state of replica 2 for partition d-0 from OnlineReplica to OfflineReplica
    05,004 {SENT.format(-1, 1, 2, "d-0")}
    05,004 {SENT.format(1, 1, 1, "a-0")}
    06,001 Changed partition d-0 from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=2, isr=List(1), zkVersion=2)
    """,
))  # fmt: skip
# a-0: its leader wrote the ISR twice before. b-0: the second of its assignment, 1, is live and in sync. g-0: 2 is not the preferred one.
FROM_2_2 = """
    topic | elected_at | kind                | trigger                   | outcome | failure          | old_leader | leader | isr     | leader_epoch | expected_leader | verdict                 | is_clean | reason               | certainty
    a     | 1.001      | init                | topic creation            | done    |                  |            | 2      | [2 1]   | 0            | 2               | as_prescribed           | true     |                      | proved
    b     | 1.001      | init                | topic creation            | done    |                  |            | 2      | [2 1 3] | 0            | 2               | as_prescribed           | true     |                      | proved
    c     | 1.001      | init                | topic creation            | done    |                  |            | 2      | [2]     | 0            | 2               | as_prescribed           | true     |                      | proved
    d     | 1.001      | init                | topic creation            | done    |                  |            | 2      | [2 1]   | 0            | 2               | as_prescribed           | true     |                      | proved
    e     | 1.001      | init                | topic creation            | done    |                  |            | 3      | [3 1]   | 0            | 3               | as_prescribed           | true     |                      | proved
    f     | 1.001      | init                | topic creation            | done    |                  |            | 1      | [1 3]   | 0            | 1               | as_prescribed           | true     |                      | proved
    g     | 1.001      | init                | topic creation            | done    |                  |            | 1      | [1 2]   | 0            | 1               | as_prescribed           | true     |                      | proved
    h     | 1.001      | init                | topic creation            | done    |                  |            | 1      | [1 2]   | 0            | 1               | as_prescribed           | true     |                      | proved
    i     | 1.002      | init                | topic creation            | failed  | no_live_assigned |            |        |         |              |                 |                         |          |                      | proved
    f     | 2.001      | preferred           | preferred election by tool | done   |                  | 1          | 1      | [1 3]   | 1            | 1               | redundant               | true     |                      | proved
    g     | 2.001      | preferred           | preferred election by tool | done   |                  | 1          | 2      | [1 2]   | 1            | 1               | differs                 | true     |                      | proved
    h     | 3.001      | reassign            | reassignment              | done    |                  | 1          | 2      | [1 2]   | 1            | 2               | as_prescribed           | true     |                      | proved
    e     | 4.001      | controlled_shutdown | controlled shutdown       | done    |                  | 3          | 1      | [1]     | 1            | 1               | as_prescribed           | true     |                      | proved
    a     | 5.001      | offline             | broker failure            | done    |                  | 2          | 1      | [1]     | 1            | 1               | as_prescribed_by_result |          | isr_before_uncertain | proved
    b     | 5.001      | offline             | broker failure            | done    |                  | 2          | 3      | [3 1]   | 1            | 1               | differs                 | true     |                      | proved
    c     | 5.002      | offline             | broker failure            | failed  | no_live_assigned | 2          |        |         |              |                 |                         |          |                      | proved
    d     | 5.002      | offline             | broker failure            | failed  | no_live_in_isr   | 2          |        |         |              |                 |                         |          |                      | proved
    d     | 5.003      | isr_removal         | broker failure            | done    |                  | 2          | -1     | [2]     | 1            | -1              | as_prescribed_by_result |          |                      | inferred
    d     | 6.001      | offline             | unclean election enabled  | done    |                  | -1         | 1      | [1]     | 2            | 1               | as_prescribed           | false    |                      | proved
"""


def lines(text: str, head: str, logger: str) -> str:
    """Log lines: `01,000 text`; what follows without a time belongs to the line before it."""
    rows = [row.strip() for row in text.strip().splitlines() if row.strip()]
    levels = {"failed": "ERROR", "Elect leader": "WARN", "All shutting down": "DEBUG"}

    def line(row: str) -> str:
        if not row[:2].isdigit():
            return row
        own = logger if not row[7:].startswith("[Off") else "kafka.controller.OfflinePartitionLeaderSelector"
        said = row[7:] if row[7:].startswith("[Off") else f"{head}{row[7:]}"
        level = next((name for word, name in levels.items() if word in row), "INFO")
        return f"[2026-11-21 00:00:{row[:6]}] {level} {said} ({own})"

    return "\n".join(map(line, rows))


REQUEST = "Sending become-leader LeaderAndIsr request PartitionState(controllerEpoch=1, leader={leader}, leaderEpoch={epoch}, isr={isr}, zkVersion={epoch}, replicas={replicas}, isNew=false) to broker {leader} for partition {name}"
BORN_1_0 = """
    01,001 Changed partition {name} state from NonExistentPartition to NewPartition with assigned replicas {replicas}
    01,002 Changed partition {name} from NewPartition to OnlinePartition with leader {leader}
    01,003 {request}
"""
CONTROLLER_1_0 = """
    00,000 1 successfully elected as the controller
    00,001 Incremented epoch to 1
    00,002 Currently active brokers in the cluster: Set(1, 2, 3)
    00,002 Currently shutting brokers in the cluster: Set()
    01,000 New topics: [Set(a, b, c, d, e)], deleted topics: [Set()], new partition replica assignment [Map()]
    01,500 Shutting down broker 3
    01,500 All shutting down brokers: 3
    02,000 Newly added brokers: , deleted brokers: 2, all live brokers: 1,3
    02,000 Broker failure callback for 2
    02,001 [OfflinePartitionLeaderSelector]: Some broker in ISR is alive for a-0. Select 1 from ISR 1 to be the leader.
    02,001 [OfflinePartitionLeaderSelector]: No broker in ISR is alive for b-0. Elect leader 1 from live brokers 1. There's potential data loss.
    02,005 New leader and ISR for partition d-0 is {"leader":1,"leader_epoch":1,"isr":[1]}
    03,000 Starting preferred replica leader election for partitions d-0
"""


def request(name: str, replicas: str, leader: int, epoch: int, isr: str) -> str:
    return REQUEST.format(name=name, replicas=replicas, leader=leader, epoch=epoch, isr=isr)


STATE_CHANGE_1_0 = "".join((
    *(BORN_1_0.format(name=name, replicas=replicas, leader=replicas[0], request=request(name, replicas, int(replicas[0]), 0, replicas))
      for name, replicas in (("a-0", "2,1"), ("b-0", "2,1"), ("c-0", "2"), ("d-0", "1,2"), ("e-0", "3,2,1"))),
    f"""
    01,501 Elected leader 1 for Offline partition e-0
    01,501 Changed partition e-0 from OnlinePartition to OnlinePartition with leader 1
    01,502 {request("e-0", "3,2,1", 1, 1, "1,2")}
    02,002 Elected leader 1 for Offline partition a-0
    02,002 Changed partition a-0 from OfflinePartition to OnlinePartition with leader 1
    02,002 Elected leader 1 for Offline partition b-0
    02,002 Changed partition b-0 from OfflinePartition to OnlinePartition with leader 1
    02,003 Initiated state change for partition c-0 from OfflinePartition to OnlinePartition failed
    kafka.common.NoReplicaOnlineException: {NO_REPLICA}
    02,004 {request("a-0", "2,1", 1, 1, "1")}
    02,004 {request("b-0", "2,1", 1, 1, "1")}
    02,006 {request("d-0", "1,2", 1, 1, "1")}
    03,001 Changed partition d-0 from OnlinePartition to OnlinePartition with leader 1
    """,
))  # fmt: skip
# e-0: up to 0.9 the first of the ISR has to follow, 1; since then the first of the assignment, 2.
FROM_1_0 = """
    topic | elected_at | kind                | trigger                    | outcome | failure          | old_leader | leader | isr     | leader_epoch | expected_leader | verdict                 | is_clean | reason          | certainty
    a     | 1.002      | init                | topic creation             | done    |                  |            | 2      | [2 1]   | 0            | 2               | as_prescribed           | true     |                 | proved
    b     | 1.002      | init                | topic creation             | done    |                  |            | 2      | [2 1]   | 0            | 2               | as_prescribed           | true     |                 | proved
    c     | 1.002      | init                | topic creation             | done    |                  |            | 2      | [2]     | 0            | 2               | as_prescribed           | true     |                 | proved
    d     | 1.002      | init                | topic creation             | done    |                  |            | 1      | [1 2]   | 0            | 1               | as_prescribed           | true     |                 | proved
    e     | 1.002      | init                | topic creation             | done    |                  |            | 3      | [3 2 1] | 0            | 3               | as_prescribed           | true     |                 | proved
    e     | 1.501      | controlled_shutdown | controlled shutdown        | done    |                  | 3          | 1      | [1 2]   | 1            |                 | undetermined            | true     | release_unknown | proved
    a     | 2.002      | offline             | broker failure             | done    |                  | 2          | 1      | [1]     | 1            | 1               | as_prescribed_by_result | true     |                 | proved
    b     | 2.002      | offline             | broker failure             | done    |                  | 2          | 1      | [1]     | 1            | 1               | as_prescribed_by_result | false    |                 | proved
    c     | 2.003      | offline             | broker failure             | failed  | no_live_assigned | 2          |        |         |              |                 |                         |          |                 | proved
    d     | 2.005      | isr_removal         | broker failure             | done    |                  | 1          | 1      | [1]     | 1            | 1               | as_prescribed_by_result |          |                 | proved
    d     | 3.001      | preferred           | preferred election by tool | done    |                  | 1          | 1      |         |              |                 | redundant               | true     |                 | proved
"""


def state(leader: int, epoch: int, *isr: int, recovery: str = "RECOVERED") -> str:
    ids = ", ".join(f"BrokerState(brokerId={one}, brokerEpoch=-1)" for one in isr)
    return (
        f"LeaderAndIsr(leader={leader}, leaderEpoch={epoch}, isrWithBrokerEpoch=List({ids}), "
        f"leaderRecoveryState={recovery}, partitionEpoch={epoch})"
    )


REMOVED = "Partition {} state changed to (Leader:{},ISR:{},LeaderRecoveryState:RECOVERED,LeaderEpoch:{},ZkVersion:2,ControllerEpoch:1) after removing replica 2 from the ISR as part of transition to OfflineReplica"
CONTROLLER_3_9 = f"""
    {START}
    01,000 New topics: [Set(a, b, c)], deleted topics: [Set()], new partition replica assignment [Map()]
    01,500 ISR for partition b-0 updated to {state(2, 0, 2)}.
    02,000 Newly added brokers: , deleted brokers: 2, bounced brokers: , all live brokers: 1,3
    02,000 Broker failure callback for 2
    03,000 Starting replica leader election (UNCLEAN) for partitions b-0 triggered by AdminClientTriggered
    03,500 Handling log directory failure for brokers 3
    04,000 Starting replica leader election (PREFERRED) for partitions a-0 triggered by AdminClientTriggered
"""
STATE_CHANGE_3_9 = f"""
    01,001 Changed partition a-0 state from NonExistentPartition to NewPartition with assigned replicas 2,1
    01,001 Changed partition b-0 state from NonExistentPartition to NewPartition with assigned replicas 2,1
    01,001 Changed partition c-0 state from NonExistentPartition to NewPartition with assigned replicas 1,2
    01,001 Changed partition d-0 state from NonExistentPartition to NewPartition with assigned replicas 3,1
    01,002 Changed partition d-0 from NewPartition to OnlinePartition with state {state(3, 0, 3, 1)}
    01,002 Changed partition a-0 from NewPartition to OnlinePartition with state {state(2, 0, 2, 1)}
    01,002 Changed partition b-0 from NewPartition to OnlinePartition with state {state(2, 0, 2, 1)}
    01,002 Changed partition c-0 from NewPartition to OnlinePartition with state {state(1, 0, 1, 2)}
    02,001 Changed partition a-0 from OfflinePartition to OnlinePartition with state {state(1, 1, 1)}
    02,002 Controller 1 epoch 1 failed to change state for partition b-0 from OfflinePartition to OnlinePartition
    {UNDER_OFFLINE.format("b-0")}(false)
    02,003 {REMOVED.format("a-0", 1, 1, 1)}
    02,003 {REMOVED.format("b-0", -1, 2, 1)}
    02,003 {REMOVED.format("c-0", 1, 1, 1)}
    03,001 Changed partition b-0 from OfflinePartition to OnlinePartition with state {state(1, 2, 1, recovery="RECOVERING")}
    03,501 Changed partition d-0 from OfflinePartition to OnlinePartition with state {state(1, 1, 1)}
    04,001 Controller 1 epoch 1 failed to change state for partition a-0 from OnlinePartition to OnlinePartition
    kafka.zookeeper.ZooKeeperClientExpiredException: {EXPIRED}
"""
# a-0: the line that removes 2 from its ISR changes nothing. d-0: the log directory of 3, which lives, failed.
FROM_3_9 = """
    topic | elected_at | kind                  | trigger                    | outcome | failure         | old_leader | leader | isr   | leader_epoch | expected_leader | verdict                 | is_clean | reason | certainty
    a     | 1.002      | init                  | topic creation             | done    |                 |            | 2      | [2 1] | 0            | 2               | as_prescribed           | true     |        | proved
    b     | 1.002      | init                  | topic creation             | done    |                 |            | 2      | [2 1] | 0            | 2               | as_prescribed           | true     |        | proved
    c     | 1.002      | init                  | topic creation             | done    |                 |            | 1      | [1 2] | 0            | 1               | as_prescribed           | true     |        | proved
    a     | 2.001      | offline               | broker failure             | done    |                 | 2          | 1      | [1]   | 1            | 1               | as_prescribed           | true     |        | proved
    b     | 2.002      | offline               | broker failure             | failed  | no_live_in_isr  | 2          |        |       |              |                 |                         |          |        | proved
    b     | 2.003      | isr_removal           | broker failure             | done    |                 | 2          | -1     | [2]   | 1            | -1              | as_prescribed_by_result |          |        | proved
    c     | 2.003      | isr_removal           | broker failure             | done    |                 | 1          | 1      | [1]   | 1            | 1               | as_prescribed_by_result |          |        | proved
    b     | 3.001      | offline_admin_unclean | unclean election           | done    |                 | -1         | 1      | [1]   | 2            | 1               | as_prescribed           | false    |        | proved
    d     | 1.002      | init                  | topic creation             | done    |                 |            | 3      | [3 1] | 0            | 3               | as_prescribed           | true     |        | proved
    d     | 3.501      | offline               | log-dir failure            | done    |                 | 3          | 1      | [1]   | 1            | 1               | as_prescribed_by_result | true     |        | proved
    a     | 4.001      | preferred             | preferred election by tool | failed  | session_expired | 1          |        |       |              |                 |                         |          |        | proved
"""
