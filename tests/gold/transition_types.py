"""Types of columns of moves, for tables written as text."""

import polars as pl

from pipeline.core.frames import empty_frame
from schemas.gold.transition_audit import SPEC

TYPES = dict(empty_frame(SPEC).schema) | {"replica_machine": pl.String(), "is_earlier": pl.Boolean()}
