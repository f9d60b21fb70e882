"""Records that are JSON objects: which key is time, level, logger, message, stack trace; rows of json_layouts.tsv."""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core.clock import EPOCHS, local_times, local_to_utc_by_offset, since_1970
from pipeline.core.json_lines import json_columns
from pipeline.kafka.layout.conversion_pattern import PatternPart

START = (PatternPart(r'\{[ \t]*(?:\\?"|\r?\n)'),)
# The object, on one line or pretty-printed, and the lines behind it.
BODY = r"\A(?P<json>\{[ \t]*\"[^\n]*|\{[ \t]*\r?\n(?s:.*?)(?:\n\}[^\n]*|\z))(?:\n(?P<rest>(?s:.*)))?\z"
TEXT_TIME = (
    r"\A(?P<day>\d{4}-\d\d-\d\d)[T ](?P<clock>\d\d:\d\d:\d\d)"
    r"(?:[.,](?P<fraction>\d{1,9}))? ?(?P<offset>[A-Z+-][\w:+-]*)?\z"
)
# How the value of a time begins, by its form.
VALUES = {"text": r'"\d{4}-', "millis": r"\d{12}", "seconds_nanos": r"\{"}
FORMAT = "yyyy-MM-dd HH:mm:ss.SSSSSS"
NANOS_OF_MICRO = 1000


def _keyed(key: str, value: str) -> str:
    return f'"{re.escape(key)}" ?: ?{value}'


@dataclass(frozen=True)
class JsonLayout:
    """Paths of keys, `outer/inner`. `time_form`: text (ISO 8601), millis, or seconds_nanos (two numbers).

    `trace`: of several the first that is there counts.
    """

    name: str
    time: str
    time_form: str
    level: str
    logger: str
    message: str
    trace: str
    exception_class: str
    exception_message: str
    source: str

    @property
    def start(self) -> tuple[PatternPart, ...]:
        return START

    @property
    def surely(self) -> tuple[PatternPart, ...]:
        """An object on one line with a time or, as a stack trace may stand before it, with an exception."""
        first = self.time.split(" ")[0].split("/")[0]
        paths = (path for path in (*self.trace.split(" "), self.exception_class) if path)
        exceptions = (_keyed(path.split("/")[0], r"\{" if "/" in path else '"') for path in paths)
        known = "|".join(dict.fromkeys([_keyed(first, VALUES[self.time_form]), *exceptions]))
        return (PatternPart(rf'\{{[ \t]*(?:"[^\n]*?)?(?:{known})'),)

    @cached_property
    def types(self) -> dict[str, pa.DataType]:
        number = pa.string() if self.time_form == "text" else pa.int64()
        one = (self.level, self.logger, self.message, self.exception_class, self.exception_message)
        texts = filter(None, (*one, *self.trace.split(" ")))
        return dict.fromkeys(self.time.split(" "), number) | dict.fromkeys(texts, pa.string())


@dataclass(frozen=True)
class HeadText:
    """What a layout prints, one place a record. `local`: the time as printed; `instant`: in UTC, where the
    record or its layout tells it, None where no record can; `tried`: as RecordText has it."""

    local: pa.Array
    instant: pa.Array | None
    level: pa.Array
    logger: pa.Array
    message: pa.Array
    rest: pa.Array
    tried: pa.Array | None = None


def json_text(texts: pa.Array, layout: JsonLayout) -> HeadText:
    """All null where a record is no object with time, logger and message; where the object is cut, time, level
    and logger as far as they can be read."""
    body = pc.extract_regex(texts, BODY)
    lines = pc.ascii_trim_whitespace(pc.replace_substring_regex(body.field("json"), r"[\r\n]+", " "))
    # No line is left without an object: a reader of JSON skips it, and all after it would be another record's.
    lines = pc.if_else(body.is_valid(), lines, "{}")
    found, _ = json_columns(lines, layout.types)
    is_cut = pc.and_(body.is_valid(), pc.invert(pc.ends_with(lines, "}")))
    if pc.any(is_cut).as_py():
        found |= _of_cut(lines, is_cut, found, layout)
    local, instant = _times(found, layout)
    has_all = _all_valid([local, found[layout.logger], found[layout.message]])
    message = pc.if_else(has_all, found[layout.message], None)
    known = pc.or_(has_all, is_cut)
    return HeadText(
        local=pc.if_else(known, local, None),
        instant=pc.if_else(known, instant, None),
        level=pc.if_else(known, found[layout.level], None),
        logger=pc.if_else(known, found[layout.logger], None),
        message=message,
        rest=pc.if_else(has_all, _rest(found, body.field("rest"), layout), None),
    )


