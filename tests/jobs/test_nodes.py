"""The mode and the releases of a cluster as the first screen tells them, and who was in office where no election is."""

import polars as pl
import pytest

from jobs.questions.nodes import (
    controllers_without_term,
    kraft_wordings,
    last_active_controller,
    last_controller_text,
    may_be_silent,
    mode_of,
    mode_of_release,
    release_text,
    releases_before,
    releases_of,
)
from pipeline.catalog.tables import BY_SHORT_NAME
from pipeline.kafka.wording.releases import all_release_bits, release_bits
from pipeline.views.reading.rows import Row
from tests.frames import at, frame
from tests.jobs.answering import answers_of

SPANS = """
    node_id | valid_from_at | releases
    1       | 1             | [3.8.1]
    1       | 5             | [3.9.0 3.9.1 3.9.2]
    2       | 2             | [3.8.1 3.9.0]
    3       | 3             | [4.0.0]
"""


def test_one_release_explains_the_nodes_that_can_share_one() -> None:
    found = releases_of(answers_of(release_span=frame(BY_SHORT_NAME["release_span"].spec, SPANS)))
    assert release_text(found) == "3.9.0 and 4.0.0"
    assert releases_of(answers_of()) == []


@pytest.mark.parametrize(
    ("since", "until", "text", "is_silent"),
    [
        ("3.9.0", "3.9.0", "3.9.0", False),
        ("3.9", "3.9", "3.9.0 to 3.9.2", False),
        ("4.3", "current", "from 4.3.0", False),
        ("0.8", "0.10.2", "up to 0.10.2.2", False),
        ("2.6", "2.7", "2.6.0 to 2.7.2", True),
    ],
)
def test_a_range_in_words(since: str, until: str, text: str, *, is_silent: bool) -> None:
    one = release_bits(since, until)
    assert (release_text([one]), may_be_silent([one])) == (text, is_silent)


@pytest.mark.parametrize(
    ("since", "until", "mode", "text"),
    [
        ("1.1", "current", "kraft", "from 2.8.0"),
        ("3.6", "current", "zookeeper", "3.6.0 to 3.9.2"),
        ("1.1", "current", None, "from 1.1.0"),
        ("2.1", "2.2", "kraft", "2.1.0 to 2.2.2"),
    ],
)
def test_a_release_has_the_mode_that_is_told(since: str, until: str, mode: str | None, text: str) -> None:
    """But for one that lines tell against it."""
    assert release_text([release_bits(since, until)], mode=mode) == text


def test_what_is_not_told_is_in_no_text() -> None:
    assert release_text([]) == ""
    assert may_be_silent([])
    assert may_be_silent([all_release_bits()])


@pytest.mark.parametrize(
    ("term", "logger", "mode"),
    [
        ("mode\n kraft\n zookeeper", "kafka.controller.KafkaController", "kraft"),
        ("mode\n", "org.apache.kafka.controller.QuorumController", "kraft"),
        ("mode\n", "kafka.controller.KafkaController", "zookeeper"),
        ("mode\n", "kafka.server.KafkaServer", "zookeeper"),
        ("mode\n", "kafka.log.Log", None),
    ],
)
def test_without_terms_the_loggers_tell_the_mode(term: str, logger: str, mode: str | None) -> None:
    rows = {"term": term, "wording_seen": f"logger\n {logger}"}
    tables = {name: frame(BY_SHORT_NAME[name].spec, text) for name, text in rows.items()}
    assert mode_of(answers_of(**tables)) == mode


@pytest.mark.parametrize(
    ("logger", "template", "mode"),
    [
        (
            "state.change.logger",
            "[Broker id={broker_id}] Transitioning {count} partition(s) to local leaders.",
            "kraft",
        ),
        ("kafka.log.LogManager", "Starting log cleanup with a period of {period_ms} ms.", None),
    ],
)
def test_a_wording_of_kraft_alone_tells_the_mode(logger: str, template: str, mode: str | None) -> None:
    seen = pl.DataFrame([{"logger": logger, "template": template}])
    assert mode_of(answers_of(wording_seen=seen)) == mode
    assert mode is None or (logger, template) in kraft_wordings()


