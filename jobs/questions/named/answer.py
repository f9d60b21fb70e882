"""What a question is answered with, as people read it and as programs do."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from jobs.layout import wrap_text
from jobs.questions.findings_out import iso_or_value
from jobs.questions.several_clusters import cluster_document
from jobs.text import logs_in, printable_lines, shorten_line
from pipeline.core.clocks import day_clock
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.log_folder import folder_of
from pipeline.views.reading.rows import Place, Row, place_of_row

WIDTH = 200
HANG = 6
SHOWN_LINES = 2  # of one thing told; JSON has all


@dataclass(frozen=True)
class AnswerItem:
    """One thing of an answer. evidence: places of the records that say so; values: the same for programs, by name.
    is_minor: people are told that there are such, and read them with --all. shown_lines: so many records people see."""

    text: str
    at: datetime | None = None
    certainty: str | None = None
    evidence: Sequence[Row] = ()
    values: Row = field(default_factory=dict)
    is_minor: bool = False
    shown_lines: int = SHOWN_LINES


@dataclass(frozen=True)
class Answer:
    """sentence: the answer. not_known: what the logs do not tell of it. as_of: the end of the data, which the answer
    rests on; None: no record has a time."""

    sentence: str
    told: Sequence[AnswerItem] = ()
    not_known: Sequence[str] = ()
    as_of: datetime | None = None


@dataclass(frozen=True)
class Answered:
    """An answer of one cluster, by place its records (path, line, raw), and the folder that all its logs lie in.

    listing: the lines of a question that is answered so, and nothing else is printed then; document: the same for
    programs, its JSON or else its text.
    """

    cluster_id: str
    question: str
    answer: Answer
    lines: Mapping[Place, Row] = field(default_factory=dict)
    folder: str = ""
    listing: Sequence[str] | None = None
    document: Any = None


def with_evidence_lines(answers: Answers, question: str, answer: Answer) -> Answered:
    places = [place for one in answer.told for place in one.evidence]
    lines = answers.lines(places) if places else {}
    folder = folder_of(answers.segments["path"]) if lines else ""
    return Answered(answers.cluster_id, question, answer, lines, folder)


def listing_answered(
    answers: Answers, question: str, lines: Sequence[str], notes: Sequence[str], *, is_json: bool
) -> Answered:
    """A question that is answered in lines. is_json: they are a JSON document. notes: what is not known of it."""
    document = cluster_document(answers.cluster_id, lines) if is_json else "\n".join(lines)
    answer = Answer("", (), notes, answers.last_at())
    return Answered(answers.cluster_id, question, answer, listing=lines, document=document)


def answer_lines(found: Answered) -> list[str]:
    """As people read it."""
    answer = found.answer
    if found.listing is not None:
        return [*found.listing, *not_known_lines(answer)]
    until = f"  (data to {day_clock(answer.as_of)} UTC)" if answer.as_of else ""
    lines = wrap_text(f"{found.cluster_id}  {found.question}{until}")
    lines += wrap_text(shorten_line(answer.sentence, 1000), 2)
    lines += logs_in(found.folder, "  ")
    for one in answer.told:
        if one.is_minor:
            continue
        at = f"{day_clock(one.at)}  " if one.at else ""
        sure = f"  [{one.certainty}]" if one.certainty not in (None, "proved") else ""
        lines += wrap_text(f"  {at}{shorten_line(one.text, 600)}{sure}", HANG)
        lines += item_record_lines(one, found.lines)
    minor = sum(one.is_minor for one in answer.told)
    lines += [f"  {minor:,} more that matter less: --all"] if minor else []
    return [*lines, *not_known_lines(answer)]


def not_known_lines(answer: Answer) -> list[str]:
    return [line for one in answer.not_known for line in wrap_text(f"  not known: {one}", HANG)]


def item_record_lines(item: AnswerItem, lines_of: Mapping[Place, Row]) -> list[str]:
    """The first records of a thing that is told; how many more there are."""
    lines = []
    for place in item.evidence[: item.shown_lines]:
        found = lines_of.get(place_of_row(place))
        if found is not None:
            lines.append(f"      {shorten_line(found['near'], 1000)}:{found['line']}")
            text = next(iter(printable_lines(bytes(found["raw"] or b""), width=WIDTH)), "")
            lines += [f"        {text}"] if text else []
    more = len(item.evidence) - item.shown_lines
    return [*lines, f"      {more} more: --format json"] if more > 0 else lines


def answers_json(found: Iterable[Answered]) -> str:
    return json.dumps([answer_row(one) for one in found], indent=1, ensure_ascii=False)


def answer_row(found: Answered) -> Row:
    """Times in ISO 8601, UTC; lines: every record that says it, its bytes as text; beside them the values of each thing
    told. answer: a sentence, or the document of a question that is answered in lines."""
    answer = found.answer
    return {
        "cluster_id": found.cluster_id,
        "question": found.question,
        "as_of": iso_time(answer.as_of),
        "answer": answer.sentence if found.listing is None else found.document,
        "told": [
            {
                "at": iso_time(one.at),
                "text": one.text,
                "certainty": one.certainty,
                "lines": [line for place in one.evidence if (line := line_row(place, found.lines))],
            }
            | {name: iso_or_value(value) for name, value in one.values.items()}
            for one in answer.told
        ],
        "not_known": list(answer.not_known),
    }


def line_row(place: Row, lines_of: Mapping[Place, Row]) -> Row | None:
    found = lines_of.get(place_of_row(place))
    if found is None:
        return None
    text = None if found["raw"] is None else bytes(found["raw"]).decode("utf-8", "replace").rstrip("\n")
    return {"path": found["path"], "line": found["line"], "text": text}


def iso_time(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(UTC).isoformat(timespec="milliseconds")
