"""What each record of a batch says, or the one reason why that is not known."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.columns import Matches
from pipeline.core.match import NO_TEMPLATE, SEVERAL_TEMPLATES
from pipeline.core.scan import ScannedRecords
from pipeline.core.texts import Mask, scatter_values
from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.reading.record_text import RecordText
from pipeline.kafka.wording.exception_lines import CLASS, exception_cause, inner_exceptions
from pipeline.kafka.wording.loggers import CONTROLLER, MIXED, SERVER, STATE_CHANGE, log_of
from pipeline.kafka.wording.templates import COLUMN_TYPES, template_matcher

BYTES_LEFT_OUT = ("other_logger", "blank")
EXCEPTION = rf"(?m)^(?P<name>{CLASS})(?:: (?P<message>[^\r\n]*))?\r?$"


@dataclass(frozen=True)
class Understood:
    """One place a record; `event` is null exactly where `reason` is not."""

    log: pa.Array
    event: pa.Array
    template: pa.Array
    reason: pa.Array
    is_forged: pa.Array
    keeps_bytes: Mask
    columns: dict[str, pa.Array]
    fields: pa.Array


def understand_records(
    records: ScannedRecords, text: RecordText, file_log: str, is_named: Mask | None = None
) -> Understood:
    """Matches every whole message of a logger that a template names; states the reason for all others.

    is_named: where a record names its writer, in a file that several nodes wrote; None: all are of one node.
    """
    count = len(records)
    logger = text.source.dictionary_encode()
    is_known = _by_name(logger, _is_ours)
    ready = text.has_start & text.is_whole & is_known & ~text.is_bad_bytes & ~records.is_cut
    ready &= text.logged_local.is_valid().to_numpy(zero_copy_only=False)
    is_named = np.ones(count, np.bool_) if is_named is None else is_named
    ready &= is_named
    rows = np.flatnonzero(ready)
    is_all = len(rows) == count
    matches = _matched(logger, text.message, None if is_all else pa.array(rows))
    template = np.full(count, NO_TEMPLATE, np.int64)
    template[rows] = matches.template
    is_understood = template >= 0
    numbers = pa.array(template, mask=~is_understood)
    is_asked = is_known & (is_understood | ~_by_name(logger, _is_partly_read))
    if file_log in (CONTROLLER, STATE_CHANGE):
        # What prints no logger is of the log that the file is.
        is_asked |= text.is_whole & logger.is_null().to_numpy(zero_copy_only=False)
    reason = _reason(records, text, is_asked, is_named, template)
    columns, fields = matches.columns, matches.fields
    if not is_all:
        columns = {name: scatter_values(column, rows, count) for name, column in columns.items()}
        fields = scatter_values(fields, rows, count)
    names, wordings = _said()
    event = names.take(numbers)
    _add_exceptions(columns, text, event)
    return Understood(
        log=_logs(logger, file_log),
        event=event,
        template=wordings.take(numbers),
        reason=reason,
        is_forged=pa.array(text.looks_forged),
        keeps_bytes=_keeps_bytes(reason),
        columns=columns,
        fields=fields,
    )


@lru_cache(maxsize=1)
def _said() -> tuple[pa.Array, pa.Array]:
    """Event and wording by number of the template."""
    templates = template_matcher().templates
    return pa.array([t.name for t in templates], pa.string()), pa.array(
        [t.text for t in templates], pa.string()
    )


def _matched(logger: pa.Array, message: pa.Array, rows: pa.Array | None) -> Matches:
    if rows is None:
        return template_matcher().match(logger, message)
    return template_matcher().match(logger.take(rows), message.take(rows))


def _is_ours(logger: str) -> bool:
    """Whether templates name the logger, or its lines belong into the logs that are read whole."""
    return logger in template_matcher().sources or log_of(logger) != SERVER


def _is_partly_read(logger: str) -> bool:
    """Whether the lines that no template names are of no use: partly_read.tsv."""
    return any(row["logger"] == logger for row in read_fact_table("wording/partly_read.tsv"))


def _by_name(coded: pa.Array, holds: Callable[[str], bool]) -> Mask:
    """Where the (dictionary-encoded) name is one for which it holds; false where there is none."""
    known = np.array([*(holds(name) for name in coded.dictionary.to_pylist()), False])
    result: Mask = known[pc.fill_null(coded.indices, -1).to_numpy()]
    return result


def _keeps_bytes(reason: pa.Array) -> Mask:
    if reason.null_count == len(reason):
        return np.ones(len(reason), np.bool_)
    left_out = pc.is_in(reason, value_set=pa.array(BYTES_LEFT_OUT))
    kept: Mask = pc.invert(left_out).to_numpy(zero_copy_only=False)
    return kept


def _reason(
    records: ScannedRecords, text: RecordText, is_known: Mask, is_named: Mask, template: npt.NDArray[np.int64]
) -> pa.Array:
    """The first that holds, null where the record is understood."""
    has_time = text.logged_local.is_valid().to_numpy(zero_copy_only=False)
    conditions = {
        "blank": text.is_blank,
        "too_long": records.is_cut,
        "no_envelope": ~text.has_start | ~has_time,
        "cut": ~text.is_whole,
        "other_logger": ~is_known,
        "bad_bytes": text.is_bad_bytes,
        "no_writer": ~is_named,
        "several_templates": template == SEVERAL_TEMPLATES,
        "no_template": template < 0,
    }
    holds = np.stack(list(conditions.values()))
    is_left = holds.any(axis=0)
    if not is_left.any():
        return pa.nulls(len(template), pa.string())
    names = pa.array(list(conditions), pa.string())
    return names.take(pa.array(holds.argmax(axis=0), mask=~is_left))


def _logs(logger: pa.Array, file_log: str) -> pa.Array:
    """The log of each record by its (dictionary-encoded) logger, without one the file's."""
    logs = [log_of(name) for name in logger.dictionary.to_pylist()]
    logs.append(SERVER if file_log == MIXED else file_log)
    return pa.array(logs, pa.string()).take(pc.fill_null(logger.indices, len(logs) - 1))