@pytest.mark.parametrize(
    ("name", "message", "mode"),
    [
        ("kafka.common.InconsistentNodeIdException", "", "kraft"),
        ("kafka.common.InconsistentBrokerIdException", "", "zookeeper"),
        ("kafka.zookeeper.ZooKeeperClientTimeoutException", "Timed out", "zookeeper"),
        (
            "java.lang.IllegalStateException",
            "Configured voter set: [0, 1, 2] is different from the voter set read from the state file: [0]. Check if the "
            "quorum configuration is up to date, or wipe out the local state file if necessary",
            "kraft",
        ),
        ("java.lang.IllegalStateException", "Shutdown in progress", None),
    ],
)
def test_what_a_process_ends_with_tells_its_mode(name: str, message: str, mode: str | None) -> None:
    said = {"event": "server_exiting", "exception_class": name, "exception_message": message}
    assert mode_of(answers_of(node_event=pl.DataFrame([said]))) == mode


@pytest.mark.parametrize(
    ("since", "until", "mode"),
    [("0.8", "2.7", "zookeeper"), ("2.7", "2.8", None), ("3.9", "4.0", None), ("4.0", "current", "kraft")],
)
def test_releases_of_one_mode_tell_it(since: str, until: str, mode: str | None) -> None:
    assert mode_of_release(release_bits(since, until)) == mode


def test_what_ran_before_is_told_beside_the_end() -> None:
    spans = """
        node_id | valid_from_at | releases            | certainty
        1       | 1             | [3.9.2]             | proved
        1       | 5             | [3.9.2 4.0.0 4.3.1] | inferred
        1       | 6             | [4.3.1]             | proved
        2       | 1             | [3.9.1 3.9.2]       | inferred
        2       | 7             | [4.3.1]             | proved
        3       | 1             | [2.6.0]             | undetermined
        3       | 2             | [4.3.1]             | proved
    """
    answers = answers_of(release_span=frame(BY_SHORT_NAME["release_span"].spec, spans))
    assert release_text(releases_of(answers), releases_before(answers)) == "4.3.1 (3.9.2 before)"


def test_ratios_are_printed_in_office() -> None:
    ratios = "checked_at | controller_id\n 5 | 2\n 1 | 3\n 9 |"
    given = frame(BY_SHORT_NAME["imbalance_observation"].spec, ratios)
    assert last_active_controller(answers_of(imbalance_observation=given)) == 2
    assert last_active_controller(answers_of()) is None


STEPS = """
    controller_id | logged_at | step
    2             | 1         | initializing_context
    2             | 2         | scheduler_started
    1             | 9         | deleting_isr_notifications
"""


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("", [(2, 1, 2), (1, 9, 9)]),
        ("2 | 8 | resigned", [(1, 9, 9)]),
        ("1 | 8 | resigned", [(2, 1, 2), (1, 9, 9)]),
        ("3 | 8 | starting", [(2, 1, 2), (1, 9, 9)]),
    ],
)
def test_who_takes_over_is_in_office(said: str, expected: list[tuple[int, int, int]]) -> None:
    given = answers_of(controller_step=frame(BY_SHORT_NAME["controller_step"].spec, f"{STEPS}{said}"))
    found = [
        (one["controller_id"], one["from_at"], one["until_at"]) for one in controllers_without_term(given)
    ]
    assert found == [(node, at(begin), at(end)) for node, begin, end in expected]
    assert last_active_controller(given) == 1


LAST = {"controller_id": 2, "controller_epoch": 8, "ended_at": None, "superseded_at": None}
OVER = {"rule": "no_controller", "valid_until_at": at(9)}
STILL = {"rule": "quorum_without_leader", "valid_until_at": None}


@pytest.mark.parametrize(
    ("terms", "findings", "office_id", "text"),
    [
        ([LAST], [OVER], None, "2 (epoch 8)"),
        ([LAST | {"ended_at": at(5)}], [], None, "none, the last one was 2 (epoch 8)"),
        ([LAST | {"ended_at": at(5), "superseded_at": at(6)}], [], None, "2 (epoch 8)"),
        ([LAST], [STILL], None, "none, the last one was 2 (epoch 8)"),
        ([], [STILL], None, "none"),
        ([], [], 5, "5 (epoch not told)"),
        ([], [], None, "not known"),
    ],
)
def test_the_controller_at_the_end(
    terms: list[Row], findings: list[Row], office_id: int | None, text: str
) -> None:
    assert last_controller_text(terms, findings, office_id) == text
