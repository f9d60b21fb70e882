"""What a person is told of a cluster, in no form yet: the verdict, findings that fit, commands that tell more."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256
from pathlib import Path

from jobs.layout import program_to_paste
from jobs.notify.remembered import News, Numbered
from jobs.questions.finding_lines import (
    SEVERITY,
    TOGETHER,
    group_alike,
    group_to_do,
    is_group_open,
    worst_finding,
)
from jobs.questions.status import Status
from jobs.screen.glance import number_ranges
from jobs.text import format_count, printable_line, shorten_line
from pipeline.core.clocks import day_clock
from pipeline.core.files import URI
from pipeline.views.reading.rows import Place, Row

SHOWN = 10
SEE = ", see OUTAGE"  # of the first screen
# Slack asks for at most 4,000 characters; "n more" and the command have to fit behind the findings.
MOST, RESERVED = 4000, 900
SENTENCE, PATH, NAME = 280, 120, 100


@dataclass(frozen=True)
class Entry:
    """A finding, or several that are alike: what it is, by the logs; where its first line stands; the command that
    shows it whole; what to do. Where there is none it is empty."""

    severity: str
    said: str
    place: str = ""
    command: str = ""
    to_do: str = ""


@dataclass(frozen=True)
class Message:
    """verdict, cluster and end make the first line. parts: titles with their entries. rest: what is not told here, and
    the command that tells it."""

    verdict: str
    cluster: str
    end: str
    parts: Sequence[tuple[str, Sequence[Entry]]]
    rest: Sequence[tuple[str, str]]


def key_of(news: News, cluster: str, ends_at: datetime | None = None) -> str:
    """ends_at: of alerts that are sent again by each run, each time to last longer."""
    names = [f"{kind} {one['finding_id']}" for kind in ("new", "over") for _, one in getattr(news, kind)]
    until = [ends_at.isoformat()] if ends_at else []
    return sha256("\n".join((cluster, *until, *sorted(names))).encode()).hexdigest()[:32]


def compose_message(news: News, status: Status, lines_of: Mapping[Place, Row], warehouse: str) -> Message:
    command_of = partial(command_to_paste, warehouse=warehouse, cluster=status.cluster_id)
    new_one = partial(new_entry, lines_of=lines_of, command_of=command_of, done=set())
    over = [[one] for one in news.over]
    parts: list[tuple[str, list[list[Numbered]], Callable[[list[Numbered]], Entry]]] = [
        (format_count(len(news.new), "new finding"), group_alike(news.new), new_one),
        (f"{format_count(len(news.over), 'finding')} told before, no longer so", over, ended_entry),
    ]
    room, shown, hidden = MOST - RESERVED, 0, len(news.told())
    told: list[tuple[str, list[Entry]]] = []
    for title, groups, entry_of in parts:
        own: list[Entry] = []
        for group in groups:
            entry = entry_of(group)
            room -= sum(map(len, (entry.said, entry.place, entry.command, entry.to_do))) + 40
            if shown == SHOWN or room < 0:
                break
            own, shown, hidden = [*own, entry], shown + 1, hidden - len(group)
        told += [(f"{title}:", own)] if groups else []
    counted = [(hidden, f"{hidden} more")] if hidden else []
    passed = f"{format_count(news.passed, 'finding')} of the time before, not told here"
    counted += [(news.passed, passed)] if news.passed else []
    rest = [(words, command_of("findings")) for _, words in counted]
    return Message(
        verdict_with_counts(status), shorten_line(status.cluster_id, NAME), data_end_text(status), told, rest
    )


def verdict_with_counts(status: Status) -> str:
    return f"{status.verdict}: {status.critical} critical, {status.warning} warning"


def data_end_text(status: Status) -> str:
    offline = f", {format_count(status.offline, 'partition')} without a leader" if status.offline else ""
    return f"{offline}, data to {day_clock(status.last_at)} UTC" if status.last_at else offline


def new_entry(
    group: Sequence[Numbered],
    lines_of: Mapping[Place, Row],
    command_of: Callable[[str], str],
    done: set[str],
) -> Entry:
    """The worst of findings that are alike. done: what is to be done of those before, which stands once."""
    one = worst_finding(group)
    many = TOGETHER[one["rule"]].replace(SEE, "").format(len(group)) if len(group) > 1 else ""
    still = "  OPEN" if is_group_open(group) else ""
    to_do = group_to_do(group) or ""
    asked = "" if to_do in done else to_do
    done.add(to_do)
    return Entry(
        SEVERITY[one["severity"]],
        f"{number_ranges(group)} {day_clock(one['valid_from_at'])} {many}{short_sentence(one)}"
        f"  [{one['certainty']}]{still}",
        first_place(one, lines_of),
        command_of(f"show {one['finding_id']}"),
        asked,
    )


def ended_entry(group: Sequence[Numbered]) -> Entry:
    _, one = group[0]
    until = one["valid_until_at"]
    how = "retracted, it is found no more" if one["status"] == "retracted" else f"over at {day_clock(until)}"
    return Entry(SEVERITY[one["severity"]], f"{how}: {short_sentence(one)}")


def short_sentence(finding: Row) -> str:
    return shorten_line(finding["sentence"], SENTENCE)


def first_place(finding: Row, lines_of: Mapping[Place, Row]) -> str:
    """path:line; the end of a path that is too long."""
    place = finding["evidence"][0] if finding["evidence"] else None
    found = lines_of.get((place["file_id"], place["byte_offset"])) if place else None
    if not found:
        return ""
    path = printable_line(found["near"])
    shown = path if len(path) <= PATH else f"…{path[-PATH:]}"
    return f"{shown}:{found['line']}"


def command_to_paste(words: str, warehouse: str, cluster: str) -> str:
    """As it runs on the machine that sent it, from any folder. The warehouse is left out where it is a URI that may
    hold a key. Findings go by their ids: their numbers are others after the next run. Empty: a name in it cannot be
    shown as it is, and it would ask for another one."""
    is_plain = not (URI.match(warehouse) and set("@?") & set(warehouse)) and len(warehouse) <= PATH
    place = warehouse if URI.match(warehouse) else str(Path(warehouse).absolute())
    given = ["--warehouse", place] if is_plain else []
    whole = shlex.join((program_to_paste(), *words.split(), *given, "--cluster", cluster))
    return whole if len(cluster) <= NAME and whole.isprintable() else ""
