"""What a rule is made of, and the columns that it gives."""

from collections.abc import Callable
from typing import ParamSpec

import polars as pl
import pyarrow as pa

from pipeline.core.made_of import made_of
from schemas.gold.finding import SPEC

ADDED = ("finding_id", "status", "suppressed_by")
# root_event: the text of the event at the root that the id is made of; columns of their own tell what it was.
OF_RULES = ("root_event", *(name for name in SPEC.columns if name not in ADDED))
ROWS = pa.schema(
    [pa.field(name, pa.string()) if name == "root_event" else SPEC.arrow.field(name) for name in OF_RULES]
)

P = ParamSpec("P")


def of_rows(*tables: str) -> Callable[[Callable[P, pl.DataFrame]], Callable[P, pl.DataFrame]]:
    """A rule that finds something in rows of these tables alone: it does not run where none has any."""
    return made_of(ROWS, *tables)
