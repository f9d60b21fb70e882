"""Of several clusters a line of each after their screens, the worst first."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jobs.layout import wrap_text
from schemas.gold.finding import SEVERITIES

FAILED = "FAILED: {}"
MOST_HANG = 30


@dataclass(frozen=True)
class Verdict:
    """What the screen of one cluster says, or why it has none; counts: new or ongoing findings by severity."""

    cluster_id: str
    sentence: str
    counts: Mapping[str, int] = field(default_factory=dict)
    is_failed: bool = False

    @property
    def need(self) -> tuple[Any, ...]:
        """The worst first: what failed, then by severities, then what the logs do not tell."""
        is_unknown = self.sentence.startswith("NOT ENOUGH")
        return (
            not self.is_failed,
            *(-self.counts.get(one, 0) for one in SEVERITIES[:2]),
            not is_unknown,
            self.cluster_id,
        )


def failed_verdict(cluster_id: str, why: object) -> Verdict:
    return Verdict(cluster_id, FAILED.format(why), is_failed=True)


def verdict_summary(verdicts: Iterable[Verdict]) -> list[str]:
    """None where there is one cluster alone."""
    ordered = sorted(verdicts, key=lambda one: one.need)
    if len(ordered) < 2:
        return []
    width = max(len(one.cluster_id) for one in ordered)
    hang = min(11 + width, MOST_HANG)
    lines = (wrap_text(f"SUMMARY  {one.cluster_id:<{width}}  {one.sentence}", hang) for one in ordered)
    return ["", *(line for one in lines for line in one)]
