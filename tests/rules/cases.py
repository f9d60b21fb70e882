"""The cases of rules: what a finding claims, the lines that prove it, and what must not prove it (cases.txt).

A file has the facts that no record shows (`unshown`), then cases, each with a blank line before it:

    case NAME
      from TIME until TIME              the interval that it claims, UTC; until now: it goes on
      facts {JSON}
      proof OUTCOME                     of its records as they are
      | LINE                            a record; `  . LINE` goes on with it, `  |json "..."` has odd bytes
      changed "OLD" to "NEW": WORDS     one record altered: it is not confirmed, the answer has these words
      claimed FACT JSON: WORDS       one fact altered: likewise
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from pipeline import rules
from pipeline.rules.order import RULE_NAMES
from pipeline.rules.proving.proof import Claim, Fact, Record

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
FOLDER = Path(rules.__path__[0])
LINE = re.compile(r"^(?P<word>case|from|facts|proof|\|json|\||\.|changed|claimed|unshown) ?(?P<rest>.*)$")
SPAN = re.compile(r"(.+) until (.+)")
CHANGED = re.compile(r'("(?:[^"\\]|\\.)*") to ("(?:[^"\\]|\\.)*"): (.+)')
CLAIMED = re.compile(r'(\w+) ("(?:[^"\\]|\\.)*"|\[.*?\]|[\w.-]+): (.+)')


@dataclass
class Case:
    """texts: records in the order of the file. changed: (old, new, words of the answer) of one record; claimed: (fact,
    value, words of the answer)."""

    name: str
    rule: str
    claim: Claim
    proof: str = ""
    texts: list[str] = field(default_factory=list)
    changed: list[tuple[str, str, str]] = field(default_factory=list)
    claimed: list[tuple[str, Fact, str]] = field(default_factory=list)


def moment(text: str) -> datetime | None:
    return None if text == "now" else datetime.fromisoformat(text).replace(tzinfo=UTC)


@cache
def cases_of(rule: str) -> tuple[Case, ...]:
    """ValueError: a line that this form does not have. FileNotFoundError: the rule has no cases."""
    found: list[Case] = []
    for text in (FOLDER / rule / "cases.txt").read_text(encoding="utf-8").split("\n"):
        if text.strip():
            add(found, rule, text)
    return tuple(found)


def add(found: list[Case], rule: str, text: str) -> None:
    """What a line says, to the last case."""
    read = LINE.match(text.removeprefix("  "))
    if read is None:
        raise ValueError(
            f"cases.txt of {rule}: expected a line such as in tests/rules/cases.py, found {text!r}"
        )
    word, rest = read["word"], read["rest"]
    if word == "unshown":
        return
    if word == "case":
        found.append(Case(rest, rule, Claim(rule, {}, LONG_AGO, None)))
        return
    case = found[-1]
    if word == "from":
        start, end = (moment(one) for one in matched(SPAN, rest))
        case.claim = case.claim._replace(valid_from_at=start or LONG_AGO, valid_until_at=end)
    elif word == "facts":
        case.claim = case.claim._replace(facts=json.loads(rest))
    elif word == "proof":
        case.proof = rest
    elif word == ".":
        case.texts[-1] += f"\n{rest}"
    elif word in ("|", "|json"):
        case.texts.append(json.loads(rest) if word == "|json" else rest)
    elif word == "changed":
        old, new, why = matched(CHANGED, rest)
        case.changed.append((json.loads(old), json.loads(new), why))
    else:
        name, value, why = matched(CLAIMED, rest)
        case.claimed.append((name, json.loads(value), why))


def matched(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    found = pattern.fullmatch(text)
    if found is None:
        raise ValueError(f"cases.txt: expected {pattern.pattern}, found {text!r}")
    return found.groups()


def unshown(rule: str) -> set[str]:
    """Facts that no record of a finding shows, or no record that it names."""
    first = (FOLDER / rule / "cases.txt").read_text(encoding="utf-8").split("\n", 1)[0]
    return set(first.split()[1:]) if first.startswith("unshown ") else set()


def all_cases() -> Iterator[Case]:
    for rule in RULE_NAMES:
        if (FOLDER / rule / "cases.txt").is_file():
            yield from cases_of(rule)


def records(*texts: str) -> list[Record]:
    """As lines of one file of an unknown node, one behind the other in the order of their times."""
    placed = {text: byte_offset for byte_offset, text in enumerate(sorted(texts))}
    return [
        Record("state-change.log", placed[text], None, "UTC", text.encode(errors="surrogateescape"))
        for text in texts
    ]
