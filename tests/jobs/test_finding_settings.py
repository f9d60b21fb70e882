"""From when on something is a finding, and which are known, as settings say it of all clusters and of one."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from jobs.settings.findings import limit_meaning
from jobs.settings.load import load_settings
from jobs.settings.model import Settings
from pipeline.core.errors import SettingsError
from pipeline.rules.registry import LIMITS


def from_text(folder: Path, text: str) -> Settings:
    file = folder / "own.yaml"
    file.write_text(text)
    return load_settings(file, environ={})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "known_findings: {suppressions: [{until: 2027-01-01, reason: x}]}",
            "known_findings.suppressions.0 in {file} to be a rule, an entity or both",
        ),
        (
            "known_findings: {suppressions: [{rule: outages, until: 2027-01-01, reason: x}]}",
            "suppressions.0.rule in {file} to be one of unclean_election,",
        ),
        (
            "known_findings: {suppressions: [{rule: outage, reason: x}]}",
            "known_findings.suppressions.0.until",
        ),
        (
            "known_findings: {suppressions: [{rule: outage, until: soon, reason: x}]}",
            "suppressions.0.until in {file} to be a date or time in UTC such as",
        ),
        (
            "known_findings: {suppressions: [{entity: '(', until: 2027-01-01, reason: x}]}",
            "suppressions.0.entity in {file} to be a regular expression",
        ),
        (
            "known_findings: {maintenance: [{since: 2027-01-01, until: 2027-01-01, reason: x}]}",
            "maintenance.0 in {file} to be a time until that is after since",
        ),
        ("findings: {imbalance_checks: .nan}", "findings.imbalance_checks in {file} to be"),
        (
            "findings: {outage_s: 5}",
            "found the unknown key findings.outage_s; write outage_ms, or take it out.",
        ),
        ("findings: {outage_ms: 5s}", "findings.outage_ms in {file} to be integer, found '5s';"),
        (
            "findings: {flapping_minutes: 0}",
            "findings.flapping_minutes in {file} to be greater than or equal to 1",
        ),
        ("clusters: {a: {findings: {outage: 5}}}", "the unknown key clusters.a.findings.outage;"),
        (
            "clusters: {a: {findings: {outage_ms: -1}}}",
            "clusters.a.findings.outage_ms in {file} to be greater than or",
        ),
    ],
)
def test_a_wrong_limit_or_entry_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as raised:
        from_text(tmp_path, text)
    sentence = str(raised.value)
    assert said.replace("{file}", str(tmp_path / "own.yaml")) in sentence
    assert "\n" not in sentence and sentence.startswith("Expected ") and sentence.endswith(".")


def test_a_limit_names_the_rules_that_go_by_it() -> None:
    said = [limit_meaning(LIMITS[name]).rpartition("Rule")[2] for name in ("outage_ms", "creation_ms")]
    assert said == ["s: outage, log_dir_failed, below_min_isr.", ": slow_creation."]


def test_what_is_known_of_findings(tmp_path: Path) -> None:
    """A cluster's own entries stand after those of all, its limits before; tables that are no findings do not mind."""
    settings = from_text(
        tmp_path,
        """
        findings: {outage_ms: 2000}
        known_findings:
          suppressions: [{rule: outage, until: 2027-01-01, reason: of all}]
        clusters:
          prod:
            findings: {outage_ms: 5000}
            known_findings:
              suppressions: [{entity: broker 3, until: 2027-01-01T08:00+02:00, reason: its own}]
              maintenance: [{since: 2026-11-21 08:00, until: 2026-11-21T10:00Z, reason: upgrade}]
        """,
    )

    def limits_of(cluster_id: str) -> dict[str, int]:
        return settings.cluster(cluster_id).findings.model_dump()

    prod = settings.cluster("prod")
    assert (limits_of("prod")["outage_ms"], limits_of("other")["outage_ms"]) == (5000, 2000)
    assert limits_of("prod")["overlap_ms"] == LIMITS["overlap_ms"].default
    assert [one.reason for one in prod.known_findings.suppressions] == ["of all", "its own"]
    assert prod.known_findings.suppressions[1].until == datetime(2027, 1, 1, 6, tzinfo=UTC)
    assert prod.known_findings.maintenance[0].since == datetime(2026, 11, 21, 8, tzinfo=UTC)
    shipped = from_text(tmp_path, "")
    assert settings.fingerprint("prod") != shipped.fingerprint("prod")
    assert settings.fingerprint("prod", with_findings=False) == shipped.fingerprint(
        "prod", with_findings=False
    )
