"""Terms: elected, only named by others, and epochs that a wiped cluster uses again."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars import col

from pipeline.silver.term import lives_of
from schemas.silver.term import SPEC
from tests.chain import built
from tests.frames import at, frame
from tests.lab import READ, folder_of, records
from tests.rows import records_in, same_rows

CONTROLLER_1 = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:09,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 1 and epoch zk version is now 1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:10,000] INFO [Controller id=1] Ready to serve as the new controller with epoch 1 (kafka.controller.KafkaController)
"""
CONTROLLER_2 = """
    [2026-11-21 00:00:05,000] INFO [Controller 2]: Controller 2 incremented epoch to 2 (kafka.controller.KafkaController)
"""
STATE_CHANGE_3 = """
    [2026-11-21 00:00:07,000] TRACE [Controller id=3 epoch=3] Changed state of replica 3 for partition t-0 from NewReplica to OnlineReplica (state.change.logger)
"""


def test_lives_and_terms() -> None:
    logs = {
        (1, "controller"): CONTROLLER_1,
        (2, "controller"): CONTROLLER_2,
        (3, "state-change"): STATE_CHANGE_3,
    }
    expected = frame(
        SPEC,
        """
        term_id | life | controller_id | controller_epoch | mode      | elected_at | first_seen_at | last_seen_at | certainty
        1-1     | 1    | 1             | 1                | zookeeper | 1          | 1             | 1            | proved
        1-2     | 1    | 2             | 2                | zookeeper | 5          | 5             | 5            | proved
        1-3     | 1    | 3             | 3                | zookeeper |            | 7             | 7            | inferred
        2-1     | 2    | 1             | 1                | zookeeper | 9          | 9             | 10           | proved
        """,
    )
    same_rows(
        built(records_in(logs), "term")["term"], expected,
        "term_id", "life", "controller_id", "controller_epoch", "mode", "elected_at", "first_seen_at", "last_seen_at", "certainty",
    )  # fmt: skip


@pytest.mark.parametrize("lab", ["2.2.2-zk-stock", "3.9.2-kraft-migration-stock"])
def test_a_term_is_first_seen_at_its_election(lab: str, shared: Path) -> None:
    """Where that was seen: all tables take first_seen_at for the begin of a term."""
    terms = built(records(folder_of(shared, lab), (*READ, "server")), "term")["term"]
    elected = terms.filter(col("elected_at").is_not_null())
    assert elected["elected_at"].to_list() == elected["first_seen_at"].to_list() != []


BEFORE_A_WIPE = """
    [2026-11-21 00:00:08,000] INFO [Controller id=2] 2 successfully elected as the controller. Epoch incremented to 8 and epoch zk version is now 8 (kafka.controller.KafkaController)
"""
AFTER_IT = """
    [2026-11-22 00:00:01,000] TRACE [Controller id=2 epoch=6] Changed state of replica 3 for partition t-0 from NewReplica to OnlineReplica (state.change.logger)
"""
OF_THE_FIRST = """
    [2026-11-21 00:00:01,000] TRACE [Controller id=2 epoch=6] Changed state of replica 3 for partition t-0 from NewReplica to OnlineReplica (state.change.logger)
"""
DEPOSED = """
    [2026-11-22 00:00:01,000] TRACE [Controller id=3 epoch=6] Changed state of replica 3 for partition t-0 from NewReplica to OnlineReplica (state.change.logger)
"""
OTHERS = """
    [2026-11-21 00:00:05,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 7 and epoch zk version is now 7 (kafka.controller.KafkaController)
    [2026-11-22 00:00:07,000] INFO [Controller id=1] 1 successfully elected as the controller. Epoch incremented to 7 and epoch zk version is now 7 (kafka.controller.KafkaController)
"""
ONE, SECOND = OTHERS.splitlines(keepends=True)[1:]
LATER_EPOCH = ONE + SECOND.replace("incremented to 7", "incremented to 9")


