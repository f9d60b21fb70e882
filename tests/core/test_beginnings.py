"""Beginnings of what a pattern matches: those of its texts, and no others."""

import re

import pytest

from pipeline.core.beginnings import beginning_of

CASES = [
    (r"a", ["a"]),
    (r"\[\d{2}\] ", ["[12] "]),
    (r"x(?:Z|[+-]\d\d(?::\d\d)?)[^\w]\*", ["xZ *", "x+01:30 *"]),
    (r"(?:\(|b)[])]c*?d", ["(]ccd", "b)d"]),
]


@pytest.mark.parametrize(("pattern", "texts"), CASES)
def test_every_beginning_that_ends_between_parts(pattern: str, texts: list[str]) -> None:
    begins = re.compile(beginning_of(pattern))
    for text in texts:
        assert re.fullmatch(pattern, text) and begins.fullmatch(text)
        assert begins.fullmatch(text[:1]) and begins.fullmatch(text[:-1] or text)
        assert not begins.fullmatch("") and not begins.fullmatch(text + "?")


def test_groups_are_looked_into() -> None:
    begins = re.compile(beginning_of(r"a(?:Z|[+-]\d\d(?::?\d\d)?)b|cd"))
    texts = ["aZb", "a+01:30b", "a-0130b", "cd"]
    expected = {text[:size] for text in texts for size in range(1, len(text) + 1)}
    assert all(begins.fullmatch(text) for text in expected)
    assert not any(begins.fullmatch(text) for text in ("", "aZ1", "a+b", "ac", "ad", "d", "Z"))


def test_of_a_fixed_time_every_beginning() -> None:
    begins = re.compile(beginning_of(r"\[\d{4}\-\d\d\-\d\d\ \d\d:\d\d:\d\d,\d{3}\]\ "))
    text = "[2024-03-01 12:00:00,123] "
    assert all(begins.fullmatch(text[:size]) for size in range(1, len(text) + 1))
    assert not any(begins.fullmatch(text[size:]) for size in range(1, len(text)))
