"""families.tsv: complete, and in one piece with templates, fields and the declarations of the tables."""

from collections import Counter
from itertools import combinations

import pytest

from pipeline.catalog.tables import BY_SHORT_NAME, Refresh
from pipeline.core.frames import empty_frame
from pipeline.core.template import Template
from pipeline.kafka.wording.templates import template_rows
from pipeline.model.lines.families import NO_FAMILY, Feed, all_feeds, family_feeds, family_records
from schemas.bronze import log_record
from tests.chain import kernel
from tests.rows import records_in

# Where a table keeps what sorts its rows.
KIND_COLUMNS = {
    "control_request": "request",
    "controller_step": "area",
    "broker_event": "said_by",
    "config_event": "record",
    "reassignment_event": "reason",
    "leader_and_isr": "teller",
    "partition_state": "teller",
}
STEP_COLUMNS = {"replica_transition": "outcome", "partition_transition": "outcome"}
# Told by what the line says beside its wording.
REFINED = {
    "assignment": {"cancelled", "settled"},
    "broker_event": {"fenced", "unfenced", "in_controlled_shutdown"},
    "config_event": {"written"},
    "reassignment_event": {"cancelled", "overridden", "all_in_sync"},
    "controller_step": {"renounced"},
    "election_event": {"elected_unclean"},
    "topic_event": {"create_refused", "delete_refused", "deletion_deferred"},
}
# Tables without a column that names the step: one step, or a column of their own for each.
NO_STEP = {
    "leader_and_isr": {"stated"},
    "imbalance_observation": {"observed"},
}


FAMILIES = sorted({feed.family for feed in all_feeds()} - {NO_FAMILY})


def templates_of(event: str) -> list[Template]:
    return [
        Template(row["event"], row["logger"], row["template"])
        for row in template_rows()
        if row["event"] == event
    ]


def test_every_event_stands_there_and_no_other() -> None:
    assert {feed.event for feed in all_feeds()} == {row["event"] for row in template_rows()}


def test_what_feeds_nothing_says_nothing_else() -> None:
    named = Counter(feed.event for feed in all_feeds())
    nothing = [feed for feed in all_feeds() if feed.family == NO_FAMILY]
    assert nothing
    assert all(
        feed == Feed(feed.event, NO_FAMILY, "", "", "", "") and named[feed.event] == 1 for feed in nothing
    )


def test_no_row_stands_twice() -> None:
    assert [feed for feed, count in Counter(all_feeds()).items() if count > 1] == []


def test_families_are_tables_that_grow_by_segments() -> None:
    families = {feed.family for feed in all_feeds()} - {NO_FAMILY}
    assert all(BY_SHORT_NAME[family].refresh is Refresh.APPEND for family in families)


@pytest.mark.parametrize("family", FAMILIES)
def test_steps_and_kinds_are_those_that_the_table_declares(family: str) -> None:
    fields = {one.name: one for one in BY_SHORT_NAME[family].spec.fields}
    steps = {feed.step for feed in family_feeds(family)}
    if family in NO_STEP:
        assert steps == NO_STEP[family]
    else:
        assert steps | REFINED.get(family, set()) == set(fields[STEP_COLUMNS.get(family, "step")].accepted)
    if family in KIND_COLUMNS:
        kinds = {feed.kind for feed in family_feeds(family)} - {""}
        assert kinds == set(fields[KIND_COLUMNS[family]].accepted)


def test_fields_and_wordings_are_those_of_the_templates() -> None:
    for feed in (one for one in all_feeds() if one.family != NO_FAMILY):
        worded = [one for one in templates_of(feed.event) if feed.wording in one.text]
        assert worded, feed
        assert not feed.field or any(feed.field in one.fields for one in worded), feed


def test_a_wording_is_told_by_one_row() -> None:
    """Of two rows with different wordings, none of the event's templates holds both."""
    worded: dict[tuple[str, str], set[str]] = {}
    for feed in all_feeds():
        if feed.wording:
            worded.setdefault((feed.event, feed.family), set()).add(feed.wording)
    for (event, family), wordings in worded.items():
        for left, right in combinations(wordings, 2):
            both = [one.text for one in templates_of(event) if left in one.text and right in one.text]
            assert not both, (event, family, left, right)


LINES = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] Newly added brokers: 2, deleted brokers: 3, bounced brokers: , all live brokers: 1,2 (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] INFO [ControllerEventThread controllerId=1] Stopped (kafka.controller.ControllerEventManager$ControllerEventThread)
    [2026-11-21 00:00:03,000] INFO [RequestSendThread controllerId=1] Stopped (kafka.controller.RequestSendThread)
"""


def test_records_are_fed_once_a_row() -> None:
    records = records_in({(1, "controller"): LINES})
    steps = [
        set(family_records(records, family).select("event", "step", "field").rows())
        for family in ("broker_event", "controller_step")
    ]
    assert steps == [
        {
            ("broker_change", "joined", "new_broker_ids"),
            ("broker_change", "left", "dead_broker_ids"),
            ("broker_change", "bounced", "bounced_broker_ids"),
            ("broker_change", "live", "live_broker_ids"),
        },
        {("thread_lifecycle", "thread_stopped", None)},
    ]


@pytest.mark.parametrize("family", FAMILIES)
def test_no_records_feed_nothing(family: str) -> None:
    spec = BY_SHORT_NAME[family].spec
    assert kernel(spec)(empty_frame(log_record.SPEC)).is_empty()
