"""The known wordings that come closest to a message that none of them matches."""

import re
from collections import Counter
from difflib import SequenceMatcher
from functools import cache

from pipeline.kafka.wording.templates import template_matcher

WORD = re.compile(r"[A-Za-z']{2,}")
IDENT = re.compile(r"^\[[^\]]*\][:,]? ?")
FIELD = re.compile(r"\{[a-z0-9_]+\}")
COMPARED_CHARACTERS = 400
COMPARED_TEMPLATES = 30
# Measured by eye on cut, misspelt and foreign lines: below these the hint misleads.
SHORTEST_BLOCK = 3
LEAST_ALIKE = 0.75
LEAST_SHARED_WORDS = 0.3


@cache
def _words() -> tuple[Counter[str], ...]:
    """The literal words of every template, by its number."""
    return tuple(Counter(WORD.findall(FIELD.sub(" ", one.text))) for one in template_matcher().templates)


def nearest_templates(message: str, source: str | None = None, most: int = 3) -> list[int]:
    """Numbers of templates, the most alike first: by words in common, then by the order of characters.

    Only the beginning of the message is compared. `source`: only templates of that logger, if it has any.
    """
    beginning = message[:COMPARED_CHARACTERS]
    said = Counter(WORD.findall(beginning))
    templates = template_matcher().templates
    numbers = [n for n, one in enumerate(templates) if one.source == source] or list(range(len(templates)))
    shared = {n: 2 * (said & _words()[n]).total() for n in numbers}
    overlap = {n: shared[n] / (said.total() + _words()[n].total() or 1) for n in numbers}
    likely = sorted(numbers, key=lambda n: (-overlap[n], n))[:COMPARED_TEMPLATES]
    alike = {n: _likeness(beginning, templates[n].text) for n in likely if overlap[n] >= LEAST_SHARED_WORDS}
    ordered = sorted(alike, key=lambda n: (-alike[n], n))
    of_event = {templates[n].name: n for n in reversed(ordered) if alike[n] >= LEAST_ALIKE}
    return sorted(of_event.values(), key=ordered.index)[:most]


def _likeness(message: str, template: str) -> float:
    """From 0 to 1: of the template's literal text after its ident, what stands in the message in this order."""
    literal = FIELD.sub("", IDENT.sub("", template))[:COMPARED_CHARACTERS]
    blocks = SequenceMatcher(None, message, literal, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks if block.size >= SHORTEST_BLOCK) / (len(literal) or 1)
