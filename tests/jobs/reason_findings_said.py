"""Findings that say why a broker or controller was gone, with the lines that prove it, and what must not prove them."""

from jobs.verify.proof import CONFIRMED, Claim
from tests.jobs.broker_findings_said import ANOTHER_1, FENCED_1, LEFT_1_AGAIN, REGISTERED_1
from tests.jobs.finding_records import (
    ELECTED_1,
    ELECTED_2,
    ELECTED_7,
    ELECTED_8,
    LAST_OF_1,
    LEFT_1,
    RESIGNING,
    UNCLEAN,
    UNCLEAN_ONLINE,
)
from tests.jobs.findings_said import at, finding
from tests.jobs.partition_findings_said import LED_BY_3, LEFT_3


def sign_ms(clock: str) -> str:
    return str(round(at(clock).timestamp() * 1000))


LOST_2 = "[2026-11-21 08:57:47,850] INFO [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Node 2 disconnected. (org.apache.kafka.clients.NetworkClient)"
STARTED_2 = "[2026-11-21 08:57:58,100] INFO starting (kafka.server.KafkaServer)"
UNCLEAN_1 = "[2026-11-21 08:59:30,100] INFO Recovering 12 logs from /data/a since no clean shutdown file was found (kafka.log.LogManager)"
EXPIRED_1 = "[2026-11-21 09:00:21,100] WARN Unable to reconnect to ZooKeeper service, session 0x1 has expired (org.apache.zookeeper.ClientCnxn)"
NO_MAJORITY = "[2026-11-21 08:57:46,100] INFO [RaftManager id=2] Did not receive fetch request from the majority of the voters within 3000ms. Current fetched voters are []. (org.apache.kafka.raft.LeaderState)"

TERM_3 = "[2026-11-21 08:58:22,900] INFO Terminating process due to signal SIGTERM (org.apache.kafka.common.utils.LoggingSignalHandler)"
FETCH_3 = "[2026-11-21 08:58:17,417] WARN [ReplicaFetcher replicaId=1, leaderId=3, fetcherId=0] Error in response for fetch request (type=FetchRequest, replicaId=1) (kafka.server.ReplicaFetcherThread)"
STARTED_3 = STARTED_2.replace("08:57:58", "08:58:32")
SILENT_1 = "[2026-11-21 09:00:12,050] WARN Client session timed out, have not heard from server in 9013ms for session id 0x1 (org.apache.zookeeper.ClientCnxn)"
EXPIRED_FIRST = EXPIRED_1.replace("09:00:21,100", "09:00:12,060")

LOST_1 = "[2026-11-21 08:03:46,712] INFO [BrokerToControllerChannelManager id=2 name=forwarding] Node 1 disconnected. (org.apache.kafka.clients.NetworkClient)"
STARTED_1 = STARTED_2.replace("08:57:58", "08:03:59")

CASES: dict[str, tuple[Claim, list[str], str]] = {
    "broker_flapping why": (
        finding("broker_flapping", "08:59:26.395", "09:00:20.404",
            broker_id="1", departures_count="2", shortest_ms="7512", end_reasons="killed,session_lost"),
        [LEFT_1, LEFT_1_AGAIN, UNCLEAN_1, EXPIRED_1], CONFIRMED,
    ),
    "broker_fenced why": (
        finding("broker_fenced", "08:03:51.977", "08:04:01.977",
            broker_id="1", lasted_ms="10000", is_same_process="false", end_reasons="killed", first_sign_ms=sign_ms("08:03:46.712")),
        [FENCED_1, ANOTHER_1, REGISTERED_1, LOST_1, STARTED_1], CONFIRMED,
    ),
    "no_controller why": (
        finding("no_controller", "08:57:45.839", "08:57:52.402",
            controller_id="2", controller_epoch="1", at_most_ms="6563", end_reasons="killed", first_sign_ms=sign_ms("08:57:47.850")),
        [ELECTED_1, LAST_OF_1, ELECTED_2, LOST_2, STARTED_2], CONFIRMED,
    ),
    "controller_outlived why": (
        finding("controller_outlived", "09:00:08.396", "09:00:12.155",
            controller_id="1", controller_epoch="7", late_ms="3759", writes_count="0", overlap="zombie_harmless",
            end_reasons="session_lost", first_sign_ms=sign_ms("09:00:12.050")),
        [ELECTED_7, RESIGNING, ELECTED_8, SILENT_1, EXPIRED_FIRST], CONFIRMED,
    ),
    "outage why": (
        finding("outage", "08:58:23.399", "08:58:33.458",
            cause="broker failure", broker_ids="3", partitions_count="1", total_ms="10059", longest_ms="10059",
            topic="fraud_scores", partition="1", end_reasons="sigterm"),
        [LEFT_3, LED_BY_3, TERM_3], CONFIRMED,
    ),
    "outage why, with a sign": (
        finding("outage", "08:58:23.399", "08:58:33.458",
            cause="broker failure", broker_ids="3", partitions_count="1", total_ms="10059", longest_ms="10059",
            topic="fraud_scores", partition="1", end_reasons="killed", first_sign_ms=sign_ms("08:58:17.417")),
        [LEFT_3, LED_BY_3, FETCH_3, STARTED_3], CONFIRMED,
    ),
    "unclean_election why": (
        finding("unclean_election", "08:36:53.461", "08:36:53.461",
            topic="alerts", partition="0", leader="2", old_leader="3", isr_before="3", isr="2",
            end_reasons="killed", first_sign_ms=sign_ms("08:58:17.417")),
        [UNCLEAN_ONLINE, UNCLEAN, FETCH_3, STARTED_3], CONFIRMED,
    ),
    "no_controller why, of a quorum": (
        finding("no_controller", "08:57:45.839", "08:57:52.402",
            controller_id="2", controller_epoch="1", at_most_ms="6563", end_reasons="majority_lost"),
        [ELECTED_1, LAST_OF_1, ELECTED_2, NO_MAJORITY], CONFIRMED,
    ),
}  # fmt: skip

ALTERED = [
    ("broker_flapping why", "no clean shutdown", "clean shutdown", "does not say killed"),
    ("no_controller why", "starting (", "started (", "does not say killed"),
    ("no_controller why", "leaderId=2", "leaderId=3", "shows nothing of node"),
    ("no_controller why", "47,850", "47,851", "is of 2026-11-21 08:57:47.851"),
    ("no_controller why, of a quorum", "majority", "minority", "does not say majority_lost"),
]

SAID_WRONGLY = [
    ("broker_flapping why", "end_reasons", "session_lost,killed", "does not say killed"),
    ("broker_flapping why", "end_reasons", "killed", "does not say killed"),
    ("broker_flapping why", "end_reasons", "session_lost", "3 such records for 2 departures"),
    ("controller_outlived why", "end_reasons", "killed", "does not say killed"),
    ("controller_outlived why", "first_sign_ms", "1", "is of 2026-11-21 09:00:12.05"),
    ("unclean_election why", "end_reasons", "sigterm", "does not say sigterm"),
    ("unclean_election why", "first_sign_ms", "1", "is of 2026-11-21 08:58:17"),
    ("outage why", "end_reasons", "disk_failed", "does not say disk_failed"),
    ("outage why, with a sign", "first_sign_ms", "1", "is of 2026-11-21 08:58:17"),
    ("no_controller why", "end_reasons", "sigterm", "does not say sigterm"),
    ("no_controller why", "end_reasons", "killed,killed,killed,killed", "5 records for 5 of its reasons"),
]
