"""How numbers, times and tables stand on a terminal."""

from collections.abc import Sequence
from datetime import UTC, datetime


def clock(moment: datetime) -> str:
    """Time of day in UTC with milliseconds."""
    return moment.astimezone(UTC).strftime("%H:%M:%S.%f")[:-3]


def day_clock(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


def human_bytes(count: int | None) -> str:
    size = float(count or 0)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def ratio_text(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.3f}"


def shortened(text: str, width: int) -> str:
    """The text as one printable line: control characters, which could act on a terminal, are shown as dots."""
    printable = "".join(one if one.isprintable() else "·" for one in text)
    return printable if len(printable) <= width else f"{printable[: width - 1]}…"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns as wide as their longest cell."""
    widths = [max(len(one) for one in column) for column in zip(head, *rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in (head, *rows)]
