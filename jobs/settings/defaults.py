"""The settings as they are declared: their tree of defaults, and each with what it means."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from jobs.settings.model import Settings


class DeclaredSetting(NamedTuple):
    """A setting, or a section of them. key: with dots; default: as YAML writes it, empty for a section; meaning: its
    sentences, an example in the lines below them."""

    key: str
    default: str
    meaning: str


def default_tree(part: type[BaseModel] = Settings) -> dict[str, Any]:
    """The defaults as a file would say them."""
    return {
        name: field.get_default(call_default_factory=True) if inner is None else default_tree(inner)
        for name, field, inner in fields_of_part(part)
    }


def declared_settings(part: type[BaseModel] = Settings, section: str = "") -> Iterator[DeclaredSetting]:
    """All settings in their order, each section before what stands in it. A field's example is how a file says its
    default."""
    for name, field, inner in fields_of_part(part):
        key, meaning = f"{section}{name}", field.description or ""
        if inner is None:
            value = field.examples[0] if field.examples else field.get_default(call_default_factory=True)
            text = value if isinstance(value, str) else json.dumps(value)
            yield DeclaredSetting(key, text, meaning)
        else:
            yield DeclaredSetting(key, "", meaning)
            yield from declared_settings(inner, f"{key}.")


def fields_of_part(part: type[BaseModel]) -> Iterator[tuple[str, FieldInfo, type[BaseModel] | None]]:
    """Key, field, and of a section the part that it is."""
    for name, field in part.model_fields.items():
        kind: Any = field.annotation
        is_section = isinstance(kind, type) and issubclass(kind, BaseModel)
        yield field.alias or name, field, kind if is_section else None