@pytest.mark.parametrize(
    ("node", "logs", "first", "terms"),
    [
        pytest.param(2, AFTER_IT, OTHERS, ["1-7", "1-8", "2-6", "2-7"], id="back at a lower epoch"),
        pytest.param(2, OF_THE_FIRST + AFTER_IT, OTHERS, ["1-6", "1-7", "1-8", "2-6", "2-7"], id="twice"),
        pytest.param(3, DEPOSED, OTHERS, ["1-6", "1-7", "1-8", "2-7"], id="of one that had none later"),
        pytest.param(2, AFTER_IT, LATER_EPOCH, ["1-6", "1-7", "1-8", "1-9"], id="no life follows"),
    ],
)
def test_a_life_begins_before_its_first_election_seen(
    node: int, logs: str, first: str, terms: list[str]
) -> None:
    given = {(1, "controller"): first, (2, "controller"): BEFORE_A_WIPE, (node, "state-change"): logs}
    found = built(records_in(given), "term")["term"]
    assert sorted(found["term_id"]) == terms


def test_an_epoch_after_the_election_in_a_later_life_is_of_that_life() -> None:
    moved = (
        "[2026-11-21 00:01:{0:02d},000] INFO [Controller id=1 epoch={1}] Changed partition t-0 from NewPartition to "
        "OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(1), partitionEpoch=0) "
        "(state.change.logger)\n"
    )
    begun = "\n".join((ELECTED.format(1, 1, 3), ELECTED.format(5, 1, 4), ELECTED.format(9, 1, 1)))
    given = {(1, "controller"): begun, (1, "state-change"): moved.format(0, 3) + moved.format(1, 5)}
    assert sorted(built(records_in(given), "term")["term"]["term_id"]) == ["1-3", "1-4", "2-1", "2-3", "2-5"]


def test_lives_follow_one_another_whatever_begins_them() -> None:
    """Back at a lower epoch, the same epoch again, epoch 1; a lower epoch of another controller may be its clock."""
    turns = [(0, 4), (0, 3), (1, 4), (1, 9), (0, 8), (0, 4), (0, 1), (1, 2), (0, 1)]
    assert lives_of(("c", "zookeeper", *turn, at(0)) for turn in turns) == [1, 2, 2, 2, 2, 3, 4, 4, 5]
    assert lives_of(
        [("c", "zookeeper", 1, 7, at(0)), ("d", "zookeeper", 1, 7, at(0)), ("c", "kraft", 1, 7, at(0))]
    ) == [1, 1, 1]


@pytest.mark.parametrize(
    ("controller", "epoch", "terms"),
    [(1, 6, ["1-6", "2-1", "2-2"]), (2, 6, ["1-1", "1-2", "1-6"]), (1, 1, ["1-1", "1-2"])],
)
def test_a_later_epoch_before_the_first_election_is_of_a_life_before(
    controller: int, epoch: int, terms: list[str]
) -> None:
    """Of the same controller: another one's clock may be wrong."""
    said = (
        f"[2026-11-20 00:00:01,000] INFO [Controller id={controller} epoch={epoch}] Changed partition t-0 from "
        "NewPartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(1), "
        "partitionEpoch=0) (state.change.logger)\n"
    )
    begun = "\n".join((ELECTED.format(1, 1, 1), READY.format(2, 1, 1), ELECTED.format(5, 1, 2)))
    found = built(records_in({(1, "controller"): begun, (controller, "state-change"): said}), "term")["term"]
    assert sorted(found["term_id"]) == terms


def test_an_epoch_is_of_the_life_before_where_that_life_has_it_too() -> None:
    """The life before is known by epoch 6: epoch 1, before the first election that is seen, is of it, too."""
    said = (
        "[2026-11-20 00:00:0{0},000] INFO [Controller id=1 epoch={1}] Changed partition t-0 from NewPartition to "
        "OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(1), partitionEpoch=0) "
        "(state.change.logger)\n"
    )
    begun = "\n".join((ELECTED.format(1, 1, 1), READY.format(2, 1, 1), ELECTED.format(5, 1, 2)))
    given = {(1, "controller"): begun, (1, "state-change"): said.format(1, 1) + said.format(2, 6)}
    found = built(records_in(given), "term")["term"]
    expected = frame(
        SPEC,
        """
        term_id | controller_epoch | certainty
        1-1     | 1                | inferred
        1-6     | 6                | inferred
        2-1     | 1                | proved
        2-2     | 2                | proved
        """,
    )
    same_rows(found, expected, "term_id", "controller_epoch", "certainty")


