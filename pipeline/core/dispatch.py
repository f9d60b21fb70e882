"""Sends each message to the few templates that its head admits: a tree of heads, walked column by column."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pipeline.core.template import NUMBER_TYPES, FieldKind, Template
from pipeline.core.texts import Rows, Texts

WINDOW = 96
DASH = 45


@dataclass(frozen=True)
class Heads:
    """First bytes of each message with digits and dashes left out, so that numbers do not matter.

    Message i has the bytes `data[start[i]:start[i] + length[i]]`; `data` has WINDOW zeros at its end.
    `is_short`: the window ended before the message did.
    """

    data: npt.NDArray[np.uint8]
    start: Rows
    length: Rows
    is_short: npt.NDArray[np.bool_]

    def column(self, rows: Rows, depth: int) -> npt.NDArray[np.uint8]:
        """The byte at `depth` of each row's head, 0 past its end."""
        return np.where(self.length[rows] > depth, self.data[self.start[rows] + depth], np.uint8(0))


def message_heads(texts: Texts) -> Heads:
    """The heads of messages."""
    sizes = texts.end - texts.start
    found = texts.pieces(texts.start, WINDOW).view(np.uint8).reshape(-1, WINDOW)
    short = np.flatnonzero(sizes < WINDOW)
    found[short] *= np.arange(WINDOW) < sizes[short, None]
    kept = (found - np.uint8(48) > 9) & (found != DASH) & (found != 0)
    # Eight flags at once: a row has WINDOW of them, too few for a sum of bytes to run over.
    length = kept.view(np.uint64).sum(axis=1).view(np.uint8).reshape(-1, 8).sum(axis=1, dtype=np.int64)
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(length)])[:-1]
    data = np.concatenate([found[kept], np.zeros(WINDOW, np.uint8)])
    return Heads(data, start, length, sizes > WINDOW)


def template_head(template: Template, type_of: Callable[[str], str]) -> bytes:
    """The literal that its messages begin with, numbers and dashes left out, up to a text field."""
    head = ""
    for index, part in enumerate(template.parts):
        if index % 2 and type_of(part) not in NUMBER_TYPES:
            break
        head += "" if index % 2 else part
    return bytes(b for b in head.encode() if not 48 <= b <= 57 and b not in (0, DASH))


@dataclass
class Node:
    """Templates that agree up to `depth`; `ended` admit anything from there on, `below` is all of them."""

    depth: int
    ended: tuple[int, ...]
    below: tuple[int, ...]
    children: dict[int, "Node"] = field(default_factory=dict)


def template_tree(numbered: Sequence[tuple[int, Template]], kinds: Mapping[str, FieldKind]) -> Node:
    """Templates of one source by their heads."""
    return build_head_tree(
        [(number, template_head(one, lambda name: kinds[name].type)) for number, one in numbered]
    )


def build_head_tree(numbered: Sequence[tuple[int, bytes]], depth: int = 0) -> Node:
    """The tree over (template number, head)."""
    first = numbered[0][1]
    while all(len(head) > depth and head[depth] == first[depth] for _, head in numbered):
        depth += 1
    node = Node(
        depth,
        tuple(number for number, head in numbered if len(head) == depth),
        tuple(number for number, _ in numbered),
    )
    branches: dict[int, list[tuple[int, bytes]]] = {}
    for number, head in numbered:
        if len(head) > depth:
            branches.setdefault(head[depth], []).append((number, head))
    node.children = {byte: build_head_tree(branch, depth + 1) for byte, branch in branches.items()}
    return node


def route_messages(
    node: Node, found: Heads, rows: Rows, carried: tuple[int, ...] = ()
) -> Iterator[tuple[Rows, tuple[int, ...]]]:
    """Disjoint groups of `rows`, each with the templates that may match it; one step a node, not a row."""
    if not len(rows):
        return
    if not node.children or node.depth >= WINDOW:
        yield rows, carried + node.below
        return
    unclear = found.is_short[rows] & (found.length[rows] <= node.depth)
    if unclear.any():
        yield rows[unclear], carried + node.below
        rows = rows[~unclear]
    column = found.column(rows, node.depth)
    carried = carried + node.ended
    rest = np.ones(len(rows), np.bool_)
    for byte, child in node.children.items():
        here = column == byte
        if here.any():
            rest &= ~here
            yield from route_messages(child, found, rows[here], carried)
    if carried and rest.any():
        yield rows[rest], carried
