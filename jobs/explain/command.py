"""`kafka-controller-audit explain`: what a log line means, from the command line, stdin or a file; without Spark."""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence

from jobs.explain.folding import fold_like_records
from jobs.explain.metadata import (
    metadata_record_data,
    metadata_record_lines,
    pasted_metadata_records,
)
from jobs.explain.record_in_file import offset_of_line, record_at
from jobs.explain.text import as_data, explanation_lines
from jobs.moments import parse_zone_name
from jobs.parser import Parser
from jobs.text import printable_line, printable_lines, shorten_line
from pipeline.core.errors import InputProblem, PipelineError
from pipeline.kafka.explaining.explanation import explain_record
from pipeline.kafka.metadata_log.segment import MetadataRecord
from pipeline.kafka.reading.pasted import Pasted, read_pasted_text

STDIN = "-"
LARGEST_PASTE_BYTES = 64 << 20
SHOWN = 20
NARROWEST, WIDEST = 60, 120


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0 whenever there is an answer, also that a line is not understood; else as in EXIT_CODES."""
    given = explain_parser().parse_args(argv)
    try:
        data = b"" if given.file is not None else pasted_bytes(given)
        if records := pasted_metadata_records(data):
            print(metadata_explanations(records, is_json=given.json), flush=True)
            return 0
        found = read_pasted_records(given, data)
        print(
            explanations_as_json(found, given.zone) if given.json else explanations_as_text(found, given),
            flush=True,
        )
    except BrokenPipeError:  # head has seen enough; Python would complain once more when it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except PipelineError as problem:
        print(printable_line(f"explain: {problem}"), file=sys.stderr)
        return problem.exit_code
    return 0


def explain_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="kafka-controller-audit explain",
        description="What a line of Kafka's controller.log, state-change.log or server.log means.",
    )
    parser.add_argument(
        "line", nargs="?", metavar="LINE", help="the line, in any envelope or none; without it from stdin"
    )
    parser.add_argument("--file", metavar="FILE", help="a log file instead, also .gz or .zst, or a URI")
    place = parser.add_mutually_exclusive_group()
    place.add_argument(
        "--offset", type=parse_natural_number, metavar="N", help="byte in the uncompressed file, from 0"
    )
    place.add_argument(
        "--line", dest="number", type=parse_line_number, metavar="N", help="line in the file, from 1"
    )
    parser.add_argument(
        "--zone", type=parse_zone_name, metavar="AREA/CITY", help="zone of the line's time (unknown)"
    )
    parser.add_argument("--json", action="store_true", help="for programs: a list, one object a record")
    return parser


def pasted_bytes(given: argparse.Namespace) -> bytes:
    """What is given in place of a file."""
    if given.offset is not None or given.number is not None:
        explain_parser().error("--file goes with --offset or --line, and without LINE")
    return os.fsencode(given.line) if given.line not in (None, STDIN) else from_stdin()


def metadata_explanations(records: Sequence[MetadataRecord], *, is_json: bool) -> str:
    """Records of the metadata log, the first SHOWN of them."""
    if is_json:
        return json.dumps([metadata_record_data(one) for one in records], indent=2)
    width = answer_width()
    lines = []
    for one in records[:SHOWN]:
        lines += [*map(printable_line, metadata_record_lines(one, width)), ""]
    if len(records) > SHOWN:
        lines += [f"{len(records) - SHOWN} more records; 'metadata -' tells them all", ""]
    return "\n".join(lines[:-1])


def answer_width() -> int:
    return min(max(shutil.get_terminal_size((100, 24)).columns, NARROWEST), WIDEST)


def read_pasted_records(given: argparse.Namespace, data: bytes) -> Pasted:
    """The records to explain. InputProblem: there is nothing, too much, or the file does not have it."""
    has_place = given.offset is not None or given.number is not None
    if given.file is not None and given.line is None and has_place:
        at = given.offset if given.number is None else offset_of_line(given.file, given.number)
        return record_at(given.file, at, given.zone)
    if given.file is not None:
        explain_parser().error("--file goes with --offset or --line, and without LINE")
    if not data.strip():
        raise InputProblem(
            expected="a log line",
            found="nothing",
            todo="give it in quotes, on stdin, or with --file and --line",
        )
    return read_pasted_text(data, given.zone)


def from_stdin() -> bytes:
    data = sys.stdin.buffer.read(LARGEST_PASTE_BYTES + 1)
    if len(data) > LARGEST_PASTE_BYTES:
        raise InputProblem(
            expected=f"some lines, {LARGEST_PASTE_BYTES >> 20} MiB at most",
            found="more on stdin",
            todo="name the file with --file and the place with --offset or --line",
        )
    return data


def explanations_as_json(found: Pasted, zone: str | None) -> str:
    """A list with one object for each record; characters that could act on a terminal are escaped."""
    return json.dumps([as_data(explain_record(one), found, zone) for one in found.records], indent=2)


def explanations_as_text(found: Pasted, given: argparse.Namespace) -> str:
    """The records in words, those of the same words as one; one out of a file with its lines before it."""
    width = answer_width()
    lines = [f"left out: {shorten_line(found.left_out, width)}", ""] if found.left_out else []
    answers, left = fold_like_records(found.records, SHOWN)
    for one in answers:
        raw = one.told.raw
        lines += [*printable_lines(raw), ""] if given.file is not None and raw else []
        lines += [*explanation_lines(one, given.zone, width), ""]
    if left:
        lines += [f"{left} more records; --json explains them all", ""]
    return "\n".join(lines[:-1])


def parse_natural_number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"expected a number, found {shorten_line(text, 80)!r}")
    return int(text)


def parse_line_number(text: str) -> int:
    if parse_natural_number(text) < 1:
        raise argparse.ArgumentTypeError("expected a line from 1 on, found 0")
    return parse_natural_number(text)


if __name__ == "__main__":
    sys.exit(main())
