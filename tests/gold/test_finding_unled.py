"""Partitions that got no leader as they were created, by the ERROR of their controller."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import polars as pl

from pipeline.core.frames import empty_frame, frame_of
from pipeline.model.lines.evidence import LINE
from pipeline.rules.proving.proof import CONFIRMED, Claim, Record
from pipeline.rules.shared.limits import UNLED_TOPIC
from pipeline.rules.topic_without_leader_since_creation.refused_leader import refused_leader_findings
from pipeline.rules.verified import verify_claim
from schemas.gold.finding import SPEC
from tests.chain import built, records_of_many
from tests.gold.start_stories import at
from tests.rows import records_in

TIME = pl.Datetime("us", "UTC")
LIVES = {"serving_at": TIME, "ended_at": TIME}
NAMES = ("transition_audit", "topic_lifecycle")
HEAD = "[Controller id=1 epoch=12] Controller 1 epoch 12"
BELOW = (
    "kafka.common.StateChangeFailedException: Controller 1 epoch 12 encountered error during state change of partition "
    "orders-3 from New to Online, assigned replicas are [{}], live brokers are [Set(1, 3)]. No assigned replica is alive.\n"
)


def refused(
    second: float, replicas: str = "2", partition: str = "orders-3", left: str = "NewPartition"
) -> str:
    said = f"{HEAD} failed to change state for partition {partition} from {left} to OnlinePartition"
    return at(second, "ERROR", said, "state.change.logger") + BELOW.format(replicas)


def online(second: float, partition: str = "orders-3") -> str:
    said = f"[Controller id=1 epoch=12] Changed partition {partition} from NewPartition to OnlinePartition with state LeaderAndIsr(leader=2, leaderEpoch=0, isr=List(2), zkVersion=0)"
    return at(second, "TRACE", said, "state.change.logger")


def removed(second: float, partition: str = "orders-3") -> str:
    said = f"[Controller id=1 epoch=12] Changed partition {partition} state from OfflinePartition to NonExistentPartition"
    return at(second, "TRACE", said, "state.change.logger")


def findings_of(lines: pl.DataFrame) -> pl.DataFrame:
    tables = built(lines, *NAMES)
    moves, lives, terms = (tables[name] for name in (*NAMES, "term"))
    return refused_leader_findings(moves, lives, empty_frame(SPEC), terms, UNLED_TOPIC.default)


def found_in(logs: Sequence[str]) -> list[list[dict[str, Any]]]:
    """Of clusters with each of these logs, built at once. Each is proved by the bytes of the lines that it names."""
    stories = {f"{number}": {(1, "state-change"): log} for number, log in enumerate(logs)}
    lines = frame_of(records_of_many(stories))
    rows = findings_of(lines).to_dicts()
    raw = {(file_id, place): text for file_id, place, text in lines.select(*LINE, "raw").iter_rows()}
    for row in rows:
        claim = Claim(
            "topic_without_leader_since_creation",
            row["facts"],
            row["valid_from_at"],
            row["valid_until_at"],
        )
        places = [(one["file_id"], one["byte_offset"]) for one in row["evidence"]]
        told = verify_claim(claim, [Record(*place, 1, "UTC", raw[place]) for place in places])
        assert told[0] == CONFIRMED, (told, row)
    return [[row for row in rows if row["cluster_id"] == name] for name in stories]


UNLED = (
    (refused(1), "partition 3 of topic orders got no leader as it was created, for none of its replicas (2) was alive; no line says that it got one", "warning"),
    (refused(1, ""), "as it was created, for none of its replicas was alive; no line", "warning"),
    (refused(1) + refused(5) + refused(9), "; no line says that it got one", "warning"),
    (refused(1) + online(91), "; it had one, or was gone, 90.0 s later", "info"),
    (refused(1) + removed(91), "; it had one, or was gone, 90.0 s later", "info"),
    (refused(1) + online(2, "orders-4"), "; no line says that it got one", "warning"),
)  # fmt: skip


def test_a_partition_gets_no_leader() -> None:
    found = found_in([online(0, "logs-0") + log for log, *_ in UNLED])
    for (row,), (_, said, severity) in zip(found, UNLED, strict=True):
        assert said in row["sentence"] and row["severity"] == severity
        lasted = row["valid_until_at"] and row["valid_until_at"] - row["valid_from_at"]
        assert lasted in (None, timedelta(seconds=90))


OF_OTHERS = {
    "for seconds": refused(1) + online(9),
    "a topic that is deleted": refused(1) + removed(9),
    "an outage": refused(1, left="OfflinePartition"),
}


def test_what_other_rules_tell() -> None:
    found = found_in([online(0, "logs-0") + log for log in OF_OTHERS.values()])
    assert [name for name, rows in zip(OF_OTHERS, found, strict=True) if rows] == []


def test_where_no_move_is_printed_nothing_tells_whether_it_got_a_leader() -> None:
    """Up to 2.5 at INFO, and at WARN: moves that fail are printed alone."""
    (row,) = findings_of(records_in({(1, "state-change"): refused(1)})).to_dicts()
    assert "; whether it got one is not known: " in row["sentence"]
    assert (row["severity"], row["certainty"]) == ("info", "undetermined")


def test_a_finding_that_knows_the_creation_tells_it() -> None:
    tables = built(records_in({(1, "state-change"): refused(1)}), *NAMES)
    moves, lives, terms = (tables[name] for name in (*NAMES, "term"))
    rows = refused_leader_findings(moves, lives, empty_frame(SPEC), terms, UNLED_TOPIC.default)
    assert refused_leader_findings(moves, lives, rows, terms, UNLED_TOPIC.default).is_empty()


def test_each_life_of_a_topic_is_refused_by_itself() -> None:
    """The first one ended half an hour later; of the second no line says that it got a leader."""
    log = online(0, "logs-0") + refused(1) + refused(4000)
    tables = built(records_in({(1, "state-change"): log}), *NAMES)
    moves, terms = tables["transition_audit"].filter(topic="orders"), tables["term"]
    first, second = moves["logged_at"].sort().to_list()
    life = {"cluster_id": moves["cluster_id"][0], "topic": "orders"}
    ended = first + timedelta(minutes=30)
    lives = pl.DataFrame([life | {"serving_at": None, "ended_at": ended}], schema_overrides=LIVES)
    none = empty_frame(SPEC)
    rows = refused_leader_findings(moves, lives, none, terms, UNLED_TOPIC.default).sort("valid_from_at")
    assert rows.select("valid_from_at", "valid_until_at", "severity").rows() == [
        (first, ended, "info"),
        (second, None, "warning"),
    ]
