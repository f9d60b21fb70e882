"""The context as rows of one form."""

from typing import Any

from pipeline.views.context.context_partitions import partition_rows
from pipeline.views.context.context_rows import PARTITION, PARTS, Context
from pipeline.views.json_values import json_value


def context_documents(context: Context) -> list[dict[str, Any]]:
    """Every row: part, key, value, since_at, known_by, certainty."""
    rows = context.parts | {PARTITION: partition_rows(context.partitions)}
    return [{"part": part} | json_value(one) for part in PARTS for one in rows.get(part, ())]
