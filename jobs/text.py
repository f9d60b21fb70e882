"""How numbers, times, names and tables stand on a terminal, in HTML and in CSV, where no text may act."""

import html
import re
import shlex
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from pipeline.core.clocks import day_clock
from pipeline.rules.shared.wording import CUT_NUMBER, PART_OF_NUMBER, SECONDS_MS, SHORT_MS, UNIT_MS, UNITS

MOST_NAMED, NAME_WIDTH = 10, 80
NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


def clock_text(moment: datetime) -> str:
    """Time of day in UTC with milliseconds."""
    return moment.astimezone(UTC).strftime("%H:%M:%S.%f")[:-3]


def clock_by(moment: datetime, last: datetime | None) -> str:
    """Time of day, with the day where that is not the last one told of."""
    is_last = last is not None and moment.astimezone(UTC).date() == last.astimezone(UTC).date()
    return clock_text(moment) if is_last else day_clock(moment)


def length_text(milliseconds: int) -> str:
    """In the units that people read, as sentences of findings tell it: 71 ms, 12.3 s, 30 min 5 s, 14 h 16 min, 2 d."""
    if milliseconds < SHORT_MS:
        return f"{milliseconds} ms"
    if milliseconds < SECONDS_MS:
        return f"{milliseconds / 1000:.1f} s"
    large, small = next((one[1:] for one in UNITS if milliseconds < one[0]), UNITS[-1][1:])
    count = (milliseconds + UNIT_MS[small] // 2) // UNIT_MS[small]
    whole, rest = divmod(count, UNIT_MS[large] // UNIT_MS[small])
    return f"{whole} {large} {rest} {small}" if rest else f"{whole} {large}"


def age_text(age: timedelta) -> str:
    """Of data: 2 d, 5 h, 12 min."""
    hours = age.total_seconds() / 3600
    if hours >= 48:
        return f"{hours / 24:.0f} d"
    return f"{hours:.0f} h" if hours >= 1 else f"{max(hours, 0) * 60:.0f} min"


def format_count(count: int, noun: str) -> str:
    """1 partition, 1,300 partitions."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def bounds_text(least: int, unsure: int, count: int) -> str:
    """How many at least and at most, where of some it is not known: 3, 1 to 4, up to 3; ? where of none it is."""
    if not unsure:
        return f"{least:,}"
    if not least:
        return "?" if unsure >= count else f"up to {unsure:,}"
    return f"{least:,} to {least + unsure:,}"


def human_bytes(count: int | None) -> str:
    size = float(count or 0)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def ratio_text(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.3f}"


def number_text(number: int | None) -> str:
    """None: no line tells it."""
    return "?" if number is None else str(number)


def epoch_text(epoch: int | None) -> str:
    """Of a controller. None: no line tells it."""
    return "epoch not told" if epoch is None else f"epoch {epoch}"


def printable_line(text: str) -> str:
    """One line: what could act on a terminal (controls, escapes, marks that turn the direction) is shown as dots."""
    return text if text.isprintable() else "".join(one if one.isprintable() else "·" for one in text)


def logs_in(folder: str, before: str) -> list[str]:
    """The line that says in which folder all logs lie; none where paths are told whole."""
    return [f"{before}logs in {printable_line(folder)}"] if folder else []


def shorten_line(text: str, width: int) -> str:
    """The text as one printable line of at most that width; a number that would not be whole is left out."""
    shown = printable_line(text)
    if len(shown) <= width:
        return shown
    begin = shown[: width - 1]
    is_inside = re.search(CUT_NUMBER, shown[:width], re.ASCII)
    whole = re.sub(PART_OF_NUMBER, r"\1", begin, flags=re.ASCII) if is_inside else begin
    return f"{whole or begin}…"


def first_names(names: Iterable[str]) -> str:
    """Of many the first ones, each short, and how many more there are."""
    found = [*names]
    left = len(found) - MOST_NAMED
    return ", ".join(
        [
            *(shorten_line(one, NAME_WIDTH) for one in found[:MOST_NAMED]),
            *([f"{left:,} more"] if left > 0 else []),
        ]
    )


def html_text(text: str) -> str:
    """Text in an element or a quoted attribute of HTML."""
    return html.escape(printable_line(text), quote=True)


def csv_cell(text: str) -> str:
    """A cell that a spreadsheet takes for text, not for a formula; to be written by the csv module."""
    shown = printable_line(text)
    is_formula = shown.lstrip(" ·")[:1] in ("=", "+", "-", "@") and not NUMBER.fullmatch(shown)
    return f"'{shown}" if is_formula else shown


def printable_lines(raw: bytes, most: int = 12, width: int = 2000) -> list[str]:
    """A record as it stands in its log, line by line, nothing in it able to act on a terminal."""
    lines = raw.decode("utf-8", "replace").rstrip("\r\n").split("\n")
    shown = [shorten_line(line.rstrip("\r").replace("\t", "    "), width) for line in lines[:most]]
    return shown if len(lines) <= most else [*shown, f"... {len(lines) - most} more lines"]


def command_to_see(path: str, line: int, count: int) -> str:
    """A shell command that prints these lines of the log, compressed or not."""
    reader = {".gz": "zcat", ".gzip": "zcat <", ".zst": "zstdcat", ".zstd": "zstdcat"}
    end = next((known for known in reader if path.lower().endswith(known)), "")
    place = shlex.quote(path.removeprefix("file://"))
    lines = f"sed -n '{line},{line + max(count, 1) - 1}p'"
    return f"{reader[end]} {place} | {lines}" if end else f"{lines} {place}"


def list_text(brokers: Sequence[int] | None) -> str:
    """A list of brokers as Kafka prints it; '?' where no line said it."""
    return "?" if brokers is None else "[" + ",".join(str(one) for one in brokers) + "]"


def gap_length_text(gap_ms: int | None) -> str:
    """How long after the end of a term the next one began."""
    if gap_ms is None:
        return ""
    return length_text(gap_ms) if gap_ms >= 0 else f"{length_text(-gap_ms)} BEFORE its end"
