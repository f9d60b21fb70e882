"""Wordings seen: per hour and segment, starts alone, signs in fields, what is not understood by its reason."""

from datetime import datetime

from pipeline.silver import wording_seen
from schemas.silver.wording_seen import SPEC
from tests.incremental.cutting import by_files, by_records
from tests.rows import declared_rows, records_in, same_rows

CONTROLLER = """
    cut off before
    [2026-11-21 00:00:01,000] INFO [ControllerEventThread controllerId=1] Starting (kafka.controller.ControllerEventManager$ControllerEventThread)
    [2026-11-21 00:59:59,999] TRACE [Controller id=1] Checking need to trigger auto leader balancing (kafka.controller.KafkaController)
    [2026-11-21 01:00:00,000] TRACE [Controller id=1] Checking need to trigger auto leader balancing (kafka.controller.KafkaController)
    [2026-11-21 01:30:00,000] TRACE [Controller id=1] Checking need to trigger auto leader balancing (kafka.controller.KafkaController)
    [2026-11-21 01:31:00,000] INFO [ControllerEventThread controllerId=1] Starting (kafka.controller.ControllerEventManager$ControllerEventThread)
    [2026-11-21 01:32:00,000] INFO [Controller id=1] No such words in any release (kafka.controller.KafkaController)
"""
STATE_CHANGE = """
    [2026-11-21 00:00:02,000] TRACE [Controller id=1 epoch=1] Changed partition a-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=0, isr=List(2, 1), zkVersion=0) (state.change.logger)
    [2026-11-21 00:00:03,000] INFO [Controller id=1 epoch=1] Changed partition a-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=0, isr=List(2, 1), leaderRecoveryState=RECOVERED, partitionEpoch=0) (state.change.logger)
"""


def minute(moment: datetime | None) -> str | None:
    return f"{moment:%H:%M}" if moment else None


def test_wordings_by_hour() -> None:
    records = records_in({(1, "controller"): CONTROLLER, (1, "state-change"): STATE_CHANGE})
    seen = declared_rows(wording_seen.build(records), SPEC)
    found = {
        (minute(row["seen_at"]), row["event"] or row["not_understood_reason"], tuple(row["signs"])): row
        for row in seen.to_dicts()
    }
    assert {key: (row["record_count"], row["is_start"]) for key, row in found.items()} == {
        (None, "no_envelope", ()): (1, False),
        ("00:00", "thread_lifecycle", ()): (1, True),
        ("00:00", "imbalance_check", ()): (1, False),
        ("01:00", "imbalance_check", ()): (2, False),
        ("01:31", "thread_lifecycle", ()): (1, True),
        ("01:00", "no_template", ()): (1, False),
        ("00:00", "partition_transition", ("LeaderAndIsr, zkVersion",)): (1, False),
        (
            "00:00",
            "partition_transition",
            ("LeaderAndIsr, leaderRecoveryState and partitionEpoch", "level INFO"),
        ): (1, False),
    }
    checks = found["01:00", "imbalance_check", ()]
    assert (checks["first_at"].minute, checks["last_at"].minute) == (0, 30)
    assert checks["first_offset"] < checks["last_offset"] < checks["end_offset"]
    (started,) = [row["first_offset"] for key, row in found.items() if key[0] == "01:31"]
    assert checks["end_offset"] == started


def test_what_a_node_says_of_its_own_epoch_by_minutes() -> None:
    """Brokers name the epoch of another one, by hours."""
    told = (
        "[2026-11-21 00:{0}:05,000] TRACE [Controller id=1 epoch=1] Sending become-leader LeaderAndIsr request "
        "PartitionState(controllerEpoch=1, leader=2, leaderEpoch=0, isr=2, zkVersion=0, replicas=2) to broker 2 for "
        "partition a-0 (state.change.logger)"
    )
    heard = (
        "[2026-11-21 00:{0}:06,000] TRACE [Broker id=2] Add 1 partitions and deleted 0 partitions from metadata cache in "
        "response to UpdateMetadata request sent by controller 1 epoch 1 with correlation id 2 (state.change.logger)"
    )
    logs = {
        (node, "state-change"): "\n".join(line.format(minute) for minute in ("01", "01", "02"))
        for node, line in ((1, told), (2, heard))
    }
    seen = wording_seen.build(records_in(logs)).sort("node_id", "seen_at")
    assert [(node, minute(at), count) for node, at, count in seen.select("node_id", "seen_at", "record_count").rows()] == [
        (1, "00:01", 2),
        (1, "00:02", 1),
        (2, "00:00", 3),
    ]  # fmt: skip


def test_kernels_take_a_file_as_if_no_night_had_cut_it() -> None:
    """Hours that lie in one segment stay as they are."""
    records = records_in({(1, "controller"): CONTROLLER, (1, "state-change"): STATE_CHANGE})
    cut = wording_seen.build(by_records(records))
    once = wording_seen.build(by_files(records).records)
    assert cut.height > once.height
    same_rows(wording_seen.of_files(cut), once, *(name for name in SPEC.columns if name != "load_seq"))
    assert wording_seen.of_files(once).equals(once)


def test_no_records() -> None:
    nothing = records_in({(1, "controller"): CONTROLLER}).clear()
    assert declared_rows(wording_seen.build(nothing), SPEC).is_empty()


def test_what_is_accounted_for_elsewhere_is_not_counted() -> None:
    other = """
        [2026-11-21 00:00:01,000] INFO Nothing of the controller (org.example.Other)
        [2026-11-21 00:00:02,000] INFO [Controller id=1] No such words in any release (kafka.controller.KafkaController)
    """
    seen = wording_seen.build(records_in({(1, "controller"): other}))
    assert seen.select("not_understood_reason", "record_count").rows() == [("no_template", 1)]
