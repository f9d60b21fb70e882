"""Messages in the forms of chats. Nothing that logs say acts in them: it marks, links and calls nothing."""

import json
from collections.abc import Callable
from typing import Any

from jobs.notify.message import Entry, Message
from jobs.text import printable_line, shorten_line

SENTENCE = 280
HEADER, SECTION = 150, 3000  # characters that Slack takes in a header and in a section
MEND = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "`": "'", "@": "@\u200b"}
# No links made of what only looks like one, no names and channels that are called.
AS_IT_STANDS = {"parse": "none", "link_names": 0, "unfurl_links": False, "unfurl_media": False}


def as_slack(message: Message) -> bytes:
    """Blocks of plain text, which Slack shows as they are. text: for notifications, which show no blocks, and no code.
    Source: Slack, "Block Kit", "Formatting text for app surfaces"."""
    entries = [entry for _, entries in message.parts for entry in entries]
    worst = [f"{entries[0].severity} {entries[0].said}"] if entries else []
    short = mended_text(shorten_line(". ".join((message_heading(message), *worst)), SENTENCE))
    blocks = [block("header", shorten_line(message.verdict, HEADER))]
    blocks += [block("section", text) for text in plain_texts(message)]
    return json.dumps({"text": short, "mrkdwn": False, "blocks": blocks} | AS_IT_STANDS).encode()


def block(kind: str, text: str) -> dict[str, Any]:
    said = {"type": "plain_text", "text": shorten_text(text, SECTION), "emoji": False}
    return {"type": kind, "text": said}


def shorten_text(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def plain_texts(message: Message) -> list[str]:
    """The cluster, then a text for each title with its first finding, each other finding, and the rest."""
    texts = [f"{message.cluster}{message.end}"]
    for title, entries in message.parts:
        own = ["\n".join(entry_lines(entry)) for entry in entries]
        texts += [f"{title}\n{own[0]}", *own[1:]] if own else [title]
    return [*texts, *(f"{words}:\n{command}" if command else words for words, command in message.rest)]


def entry_lines(entry: Entry) -> list[str]:
    more = (entry.place, f"Do: {entry.to_do}" if entry.to_do else "", entry.command)
    return [f"{entry.severity} {printable_line(entry.said)}", *filter(None, more)]


def message_heading(message: Message) -> str:
    return f"{message.verdict}  {message.cluster}{message.end}"


def plain_lines(message: Message) -> list[str]:
    """As a terminal shows it."""
    return [
        message_heading(message),
        *(line for text in plain_texts(message)[1:] for line in text.split("\n")),
    ]


def as_mattermost(message: Message) -> bytes:
    return json.dumps({"text": markdown_text(message), "mrkdwn": True} | AS_IT_STANDS).encode()


def markdown_text(message: Message) -> str:
    """For chats that know Markdown alone: what is not of our own words stands in code."""
    lines = [f"*{message.verdict}*  {code_span(message.cluster)}{message.end}"]
    for title, entries in message.parts:
        lines.append(title)
        for entry in entries:
            lines.append(f"{entry.severity} {code_span(entry.said)}")
            more = (code_span(entry.place) if entry.place else "", command_span(entry.command))
            lines += [f"    {one}" for one in more if one]
            lines += [f"    {mended_text(f'Do: {entry.to_do}')}"] if entry.to_do else []
    rest = [(words, command_span(command)) for words, command in message.rest]
    return "\n".join([*lines, *(f"{words}: {span}" if span else words for words, span in rest)])


def as_teams(message: Message) -> bytes:
    """A card whose runs of text no Markdown is read in. Source: Microsoft, "Adaptive Cards", RichTextBlock."""
    body = [runs((message_heading(message), {"weight": "Bolder"}))]
    for title, entries in message.parts:
        body.append(runs((title, {})))
        for entry in entries:
            code = {"fontType": "Monospace"}
            more = [
                (entry.place, code),
                (f"Do: {entry.to_do}" if entry.to_do else "", {}),
                (entry.command, code),
            ]
            said = runs((f"{entry.severity} ", {"weight": "Bolder"}), (entry.said, {}))
            body += [said, *(runs(one) for one in more if one[0])]
    for words, command in message.rest:
        own = [(f"{words}: ", {}), (command, {"fontType": "Monospace"})] if command else [(words, {})]
        body.append(runs(*own))
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "msteams": {"width": "Full"},
        "body": body,
    }
    attached = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    return json.dumps({"type": "message", "attachments": [attached]}).encode()


def runs(*parts: tuple[str, dict[str, str]]) -> dict[str, Any]:
    inlines = [{"type": "TextRun", "text": printable_line(text)} | how for text, how in parts]
    return {"type": "RichTextBlock", "inlines": inlines}


def mended_text(text: str) -> str:
    """Words of our own, of which a playbook may have quoted some."""
    return "".join(MEND.get(one, one) for one in shorten_line(text, SENTENCE))


def code_span(text: str) -> str:
    """Characters as they are: nothing in them marks, links, calls anybody or ends the code."""
    return f"`{''.join(MEND.get(one, one) for one in printable_line(text))}`"


def command_span(command: str) -> str:
    """Empty where it would not stand there as it is: pasted, it would ask for something else."""
    span = code_span(command)
    return span if command and span == f"`{command}`" else ""


CHATS: dict[str, Callable[[Message], bytes]] = {
    "slack": as_slack,
    "mattermost": as_mattermost,
    "teams": as_teams,
}
