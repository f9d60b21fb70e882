"""Changes as JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from jobs.questions.findings_out import evidence_place, iso_or_value
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Place, Row

DOCUMENT = (
    *(
        "at",
        "kind",
        "what",
        "outcome",
        "asked_by",
        "controller_id",
        "controller_epoch",
        "term_id",
        "certainty",
    ),
    *("topics", "partitions", "file_id", "byte_offset"),
)


def places_of(answers: Answers, rows: Sequence[Row]) -> dict[Place, Row]:
    """The path and the line of each change that has one."""
    return answers.lines([row for row in rows if row["file_id"] is not None], shown=[])


def change_documents(rows: Sequence[Row], lines_of: Mapping[Place, Row]) -> list[dict[str, Any]]:
    return [
        {name: iso_or_value(row[name]) for name in DOCUMENT} | evidence_place(row, lines_of) for row in rows
    ]
