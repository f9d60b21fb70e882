"""From when on something is a finding, and which findings are known already."""

from datetime import UTC, datetime
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, Field, PositiveInt, model_validator

from jobs.settings.masking import MaskingPart
from jobs.settings.types import EntityPattern
from pipeline.rules.order import RULE_NAMES

Milliseconds = Annotated[int, Field(ge=0)]


def _rule(name: str) -> str:
    if name not in RULE_NAMES:
        raise ValueError(f"one of {', '.join(RULE_NAMES)}")
    return name


def _moment(value: Any) -> Any:
    """YAML knows dates and times by itself; what has no zone is UTC."""
    try:
        found = datetime.fromisoformat(str(value))
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("a date or time in UTC such as 2026-11-21 or 2026-11-21T08:00") from None


RuleName = Annotated[str, AfterValidator(_rule)]
Moment = Annotated[datetime, BeforeValidator(_moment)]
Reason = Annotated[str, Field(min_length=1, max_length=200)]


class FindingLimits(MaskingPart):
    overlap_ms: Milliseconds
    no_controller_ms: Milliseconds
    no_quorum_leader_ms: Milliseconds
    failover_slow_ms: Milliseconds
    imbalance_checks: PositiveInt
    outage_ms: Milliseconds
    deletion_ms: Milliseconds
    creation_ms: Milliseconds
    unled_topic_ms: Milliseconds
    flapping_departures: PositiveInt
    flapping_minutes: PositiveInt
    reassignment_minutes: PositiveInt


class FindingLimitsOverride(MaskingPart):
    overlap_ms: Milliseconds | None = None
    no_controller_ms: Milliseconds | None = None
    no_quorum_leader_ms: Milliseconds | None = None
    failover_slow_ms: Milliseconds | None = None
    imbalance_checks: PositiveInt | None = None
    outage_ms: Milliseconds | None = None
    deletion_ms: Milliseconds | None = None
    creation_ms: Milliseconds | None = None
    unled_topic_ms: Milliseconds | None = None
    flapping_departures: PositiveInt | None = None
    flapping_minutes: PositiveInt | None = None
    reassignment_minutes: PositiveInt | None = None


class SuppressionEntry(MaskingPart):
    """Findings of a rule, about an entity that a regular expression matches whole, or both: not told until then."""

    rule: RuleName | None = None
    entity: EntityPattern | None = None
    until: Moment
    reason: Reason

    @model_validator(mode="after")
    def _of_something(self) -> Self:
        if self.rule is None and self.entity is None:
            raise ValueError("a rule, an entity or both: else it would silence everything")
        return self


class Maintenance(MaskingPart):
    """What begins and ends in it and is not critical is not told."""

    since: Moment
    until: Moment
    reason: Reason

    @model_validator(mode="after")
    def _forward(self) -> Self:
        if self.since >= self.until:
            raise ValueError("a time until that is after since")
        return self


class KnownFindings(MaskingPart):
    suppressions: tuple[SuppressionEntry, ...] = ()
    maintenance: tuple[Maintenance, ...] = ()
