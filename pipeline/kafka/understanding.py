"""What each record of a batch says, or the one reason why that is not known."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.match import NO_TEMPLATE, SEVERAL_TEMPLATES, Matches
from pipeline.core.scan import Records
from pipeline.kafka.loggers import MIXED, SERVER, log_of
from pipeline.kafka.record_text import RecordText
from pipeline.kafka.wording import COLUMN_TYPES, matcher

Mask = npt.NDArray[np.bool_]

EXCEPTION = r"(?m)^(?P<name>(?:[a-zA-Z_][\w$]*\.)+[A-Z][\w$]*)(?:: (?P<message>[^\r\n]*))?\r?$"


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


def understand(records: Records, text: RecordText, file_log: str) -> Understood:
    """Matches every whole message of a logger that a template names; states the reason for all others."""
    count = len(records)
    known = pc.is_in(text.logger, value_set=pa.array(sorted(matcher().sources)))
    is_known: Mask = known.to_numpy(zero_copy_only=False)
    ready = text.is_whole & is_known & ~text.is_bad_bytes & ~records.is_cut
    ready &= text.logged_local.is_valid().to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(ready)
    matches = _matched(text, rows)
    back = _positions(rows, count)
    template = np.full(count, NO_TEMPLATE, np.int64)
    template[rows] = matches.template
    is_understood = template >= 0
    numbers = pa.array(template, mask=~is_understood)
    names = pa.array([t.name for t in matcher().templates], pa.string())
    wordings = pa.array([t.text for t in matcher().templates], pa.string())
    reason = _reason(records, text, is_known, template)
    columns = {name: column.take(back) for name, column in matches.columns.items()}
    _add_exceptions(columns, text)
    return Understood(
        log=_logs(text.logger, file_log),
        event=names.take(numbers),
        template=wordings.take(numbers),
        reason=reason,
        is_forged=pa.array(text.looks_forged),
        keeps_bytes=pc.invert(
            pc.fill_null(pc.is_in(reason, value_set=pa.array(["other_logger", "blank"])), False)
        ).to_numpy(zero_copy_only=False),
        columns=columns,
        fields=matches.fields.take(back),
    )


def _matched(text: RecordText, rows: npt.NDArray[np.int64]) -> Matches:
    if len(rows) == len(text.message):
        return matcher().match(text.logger, text.message)
    some = pa.array(rows)
    return matcher().match(text.logger.take(some), text.message.take(some))


def _positions(rows: npt.NDArray[np.int64], count: int) -> pa.Array:
    """Where each of `count` rows stands in `rows`, null where it does not."""
    position = np.full(count, -1, np.int64)
    position[rows] = np.arange(len(rows))
    return pa.array(position, mask=position < 0)


def _reason(records: Records, text: RecordText, is_known: Mask, template: npt.NDArray[np.int64]) -> pa.Array:
    """The first that holds, null where the record is understood."""
    has_time = text.logged_local.is_valid().to_numpy(zero_copy_only=False)
    conditions = {
        "blank": text.is_blank,
        "too_long": records.is_cut,
        "no_envelope": ~records.has_start | ~has_time,
        "cut": ~text.is_whole,
        "other_logger": ~is_known,
        "bad_bytes": text.is_bad_bytes,
        "several_templates": template == SEVERAL_TEMPLATES,
        "no_template": template == NO_TEMPLATE,
    }
    names = pa.array(list(conditions), pa.string())
    holds = np.stack(list(conditions.values()))
    first = holds.argmax(axis=0)
    return names.take(pa.array(first, mask=~holds.any(axis=0)))


def _logs(logger: pa.Array, file_log: str) -> pa.Array:
    """The log of each record by its logger, without one the file's."""
    coded = logger.dictionary_encode()
    logs = pa.array([log_of(name) for name in coded.dictionary.to_pylist()], pa.string())
    return pc.fill_null(logs.take(coded.indices), SERVER if file_log == MIXED else file_log)


def _add_exceptions(columns: dict[str, pa.Array], text: RecordText) -> None:
    """Fills exception_class and exception_message from the lines after the message, where it names none."""
    rows = np.flatnonzero(pc.fill_null(pc.not_equal(text.rest, ""), False).to_numpy(zero_copy_only=False))
    if not len(rows):
        return
    caught = pc.extract_regex(text.rest.take(pa.array(rows)), EXCEPTION)
    back = _positions(rows, len(text.rest))
    for column, group in (("exception_class", "name"), ("exception_message", "message")):
        value = pc.if_else(caught.is_valid(), caught.field(group), None)
        value = pc.if_else(pc.equal(value, ""), None, value).take(back)
        columns[column] = pc.coalesce(columns[column], value).cast(COLUMN_TYPES[column])