ELECTED = "[2026-11-21 00:00:{0:02d},000] INFO [Controller id={1}] {1} successfully elected as the controller. Epoch incremented to {2} and epoch zk version is now {2} (kafka.controller.KafkaController)"
READY = "[2026-11-21 00:00:{0:02d},000] INFO [Controller id={1}] Ready to serve as the new controller with epoch {2} (kafka.controller.KafkaController)"


def test_epoch_1_after_others_begins_a_life_and_ends_what_has_its_numbers() -> None:
    """Epoch 4 of controller 1 is elected in both lives: lines of the second are none of the first."""
    first = (ELECTED.format(1, 1, 4), READY.format(2, 1, 4))
    second = (ELECTED.format(5, 1, 1), ELECTED.format(8, 1, 4), READY.format(9, 1, 4))
    found = built(records_in({(1, "controller"): "\n".join((*first, *second))}), "term")["term"]
    expected = frame(
        SPEC,
        """
        term_id | elected_at | last_seen_at
        1-4     | 1          | 2
        2-1     | 5          | 5
        2-4     | 8          | 9
        """,
    )
    same_rows(found, expected, "term_id", "elected_at", "last_seen_at")


QUORUM = """
    [2026-11-21 00:00:21,000] INFO [QuorumController id=101] Becoming the active controller at epoch 4, next write offset 520. (org.apache.kafka.controller.QuorumController)
    [2026-11-21 00:00:24,000] INFO [QuorumController id=101] In the new epoch 6, the leader is 103. (org.apache.kafka.controller.QuorumController)
    [2026-11-21 00:00:26,000] INFO [QuorumController id=101] In the new epoch 7, the leader is 102. (org.apache.kafka.controller.QuorumController)
"""
ACTIVE_102 = """
    [2026-11-21 00:00:26,100] INFO [QuorumController id=102] Becoming the active controller at epoch 7, next write offset 620. (org.apache.kafka.controller.QuorumController)
"""
SILENT_PEER = """
    [2026-11-21 00:00:25,000] INFO [QuorumController id=102] In the new epoch 6, the leader is 103. (org.apache.kafka.controller.QuorumController)
"""


def heard(logs: dict[tuple[int, str], str], **columns: pl.Expr) -> list[Any]:
    """Terms of the logs that no line of their controller tells."""
    found = built(records_in(logs).with_columns(**columns), "term")["term"]
    return sorted(found.filter(pl.col("elected_at").is_null())["term_id"])


def test_a_term_of_a_controller_without_lines_is_what_others_heard() -> None:
    """Nor does the log of 102 speak for epoch 7: it ends before."""
    found = built(records_in({(101, "controller"): QUORUM, (102, "controller"): SILENT_PEER}), "term")["term"]
    expected = frame(
        SPEC,
        """
        term_id | controller_id | elected_at | first_seen_at | last_seen_at | certainty
        1-4     | 101           | 21         | 21            | 21           | proved
        1-6     | 103           |            | 24            | 25           | inferred
        1-7     | 102           |            | 26            | 26           | inferred
        """,
    )
    told = ("term_id", "controller_id", "elected_at", "first_seen_at", "last_seen_at", "certainty")
    same_rows(found, expected, *told)


