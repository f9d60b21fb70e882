"""Lanes of a drawing that lead to the findings of a page, by severity."""

from collections.abc import Iterator

from jobs.questions.finding_lines import is_finding_since
from jobs.report.scale import Bar, Lane, Scale, stack_bars
from jobs.report.told import ClusterTold
from jobs.text import shorten_line
from schemas.gold.finding import SEVERITIES


def finding_lanes(told: ClusterTold, scale: Scale, prefix: str | None) -> Iterator[Lane]:
    """Those that are known already are left out. prefix: None, they lead nowhere."""
    shown = [
        (number, one)
        for number, one in told.findings
        if one["suppressed_by"] is None and is_finding_since(one, told.window.since)
    ]
    if shown:
        yield Lane("findings", is_heading=True)
    for severity in SEVERITIES:
        bars = [
            Bar(
                one["valid_from_at"],
                one["valid_until_at"],
                f"found {severity}",
                f"F{number} {shorten_line(one['sentence'], 250)}",
                None if prefix is None else f"#{prefix}F{number}",
                f"F{number}",
            )
            for number, one in shown
            if one["severity"] == severity
        ]
        yield from stack_bars(f"{len(bars):,} {severity}", bars, scale)
