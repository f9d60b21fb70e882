"""What one record says, in words: event and meaning, releases, fields, source and legality; or why not."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from pipeline.kafka.explaining.nearest import nearest_templates
from pipeline.kafka.explaining.wordings import Row, Wording, find_wording, wordings_by_text, wordings_of
from pipeline.kafka.machines.by_release import PARTITION, REPLICA
from pipeline.kafka.machines.legal_moves import MoveLaw, move_law
from pipeline.kafka.wording.events import template_events
from pipeline.kafka.wording.exception_lines import exception_cause
from pipeline.kafka.wording.loggers import what_writes
from pipeline.kafka.wording.templates import COLUMN_TYPES, field_kinds, template_matcher
from schemas.bronze.log_record import NOT_UNDERSTOOD

NUMBER = re.compile(r"-?[0-9]+")
OF_ITS_LOGGER = ("other_logger", "no_template")
EXCEPTION_COLUMNS = ("exception_class", "exception_message")
MOVES = {
    "replica_transition": REPLICA,
    "replica_transition_failed": REPLICA,
    "partition_transition": PARTITION,
    "partition_transition_failed": PARTITION,
}


@dataclass(frozen=True)
class FieldValue:
    """One field. `value`: a number, a list of numbers, a truth value, or text as printed."""

    name: str
    value: object
    unit: str
    meaning: str


@dataclass(frozen=True)
class Explanation:
    """`reason`: a name of NOT_UNDERSTOOD, None if understood. `nearest`: known wordings like it, else empty.
    `cause`: what the exception names as the cause of the record, and what that means.

    `logged_local`: as printed, in the zone of whoever wrote it; `logged_at`: UTC.
    """

    event: str | None
    meaning: str | None
    reason: str | None
    reason_meaning: str | None
    logged_local: datetime | None
    logged_at: datetime | None
    level: str | None
    logger: str | None
    log: str | None
    wordings: tuple[Wording, ...]
    fields: tuple[FieldValue, ...]
    exception: tuple[str, str | None] | None
    cause: tuple[str, str] | None
    move: MoveLaw | None
    source: tuple[str, ...]
    nearest: tuple[Wording, ...]
    is_forged: bool
    raw: bytes


def explain_record(rows: Sequence[Row]) -> Explanation:
    """Of one record, read once, or once for each logger that may have printed it; rows of bronze.log_record."""
    row = rows[0]
    event = row["event"]
    wordings = tuple(found for one in rows for found in wordings_of(one)) if event else ()
    return Explanation(
        event=event,
        meaning=template_events()[event].meaning if event else None,
        reason=row["not_understood_reason"],
        reason_meaning=None if event else reason_meaning(row["not_understood_reason"], row["logger"]),
        logged_local=row["logged_local"],
        logged_at=row["logged_at"],
        level=row["level"],
        logger=row["logger"] if len(rows) == 1 else None,
        log=row["log"],
        wordings=wordings,
        fields=fields_of(row) if event else (),
        exception=exception_of(row),
        cause=cause_named(row),
        move=move_of(row, wordings[0]) if event in MOVES else None,
        source=source_of(event, wordings) if event else (),
        nearest=() if event else nearest_to(row),
        is_forged=bool(row["is_forged"]),
        raw=row["raw"] or b"",
    )


def reason_meaning(reason: str, logger: str | None) -> str:
    """Why a record is not understood; of a logger of Kafka also what it is, so that nobody takes it for unrelated."""
    if logger is None and reason in OF_ITS_LOGGER:
        return "No logger is printed in this layout, and the message alone does not tell which wording it is."
    what = what_writes(logger) if logger and reason in OF_ITS_LOGGER else None
    return f"{NOT_UNDERSTOOD[reason]} The logger is that of {what}." if what else NOT_UNDERSTOOD[reason]


def fields_of(row: Row) -> tuple[FieldValue, ...]:
    """Fields in the order of the wording, then typed columns that were read out of compound ones."""
    printed_as = dict(row["fields"] or ())
    kinds = field_kinds()
    own = next(one for one in template_matcher().templates if one.text == row["template"])
    told = [kinds[name] for name in (*own.fields, *dict(own.says))]
    said = [
        FieldValue(
            kind.name,
            row[kind.column] if kind.column else typed_field_value(kind.type, printed_as.get(kind.name)),
            kind.unit,
            kind.meaning,
        )
        for kind in told
    ]
    hidden = set(COLUMN_TYPES) - {kind.column for kind in told} - set(EXCEPTION_COLUMNS)
    return (
        *said,
        *(
            FieldValue(name, row[name], kinds[name].unit, kinds[name].meaning)
            for name in COLUMN_TYPES
            if name in hidden and row[name] is not None
        ),
    )


def typed_field_value(kind: str, text: str | None) -> object:
    """A field of the map by its type in fields.tsv; text that is none of it stays text."""
    if text is None or kind == "string":
        return text
    if kind == "boolean":
        return text == "true"
    if kind == "int_list":
        return [int(number) for number in NUMBER.findall(text)]
    return float(text.replace(",", ".")) if kind == "double" else int(text)


def exception_of(row: Row) -> tuple[str, str | None] | None:
    return (row["exception_class"], row["exception_message"]) if row["exception_class"] else None


def cause_named(row: Row) -> tuple[str, str] | None:
    found = exception_cause(row["event"], row["exception_class"], row["exception_message"])
    return (found.cause, found.meaning) if found else None


def move_of(row: Row, found: Wording) -> MoveLaw | None:
    """What Kafka's tables say of the pair of states, in the releases that print the wording."""
    if not (row["from_state"] and row["to_state"]):
        return None
    span = found.printed[0]
    return move_law(MOVES[row["event"]], row["from_state"], row["to_state"], span.since, span.until)


def source_of(event: str, found: Sequence[Wording]) -> tuple[str, ...]:
    """The methods of Kafka that print it in these releases; all of them where their releases are not told apart."""
    spans = [span for one in found for span in one.printed]
    methods = [
        str(place)
        for place in template_events()[event].places
        if any(place.is_within(span.since, span.until) for span in spans)
    ]
    own = [one for one in methods if any(one.startswith(_tree(wording.logger)) for wording in found)]
    return tuple(own if own and _is_of_two_modes(event) else methods)


def _tree(logger: str) -> str:
    return "org.apache.kafka." if logger.startswith("org.apache.kafka.") else "kafka."


@cache
def _is_of_two_modes(event: str) -> bool:
    return len({_tree(one.logger) for one in wordings_by_text().values() if one.event == event}) > 1


def nearest_to(row: Row) -> tuple[Wording, ...]:
    """The known wordings that are most like a record that is none of them."""
    text = (row["raw"] or b"").decode("utf-8", "replace")
    templates = template_matcher().templates
    found = [templates[number] for number in nearest_templates(text, row["logger"])]
    return tuple(find_wording(one.source, one.text) for one in found)
