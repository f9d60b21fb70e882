"""Elements of HTML and SVG: all text is escaped and bounded, so that nothing that a log says becomes markup."""

from collections.abc import Iterable, Sequence

from jobs.text import html_text, shorten_line

MOST = 2000  # characters of a text
VOID = frozenset({"meta", "input", "br", "line", "rect", "path"})
Value = str | int | float | None


class Markup(str):
    """What stands in a page as it is: made here alone."""

    __slots__ = ()


def html_element(name: str, /, *content: str, **attributes: Value) -> Markup:
    """content: Markup, or text. An attribute's name ends with _ where Python has a word of it, and has _ for -; without
    a value it is left out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped_html_text(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID and not content:
        return Markup(f"<{name}{given}/>" if name in ("line", "rect", "path") else f"<{name}{given}>")
    return Markup(f"<{name}{given}>{join_markup(content)}</{name}>")


def escaped_html_text(given: str) -> str:
    return html_text(shorten_line(given, MOST))


def join_markup(parts: Iterable[str], between: str = "") -> Markup:
    return Markup(
        escaped_html_text(between).join(
            one if isinstance(one, Markup) else escaped_html_text(one) for one in parts
        )
    )


def lines_joined(lines: Sequence[str]) -> Markup:
    """Lines below each other, for <pre>."""
    return Markup("\n".join(map(escaped_html_text, lines)))


def html_list(items: Sequence[str], class_: str | None = None) -> Markup:
    return html_element("ul", *(html_element("li", one) for one in items), class_=class_)


def linked_heading(title: str, anchor: str) -> Markup:
    """With a link to itself, to be copied."""
    return html_element(
        "h2", title, html_element("a", href=f"#{anchor}", class_="self", aria_label=f"link to: {title}")
    )


class Room:
    """How many bytes a part of the page may still take."""

    def __init__(self, left: int) -> None:
        self.left = left

    def takes(self, markup: Markup) -> bool:
        """True, and they are taken, if they fit; from the first that does not on nothing does."""
        size = len(markup.encode())
        self.left = self.left - size if size <= self.left else 0
        return bool(self.left)
