"""Java's format of properties, as a broker reads its server.properties: of a file only the keys that are asked for."""

import re
from collections.abc import Collection, Iterator

COMMENTS = ("#", "!")
BLANKS = " \t\f"
LINE_END = re.compile(r"\r\n|\r|\n")
# The key ends at the first blank, = or : that no backslash stands before; one = or : may stand among blanks.
KEY = re.compile(r"((?:\\.|[^\\ \t\f=:])*)[ \t\f]*[=:]?[ \t\f]*", re.DOTALL)
ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.)|\Z)", re.DOTALL)
LETTERS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def parse_java_properties(data: bytes, wanted: Collection[str]) -> dict[str, str]:
    """The values of the wanted keys, without blanks around them as Kafka takes them; of a key that stands twice the
    last one. Source: java.util.Properties.load, org.apache.kafka.common.config.ConfigDef.parseType."""
    found: dict[str, str] = {}
    for line in logical_lines(data.decode("latin-1")):
        split = KEY.match(line)
        key = unescape_property(split[1]) if split else ""
        if split and key in wanted:
            found[key] = unescape_property(line[split.end() :]).strip()
    return found


def logical_lines(text: str) -> Iterator[str]:
    """Lines without comments; one that ends in an odd number of backslashes goes on in the next."""
    kept: str | None = None
    for natural in LINE_END.split(text):
        line = natural.lstrip(BLANKS)
        if kept is None and (not line or line.startswith(COMMENTS)):
            continue
        line = (kept or "") + line
        if (len(line) - len(line.rstrip("\\"))) % 2:
            kept = line[:-1]
            continue
        kept = None
        yield line
    if kept:
        yield kept


def unescape_property(text: str) -> str:
    def said(found: re.Match[str]) -> str:
        letter = found[2] or ""
        return chr(int(found[1], 16)) if found[1] else LETTERS.get(letter, letter)

    return ESCAPE.sub(said, text)
