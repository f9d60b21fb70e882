"""What a page holds, as a browser parses it: elements with their attributes, texts and places."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "input", "br"}


@dataclass
class Node:
    name: str
    attributes: dict[str, str | None]
    children: list["Node | str"] = field(default_factory=list)

    def all(self, name: str, **wanted: str) -> list["Node"]:
        """Those below it of the name, with these words among their attributes'."""
        found = []
        for one in self.children:
            if isinstance(one, Node):
                if one.name == name and all(
                    value in (one.attributes.get(key.rstrip("_")) or "").split()
                    for key, value in wanted.items()
                ):
                    found.append(one)
                found += one.all(name, **wanted)
        return found

    @property
    def text(self) -> str:
        return "".join(one if isinstance(one, str) else one.text for one in self.children)


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, dict(attrs))
        assert len(node.attributes) == len(attrs), f"an attribute twice: {attrs}"
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Node(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].name == tag, f"</{tag}> ends <{self.open[-1].name}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read(page: str) -> Node:
    """AssertionError: an element is not ended, or another one is."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == [reader.root], [one.name for one in reader.open]
    return reader.root
