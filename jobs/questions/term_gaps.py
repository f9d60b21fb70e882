"""How long there was no controller between two terms, or two at once."""

from jobs.questions.named.clock_lengths import passed_text
from jobs.text import length_text
from pipeline.views.reading.rows import Row

BY_SILENCE = ("crashed", "process_end")  # nothing tells the end but the last line before it
CLOCKS_MS = 100  # two at once for less is a matter of clocks


def gap_text(row: Row) -> str:
    """row: of Answers.terms_and_clocks(). The end stands by the clock of the one node, the next election by that of the
    other: where lines show that these are apart, between the bounds that they leave."""
    gap_ms = row["gap_ms"]
    if gap_ms is None:
        return ""
    if apart := clocks_apart(row):
        return gap_between_clocks(row, gap_ms - apart[1], gap_ms - apart[0])
    if -CLOCKS_MS < gap_ms < 0:
        return ""
    if gap_ms < 0 and row["mode"] == "kraft":
        return f"  gave up {length_text(-gap_ms)} after it, harmless"
    if gap_ms < 0:
        return f"  two at once for {length_text(-gap_ms)}"
    bound = "<=" if row["ended_how"] in BY_SILENCE else ""
    return f"  none for {bound}{length_text(gap_ms)}"


def gap_between_clocks(row: Row, least_ms: int, most_ms: int) -> str:
    """The same once the clocks are taken into account: the gap is between the two, in milliseconds."""
    if most_ms < 0:
        apart = passed_text((-most_ms, -least_ms))
        both = "gave up {} after it, harmless" if row["mode"] == "kraft" else "two at once for {}"
        return f"  {both.format(apart)}, as their clocks are apart"
    is_bound = row["ended_how"] in BY_SILENCE or least_ms <= 0
    length = f"<={length_text(most_ms)}" if is_bound else passed_text((least_ms, most_ms))
    return f"  none for {length}, as their clocks are apart"


def most_gap_ms(row: Row) -> int:
    """At most so long there was no controller, by all that is known of the clocks; 0: not at all."""
    gap_ms: int | None = row["gap_ms"]
    if gap_ms is None:
        return 0
    low, _ = clocks_apart(row) or (0, 0)
    return max(gap_ms - low, 0)


def clocks_apart(row: Row) -> tuple[int, int] | None:
    """By how much the clock of the next controller is ahead, at least and at most, ms, where it certainly is, or
    behind."""
    low, high = row.get("clock_low_ms"), row.get("clock_high_ms")
    if low is None or high is None:
        return None
    return (low, high) if low >= CLOCKS_MS or high <= -CLOCKS_MS else None
