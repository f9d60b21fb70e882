"""Where the logs of brokers end: of those that begin to lead or to follow, are loaded, or are cut off."""

from pipeline.silver import replica_offset
from schemas.silver.replica_offset import SPEC
from tests.frames import frame
from tests.rows import records_in, same_rows

OWN = ("logged_at", "topic", "partition", "broker_id", "step", "leader_epoch", "log_end_offset")
BROKER = """
    [2026-11-21 00:00:01,000] INFO [Broker id=1] Follower metrics-raw-0 starts at leader epoch 0 from offset 7 with high watermark 0. Previous leader epoch was -1. (state.change.logger)
    [2026-11-21 00:00:02,000] INFO [Broker id=1] Leader clicks-2 starts at leader epoch 3 from offset 56 with high watermark 0 ISR [1,3] addingReplicas [] removingReplicas []. Previous leader epoch was -1. (state.change.logger)
    [2026-11-21 00:00:03,000] INFO [Broker id=1] Leader a-1 with topic id Some(qiXYf-reR3aFUZG8zX-9KQ) starts at leader epoch 4 from offset 5000000000 with partition epoch 0, high watermark 0, ISR [1,2], adding replicas [] and removing replicas [] . Previous leader None and previous leader epoch was -1. (state.change.logger)
    [2026-11-21 00:00:04,000] INFO [Broker id=1] Follower a-3 starts at leader epoch 5 from offset 0 with partition epoch 0 and high watermark 0. Current leader is 3. Previous leader Some(3) and previous leader epoch was 0. (state.change.logger)
"""


def test_every_start_from_2_6_on() -> None:
    expected = frame(
        SPEC,
        """
        logged_at | topic       | partition | broker_id | step    | leader_epoch | log_end_offset
        1         | metrics-raw | 0         | 1         | follows | 0            | 7
        2         | clicks      | 2         | 1         | leads   | 3            | 56
        3         | a           | 1         | 1         | leads   | 4            | 5000000000
        4         | a           | 3         | 1         | follows | 5            | 0
        """,
    )
    found = replica_offset.build(records_in({(1, "state-change"): BROKER}))
    same_rows(found, expected, *OWN)


SERVER = """
    [2026-11-21 00:00:01,000] INFO Completed load of log billing.v2-0 with log end offset 7 (kafka.log.Log)
    [2026-11-21 00:00:02,000] INFO Completed load of log a-1 with 3 log segments and log end offset 12 in 5 ms (kafka.log.Log)
    [2026-11-21 08:36:54,418] INFO Completed load of log alerts-0 with 1 log segments, log start offset 0 and log end offset 50 in 2 ms (kafka.log.Log)
    [2026-11-21 08:36:54,781] INFO Truncating log alerts-0 to offset 0. (kafka.log.Log)
    [2026-11-21 08:36:55,000] INFO Truncating alerts-1 to 0 has no effect as the largest offset in the log is -1. (kafka.log.Log)
    [2026-11-21 08:59:37,238] INFO [Log partition=audit_log-0, dir=/data/with space, and comma/b] Completed load of log with 1 segments, log start offset 0 and log end offset 50 in 8 ms (kafka.log.Log)
    [2026-11-21 08:59:37,839] INFO [Log partition=audit_log-0, dir=/data] Truncating to offset 0 (kafka.log.Log)
    [2026-11-21 08:59:38,000] INFO [Log partition=audit_log-1, dir=/data] Truncating to 9 has no effect as the largest offset in the log is 8 (kafka.log.Log)
    [2026-11-21 09:00:00,000] INFO Partition [clicks,2] on broker 4: clicks-2 starts at Leader Epoch 3 from offset 9. Previous Leader Epoch was: 2 (kafka.cluster.Partition)
    [2026-11-21 08:35:47,880] INFO [Partition orders-0 broker=4] orders-0 starts at Leader Epoch 13 from offset 20. Previous Leader Epoch was: 12 (kafka.cluster.Partition)
    [2026-11-21 08:33:24,000] INFO [Partition 0-numbers-1 broker=4] 0-numbers-1 starts at leader epoch 1 from offset 10 with high watermark 10. Previous leader epoch was -1. (kafka.cluster.Partition)
"""


def test_what_server_log_says_of_older_releases() -> None:
    """Lines of logs do not name the broker: it is that of the file."""
    expected = frame(
        SPEC,
        """
        topic      | partition | broker_id | step   | leader_epoch | log_end_offset
        billing.v2 | 0         | 4         | loaded |              | 7
        a          | 1         | 4         | loaded |              | 12
        alerts     | 0         | 4         | loaded |              | 50
        alerts     | 0         | 4         | cut    |              | 0
        alerts     | 1         | 4         | kept   |              | 0
        audit_log  | 0         | 4         | loaded |              | 50
        audit_log  | 0         | 4         | cut    |              | 0
        audit_log  | 1         | 4         | kept   |              | 9
        clicks     | 2         | 4         | leads  | 3            | 9
        orders     | 0         | 4         | leads  | 13           | 20
        0-numbers  | 1         | 4         | leads  | 1            | 10
        """,
    )
    found = replica_offset.build(records_in({(4, "server"): SERVER}))
    same_rows(found, expected, *OWN[1:])
