"""Tables of facts: text with tabs between columns, read by a declared header."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.core.errors import SettingsError


@dataclass(frozen=True)
class Column:
    """One column of a table. accepted: the values that may stand in it; empty where any text may."""

    name: str
    meaning: str
    accepted: frozenset[str] = frozenset()


def parse_tsv_rows(name: str, text: str, columns: Sequence[Column]) -> list[dict[str, str]]:
    """The rows by name of column; nothing is quoted, blanks are kept, empty lines are passed over.

    SettingsError with the file and the line: another header, another number of columns, a value that may not stand
    there.
    """
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line]
    names = [one.name for one in columns]
    _, header = lines[0] if lines else (1, "")
    if header.split("\t") != names:
        raise tsv_row_error(name, 1, f"the columns {', '.join(names)}", header.replace("\t", ", "))
    return list(checked_tsv_rows(name, lines[1:], columns))


def checked_tsv_rows(
    name: str, lines: Sequence[tuple[int, str]], columns: Sequence[Column]
) -> Iterator[dict[str, str]]:
    for number, line in lines:
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise tsv_row_error(name, number, f"{len(columns)} columns", f"{len(cells)} in '{line[:80]}'")
        for column, cell in zip(columns, cells, strict=True):
            if column.accepted and cell not in column.accepted:
                wanted = ", ".join(repr(one) for one in sorted(column.accepted))
                raise tsv_row_error(name, number, f"{column.name} to be one of {wanted}", repr(cell))
        yield dict(zip((one.name for one in columns), cells, strict=True))


def tsv_row_error(name: str, number: int, expected: str, found: str) -> SettingsError:
    return SettingsError(expected=f"{expected} in {name}:{number}", found=found, todo="mend the row")
