"""Spans of releases of a node, from what its lines show."""

from typing import Any

import pyarrow as pa

from pipeline.core.frames import frame_of
from pipeline.model.settings import ReleaseSetting
from pipeline.silver import release_span, wording_seen
from schemas.silver.release_span import SPEC
from tests.rows import declared_rows

Row = dict[str, Any]


NOTHING_FIXED = ReleaseSetting()


def spans(tables: list[pa.Table], setting: ReleaseSetting = NOTHING_FIXED) -> list[Row]:
    """silver.release_span of these records, in order of node and time."""
    seen = wording_seen.build(frame_of(pa.concat_tables(tables)))
    found = declared_rows(release_span.build(seen, setting), SPEC)
    return found.sort("cluster_id", "node_id", "valid_from_at").to_dicts()