NAMES_IT = """
    [2026-11-21 00:00:25,500] INFO [QuorumController id=102] In the new epoch 7, the leader is (none). (org.apache.kafka.controller.QuorumController)
"""
STARTS_ANEW = """
    [2026-11-21 01:00:00,000] INFO [QuorumController id=102] In the new epoch 9, the leader is 101. (org.apache.kafka.controller.QuorumController)
"""


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        pytest.param("", ["1-6", "1-7"], id="no line"),
        pytest.param(STARTS_ANEW, ["1-6", "1-7", "1-9"], id="begins later"),
        pytest.param(SILENT_PEER + NAMES_IT, ["1-6"], id="names the epoch and no office"),
        pytest.param(STARTS_ANEW.replace("epoch 9", "epoch 5"), ["1-6", "1-7"], id="says what it had stored"),
        pytest.param(SILENT_PEER + ACTIVE_102, ["1-6"], id="says it itself"),
    ],
)
def test_a_log_speaks_for_the_epochs_that_it_names(own: str, expected: list[str]) -> None:
    assert heard({(101, "controller"): QUORUM, (102, "controller"): own}) == expected


def test_what_it_names_in_another_life_is_of_that_one() -> None:
    before = QUORUM.replace("11-21", "11-09")
    logs = {(101, "controller"): before + QUORUM, (102, "controller"): NAMES_IT.replace("11-21", "11-09")}
    assert heard(logs) == ["1-6", "2-6", "2-7"]


def test_the_file_of_several_nodes_speaks_for_none_that_is_silent_in_it() -> None:
    logs = {(101, "controller"): QUORUM, (102, "controller"): NAMES_IT}
    assert heard(logs) == ["1-6"]
    assert heard(logs, file_id=pl.lit("shared")) == ["1-6", "1-7"]


IN_ZOOKEEPER = """
    [2026-11-21 00:00:05,000] TRACE [Controller id=1 epoch=4] Changed state of replica 3 for partition t-0 from NewReplica to OnlineReplica (state.change.logger)
"""


def test_lives_of_a_quorum_follow_those_in_zookeeper_of_which_no_election_was_seen() -> None:
    """Its logs begin after the election; epoch 4 is of both."""
    given = {(1, "state-change"): IN_ZOOKEEPER, (101, "controller"): QUORUM}
    found = built(records_in(given), "term")["term"]
    expected = frame(
        SPEC,
        """
        term_id | life | mode      | controller_id | elected_at
        1-4     | 1    | zookeeper | 1             |
        2-4     | 2    | kraft     | 101           | 21
        2-6     | 2    | kraft     | 103           |
        2-7     | 2    | kraft     | 102           |
        """,
    )
    same_rows(found, expected, "term_id", "life", "mode", "controller_id", "elected_at")


def test_so_do_those_of_a_quorum_that_is_only_heard_of() -> None:
    given = {(1, "state-change"): IN_ZOOKEEPER, (102, "controller"): SILENT_PEER}
    found = built(records_in(given), "term")["term"]
    assert sorted(found["term_id"]) == ["1-4", "2-6"]


HEARD = "[2026-11-21 {0}:00:{1:02d},000] INFO [Broker id={2}] Add 1 partitions and deleted 0 partitions from metadata cache in response to UpdateMetadata request sent by controller {3} epoch {4} with correlation id 1 (state.change.logger)"
EPOCHS = ((3, 1, 1), (1, 5, 2), (3, 20, 3), (2, 33, 4), (3, 50, 5))  # controller, second, epoch


def of_zones(node: int, hour: str) -> str:
    own = (ELECTED.format(at, one, epoch) for one, at, epoch in EPOCHS if one == node)
    heard = (HEARD.format("00", at, node, one, epoch) for one, at, epoch in EPOCHS if one != node)
    return "\n".join([*own, *heard]).replace("11-21 00:", f"11-21 {hour}:")


@pytest.mark.parametrize("hour", ["05", "19"])
def test_epochs_do_not_begin_anew_where_one_node_logs_in_another_zone(hour: str) -> None:
    """Controller 3 is elected with epochs 1, 3 and 5, the others in between hear of it and it of them."""
    hours = {1: "12", 2: "12", 3: hour}
    logs = {(node, "mixed"): of_zones(node, one) for node, one in hours.items()}
    found = built(records_in(logs), "term")["term"]
    assert sorted(found["term_id"]) == ["1-1", "1-2", "1-3", "1-4", "1-5"]
