"""Which releases print what: ranges as the tables write them, wordings that share a line, signs."""

import re

import pytest

from pipeline.kafka.facts import table
from pipeline.kafka.wording.releases import (
    LEVEL,
    bits,
    ends,
    everything,
    halves,
    is_release,
    joined,
    members,
    names,
    signs,
    wordings,
)
from pipeline.kafka.wording.templates import field_kinds, template_rows

CREATED = "[QuorumController id={controller_id}] Creating new QuorumController with clusterId {cluster_id}."


def number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def test_releases_ascend() -> None:
    assert list(names()) == sorted(names(), key=number)
    assert {one for row in table("wording/releases.tsv") for one in (row["zookeeper"], row["kraft"])} == {
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
        ("3.9.x", "current", "kraft", "3.9.0", names()[-1], 11),
        # 3.7.2 was not read for KRaft: what 3.7.1 printed it may have printed.
        ("3.5.0", "3.7.1", "kraft", "3.5.0", "3.7.2", 9),
        ("3.5.0", "3.7.1", "zookeeper", "3.5.0", "3.7.1", 8),
        # Newer than all that are known.
        ("99.0", "current", "kraft", names()[-1], names()[-1], 1),
    ],
)
def test_ranges(since: str, until: str, mode: str, first: str, last: str, count: int) -> None:
    some = members(bits(since, until, mode))
    assert (some[0], some[-1], len(some)) == (first, last, count)


def test_sets_survive_their_halves() -> None:
    for some in (1, everything(), bits("2.8", "3.2"), bits("4.0", "current")):
        assert joined(*halves(some)) == some
        assert max(halves(some)) < 2**63


def test_ends_of_a_range() -> None:
    assert ends(bits("2.2", "2.2")) == ("2.2.0", "2.2.2")
    assert ends(bits("4.0", "current")) == ("4.0.0", None)
    assert ends(0) == (None, None)


def test_a_release_or_a_line_of_releases_is_known() -> None:
    assert [is_release(text) for text in ("2.2.2", "2.2", "0.11.0", "2.2.9", "9.0", "new", "")] == [
        True, True, True, False, False, False, False,
    ]  # fmt: skip


def test_every_wording_of_every_row_has_its_releases() -> None:
    for row in template_rows():
        own = bits(row["since"], row["until"])
        assert own
        assert own & ~wordings()[row["logger"], row["template"]] == 0, row


def test_wordings_that_can_match_one_line_share_their_releases() -> None:
    """Fields that may be empty, and fields that differ in name only."""
    logger = "org.apache.kafka.controller.QuorumController"
    clause = wordings()[logger, CREATED + "{zk_migration_clause}"]
    more = wordings()[logger, CREATED + "{zk_migration_clause}{elr_clause}"]
    assert clause == more == bits("3.6.0", "3.9.x")


def test_signs_are_sound() -> None:
    fields = {*field_kinds(), LEVEL}
    for sign in signs():
        assert sign.releases
        assert sign.releases != everything(), sign.name
        assert sign.field in fields, sign.name
        if sign.pattern.startswith("/"):
            re.compile(sign.pattern.strip("/"))
    assert len({sign.name for sign in signs()}) == len(signs())
    by_sign = {
        (row["sign"], row["event"], row["field"], row["pattern"])
        for row in table("wording/release_signs.tsv")
    }
    assert len(by_sign) + len(names()) == len(signs())


def test_lines_that_tables_name_exist() -> None:
    """Starts of processes by logger and wording; periodic and office lines, and those in office, by event."""
    rows = template_rows()
    for start in table("wording/process_starts.tsv"):
        assert any(
            row["logger"] == start["logger"] and re.search(start["template"], row["template"]) for row in rows
        ), start
    events = {row["event"] for row in rows}
    for name in ("wording/periodic_lines.tsv", "wording/office_lines.tsv", "wording/in_office.tsv"):
        assert {row["event"] for row in table(name)} <= events