def _add_exceptions(columns: dict[str, pa.Array], text: RecordText, event: pa.Array) -> None:
    """Fills exception_class and exception_message from the lines after the message, where it names none: the first
    exception, or one inside of it that names a cause (exception_lines.tsv) where the first does not."""
    rows = np.flatnonzero(
        pc.fill_null(pc.not_equal(pc.binary_length(text.rest), 0), False).to_numpy(zero_copy_only=False)
    )
    if not len(rows):
        return
    rest = text.rest.take(pa.array(rows))
    caught = pc.extract_regex(rest, EXCEPTION)
    name, message = (
        pc.if_else(caught.is_valid(), caught.field(group), None) for group in ("name", "message")
    )
    message = pc.if_else(pc.equal(message, ""), None, message)
    names, messages = name.to_pylist(), message.to_pylist()
    for row, told in _inner_causes(event.take(pa.array(rows)), names, messages, rest).items():
        names[row], messages[row] = told
    for column, values in (("exception_class", names), ("exception_message", messages)):
        value = scatter_values(pa.array(values, pa.string()), rows, len(text.rest))
        columns[column] = pc.coalesce(columns[column], value).cast(COLUMN_TYPES[column])


def _inner_causes(
    event: pa.Array, names: Sequence[str | None], messages: Sequence[str | None], rest: pa.Array
) -> dict[int, tuple[str, str | None]]:
    """By row the first exception inside of another one that names a cause, where the outer one names none."""
    found: dict[int, tuple[str, str | None]] = {}
    nested = pc.match_substring(rest, "\nCaused by: ").to_numpy(zero_copy_only=False)
    for row in np.flatnonzero(nested).tolist():
        said = event[row].as_py()
        if exception_cause(said, names[row], messages[row]) is None:
            inner = inner_exceptions(rest[row].as_py())
            told = next((one for one in inner if exception_cause(said, *one)), None)
            found |= {row: told} if told else {}
    return found
