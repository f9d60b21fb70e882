"""The property: a part of the logs gives the answers of the whole, or less."""

from collections.abc import Iterator
from random import Random

import polars as pl

from tests.chain import ORDER, built
from tests.evidence.compared import Frame, Said, Tables, compared
from tests.evidence.cuts import (
    CUTS,
    begin_and_end,
    earlier,
    one_after_another,
    shifted,
    with_other_topic_ids,
)
from tests.evidence.statements import DOUBT, OTHER

EARLIER_LIFE = "an earlier life before"
EARLIER_STRETCH = "an earlier stretch before"
KINDS = (*CUTS, EARLIER_LIFE, EARLIER_STRETCH)
Judged = Iterator[tuple[str, Said]]


def tables(records: pl.DataFrame) -> Tables:
    known: Tables = built(records, *ORDER)
    return known


def judged(records: pl.DataFrame, whole: Tables, cut: str, seed: str) -> Judged:
    """(table, what is said) of each row of one cut of these records; whole: tables(records)."""
    random = Random(seed)  # noqa: S311  no secrets are drawn
    if cut == EARLIER_LIFE:
        yield from with_earlier_life(random, records, whole)
        return
    if cut == EARLIER_STRETCH:
        yield from with_earlier_stretch(random, records, whole)
        return
    part = CUTS[cut](random, records)
    if part["logged_at"].is_not_null().any():
        yield from said_of(compared(tables(part), whole, frame_of_time(part)))


def with_earlier_life(random: Random, records: pl.DataFrame, whole: Tables) -> Judged:
    """Both lives together say of the later one what it says alone; and each alone no more than both, or than all that
    was there then."""
    before = earlier(random, records)
    both = tables(one_after_another(before, records))
    # That it began anew is what both tell and none alone.
    both["finding"] = both["finding"].filter(pl.col("rule") != "new_life")
    yield from said_of(compared(both, whole, frame_of_time(records)))
    yield from said_of(compared_alone(before, both, shifted(with_other_topic_ids(records))))


def with_earlier_stretch(random: Random, records: pl.DataFrame, whole: Tables) -> Judged:
    """What is said of the later stretch is what the whole says; and the earlier one alone says no more than both, or
    than all that was there then: the lines behind a hole may make both doubt what it rightly says."""
    before, after = begin_and_end(random, records)
    if not (before.height and after.height):
        return
    both = tables(one_after_another(before, after))
    yield from said_of(compared(both, whole, frame_of_time(after)))
    yield from said_of(compared_alone(before, both, shifted(records)))


def compared_alone(before: pl.DataFrame, both: Tables, whole: pl.DataFrame) -> dict[str, list[Said]]:
    """What a stretch says alone against what it says with a later one, or, of what both doubt, against all records."""
    alone = tables(before)
    found = compared(alone, both, frame_of_time(before))
    if any(one.outcome == OTHER for each in found.values() for one in each):
        true = compared(alone, tables(whole), frame_of_time(before))
        found = {name: doubted_rightly(name, each, true[name]) for name, each in found.items()}
    return found


def doubted_rightly(name: str, said: list[Said], true: list[Said]) -> list[Said]:
    """Statements that are other against two stretches and not against the truth, as doubts of the two. A finding is
    not taken away by more lines."""
    if name == "finding" or len(said) != len(true):
        return said
    is_doubt = (one.outcome == OTHER != truth.outcome for one, truth in zip(said, true, strict=True))
    return [Said(DOUBT) if doubt else one for doubt, one in zip(is_doubt, said, strict=True)]


def said_of(found: dict[str, list[Said]]) -> Judged:
    yield from ((name, one) for name, each in found.items() for one in each)


def frame_of_time(records: pl.DataFrame) -> Frame:
    return Frame(records["logged_at"].min(), records["logged_at"].max())  # type: ignore[arg-type]
