"""What CommonMark has in a page, as markdown-it-py reads it, which is loaded for whole pages alone."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode as Node

PAGE = ".md"  # beside this one: its name is enough to find it


def parse_markdown(text: str) -> "Node":
    """HTML is text as all else is."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 50 ms, which no finding's one sentence needs
    from markdown_it.tree import SyntaxTreeNode  # noqa: PLC0415  (loaded where a page is made)

    return SyntaxTreeNode(MarkdownIt("commonmark", {"html": False}).parse(text))


def plain_markdown(node: "Node") -> str:
    """Without what marks its parts; each line of its source is one."""
    if node.type == "softbreak":
        return "\n"
    if node.type == "code_inline":
        return quote_code(node.content)
    if not node.children:
        return node.content
    return "".join(map(plain_markdown, node.children)) + link_target(node)


def quote_code(code: str) -> str:
    """Code of several words stands in quotes, as it has no other bounds."""
    return f"'{code}'" if " " in code and "'" not in code else code


def code_lines(fence: "Node") -> list[str]:
    return fence.content.removesuffix("\n").split("\n")


def link_target(node: "Node") -> str:
    """Where a link goes, behind what it is called."""
    goes_to = str(node.attrs.get("href", PAGE))
    return "" if goes_to.endswith(PAGE) else f" ({goes_to})"
