"""A check that is silenced says which one and why: the reason stands behind its code."""

import re

from tests.house.source import python_files, short

SILENCED = re.compile(r"#\s*(?:noqa\b(?P<noqa>.*)|type:\s*ignore\b(?P<ignore>.*))")
CODE_AND_REASON = re.compile(
    r"^(?:: [A-Z]+[0-9]+(?:, ?[A-Z]+[0-9]+)*|\[[a-z-]+(?:, ?[a-z-]+)*\])(?P<why>.*)$"
)


def without_reason(text: str) -> list[int]:
    """Lines, from 1, with a check that is silenced without a code, or without words behind it."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        silenced = SILENCED.search(line)
        if silenced is None:
            continue
        told = CODE_AND_REASON.match(silenced["noqa"] or silenced["ignore"] or "")
        if told is None or not re.search(r"[a-z]{2}", told["why"]):
            found.append(number)
    return found


def test_what_the_product_silences_has_its_reason() -> None:
    files = python_files("jobs", "pipeline", "schemas")
    found = {
        short(file): lines for file in files if (lines := without_reason(file.read_text(encoding="utf-8")))
    }
    assert not found, found


def test_a_silenced_check_without_a_reason_is_caught() -> None:
    text = "a  # noqa: S608\nb  # noqa: S608  (our own)\nc  # type: ignore[misc]\nd  # type: ignore[misc]  # stubs\n"
    assert without_reason(text) == [1, 3]
