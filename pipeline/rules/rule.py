"""What a rule of the audit declares, and the columns that it gives."""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import ParamSpec

import polars as pl
import pyarrow as pa

from pipeline.core.made_of import made_of
from schemas.gold.finding import SPEC

ADDED = ("finding_id", "status", "suppressed_by")
# root_event: the text of the event at the root that the id is made of; columns of their own tell what it was.
OF_RULES = ("root_event", *(name for name in SPEC.columns if name not in ADDED))
OF_FIND = tuple(name for name in OF_RULES if name not in ("rule", "rule_version"))
ROWS = pa.schema(
    [pa.field(name, pa.string()) if name == "root_event" else SPEC.arrow.field(name) for name in OF_FIND]
)

P = ParamSpec("P")
Absorb = Callable[..., tuple[pl.DataFrame, pl.DataFrame]]


def made_of_rows(*tables: str) -> Callable[[Callable[P, pl.DataFrame]], Callable[P, pl.DataFrame]]:
    """Decorates a find whose findings are made of rows of these tables alone: it does not run where none has any."""
    return made_of(ROWS, *tables)


# The least value of a limit, by its unit; a name ends with its unit, but for what is counted.
LEAST = {"ms": 0, "minutes": 1, "times": 1}


@dataclass(frozen=True)
class Limit:
    """From when on something is a finding: the setting findings.NAME, for all clusters or one.

    unit: of LEAST. meaning: what the settings' documentation says of it.
    """

    name: str
    default: int
    unit: str
    meaning: str


@dataclass(frozen=True)
class Rule:
    """A rule of the audit.

    version: goes up with what it finds. severities: all that its findings have. facts: names of FACTS in
    schemas/gold/finding.py that they carry. find gives a row per finding, columns OF_FIND. Its parameters name tables,
    views (pipeline/rules/views.py), limits, data_end, and `earlier`: the findings of the rules in after.
    absorb: takes the rule's findings, those of the rules in absorbed, and limits by name; gives its own findings, which
    tell those, too, and the ones that are left. limits: all that find and absorb, or the tables that find reads, go by.
    """

    name: str
    version: int
    severities: tuple[str, ...]
    facts: tuple[str, ...]
    find: Callable[..., pl.DataFrame]
    after: tuple[str, ...] = ()
    absorbed: tuple[str, ...] = ()
    absorb: Absorb | None = None
    limits: tuple[Limit, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        return tuple(signature(self.find).parameters)
