"""Every event has its meaning and its source."""

import re
from importlib.resources import files

import pytest

from pipeline.catalog.knowledge import contents
from pipeline.core.errors import SettingsError
from pipeline.kafka.facts import table
from pipeline.kafka.wording.events import events, is_before, place
from pipeline.kafka.wording.templates import template_rows

LONGEST = 260


def test_every_event_has_one_row_and_every_row_is_an_event() -> None:
    rows = [row["event"] for row in table("wording/events.tsv")]
    assert len(rows) == len(set(rows))
    assert set(rows) == {row["event"] for row in template_rows()}


def test_meanings_are_sentences_of_their_own() -> None:
    meanings = {event.event: event.meaning for event in events().values()}
    assert not [name for name, text in meanings.items() if not re.fullmatch(r"[A-Z].{20,}\.", text)]
    assert not [name for name, text in meanings.items() if len(text) > LONGEST or "  " in text]
    assert len(set(meanings.values())) == len(meanings)


def test_no_meaning_repeats_a_wording() -> None:
    wordings = {re.sub(r"^\[[^\]]*\][:,]? ?", "", row["template"]).rstrip(". ") for row in template_rows()}
    assert not [event.event for event in events().values() if event.meaning.rstrip(".") in wordings]


def test_sources_are_methods_with_releases_in_order() -> None:
    places = [one for event in events().values() for one in event.places]
    assert len(places) > len(events())
    assert not [str(one) for one in places if one.since and one.until and not is_before(one.since, one.until)]
    assert all(str(place(str(one))) == str(one) for one in places)


@pytest.mark.parametrize("text", ["", "elect", "kafka.controller", "a.B.c (since 1)", "a.B.c  (to 2.2)"])
def test_what_is_no_source_is_said(text: str) -> None:
    with pytest.raises(SettingsError, match="a method of Kafka"):
        place(text)


def test_a_source_counts_for_the_releases_of_a_wording() -> None:
    old, new = place("a.B.c (to 2.2)"), place("a.B.c (from 2.3)")
    cases = [("0.11.0", "2.2"), ("2.2.1", "3.9"), ("2.3", "3.9"), ("3.6", "current"), ("2.2.5", "2.2.5")]
    assert [old.is_within(*case) for case in cases] == [True, True, False, False, True]
    assert [new.is_within(*case) for case in cases] == [False, True, True, True, False]


def test_kraft_shares_wordings_of_zookeeper_events_only() -> None:
    of_zookeeper = {row["event"] for row in table("wording/by_mode/zookeeper.tsv")}
    assert {event.event for event in events().values() if event.kraft_since} <= of_zookeeper


def test_another_sentence_rebuilds_no_table() -> None:
    names = {name for name, _ in contents(files("pipeline.kafka"), "pipeline.kafka")}
    assert "pipeline.kafka/wording/fields.tsv" in names and "pipeline.kafka/wording/events.tsv" not in names
