"""Which field of which template goes where: worked out once for all batches."""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from pipeline.core.numbers import number_shape
from pipeline.core.template import LIST_TYPE, Compound, FieldKind, Template
from pipeline.core.wellformed import Checker


class FieldPlan:
    """`in_map`, `again`: per template places (number, field) of the map, and of fields named before. In the map stands
    what no column of its name holds as printed: so the message can be written again.

    `shapes`: fields that are whole numbers; `ways`: by field and column how a compound states the column.
    """

    def __init__(
        self,
        templates: Sequence[Template],
        kinds: Mapping[str, FieldKind],
        compounds: Sequence[Compound],
        column_types: Mapping[str, pa.DataType],
    ) -> None:
        self.types = dict(column_types)
        self.kinds = dict(kinds)
        self.templates = tuple(templates)
        self.checker = Checker()
        self.shapes = {name: number_shape(kind.pattern) for name, kind in kinds.items()}
        self.names = list(kinds)
        self.codes = {name: code for code, name in enumerate(kinds)}
        self.key_texts = pa.array(self.names, pa.string())
        self.ways: dict[str, dict[str, list[Compound]]] = {}
        for way in compounds:
            self.ways.setdefault(way.field, {}).setdefault(way.column, []).append(way)
        self.in_map = [
            [(place, name) for place, name in t.places if not is_column_as_printed(kinds[name])]
            for t in self.templates
        ]
        self.again = [
            [(place, name) for place, name in enumerate(t.parts[1::2]) if (place, name) not in t.places]
            for t in self.templates
        ]


def is_column_as_printed(kind: FieldKind) -> bool:
    """Whether a column of the field's name tells how it was printed: a list tells its numbers, not its brackets."""
    return kind.column == kind.name and kind.type != LIST_TYPE
