"""Lengths between the clocks of two nodes, as people read them."""

from jobs.text import length_text
from pipeline.views.reading.clocks_apart import Passed


def passed_text(passed: Passed) -> str:
    """3 to 15 ms; at most 15 ms; empty where no line bounds it."""
    least, most = passed
    if most is None:
        return f"at least {length_text(least)}" if least else ""
    if not least:
        return f"at most {length_text(most)}"
    first, last = length_text(least), length_text(most)
    if first == last:
        return first
    number, _, unit = first.partition(" ")
    return f"{number if last.endswith(f' {unit}') else first} to {last}"
