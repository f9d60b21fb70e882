"""Records of a paste that say the same in the same words, as one answer."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import accumulate, islice

from pipeline.kafka.explaining.explanation import Explanation, FieldValue, cause_named, explain_record
from pipeline.kafka.explaining.wordings import Row

NUMBER = re.compile(r"\d+")
# What is shown first where not all can be.
LEVELS = ("FATAL", "ERROR", "WARN")
COMPARED = 200  # of so many records of one wording the values are told
TOLD, ROOM = 6, 60  # so many values of one field, in so many characters; one at least

Alternatives = Sequence[Row]


@dataclass(frozen=True)
class Folded:
    """The first record of a wording, and of the others how many there are, when the last was, and their partitions.

    Fields of `told` that differ hold the values of all, in the order of the records.
    """

    told: Explanation
    count: int
    last_at: datetime | None
    partitions: str


def fold_like_records(records: Sequence[Alternatives], shown: int) -> tuple[list[Folded], int]:
    """At most so many answers, in the order of the records; where there are more, what is severe before the rest. And
    how many records they leave out."""
    groups: dict[tuple[object, ...], list[Alternatives]] = {}
    for record in records:
        groups.setdefault(sameness_key(record), []).append(record)
    found = list(groups.values())
    if len(found) > shown:
        found = sorted(found, key=log_level_rank)[:shown]
    return [fold_record_group(group) for group in found], len(records) - sum(map(len, found))


def sameness_key(record: Alternatives) -> tuple[object, ...]:
    """Two records with the same are told as one: level, loggers and wordings, exception and what it names; text without
    its numbers where it is not understood."""
    row = record[0]
    if row["event"] is None:
        text = (row["raw"] or b"").decode("utf-8", "replace")
        return (row["not_understood_reason"], NUMBER.sub("0", text))
    wordings = ((one["logger"], one["template"]) for one in record)
    return (row["level"], *wordings, row["exception_class"], cause_named(row))


def log_level_rank(group: Sequence[Alternatives]) -> int:
    level = group[0][0]["level"]
    return LEVELS.index(level) if level in LEVELS else len(LEVELS)


def fold_record_group(group: Sequence[Alternatives]) -> Folded:
    told = explain_record(group[0])
    if len(group) == 1:
        return Folded(told, 1, None, "")
    compared = [told, *(explain_record(one) for one in group[1:COMPARED])]
    is_all = len(group) <= COMPARED
    fields = tuple(
        with_differing_values(said, [one.fields[place].value for one in compared], is_all=is_all)
        for place, said in enumerate(told.fields)
        if all(place < len(one.fields) for one in compared)
    )
    rows = [one[0] for one in group[:COMPARED]]
    names = [
        f"{row['topic']}-{row['partition']}" for row in rows if None not in (row["topic"], row["partition"])
    ]
    partitions = list_distinct_texts(names, is_all=is_all) if len(set(names)) > 1 else ""
    return Folded(replace(told, fields=fields), len(group), group[-1][0]["logged_local"], partitions)


def with_differing_values(said: FieldValue, values: Sequence[object], *, is_all: bool) -> FieldValue:
    """The field with the values of all records; as it is where they are the same."""
    texts = [str(one) for one in values]
    if len(set(texts)) == 1:
        return said
    return replace(said, value=list_distinct_texts(texts, is_all=is_all))


def list_distinct_texts(texts: Iterable[str], *, is_all: bool) -> str:
    """a, b, c and 3 more: each once. Without is_all there are others, too."""
    each = list(dict.fromkeys(texts))
    lengths = accumulate(len(one) + 2 for one in each)
    count = max(1, sum(length <= ROOM for length in islice(lengths, TOLD)))
    more = len(each) - count
    if is_all and not more:
        return ", ".join(each)
    return f"{', '.join(each[:count])} and {f'{more} more' if is_all else 'more'}"
