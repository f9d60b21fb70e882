"""Folders of people who had part of the logs: what is said of each, and what never again."""

from pathlib import Path

import polars as pl
import pytest

from pipeline.core.frames import frame_of
from tests.chain import built
from tests.gold.term_lines import elected, own, resigning
from tests.lab import READ, records
from tests.rows import records_in

Told = tuple[str, str, bool]  # severity, rule, True while it goes on
CRITICAL, WARNING, INFO = "critical", "warning", "info"
FINDINGS: dict[str, set[Told]] = {
    "because-of-an-earlier-life": {(WARNING, "no_controller", False), (INFO, "missing_logs", False)},
    # Whatever was before: three partitions that the last controller calls Offline.
    "more-logs-lose-the-critical": {
        (CRITICAL, "outage", True),
        (WARNING, "stated_imbalance", True),
        (INFO, "missing_logs", False),
    },
    "kraft-mid-term-fencing": {(WARNING, "broker_fenced", False)},
    "two-zookeepers-each-elects": {(WARNING, "controllers_apart", False)},
    "kraft-leader-known-from-others": set(),
    "open-though-elected-later": {(INFO, "failed_start", False)},
    "plain-stop-of-a-former-controller": {(INFO, "missing_logs", False)},
    "whole-cluster-stop": {(INFO, "outage", True)},
}
# (controller, epoch), how each ended, and why.
TERMS: dict[str, dict[tuple[int, int], tuple[str | None, str | None]]] = {
    "because-of-an-earlier-life": {
        (2, 4): ("shutdown", "sigterm"),
        (2, 9): ("crashed", "unknown"),
        (2, 10): ("open", None),
    },
    "kraft-mid-term-fencing": {(1, 0): ("open", None)},
    "kraft-leader-known-from-others": {
        (1, 6): ("renounced", "unknown"),
        (3, 8): ("superseded_unseen", "unknown"),
        (2, 9): ("open", None),
    },
    "open-though-elected-later": {(2, 9): ("open", None)},
    "plain-stop-of-a-former-controller": {
        (2, 7): ("superseded_unseen", "unknown"),
        (1, 8): ("open", None),
    },
}


@pytest.mark.parametrize("case", FINDINGS)
def test_what_is_said_of_it(shared: Path, case: str) -> None:
    lines = frame_of(records(shared / "cases" / case / "logs", (*READ, "server")))
    tables = built(lines, "finding", "controller_term")
    rows = tables["finding"].select("severity", "rule", "valid_until_at").rows()
    assert {(severity, rule, until is None) for severity, rule, until in rows} == FINDINGS[case]
    if case in TERMS:
        names = ("controller_id", "controller_epoch", "ended_how", "end_reason")
        terms = {
            (node, epoch): (how, why)
            for node, epoch, how, why in tables["controller_term"].select(names).rows()
        }
        assert terms == TERMS[case]


def test_text_behind_the_logger_changes_nothing() -> None:
    """As shippers write it: no record is cut, and nothing else is said."""
    plain = elected(1, 1, 1) + own(1, 5, "Starting topic deletion for topics a") + resigning(1, 9)
    behind = plain.replace(")\n", ") host=broker-1 pod=kafka-0\n")
    of = [records_in({(1, "controller"): text}) for text in (plain, behind)]
    said = [one.select("event", "logged_at", "controller_id", "not_understood_reason").rows() for one in of]
    assert said[0] == said[1]
    terms = [built(one, "controller_term")["controller_term"].drop("evidence", "lines") for one in of]
    assert terms[0].drop(keys(terms[0])).equals(terms[1].drop(keys(terms[1])))


def keys(rows: pl.DataFrame) -> list[str]:
    return [name for name in rows.columns if name.endswith("file_id")]
