"""What a night's screen says of the metadata log: the WITNESS line, and how many moves on record were judged."""

from collections.abc import Mapping
from datetime import datetime

from jobs.layout import wrap_text
from jobs.text import shorten_line
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.recorded import copies_of_log, count_recorded_moves, witness_counts
from pipeline.views.reading.rows import Row

HANG, SHOWN = 8, 2


def recorded_moves_text(answers: Answers, since: datetime | None) -> str:
    """illegal 0, undecided 0, valid 2,163; nothing where no move is on record."""
    return judged_moves_text(count_recorded_moves(answers, since))


def judged_moves_text(counts: Mapping[str, int]) -> str:
    if not counts:
        return ""
    illegal = counts.get("illegal", 0) + counts.get("broken_rules", 0)
    return f"illegal {illegal:,}, undecided {counts.get('gap', 0):,}, valid {counts.get('valid', 0):,}"


def recorded_witness_lines(answers: Answers, since: datetime | None) -> list[str]:
    """Which copies there are, and how many states lines have alike; nothing where no copy was read."""
    copies = copies_of_log(answers)
    if copies is None:
        return []
    counts = witness_counts(answers, since)
    agreement = agreement_text(counts) if counts else "no state was held against lines"
    said = f"{copies_text(copies)} | {agreement}"
    examples = counts["examples"][:SHOWN] if counts else []
    return [
        *wrap_text(f"WITNESS {said}", HANG),
        *(shorten_line(f"{'':{HANG}}{one}", 200) for one in examples),
    ]


def copies_text(copies: Row) -> str:
    """metadata log of 101,103: offsets 0-1555, epochs 1-3; certain to 1554 (majority)."""
    nodes = ",".join(map(str, copies["node_ids"])) or "an unknown node"
    certain = "nothing proves any of it committed"
    if copies["certain_by"] is not None:
        certain = f"certain to {copies['certain_until_offset']} ({copies['certain_by']})"
    void = f"; {copies['void_count']:,} made void by a later epoch" if copies["void_count"] else ""
    offsets = f"offsets {copies['first_offset']}-{copies['last_offset']}"
    epochs = f"epochs {copies['first_epoch']}-{copies['last_epoch']}"
    holes = f"; {len(copies['holes'])} holes in its offsets" if copies["holes"] else ""
    return f"metadata log of {nodes}: {offsets}, {epochs}; {certain}{void}{holes}{damage_text(copies)}"


def damage_text(copies: Row) -> str:
    damaged = copies["damaged_nodes"]
    if not damaged:
        return ""
    nodes = ", ".join("an unknown node" if one is None else f"{one}" for one in damaged)
    return f"; the copy of {nodes} is DAMAGED, not read behind that"


def agreement_text(counts: Row) -> str:
    """1,240 states: 1,233 as replayed, 7 in no line, 0 differ."""
    differing = f"{counts['differing']:,} DIFFER" if counts["differing"] else "0 differ"
    alike = f"{counts['equal']:,} as replayed, {counts['undecided']:,} in no line"
    return f"{counts['said']:,} states: {alike}, {differing}"