def _all_valid(columns: list[pa.Array]) -> pa.Array:
    holds = np.logical_and.reduce([column.is_valid().to_numpy(zero_copy_only=False) for column in columns])
    return pa.array(holds)


def _rest(found: dict[str, pa.Array], behind: pa.Array, layout: JsonLayout) -> pa.Array:
    """The stack trace as log4j prints it, or its first line, and what stands behind the object."""
    nothing = pa.nulls(len(behind), pa.string())
    name, why = (found.get(path, nothing) for path in (layout.exception_class, layout.exception_message))
    first_line = pc.binary_join_element_wise(
        name, pc.fill_null(pc.binary_join_element_wise(": ", why, ""), ""), ""
    )
    trace = pc.fill_null(
        pc.coalesce(*(found.get(path, nothing) for path in layout.trace.split(" ")), first_line), ""
    )
    both = pc.and_(pc.not_equal(trace, ""), pc.not_equal(behind, ""))
    return pc.binary_join_element_wise(trace, pc.if_else(both, "\n", ""), pc.fill_null(behind, ""), "")


def _of_cut(
    lines: pa.Array, is_cut: pa.Array, found: dict[str, pa.Array], layout: JsonLayout
) -> dict[str, pa.Array]:
    """Time, level and logger of the lines that are cut, by their keys alone."""
    result = {}
    for path in (*layout.time.split(" "), layout.level, layout.logger):
        key = path.rsplit("/", 1)[-1].replace(".", r"\.")
        pattern = rf'"{key}"\s*:\s*(?:"(?P<text>[^"\\]*)"|(?P<number>\d{{1,18}})\b)'
        caught = pc.extract_regex(pc.if_else(is_cut, lines, ""), pattern)
        is_number = layout.types[path] == pa.int64()
        value = caught.field("number" if is_number else "text")
        value = pc.if_else(pc.and_(caught.is_valid(), pc.not_equal(value, "")), value, None)
        result[path] = pc.coalesce(value.cast(layout.types[path]), found[path])
    return result


def _times(found: dict[str, pa.Array], layout: JsonLayout) -> tuple[pa.Array, pa.Array]:
    """Local time as printed, and UTC where the record tells."""
    columns = [found[path] for path in layout.time.split(" ")]
    if layout.time_form == "text":
        return _text_times(columns[0])
    if layout.time_form == "millis":
        local = since_1970(columns[0], EPOCHS["UNIX_MILLIS"])
    else:
        seconds, nanos = columns
        micros = pc.divide(pc.fill_null(nanos, 0), NANOS_OF_MICRO)
        is_fraction = pc.and_(pc.greater_equal(micros, 0), pc.less(micros, EPOCHS["UNIX"]))
        begun = since_1970(seconds, EPOCHS["UNIX"]).cast(pa.int64())
        local = pc.add(begun, pc.if_else(is_fraction, micros, None)).cast(pa.timestamp("us"))
    return local, local.cast(pa.int64()).cast(pa.timestamp("us", tz="UTC"))


def _text_times(texts: pa.Array) -> tuple[pa.Array, pa.Array]:
    caught = pc.extract_regex(texts, TEXT_TIME)
    fraction = pc.utf8_slice_codeunits(pc.utf8_rpad(caught.field("fraction"), 6, "0"), 0, 6)
    clock = pc.binary_join_element_wise(caught.field("day"), caught.field("clock"), " ")
    whole = pc.binary_join_element_wise(clock, fraction, ".")
    local = local_times(pc.if_else(caught.is_valid(), whole, None), FORMAT)
    return local, local_to_utc_by_offset(local, pc.if_else(caught.is_valid(), caught.field("offset"), None))
