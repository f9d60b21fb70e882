"""What is sent of a cluster: one text for chats that take Slack's form, or the findings as `findings --format json`."""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256

from jobs.notify.remembered import News, Numbered
from jobs.questions.finding_lines import (
    SEVERITY,
    TOGETHER,
    group_alike,
    group_to_do,
    is_group_open,
    worst_finding,
)
from jobs.questions.findings_out import finding_document
from jobs.questions.status import Status
from jobs.text import format_count, printable_line, shorten_line
from pipeline.core.clocks import day_clock
from pipeline.core.files import URI
from pipeline.views.reading.rows import Place, Row

SHOWN = 10
SEE = ", see OUTAGE"  # of the first screen
# Slack asks for at most 4,000 characters; "n more" and the command have to fit behind the findings.
MOST, RESERVED = 4000, 700
SENTENCE, PATH, NAME = 280, 120, 100
MEND = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "`": "'", "@": "@\u200b"}
# No links made of what only looks like one, no names and channels that are called.
AS_IT_STANDS = {
    "mrkdwn": True,
    "parse": "none",
    "link_names": 0,
    "unfurl_links": False,
    "unfurl_media": False,
}


def as_slack(text: str) -> bytes:
    return json.dumps({"text": text} | AS_IT_STANDS).encode()


def as_findings(news: News, lines_of: Mapping[Place, Row]) -> bytes:
    found = [finding_document(number, one, lines_of) for number, one in news.told()]
    return f"{json.dumps(found, indent=2)}\n".encode()


def key_of(news: News, cluster: str) -> str:
    names = [f"{kind} {one['finding_id']}" for kind in ("new", "over") for _, one in getattr(news, kind)]
    return sha256("\n".join((cluster, *sorted(names))).encode()).hexdigest()[:32]


def slack_text(news: News, status: Status, lines_of: Mapping[Place, Row], warehouse: str) -> str:
    """The verdict, the findings that fit, those alike together, and the command that tells the others."""
    head = [
        f"*{verdict_with_counts(status)}*  {code_span(shorten_line(status.cluster_id, NAME))}{data_end_text(status)}"
    ]
    new_one = partial(new_text, lines_of=lines_of, done=set())
    over = [[one] for one in news.over]
    parts: list[tuple[str, list[list[Numbered]], Callable[[list[Numbered]], str]]] = [
        (format_count(len(news.new), "new finding"), group_alike(news.new), new_one),
        (f"{format_count(len(news.over), 'finding')} told before, no longer so", over, ended_finding_text),
    ]
    room, shown, hidden, lines = MOST - RESERVED - len(head[0]), 0, len(news.told()), head
    for title, groups, text_of in parts:
        own = [f"{title}:"] if groups else []
        for group in groups:
            text = text_of(group)
            room -= len(text) + 1
            if shown == SHOWN or room < 0:
                break
            own, shown, hidden = [*own, text], shown + 1, hidden - len(group)
        lines = [*lines, *own]
    if hidden:
        lines.append(f"{hidden} more: {code_span(findings_command_text(warehouse, status.cluster_id))}")
    if news.passed:
        asked = findings_command_text(warehouse, status.cluster_id)
        lines.append(
            f"{format_count(news.passed, 'finding')} of the time before, not told here: {code_span(asked)}"
        )
    return "\n".join(lines)


def verdict_with_counts(status: Status) -> str:
    return f"{status.verdict}: {status.critical} critical, {status.warning} warning"


def data_end_text(status: Status) -> str:
    offline = f", {format_count(status.offline, 'partition')} without a leader" if status.offline else ""
    return f"{offline}, data to {day_clock(status.last_at)} UTC" if status.last_at else offline


def new_text(group: Sequence[Numbered], lines_of: Mapping[Place, Row], done: set[str]) -> str:
    """The worst of findings that are alike. done: what is to be done of those before, which stands once."""
    one = worst_finding(group)
    many = TOGETHER[one["rule"]].replace(SEE, "").format(len(group)) if len(group) > 1 else ""
    still = "  OPEN" if is_group_open(group) else ""
    certainty, place = one["certainty"], first_place(one, lines_of)
    found = [code_span(place)] if place else []
    to_do = group_to_do(group) or ""
    asked = [] if to_do in {"", *done} else [escape_plain_text(f"Do: {to_do}")]
    done.add(to_do)
    more = [*found, code_span(f"show {one['finding_id']}"), *asked]
    said = f"{day_clock(one['valid_from_at'])} {many}{short_sentence(one)}"
    first = f"{SEVERITY[one['severity']]} {code_span(f'{said}  [{certainty}]{still}')}"
    return "\n    ".join((first, *more))


def ended_finding_text(group: Sequence[Numbered]) -> str:
    _, one = group[0]
    until = one["valid_until_at"]
    how = "retracted, it is found no more" if one["status"] == "retracted" else f"over at {day_clock(until)}"
    return f"{SEVERITY[one['severity']]} {code_span(f'{how}: {short_sentence(one)}')}"


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


def findings_command_text(warehouse: str, cluster: str) -> str:
    """The warehouse is left out where it is a URI that may hold a key."""
    is_plain = not (URI.match(warehouse) and set("@?") & set(warehouse)) and len(warehouse) <= PATH
    given = ["--warehouse", warehouse] if is_plain else []
    return shlex.join(
        ("kafka-controller-audit", "findings", *given, "--cluster", shorten_line(cluster, NAME))
    )


def escape_plain_text(text: str) -> str:
    """Words of our own, of which a playbook may have quoted some."""
    return "".join(MEND.get(one, one) for one in shorten_line(text, SENTENCE))


def code_span(text: str) -> str:
    """Characters as they are: nothing in them marks, links, calls anybody or ends the code. Source: Slack, "Formatting
    text for app surfaces"."""
    return f"`{''.join(MEND.get(one, one) for one in printable_line(text))}`"
