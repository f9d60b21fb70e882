"""First screens, and what stands on them."""

from datetime import UTC, datetime
from typing import Any

from jobs.engine.intake.discovery import Listing
from jobs.engine.run.request import RunRequest, RunResult
from jobs.screen.first_screen import first_screen
from jobs.settings.load import load_settings
from pipeline.catalog.tables import SPECS
from pipeline.views.reading.answers import Answers

LAST = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


def finding(rule: str, status: str, from_at: datetime, until_at: datetime | None) -> dict[str, Any]:
    return {
        "rule": rule, "status": status, "severity": "warning", "certainty": "proved", "sentence": rule,
        "suppressed_by": None, "valid_from_at": from_at, "valid_until_at": until_at, "evidence": [], "facts": {},
    }  # fmt: skip


def screen_of_sample(answers: Answers, *, is_detailed: bool = False) -> str:
    """As the nightly job prints it."""
    cluster = answers.cluster_id
    settings = load_settings(None, {}, {}, None)
    request = RunRequest("nightly", "warehouse", cluster, lambda: Listing([]), settings)
    watermarks = {one.name: "1 a" for one in SPECS}
    result = RunResult(
        cluster, "run", "published", {}, {"records": 23_694}, watermarks, {"not_asked": 6}, is_judged=True
    )
    return first_screen(answers.tables, "w/lab", request, result, is_detailed=is_detailed).text
