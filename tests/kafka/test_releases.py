"""Which releases print what: ranges as the tables write them, wordings that share a line, signs."""

import re

import pytest

from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.wording.releases import (
    LEVEL,
    all_release_bits,
    is_release,
    join_bits,
    oldest_and_newest,
    read_release_signs,
    release_bits,
    release_names,
    releases_by_wording,
    releases_of_bits,
    split_bits,
)
from pipeline.kafka.wording.templates import field_kinds, template_rows

CREATED = "[QuorumController id={controller_id}] Creating new QuorumController with clusterId {cluster_id}."


def number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def test_releases_ascend() -> None:
    assert list(release_names()) == sorted(release_names(), key=number)
    assert {
        one for row in read_fact_table("wording/releases.tsv") for one in (row["zookeeper"], row["kraft"])
    } == {
        "read",
        "unread",
        "none",
    }


@pytest.mark.parametrize(
    ("since", "until", "mode", "first", "last", "count"),
    [
        ("2.2", "2.2", "", "2.2.0", "2.2.2", 3),
        ("2.2.1", "2.3.0", "", "2.2.1", "2.3.0", 3),
        ("0.8.1", "0.8.1", "", "0.8.1", "0.8.1.1", 2),
        ("0.8.0", "0.8.1.0", "", "0.8.0", "0.8.1", 2),
        ("0.11.0.2", "0.11.0", "", "0.11.0.2", "0.11.0.3", 2),
        ("3.5.1", "3.9.x", "zookeeper", "3.5.1", "3.9.2", 13),
        ("3.9.x", "current", "kraft", "3.9.0", release_names()[-1], 11),
        # 3.7.2 was not read for KRaft: what 3.7.1 printed it may have printed.
        ("3.5.0", "3.7.1", "kraft", "3.5.0", "3.7.2", 9),
        ("3.5.0", "3.7.1", "zookeeper", "3.5.0", "3.7.1", 8),
        # Newer than all that are known.
        ("99.0", "current", "kraft", release_names()[-1], release_names()[-1], 1),
    ],
)
def test_ranges(since: str, until: str, mode: str, first: str, last: str, count: int) -> None:
    some = releases_of_bits(release_bits(since, until, mode))
    assert (some[0], some[-1], len(some)) == (first, last, count)


def test_sets_survive_their_halves() -> None:
    for some in (1, all_release_bits(), release_bits("2.8", "3.2"), release_bits("4.0", "current")):
        assert join_bits(*split_bits(some)) == some
        assert max(split_bits(some)) < 2**63


def test_ends_of_a_range() -> None:
    assert oldest_and_newest(release_bits("2.2", "2.2")) == ("2.2.0", "2.2.2")
    assert oldest_and_newest(release_bits("4.0", "current")) == ("4.0.0", None)
    assert oldest_and_newest(0) == (None, None)


def test_a_release_or_a_line_of_releases_is_known() -> None:
    assert [is_release(text) for text in ("2.2.2", "2.2", "0.11.0", "2.2.9", "9.0", "new", "")] == [
        True, True, True, False, False, False, False,
    ]  # fmt: skip


def test_every_wording_of_every_row_has_its_releases() -> None:
    for row in template_rows():
        own = release_bits(row["since"], row["until"])
        assert own
        assert own & ~releases_by_wording()[row["logger"], row["template"]] == 0, row


def test_wordings_that_can_match_one_line_share_their_releases() -> None:
    """Fields that may be empty, and fields that differ in name only."""
    logger = "org.apache.kafka.controller.QuorumController"
    clause = releases_by_wording()[logger, CREATED + "{zk_migration_clause}"]
    more = releases_by_wording()[logger, CREATED + "{zk_migration_clause}{elr_clause}"]
    assert clause == more == release_bits("3.6.0", "3.9.x")


def test_signs_are_sound() -> None:
    fields = {*field_kinds(), LEVEL}
    for sign in read_release_signs():
        assert sign.releases
        assert sign.releases != all_release_bits(), sign.name
        assert sign.field in fields, sign.name
        if sign.pattern.startswith("/"):
            re.compile(sign.pattern.strip("/"))
    assert len({sign.name for sign in read_release_signs()}) == len(read_release_signs())
    by_sign = {
        (row["sign"], row["event"], row["field"], row["pattern"])
        for row in read_fact_table("wording/release_signs.tsv")
    }
    assert len(by_sign) + len(release_names()) == len(read_release_signs())


def test_lines_that_tables_name_exist() -> None:
    """Starts of processes by logger and wording; periodic and office lines, and those in office, by event."""
    rows = template_rows()
    for start in read_fact_table("wording/process_starts.tsv"):
        assert any(
            row["logger"] == start["logger"] and re.search(start["template"], row["template"]) for row in rows
        ), start
    events = {row["event"] for row in rows}
    for name in ("wording/periodic_lines.tsv", "wording/office_lines.tsv", "wording/in_office.tsv"):
        assert {row["event"] for row in read_fact_table(name)} <= events
