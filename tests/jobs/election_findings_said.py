"""Findings about elections with the lines that prove them, and what must not prove them; as findings_said."""

from jobs.verify.proof import CONFIRMED, UNDECIDED, Claim
from tests.jobs.finding_records import (
    BACK_1,
    BACK_FROM_50,
    FOUND_2,
    KRAFT_DIFF,
    KRAFT_LEADER,
    KRAFT_UNCLEAN,
    LED_BY_1,
    LED_FROM_0,
    LED_FROM_0_IN_2_2,
    LEFT_1,
    LEFT_ALONE,
    LOADED_TO_50,
    OUTSIDER,
    RECOVERING,
    UNCLEAN,
    UNCLEAN_ONLINE,
)
from tests.jobs.findings_said import finding

CASES: dict[str, tuple[Claim, list[str], str]] = {
    "unclean_election": (
        finding("unclean_election", "08:36:53.460", "08:36:53.460",
            topic="alerts", partition="0", leader="2"),
        [UNCLEAN], CONFIRMED,
    ),
    "unclean_election with its election": (
        finding("unclean_election", "08:36:53.461", "08:36:53.461",
            topic="alerts", partition="0", leader="2", old_leader="3", isr_before="3", isr="2"),
        [UNCLEAN_ONLINE, UNCLEAN], CONFIRMED,
    ),
    "unclean_election by the ISR before": (
        finding("unclean_election", "08:33:27.238", "08:33:27.238",
            topic="clicks", partition="1", leader="3", isr_before="1", isr="3"),
        [OUTSIDER, LEFT_ALONE], CONFIRMED,
    ),
    "leader_choice": (
        finding("leader_choice", "08:33:27.238", "08:33:27.238",
            controller_id="2", controller_epoch="8", choices_count="1", kind="offline", topic="clicks",
            partition="1", leader="3", expected_leader="1", isr="3"),
        [OUTSIDER], UNDECIDED,
    ),
    "unclean_election KRaft": (
        finding("unclean_election", "08:05:55.264", "08:05:55.264",
            topic="9RKjcrYoTGisVPImvRI5Sg", partition="0", leader="1"),
        [KRAFT_UNCLEAN], CONFIRMED,
    ),
    "unclean_election with the ISR before": (
        finding("unclean_election", "08:05:55.269", "08:05:55.269",
            topic="rf1", partition="0", leader="1", isr_before="2", isr="1"),
        [KRAFT_DIFF.replace("isr: []", "isr: [2]")], CONFIRMED,
    ),
    "unclean_election with what it cost": (
        finding("unclean_election", "08:36:53.460", "08:36:53.460",
            topic="alerts", partition="0", leader="2", old_leader="3", isr_before="3", isr="2", records_at_risk="50"),
        [UNCLEAN, LED_FROM_0, BACK_FROM_50], CONFIRMED,
    ),
    "last_known_leader": (
        finding("last_known_leader", "08:05:55.269", "08:05:55.269",
            broker_id="1", partitions_count="1", topic="rf1", partition="0"),
        [KRAFT_DIFF], CONFIRMED,
    ),
    "last_known_leader by its id": (
        finding("last_known_leader", "08:05:55.264", "08:05:55.264",
            broker_id="1", partitions_count="1", topic="rf1", partition="0"),
        [KRAFT_UNCLEAN, KRAFT_LEADER], CONFIRMED,
    ),
    "unclean_election 3.2": (
        finding("unclean_election", "08:43:02.753", "08:43:02.753",
            topic="geo-points", partition="3", leader="2"),
        [RECOVERING], CONFIRMED,
    ),
    "unclean_election of one that was away": (
        finding("unclean_election", "08:59:35.967", "08:59:35.967",
            topic="audit_log", partition="0", leader="1", old_leader="3", isr_before="3", isr="1"),
        [LED_BY_1, LEFT_1, FOUND_2, BACK_1], CONFIRMED,
    ),
    "unclean_election with what it cost, 2.2": (
        finding("unclean_election", "08:59:35.967", "08:59:35.967",
            topic="audit_log", partition="0", leader="1", old_leader="3", isr_before="3", isr="1",
            records_at_risk="50"),
        [LED_BY_1, LEFT_1, FOUND_2, BACK_1, LED_FROM_0_IN_2_2, LOADED_TO_50], CONFIRMED,
    ),
}  # fmt: skip
# (case, what a line says, what it says now, a word of the answer)
ALTERED = [
    ("unclean_election with what it cost, 2.2", "end offset 50", "end offset 51", "no two records are 50 records"),
    ("unclean_election with what it cost, 2.2", "from offset 0", "from offset 1", "no two records are 50 records"),
    ("unclean_election", "Elect leader 2", "Elect leader 3", "does not say so"),
    ("unclean_election", "[alerts,0]", "[alerts,1]", "does not say so"),
    ("unclean_election", "53,460", "53,461", "held from"),
    ("unclean_election with its election", "with leader 2", "with leader 3", "does not say so"),
    ("unclean_election with its election", "Elect leader 2", "Elect leader 3", "does not say so"),
    ("unclean_election by the ISR before", "leader=3", "leader=1", "does not say so"),
    ("unclean_election by the ISR before", "isr=[1]", "isr=[1, 3]", "3 was in sync before"),
    ("unclean_election by the ISR before", "leader=-1", "leader=1", "not just before"),
    ("unclean_election by the ISR before", "leaderEpoch=12", "leaderEpoch=11", "not just before"),
    ("unclean_election by the ISR before", "for partition clicks-1", "for partition clicks-11", "says no ISR of clicks-1"),
    ("leader_choice", "leader=3", "leader=1", "does not choose 3"),
    ("leader_choice", "List(3)", "List(1, 3)", "its ISR is 1, 3"),
    ("leader_choice", "epoch=8", "epoch=9", "is of epoch 9"),
    ("unclean_election KRaft", "using an unclean election", "using a clean election", "does not say so"),
    ("unclean_election with the ISR before", "isr: [2]", "isr: [2, 3]", "not the ISR of the records"),
    ("unclean_election with what it cost", "from offset 50", "from offset 49", "no two records are 50 records"),
    ("unclean_election with what it cost", "Leader alerts-0", "Leader alerts-1", "no two records are 50 records"),
    ("last_known_leader", "leader: -1 -> 1", "leader: -1 -> 2", "not what the records say"),
    ("last_known_leader", "change for rf1-0", "change for rf1-1", "no record is of rf1-0"),
    ("last_known_leader", "55,269", "55,263", "the first record is of"),
    ("last_known_leader by its id", "partition 0 to 1", "partition 0 to 2", "not what the records say"),
    ("last_known_leader by its id", "Leader rf1-0", "Leader rf2-0", "no record is of rf1-0"),
    ("last_known_leader by its id", "using an unclean election", "using ELR", "no record says"),
    ("unclean_election 3.2", "=RECOVERING", "=RECOVERED", "no record says who was in sync"),
    ("unclean_election of one that was away", "brokers: 2,3", "brokers: 1,2,3", "no record has 1 away while 3 left"),
    ("unclean_election of one that was away", "Set(2)", "Set(2, 3)", "no record has 1 away while 3 left"),
    ("unclean_election of one that was away", "brokers: 1,2 (", "brokers: 2 (", "no record has 1 away while 3 left"),
    ("unclean_election of one that was away", "leader=1,", "leader=2,", "does not say so"),
]  # fmt: skip
SAID_WRONGLY = [
    ("unclean_election of one that was away", "isr_before", "3,1", "1 was in sync before"),
    ("unclean_election of one that was away", "old_leader", "2", "no record has 1 away while 2 left"),
    ("unclean_election of one that was away", "isr", "1,2", "its ISR is 1"),
    ("unclean_election KRaft", "leader", "-1", "not what the records say"),
    ("unclean_election by the ISR before", "leader", "1", "does not say so"),
    ("unclean_election by the ISR before", "isr_before", "2", "in sync was 1"),
    ("unclean_election with what it cost", "records_at_risk", "49", "no two records are 49 records"),
    ("last_known_leader", "partition", "1", "no record is of rf1-1"),
    ("leader_choice", "expected_leader", "3", "3 is the one prescribed"),
    ("leader_choice", "isr", "1,3", "its ISR is 3"),
    ("leader_choice", "controller_id", "1", "is of controller 2"),
    ("leader_choice", "choices_count", "0", "1 such records for 0 choice(s)"),
]
