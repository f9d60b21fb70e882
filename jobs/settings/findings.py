"""From when on something is a finding, and which findings are known already."""

from datetime import UTC, datetime
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, Field, create_model, model_validator

from jobs.settings.masking import MaskingPart
from jobs.settings.types import EntityPattern
from pipeline.rules.order import RULE_NAMES
from pipeline.rules.registry import LIMITS, RULES
from pipeline.rules.rule import LEAST, Limit


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


def limit_meaning(limit: Limit) -> str:
    """What it means, and the rules that go by it."""
    names = [name for name, rule in RULES.items() if limit in rule.limits]
    return f"{limit.meaning} Rule{'s' if len(names) > 1 else ''}: {', '.join(names)}."


# What rules declare, as fields.
BOUNDED: dict[str, Any] = {
    one.name: Annotated[int, Field(ge=LEAST[one.unit], description=limit_meaning(one))]
    for one in LIMITS.values()
}
DECLARED: dict[str, Any] = {name: (kind, LIMITS[name].default) for name, kind in BOUNDED.items()}
OVERRIDDEN: dict[str, Any] = {name: (kind | None, None) for name, kind in BOUNDED.items()}
_LIMITS: Any = create_model("_LIMITS", __base__=MaskingPart, **DECLARED)
_OVERRIDE: Any = create_model("_OVERRIDE", __base__=MaskingPart, **OVERRIDDEN)


class FindingLimits(_LIMITS):
    """The limits of all rules, by name."""


class FindingLimitsOverride(_OVERRIDE):
    """Those of one cluster; None: as of all."""


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
    suppressions: tuple[SuppressionEntry, ...] = Field(
        (),
        description="Until a day: [{rule: standing_imbalance, entity: broker 3, until: 2027-01-31, reason: slow disk, "
        "replaced in January}]. rule, entity (a regular expression that matches it whole) or both. One that has "
        "expired counts again with the next run that reads something.",
    )
    maintenance: tuple[Maintenance, ...] = Field(
        (),
        description="What begins and ends in it and is not critical, in UTC: [{since: 2026-11-21T08:00, until: "
        "2026-11-21T10:00, reason: upgrade}]",
    )
