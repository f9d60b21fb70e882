"""Templates of messages: literal text with {field} places, and the fields' patterns, types and columns."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pipeline.core.errors import SettingsError

_PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
# Blanks of which a page shows fewer: of a run one, at an end of the text none. It may make a no-break space of one.
_FEWER = re.compile("^ +| +$|  +")
_BLANK = r"[ \x{A0}]"
LIST_TYPE = "int_list"
FIELD_TYPES = ("int", "long", "double", "boolean", "string", LIST_TYPE)
NUMBER_TYPES = ("int", "long")


@dataclass(frozen=True)
class FieldKind:
    """One field name. `pattern`: RE2 without groups that capture; `column`: "" = none, it goes to the map."""

    name: str
    pattern: str
    type: str
    unit: str
    column: str
    meaning: str


@dataclass(frozen=True)
class Compound:
    """Pulls the text of `column` out of the text of `field`: RE2, not anchored, with the group `value`.

    `drop`: RE2, removed from the value wherever it matches; "" = nothing. Of several rows for one field
    and column the first that matches counts.
    """

    field: str
    column: str
    pattern: str
    drop: str


@dataclass(frozen=True)
class Template:
    """One wording of one source. Equal texts of one source are one template.

    `says`: fields without a place, and what the literal text says of them; each has a column.
    """

    name: str
    source: str
    text: str
    says: tuple[tuple[str, str], ...] = ()

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """Literal, field, literal, field, ..., literal."""
        return tuple(_PLACE.split(self.text))

    @cached_property
    def literal_length(self) -> int:
        """How specific the template is: characters that it fixes."""
        return sum(len(part) for part in self.parts[::2])

    @cached_property
    def places(self) -> tuple[tuple[int, str], ...]:
        """Each field name once, with the number of its first place."""
        names = self.parts[1::2]
        return tuple((index, name) for index, name in enumerate(names) if name not in names[:index])

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """Field names, each once, in the order of their first place."""
        return tuple(dict.fromkeys(self.parts[1::2]))

    def pattern(self, kinds: Mapping[str, FieldKind]) -> str:
        """The anchored RE2 pattern; the n-th place is the group `p<n>`, from 0."""
        pieces = [
            f"(?P<p{index // 2}>{kinds[part].pattern})" if index % 2 else quote_literal(part)
            for index, part in enumerate(self.parts)
        ]
        return "".join([r"(?s)\A", *pieces, r"\z"])

    def loose_pattern(self, kinds: Mapping[str, FieldKind]) -> str | None:
        """The same for what was copied from a page: a run of blanks matches one or more, at an end of the text also
        none. The n-th literal is the group `l<n>`. None: there are no such blanks."""
        if not _FEWER.search(self.text):
            return None
        last = len(self.parts) - 1
        pieces = [
            f"(?P<p{index // 2}>{kinds[part].pattern})"
            if index % 2
            else f"(?P<l{index // 2}>{_loose(part, is_first=index == 0, is_last=index == last)})"
            for index, part in enumerate(self.parts)
        ]
        return "".join([r"(?s)\A", *pieces, r"\z"])

    def render(self, values: Mapping[str, str]) -> str:
        """The message with the fields' texts in place."""
        return "".join(values[part] if i % 2 else part for i, part in enumerate(self.parts))


def quote_literal(literal: str) -> str:
    """The literal as RE2 pattern."""
    return re.sub(r"([\\.*+?()\[\]{}|^$])", r"\\\1", literal)


def _loose(literal: str, *, is_first: bool, is_last: bool) -> str:
    """The literal as RE2 pattern that a page may have taken blanks from."""
    text = quote_literal(literal)
    text = re.sub("^ +", lambda _: f"{_BLANK}*", text) if is_first else text
    text = re.sub(" +$", lambda _: f"{_BLANK}*", text) if is_last else text
    return re.sub("  +", lambda _: f"{_BLANK}+", text)


def check_templates(templates: Sequence[Template], kinds: Mapping[str, FieldKind]) -> None:
    """Refuses undeclared fields, two fields for one column, and two meanings of one wording."""
    wordings: dict[tuple[str, str], str] = {}
    for template in templates:
        stated = [name for name, _ in template.says]
        unknown = [name for name in (*template.fields, *stated) if name not in kinds]
        if unknown:
            raise SettingsError(
                expected="fields declared with a pattern",
                found=f"{', '.join(unknown)} in '{template.text}'",
                todo="add a row per field to the table of fields",
            )
        columns = [kinds[name].column for name in (*template.fields, *stated) if kinds[name].column]
        if len(columns) != len(set(columns)):
            raise SettingsError(
                expected="one field a column",
                found=f"two for one column in '{template.text}'",
                todo="rename one of the fields",
            )
        other = wordings.setdefault((template.source, template.text), template.name)
        if other != template.name:
            raise SettingsError(
                expected="one meaning for one wording",
                found=f"{other} and {template.name} for '{template.text}'",
                todo="keep one of the two rows",
            )


def by_name(kinds: Iterable[FieldKind]) -> dict[str, FieldKind]:
    """Fields by name; an unknown type is refused."""
    result = {}
    for kind in kinds:
        if kind.type not in FIELD_TYPES:
            raise SettingsError(
                expected=f"a type of {', '.join(FIELD_TYPES)}",
                found=f"{kind.type} of {kind.name}",
                todo="mend the row",
            )
        result[kind.name] = kind
    return result
