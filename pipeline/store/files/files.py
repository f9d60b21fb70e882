"""Few small file operations on URIs, whoever does them."""

from typing import Protocol


class ReadableFiles(Protocol):
    """What readers need."""

    def exists(self, uri: str) -> bool: ...

    def names(self, uri: str) -> list[str]:
        """Names in a folder, sorted; none where there is no such folder."""

    def text(self, uri: str) -> str | None:
        """Content of a small file; None if it is gone."""


class Files(ReadableFiles, Protocol):
    """What runs need."""

    def qualified(self, uri: str) -> str:
        """The path from the root of its file system: Delta takes no relative one. Local paths stay without scheme."""

    def create(self, uri: str, text: str) -> bool:
        """Writes a new file; False if one is there already. Atomic: of several callers one passes."""

    def replace(self, uri: str, text: str) -> None:
        """Writes a file, new or not."""

    def modified_ms(self, uri: str) -> int | None:
        """When a file was last written, by the clock of the store; None if it is gone."""

    def size_bytes(self, uri: str) -> int:
        """Bytes of all files below a folder."""

    def rename(self, uri: str, to: str) -> None:
        """A folder under another name; nothing where it is not there."""

    def delete(self, uri: str, *, with_content: bool = True) -> None:
        """Without its content an empty folder only: one that is filled meanwhile stays."""
