"""What brokers were told about automatic leader balancing: in conf, or in a server.properties that is given."""

import re
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, Field, PositiveInt

from jobs.settings.java_properties import parse_java_properties
from jobs.settings.masking import MaskingPart
from pipeline.model.brokers.balancing import CHECK_SECONDS, IS_ENABLED, THRESHOLD_RATIO

Percentage = Annotated[int, Field(ge=0, le=100)]
INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
BOOLEANS = {"true": True, "false": False}
# Kafka's names, the settings' own, and the type that Kafka wants.
PER_BROKER, INTERVAL, ENABLE = "per_broker_percentage", "check_interval_seconds", "auto_rebalance_enable"
KEYS = {
    "leader.imbalance.per.broker.percentage": (PER_BROKER, "an integer"),
    "leader.imbalance.check.interval.seconds": (INTERVAL, "an integer"),
    "auto.leader.rebalance.enable": (ENABLE, "true or false"),
}


class LeaderImbalance(MaskingPart):
    per_broker_percentage: Percentage = Field(
        round(THRESHOLD_RATIO * 100), description="leader.imbalance.per.broker.percentage"
    )
    check_interval_seconds: PositiveInt = Field(
        CHECK_SECONDS, description="leader.imbalance.check.interval.seconds"
    )
    auto_rebalance_enable: bool = Field(IS_ENABLED, description="auto.leader.rebalance.enable")


class LeaderImbalanceOverride(MaskingPart):
    per_broker_percentage: Percentage | None = None
    check_interval_seconds: PositiveInt | None = None
    auto_rebalance_enable: bool | None = None


class ServerProperties(MaskingPart):
    """All that is taken of a file; its other lines may be secrets, and its path says nothing of what stands in it."""

    per_broker_percentage: int | None = None
    check_interval_seconds: int | None = None
    auto_rebalance_enable: bool | None = None


class BrokerBalancing(NamedTuple):
    """What a broker was told; None: by nobody. source: of per_broker_percentage, conf or server.properties."""

    per_broker_percentage: int | None
    check_interval_seconds: int | None
    auto_rebalance_enable: bool | None
    source: str | None


def _read(path: Any) -> Any:
    if isinstance(path, ServerProperties | None):
        return path
    if not isinstance(path, str) or not path:
        raise ValueError("the path of a server.properties")
    try:
        found = parse_java_properties(Path(path).read_bytes(), KEYS)
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "no path"
        raise ValueError(f"the path of a server.properties that can be read ({reason})") from None
    return ServerProperties(**{KEYS[key][0]: _typed(key, text) for key, text in found.items()})


def _typed(key: str, text: str) -> int | bool:
    """The text is not repeated: with a backslash too many it is more than the value."""
    name, wanted = KEYS[key]
    if name == ENABLE and text.lower() in BOOLEANS:
        return BOOLEANS[text.lower()]
    if name == ENABLE or not INTEGER.fullmatch(text):
        raise ValueError(f"the path of a server.properties in which {key} is {wanted}")
    return int(text)


PropertiesFile = Annotated[ServerProperties, BeforeValidator(_read)]
