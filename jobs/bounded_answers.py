"""Answers of a bounded size, for assistants: a page of rows, and where the next one begins."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from jobs.text import shorten_line
from pipeline.core.errors import InputProblem

MOST = 8_000  # characters of an answer
SHOWN_LINES, LINE_WIDTH, TEXT_WIDTH = 2, 300, 600
SHOWN_ITEMS = 20
LISTED_WIDTH, HEADS_WIDTH = MOST * 3 // 4, MOST // 5
Document = dict[str, Any]


def answer_page(rows: Sequence[Document], cursor: int | None, apart: Document | None = None) -> str:
    """JSON: `rows` from the cursor on, as many as have room, `count` of all, and `next_cursor` where more follow.
    apart: what stands beside the rows on each page. InputProblem: there is no such cursor."""
    begin = cursor or 0
    if begin < 0 or begin > len(rows):
        raise InputProblem(
            expected=f"a cursor of 0 to {len(rows)}",
            found=str(begin),
            todo="take next_cursor of the page before",
        )
    shown: list[Document] = []
    for row in map(short_row, rows[begin:]):
        if shown and len(page_text(rows, begin, [*shown, row], apart)) > MOST:
            break
        shown.append(row)
    return page_text(rows, begin, shown, apart)


def short_row(row: Document) -> Document:
    """The row, or where it is too long alone the begin of its text."""
    text = json.dumps(row, ensure_ascii=False)
    return (
        row if len(text) <= LISTED_WIDTH else {"is_cut": True, "text": shorten_line(text, LISTED_WIDTH // 2)}
    )


def page_text(rows: Sequence[Document], begin: int, shown: Sequence[Document], apart: Document | None) -> str:
    end = begin + len(shown)
    more = {"next_cursor": end} if end < len(rows) else {}
    return json.dumps({**(apart or {}), "count": len(rows), **more, "rows": shown}, ensure_ascii=False)


def bounded_row(row: Mapping[str, Any]) -> Document:
    """What is known of a row, its texts and its lists of lines within bounds; how many lines there are more."""
    found: Document = {}
    for name, value in row.items():
        if value is None or value in ([], {}):
            continue
        if name in ("lines", "evidence"):
            found[name] = [bounded_row(one) for one in value[:SHOWN_LINES]]
            found |= {f"more_{name}": len(value) - SHOWN_LINES} if len(value) > SHOWN_LINES else {}
        else:
            width = LINE_WIDTH if name == "text" and "path" in row else TEXT_WIDTH
            found[name] = shorten_line(value, width) if isinstance(value, str) else value
    return found


def bounded_value(value: Any) -> Any:
    """The same with every text and list in it within bounds, however deep; of a list how many there are more."""
    if isinstance(value, str):
        return shorten_line(value, LINE_WIDTH)
    if isinstance(value, Mapping):
        return {name: bounded_value(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        more = [f"{len(value) - SHOWN_ITEMS} more"] if len(value) > SHOWN_ITEMS else []
        return [*map(bounded_value, value[:SHOWN_ITEMS]), *more]
    return value


def answer_pages(answers: Sequence[Mapping[str, Any]], cursor: int | None) -> str:
    """Answers to a question, of each cluster its sentence on each page, and of all what they tell as rows; of so many
    clusters that the sentences take a page they are the first rows."""
    several = len(answers) > 1
    rows = [
        ({"cluster_id": one["cluster_id"]} if several else {}) | bounded_row(told)
        for one in answers
        for told in rows_of_answer(one)
    ]
    heads = [head_of(one) for one in answers]
    if len(json.dumps(heads, ensure_ascii=False)) > HEADS_WIDTH:
        return answer_page([*map(bounded_row, heads), *rows], cursor)
    return answer_page(rows, cursor, {"answers": heads})


def rows_of_answer(answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What an answer tells; of one that is a document of rows, or lines, these."""
    if answer["told"]:
        return list(answer["told"])
    document = answer["answer"]
    if isinstance(document, list):
        return [one if isinstance(one, dict) else {"line": one} for one in document]
    if isinstance(document, dict):
        return [
            {name: one}
            for name, value in document.items()
            for one in (value if isinstance(value, list) else [value])
        ]
    return [{"line": one} for one in document.split("\n")] if "\n" in document else []


def head_of(answer: Mapping[str, Any]) -> Document:
    said = answer["answer"]
    is_sentence = isinstance(said, str) and "\n" not in said
    head = {name: value for name, value in answer.items() if name not in ("told", "answer") and value}
    return head | ({"answer": said} if is_sentence else {})
