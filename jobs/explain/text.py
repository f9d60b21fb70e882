"""An explained record as it stands on a terminal, and as data for programs."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from jobs.explain.folding import Folded
from jobs.text import shorten_line
from pipeline.core.clocks import day_clock
from pipeline.kafka.explaining.explanation import Explanation, FieldValue
from pipeline.kafka.explaining.wordings import Wording
from pipeline.kafka.reading.pasted import Pasted

LABEL_WIDTH = 10
LONGEST_VALUE = 2000
NAME_WIDTH = 28
NUMBERED = "KAFKA-"  # a label of normal_moves.tsv that readers can look up


def as_data(told: Explanation, found: Pasted, zone: str | None) -> dict[str, Any]:
    """JSON-ready: times in ISO form, lists of releases as text; the bytes are not repeated."""
    data = asdict(told)
    del data["raw"]
    data |= {"envelope": found.envelope, "zone": zone, "left_out": found.left_out or None}
    for name in ("logged_local", "logged_at"):
        data[name] = data[name].isoformat() if data[name] else None
    if told.exception:
        data["exception"] = dict(zip(("class", "message"), told.exception, strict=True))
    if told.cause:
        data["cause"] = dict(zip(("cause", "meaning"), told.cause, strict=True))
    return data


def explanation_lines(found: Folded, zone: str | None, width: int) -> list[str]:
    """What the records say, top down: event, meaning, head, fields, exception, move, source."""
    told = found.told
    if told.reason == "no_envelope" and told.cause is not None:
        name, meaning = told.cause
        return [
            name,
            *textwrap.wrap(meaning, width, initial_indent="  ", subsequent_indent="  "),
            *exception_and_cause_lines(told, width, has_cause=False),
            *explained_entry_lines(
                "below", "of a record that is not here, and says what failed: paste it too", width
            ),
        ]
    if told.event is None:
        return [
            *wrap_labelled_text("NOT UNDERSTOOD", f"({told.reason}) {told.reason_meaning}", width),
            *folded_count_lines(found, width),
            *record_head_lines(told, zone, width),
            *exception_and_cause_lines(told, width),
            *nearest_lines(told.nearest, width),
        ]
    return [
        told.event,
        *textwrap.wrap(told.meaning or "", width, initial_indent="  ", subsequent_indent="  "),
        *folded_count_lines(found, width),
        *record_head_lines(told, zone, width),
        *printed_release_lines(told.wordings, width),
        *field_lines(told.fields, width),
        *exception_and_cause_lines(told, width),
        *explained_move_lines(told, width),
        *(line for one in told.source[:1] for line in explained_entry_lines("source", one, width)),
        *(line for one in told.source[1:] for line in explained_entry_lines("", one, width)),
    ]


def folded_count_lines(found: Folded, width: int) -> Iterator[str]:
    """How many records are told as one, until when, of which partitions."""
    if found.count > 1:
        until = f", the last at {found.last_at:%Y-%m-%d %H:%M:%S}" if found.last_at else ""
        yield from explained_entry_lines(
            "records", f"{found.count} like this{until}; below is the first", width
        )
        if found.partitions:
            yield from explained_entry_lines("partitions", found.partitions, width)


def record_head_lines(told: Explanation, zone: str | None, width: int) -> Iterator[str]:
    """Time, level, logger and log, as far as the record has them."""
    if told.logged_local is not None:
        yield from explained_entry_lines(
            "time", local_time_text(told.logged_local, told.logged_at, zone), width
        )
    elif told.event:
        yield from explained_entry_lines("time", "none: a message without its time", width)
    if told.level:
        yield from explained_entry_lines("level", told.level, width)
    if told.logger:
        yield from explained_entry_lines("logger", f"{told.logger} ({told.log} log)", width)
    if told.is_forged:
        yield from explained_entry_lines(
            "FORGED?", "a line inside the record looks like a record of its own; do not trust it", width
        )


def local_time_text(local: datetime, at: datetime | None, zone: str | None) -> str:
    """Local time as printed; in UTC too where the zone is given."""
    said = local.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    if not (at and zone):
        return f"{said} (zone unknown: --zone)"
    return f"{said} UTC" if zone == "UTC" else f"{said} {zone} = {day_clock(at)} UTC"


def printed_release_lines(wordings: Sequence[Wording], width: int) -> Iterator[str]:
    """In which releases the wording is printed; by whom, where several loggers print it."""
    label = "printed"
    for wording in wordings:
        said = "; ".join(str(one) for one in wording.printed)
        by = f" ({wording.logger})" if len(wordings) > 1 else ""
        yield from explained_entry_lines(label, f"{said}, at {wording.level.replace('|', ' or ')}{by}", width)
        label = ""


def field_lines(fields: Sequence[FieldValue], width: int) -> Iterator[str]:
    """Name and value in two columns, the meaning behind them or below where it does not fit."""
    if not fields:
        return
    yield ""
    names = min(max(len(one.name) for one in fields), NAME_WIDTH)
    values = [shorten_line(field_value_text(one), LONGEST_VALUE) for one in fields]
    room = min(max(len(value) for value in values), width // 3)
    for one, value in zip(fields, values, strict=True):
        start = f"  {one.name:<{names}}  {value:<{room}}"
        whole = f"{start}  {one.meaning}"
        if len(value) <= room and len(whole) <= width:
            yield whole
            continue
        below = " " * (names + 4)
        named = f"  {one.name:<{names}}  "
        yield from textwrap.wrap(value, width, initial_indent=named, subsequent_indent=below)
        yield from textwrap.wrap(one.meaning, width, initial_indent=below, subsequent_indent=below)
    yield ""


def field_value_text(field: FieldValue) -> str:
    if isinstance(field.value, list):
        return "[" + ", ".join(str(one) for one in field.value) + "]"
    if field.value in (None, ""):
        return "(empty)"
    return f"{field.value} {field.unit}" if field.unit else str(field.value)


def exception_and_cause_lines(told: Explanation, width: int, *, has_cause: bool = True) -> Iterator[str]:
    if told.exception is not None:
        name, message = told.exception
        yield from explained_entry_lines("exception", f"{name}: {message}" if message else name, width)
    if told.cause is not None and has_cause:
        yield from explained_entry_lines("cause", ": ".join(told.cause), width)


def explained_move_lines(told: Explanation, width: int) -> Iterator[str]:
    """What Kafka's table of legal moves says of the pair, what is known of it, and which methods ask for it."""
    if told.move is None:
        return
    yield from explained_entry_lines("move", told.move.sentence, width)
    for label, sentence in told.move.notes:
        named = label if label.startswith(NUMBERED) else "normal"
        yield from explained_entry_lines("", f"{named}: {sentence}", width)
    for number, asker in enumerate(told.move.asked):
        yield from explained_entry_lines("" if number else "asked by", asker, width)


def nearest_lines(nearest: Sequence[Wording], width: int) -> Iterator[str]:
    for number, wording in enumerate(nearest):
        said = f"{wording.event} ({'; '.join(str(one) for one in wording.printed)})"
        yield from explained_entry_lines("" if number else "nearest", said, width)
        yield from explained_entry_lines("", wording.template, width)


def explained_entry_lines(label: str, text: str, width: int) -> list[str]:
    """A labelled line, wrapped under its text; nothing in it can act on a terminal."""
    return wrap_labelled_text(
        f"  {label:<{LABEL_WIDTH}}", shorten_line(text, LONGEST_VALUE), width, " " * (LABEL_WIDTH + 3)
    )


def wrap_labelled_text(label: str, text: str, width: int, indent: str = "  ") -> list[str]:
    return textwrap.wrap(f"{label} {text}", width, subsequent_indent=indent, drop_whitespace=True) or [label]
