"""A date format of Java's, as log4j and logback take it, as a regular expression and places of digits."""

import re
from dataclasses import dataclass
from functools import lru_cache
from zoneinfo import ZoneInfo

from pipeline.core.errors import SettingsError
from pipeline.kafka.facts import read_fact_table

# What stands for one part of a date: its width in letters, and what it prints.
_PARTS = {
    "yyyy": (r"\d{4}", "yyyy"), "uuuu": (r"\d{4}", "yyyy"),
    "MM": (r"\d\d", "MM"), "MMM": (r"[A-Z][a-z]{2}", "MMM"),
    "dd": (r"\d\d", "dd"), "HH": (r"\d\d", "HH"), "mm": (r"\d\d", "mm"), "ss": (r"\d\d", "ss"),
    "SSS": (r"\d{3}", "SSS"), "SSSSSS": (r"\d{6}", "SSSSSS"), "SSSSSSSSS": (r"\d{9}", "SSSSSS..."),
    "nnnnnn": (r"\d{6}", "SSSSSS"), "nnnnnnnnn": (r"\d{9}", "SSSSSS..."),
    "E": (r"[A-Z][a-z]{2}", "..."), "EE": (r"[A-Z][a-z]{2}", "..."), "EEE": (r"[A-Z][a-z]{2}", "..."),
}  # fmt: skip
_OFFSET = r"(?:Z|[+-]\d\d(?::?\d\d)?)"
_NAME = r"[A-Za-z][\w:+/-]{0,40}"
_ZONES = {
    letters: regex
    for regex, kinds in ((_OFFSET, "Z ZZ ZZZ ZZZZZ X XX XXX x xx xxx"), (_NAME, "z zz zzz VV O OOOO"))
    for letters in kinds.split()
}
EPOCHS = {"UNIX": r"\d{10}", "UNIX_MILLIS": r"\d{13}"}
_TOKEN = re.compile(r"'(?P<quoted>(?:[^']|'')*)'|(?P<letters>([A-Za-z])\3*)|(?P<other>[^A-Za-z'])")
NEEDED = "a date format with year (yyyy), month, day, hour (HH), minute and second, each of a fixed width"


@dataclass(frozen=True)
class DateFormat:
    """`time`, `between`, `zone_name`: regular expressions of the time, of what stands between it and the zone
    that is printed after it, and of that zone (both "" if none is). `time_format`: as core.clock takes it.
    `zone`: the zone that the pattern itself names.
    """

    time: str
    time_format: str
    between: str = ""
    zone_name: str = ""
    zone: str | None = None


@lru_cache(maxsize=1)
def _named() -> dict[str, str]:
    return {row["name"]: row["format"] for row in read_fact_table("layout/date_formats.tsv")}


def date_format(options: list[str]) -> DateFormat:
    """The options of `%d`: none, a name or a format, and a zone. SettingsError: no such time can be read."""
    text, zone = _split(options)
    text = _named().get(text, text)
    if text in EPOCHS:
        return DateFormat(EPOCHS[text], text, zone="UTC")
    if text == "ABSOLUTE":
        raise _refusal(text, "no date, so that a line could be of any day")
    time, digits, zone_name = "", "", ""
    for token in _TOKEN.finditer(text):
        if zone_name:
            raise _refusal(text, f"{token[0]} behind the zone")
        letters, literal = token["letters"], _literal(token)
        if letters in _ZONES or literal == "Z":
            zone_name = _ZONES.get(letters, "Z")
        elif letters is None:
            time += "[ T]" if literal == "?" else re.escape(literal)
            digits += "." * len(literal.encode())
        elif letters in _PARTS:
            time, digits = time + _PARTS[letters][0], digits + _PARTS[letters][1]
        else:
            raise _refusal(text, letters)
    missing = [letter for letter in "yMdHms" if letter not in digits]
    if missing:
        raise _refusal(text, f"no {', '.join(missing)}")
    between = r"\ " if zone_name and time.endswith(r"\ ") else ""
    width = len(time) - len(between)
    return DateFormat(time[:width], digits[: -1 if between else None], between, zone_name, zone)


def _literal(token: re.Match[str]) -> str:
    if token["quoted"] is None:
        return token["other"] or ""
    return token["quoted"].replace("''", "'") or "'"


def _split(options: list[str]) -> tuple[str, str | None]:
    """Format and zone of `{format}{zone}` and of logback's `{"format", zone}`."""
    text = options[0] if options else ""
    zone = options[1] if len(options) > 1 else None
    if zone is None and "," in text:
        before, _, last = text.rpartition(",")
        if _zone(last.strip()) is not None:
            text, zone = before, last.strip()
    text = text.strip().strip('"')
    if zone is None:
        return text, None
    found = _zone(zone)
    if found is None:
        raise SettingsError(
            expected="an IANA time zone behind the date format of %d",
            found=zone,
            todo="write UTC or Area/City",
        )
    return text, found


def _zone(name: str) -> str | None:
    """As IANA names it; GMT+2 of Java is Etc/GMT-2."""
    java = re.fullmatch(r"(?:GMT|UTC)([+-])0?(\d{1,2})(?::?00)?", name)
    if java:
        name = f"Etc/GMT{'-' if java[1] == '+' else '+'}{java[2]}"
    try:
        ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        return None
    return name


def _refusal(text: str, found: str) -> SettingsError:
    return SettingsError(
        expected=NEEDED, found=f"{found} in %d{{{text}}}", todo="change the layout or leave it out"
    )
