"""What a look at a warehouse found, in a few lines a cluster: first whether it is whole, last what mends it."""

import shlex
from collections.abc import Iterator, Sequence

from jobs.layout import command_lines, wrap_text
from jobs.text import format_count, human_bytes
from pipeline.catalog.tables import BY_NAME, KEPT
from pipeline.core.files import URI
from pipeline.store.examination.answer import Examination
from pipeline.store.runs.damage import MENDED_BY_REPAIR, UNPUBLISHED, Damage, uri_of
from schemas.bronze import log_record, source_file

INDENT = "  "
HANG = 4
BESIDE = 11  # where sentences begin
SHOWN_DAMAGES = 20
OF_BYTES = "segment"  # kinds that compare these two tables begin so
COMPARED = frozenset({log_record.SPEC.name, source_file.SPEC.name})
BY_HAND = (
    "put back a copy of the cluster's folder, or read the logs into another --warehouse while they are there"
)


def examinations_text(found: Sequence[Examination], warehouse: str) -> str:
    return "\n".join(line for one in found for line in examination_lines(one, warehouse))


def damage_verdict(one: Examination) -> str:
    if {damage.kind for damage in one.damages} == {UNPUBLISHED}:
        return "NOTHING PUBLISHED"
    return "DAMAGED" if one.damages else "WHOLE"


def mending_commands(one: Examination, warehouse: str) -> list[list[str]]:
    """Commands, word by word, that mend it. Of a derived table that only a look at its rows shows as damaged the folder
    is taken away, and repair builds it again as any that is gone."""
    folder = warehouse.rstrip("/")
    removed = [
        ["rm", "-r", shlex.quote(uri_of(f"{folder}/{one.cluster}", name))]
        for name in sorted(damaged_tables(beyond_repair(one)))
        if not is_never_derived(name) and not URI.match(folder)
    ]
    rest = [damage for damage in one.damages if damage.kind != UNPUBLISHED]
    if not removed and len(beyond_repair(one)) == len(rest):
        return []
    given = ("--warehouse", warehouse, "--cluster", one.cluster)
    return [*removed, ["kafka-controller-audit", "repair", *map(shlex.quote, given), "--logs", "DIR"]]


def beyond_repair(one: Examination) -> list[Damage]:
    """What repair does not see: the damages of tables of which none is of its kinds."""
    seen = damaged_tables(damage for damage in one.damages if damage.kind in MENDED_BY_REPAIR)
    seen |= COMPARED if seen & COMPARED else set()
    return [damage for damage in one.damages if damage.table not in seen and damage.kind != UNPUBLISHED]


def damaged_tables(damages: Sequence[Damage] | Iterator[Damage]) -> set[str]:
    return {one.table for one in damages}


def is_never_derived(name: str) -> bool:
    """A table that nothing derives again."""
    return name not in BY_NAME or BY_NAME[name].refresh in KEPT


def unmended_tables(one: Examination) -> list[str]:
    """Tables that no command mends."""
    is_elsewhere = any(note.kind == "not_compared" for note in one.notes)
    return sorted(
        name for name in damaged_tables(beyond_repair(one)) if is_never_derived(name) or is_elsewhere
    )


def examination_lines(one: Examination, warehouse: str) -> Iterator[str]:
    yield from wrap_text(f"{damage_verdict(one)}  {one.cluster}: {damage_headline(one)}", HANG)
    for damage in one.damages[:SHOWN_DAMAGES]:
        yield from labelled_lines("damaged", damage.sentence)
    if len(one.damages) > SHOWN_DAMAGES:
        yield from labelled_lines(
            "damaged", f"{len(one.damages) - SHOWN_DAMAGES} more: --format json has all"
        )
    for sentence in intact_lines(one):
        yield from labelled_lines("whole", sentence)
    for note in one.notes:
        yield from labelled_lines("note", note.sentence)
    for command in mending_commands(one, warehouse):
        yield from command_lines(command, f"{INDENT}mend     ", BESIDE)
    if names := unmended_tables(one):
        yield from labelled_lines("mend", f"no command mends {', '.join(names)}: {BY_HAND}")


def labelled_lines(word: str, sentence: str) -> list[str]:
    return wrap_text(f"{INDENT}{word:<{BESIDE - len(INDENT)}}{sentence}", BESIDE)


def damage_headline(one: Examination) -> str:
    """How much of it is damaged, of what."""
    total, tables = one.total(), format_count(len(one.tables), "table")
    size = f"{total.rows:,} rows, {human_bytes(total.size_bytes)}"
    by = f"run {one.run_seq} ({one.run_id})" if one.run_id else "no run that can be read"
    bad = sum(bool(state.damages) for state in one.tables)
    told = f"{bad} of {tables}" if bad else tables
    return f"{told}, {size}, published by {by}"


def intact_lines(one: Examination) -> Iterator[str]:
    """What was looked at and is as it should be."""
    sound = [state for state in one.tables if not state.damages]
    stated = sum(state.stated is not None for state in sound)
    if sound:
        as_stated = f"; rows, files and bytes of {stated:,} as they were stated" if stated else ""
        yield f"{format_count(len(sound), 'table')} at the published version{as_stated}"
    summed = sum(state.summed_bytes for state in sound)
    if summed:
        yield f"{human_bytes(summed)} of them byte for byte as they were written"
    keyed = sum(state.duplicate_keys == 0 for state in sound)
    if keyed:
        yield f"in {format_count(keyed, 'table')} no two rows share their key"
    if not any(damage.kind.startswith(OF_BYTES) for damage in one.damages):
        yield from logs_of(one)


def logs_of(one: Examination) -> Iterator[str]:
    held = one.segments
    if held is None:
        return
    size = f"{held.records:,} records, {human_bytes(held.size_bytes)}"
    old = (
        f"; {format_count(held.expired_segments, 'segment')} older than is kept"
        if held.expired_segments
        else ""
    )
    yield f"each byte once that was read of {format_count(held.files, 'log file')}: {size}{old}"
    if held.lost_segments:
        lost = f"{held.lost_records:,} records of {format_count(held.lost_segments, 'segment')} are lost"
        yield f"{lost}, as repair found: silver.log_gap has them (lost_in_warehouse)"
