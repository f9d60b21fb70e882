"""The little of Markdown that pages use: headings, paragraphs, lists, fenced code, and what is marked in a line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

HEADING = re.compile(r"#{1,6} +(.+)")
ITEM = re.compile(r"( *)([-*+]|\d+[.)]) +(.+)")
FENCE = re.compile(r"( *)(```|~~~)")
PAGE = ".md"  # beside this one: its name is enough to find it
SPAN = re.compile(
    r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)"
    r"|\*\*(?P<strong>.+?)\*\*"
    r"|(?<![\w*])\*(?P<light>[^*\s](?:[^*]*[^*\s])?)\*(?![\w*])"
    r"|\[(?P<label>[^\]]+)\]\((?P<target>[^)\s]+)\)"
    r"|\\(?P<plain>[^\w\s])"
)


@dataclass(frozen=True)
class Block:
    """kind: heading, text, item or code. indent: blanks before it. mark: of an item, as 1. or -. is_apart: a blank line
    stands before it."""

    kind: str
    text: str
    indent: int = 0
    mark: str = ""
    is_apart: bool = False


def blocks(text: str) -> list[Block]:
    """Each line is one, but code, which has several."""
    found: list[Block] = []
    lines, is_apart = iter(text.splitlines()), True
    for line in lines:
        if line.strip():
            found.append(begun(line, lines, is_apart=is_apart))
        is_apart = not line.strip()
    return found


def begun(line: str, following: Iterator[str], *, is_apart: bool) -> Block:
    """The block that this line begins; code takes its lines off those that follow."""
    if fence := FENCE.match(line):
        indent, code = len(fence[1]), []
        for one in following:
            if one.strip().startswith(fence[2]):
                break
            code.append(one[min(indent, len(one) - len(one.lstrip())) :].rstrip())
        return Block("code", "\n".join(code), indent, is_apart=is_apart)
    if heading := HEADING.fullmatch(line.rstrip()):
        return Block("heading", heading[1], is_apart=is_apart)
    if item := ITEM.fullmatch(line.rstrip()):
        return Block("item", item[3], len(item[1]), item[2], is_apart=is_apart)
    return Block("text", line.strip(), len(line) - len(line.lstrip()), is_apart=is_apart)


def spans(text: str) -> Iterator[tuple[str, str]]:
    """Parts of a line, each with its kind: plain, code, link, strong or light, whose text may have parts of its own."""
    end = 0
    for one in SPAN.finditer(text):
        if one.start() > end:
            yield "plain", text[end : one.start()]
        end = one.end()
        if one["label"]:
            yield "link", one["label"]
            yield "plain", "" if one["target"].endswith(PAGE) else f" ({one['target']})"
        else:
            kind = next(name for name in ("code", "strong", "light", "plain") if one[name] is not None)
            yield kind, one[kind].strip() if kind == "code" else one[kind]
    if end < len(text):
        yield "plain", text[end:]


def plain(text: str) -> str:
    """Without what marks its parts: code of several words stands in quotes, as it has no other bounds."""
    return "".join(
        quoted(part) if kind == "code" else part if kind == "plain" else plain(part)
        for kind, part in spans(text)
    )


def quoted(code: str) -> str:
    return f"'{code}'" if " " in code and "'" not in code else code
