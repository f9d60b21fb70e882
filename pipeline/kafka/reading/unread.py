"""What is said of a file that looks like Kafka's and is not read: how its lines begin, and how to name that."""

import re
from collections.abc import Sequence

from pipeline.kafka.layout.envelope import built_in_layouts
from pipeline.kafka.reading.prefixes import is_behind_prefix, is_excerpt, is_of_kafka, learned_prefixes
from pipeline.kafka.reading.sniff import sniff_head

WORDS = re.compile(r"[\w.$]+", re.ASCII)
CLOCK = re.compile(r"\d\d:\d\d:\d\d")
# A line of a stack trace; what is behind words of another program is taken for one too.
TRACE = re.compile(r"\s|.*\bat \w|.*Caused by: |.*(?:Exception|Error)\b")
# A message of Kafka's without its time, as of a paste.
LOGGER_END = re.compile(r"\s\((?P<logger>[\w.$]+)(?::\d+)?\)\s*\Z", re.ASCII)
NO_TIME = "its lines have no time, explain < FILE says what they mean"
LINES = 400
SHOWN = 100
HALF = 0.5
NAME_IT = "name it with the setting envelope"


def unread_file_sentence(head: bytes, found: str | None, *, is_masked: bool = False) -> str | None:
    """One sentence; None: it does not look like Kafka's, as it does where half of its lines but for those of stack
    traces have a time and name a logger of Kafka's, or none has a time and half end with such a logger.

    found: the envelope that was detected, if any: of an excerpt, of lines behind words that masking does not know, or
    of no log of Kafka's. is_masked: nothing is shown of the lines.
    """
    lines = [one for one in head.decode("utf-8", "replace").split("\n")[:LINES] if one.strip()]
    if _is_without_time(lines):
        return NO_TIME
    told = [one for one in lines if CLOCK.search(one) or not TRACE.match(one)]
    kafkas = [one for one in told if CLOCK.search(one) and any(map(is_of_kafka, WORDS.findall(one)))]
    if not kafkas or len(kafkas) < HALF * len(told):
        return None
    before, name = _prefix_of(kafkas)
    if before is None:
        shown = "are" if is_masked else f"begin with '{kafkas[0][:SHOWN]}',"
        return f"its lines {shown} in no known layout: name their ConversionPattern with the setting envelope"
    shown = "something" if is_masked else f"'{before}'"
    stands = f"{shown} stands before the time of its lines"
    if found is not None and is_excerpt(found):
        named = "" if is_masked else f": '{found}'"
        return f"{stands}, as grep prints those of another file: give --logs that file, or {NAME_IT}{named}"
    if found is not None and is_behind_prefix(found):
        unknown = "of which masking does not know what is secret"
        return f"{stands}, {unknown}: {NAME_IT}: '{found}', and its secrets as patterns"
    named = "" if is_masked and is_excerpt(name) else f", such as '{name}'"
    return f"{stands}, and not of all in one form: {NAME_IT}{named}"


def _is_without_time(lines: Sequence[str]) -> bool:
    ends = [LOGGER_END.search(one) for one in lines]
    kafkas = sum(end is not None and is_of_kafka(end["logger"]) for end in ends)
    told = sum(end is not None or TRACE.match(one) is None for one, end in zip(lines, ends, strict=True))
    return kafkas > 0 and kafkas >= HALF * told and not any(map(CLOCK.search, lines))


def _prefix_of(lines: Sequence[str]) -> tuple[str | None, str]:
    """What stands before the time of the first line of the most usual form, and its envelope; None: nothing stands
    there, or what follows is in no known layout."""
    for prefix in learned_prefixes(lines, built_in_layouts().values(), 0):
        behind = sniff_head(f"{prefix.rest}\n".encode("utf-8", "replace"), learns=False)
        if behind.log is not None:
            return prefix.before, f"{prefix.name}/{behind.envelope}"
    return None, ""
