"""Values of views as JSON has them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any


def json_value(value: Any) -> Any:
    """As JSON has it: times in ISO, lists and maps with what is in them."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, Mapping):
        return {name: json_value(one) for name, one in value.items()}
    return [json_value(one) for one in value] if isinstance(value, list) else value


def parse_json_time(text: str | None) -> datetime | None:
    """The time that json_value wrote."""
    return None if text is None else datetime.fromisoformat(text)
