"""Every event has its meaning and its source."""

import re
from importlib.resources import files

import pytest

from pipeline.catalog.knowledge import read_knowledge_files
from pipeline.core.errors import SettingsError
from pipeline.kafka.explaining.explanation import explain_record
from pipeline.kafka.explaining.wordings import wordings_by_text
from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.reading.pasted import read_pasted_text
from pipeline.kafka.wording.events import is_before, parse_printing_method, template_events
from pipeline.kafka.wording.releases import release_bits, releases_of_bits
from pipeline.kafka.wording.templates import template_rows

LONGEST = 260


def test_every_event_has_one_row_and_every_row_is_an_event() -> None:
    rows = [row["event"] for row in read_fact_table("wording/events.tsv")]
    assert len(rows) == len(set(rows))
    assert set(rows) == {row["event"] for row in template_rows()}


def test_meanings_are_sentences_of_their_own() -> None:
    meanings = {event.event: event.meaning for event in template_events().values()}
    assert not [name for name, text in meanings.items() if not re.fullmatch(r"[A-Z].{20,}\.", text)]
    assert not [name for name, text in meanings.items() if len(text) > LONGEST or "  " in text]
    assert len(set(meanings.values())) == len(meanings)


def test_no_meaning_repeats_a_wording() -> None:
    wordings = {re.sub(r"^\[[^\]]*\][:,]? ?", "", row["template"]).rstrip(". ") for row in template_rows()}
    assert not [event.event for event in template_events().values() if event.meaning.rstrip(".") in wordings]


def test_sources_are_methods_with_releases_in_order() -> None:
    places = [one for event in template_events().values() for one in event.places]
    assert len(places) > len(template_events())
    assert not [str(one) for one in places if one.since and one.until and not is_before(one.since, one.until)]
    assert all(str(parse_printing_method(str(one))) == str(one) for one in places)


# The line came with 1.0.2 and 1.1.1: of a range of releases that holds 1.1.0 no method printed it there.
PRINTED_NOWHERE = {"follower_log_start_moved": {"1.1.0"}}


def test_every_release_that_prints_a_wording_has_a_method_that_does() -> None:
    missing: dict[str, set[str]] = {}
    for one in wordings_by_text().values():
        places = template_events()[one.event].places
        for span in one.printed:
            some = releases_of_bits(release_bits(span.since, span.until))
            bare = {name for name in some if not any(place.is_within(name, name) for place in places)}
            missing.setdefault(one.event, set()).update(bare)
    assert {event: names for event, names in missing.items() if names} == PRINTED_NOWHERE


def test_a_wording_is_of_all_releases_that_may_have_printed_the_line() -> None:
    created = "Creating new QuorumController with clusterId Abcdefghijklmnopqrstuv."
    removed = "[Controller id=3] Removing partitions {} from the list of reassigned partitions in zookeeper"
    cases = [
        (f"[QuorumController id=2] {created}", "3.6 to 3.9, KRaft mode"),
        (f"[QuorumController id=2] {created} ZK migration mode is enabled.", "3.6 to 3.9, KRaft mode"),
        (f"[QuorumController id=2] {created} Eligible leader replicas enabled.", "3.7 to 3.9, KRaft mode"),
        (removed.format("Set()"), "2.0 to 2.3, ZooKeeper mode"),
        (removed.format("Map(a-0 -> Buffer(1))"), "2.4 to 3.9, ZooKeeper mode"),
    ]
    for message, printed in cases:
        told = explain_record(read_pasted_text(message.encode()).records[0])
        assert [str(one) for one in told.wordings[0].printed] == [printed], message


@pytest.mark.parametrize("text", ["", "elect", "kafka.controller", "a.B.c (since 1)", "a.B.c  (to 2.2)"])
def test_what_is_no_source_is_said(text: str) -> None:
    with pytest.raises(SettingsError, match="a method of Kafka"):
        parse_printing_method(text)


def test_a_source_counts_for_the_releases_of_a_wording() -> None:
    old, new = parse_printing_method("a.B.c (to 2.2)"), parse_printing_method("a.B.c (from 2.3)")
    cases = [("0.11.0", "2.2"), ("2.2.1", "3.9"), ("2.3", "3.9"), ("3.6", "current"), ("2.2.5", "2.2.5")]
    assert [old.is_within(*case) for case in cases] == [True, True, False, False, True]
    assert [new.is_within(*case) for case in cases] == [False, True, True, True, False]


def test_kraft_shares_wordings_of_zookeeper_events_only() -> None:
    of_zookeeper = {row["event"] for row in read_fact_table("wording/by_mode/zookeeper.tsv")}
    assert {event.event for event in template_events().values() if event.kraft_since} <= of_zookeeper


def test_another_sentence_rebuilds_no_table() -> None:
    names = {name for name, _ in read_knowledge_files(files("pipeline.kafka"), "pipeline.kafka")}
    assert "pipeline.kafka/wording/fields.tsv" in names and "pipeline.kafka/wording/events.tsv" not in names
