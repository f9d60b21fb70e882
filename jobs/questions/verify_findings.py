"""The verify command: proves every published finding again from the stored bytes of its records."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC

from jobs.argument_types import on_format
from jobs.engine.run.outcome import report_problem, worst_exit_code
from jobs.layout import wrap_text
from jobs.questions.ask import all_answers, question_parser, require_tables
from jobs.questions.catalog import FORMATS
from jobs.questions.print_schema import on_schema
from jobs.terminal import print_lines
from jobs.text import shorten_line
from pipeline.core.errors import NotConfirmed, PipelineError
from pipeline.rules.proving.proof import CONFIRMED, NOT_CONFIRMED, UNDECIDED, Claim, Record
from pipeline.rules.verified import verify_claim
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Place, Row

TIME = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?:(\.\d{3})\d{3})?\+00:00")
OUTCOMES = (CONFIRMED, NOT_CONFIRMED, UNDECIDED)


def main(argv: Sequence[str] | None = None) -> int:
    arguments = question_parser("verify", "Whether the lines of each finding say what it says.")
    on_format(arguments, FORMATS)
    on_schema(arguments, "verify")
    given = arguments.parse_args(argv)
    try:
        found = all_answers(given.warehouse, given.cluster, given.run_id)
    except PipelineError as problem:
        return report_problem("verify", problem)
    rows: list[Row] | None = None if given.format == "text" else []
    code = worst_exit_code([verify_cluster(one, place, rows) for place, one in enumerate(found)])
    if given.format == "json":
        print(json.dumps(rows, indent=1), flush=True)
    elif rows is not None:
        print("".join(f"{json.dumps(one)}\n" for one in rows), end="", flush=True)
    return code


def verify_cluster(answers: Answers, place: int, told: list[Row] | None) -> int:
    """Of one cluster, the place of which among them tells whether others stand before it; exit code. told: takes what
    programs are told; None: it is printed for people."""
    try:
        require_tables(answers, "gold.finding")
        findings = answers.findings()
        places = [one for row in findings for one in row["evidence"]]
        records = answers.records(places)
        lines, counts = verification_report(findings, records)
        if told is None:
            print_lines([*([""] if place else []), answers.cluster_id, *lines])
        else:
            told += [{"cluster_id": answers.cluster_id} | one for one in verified_rows(findings, records)]
        require_confirmed(counts)
    except PipelineError as problem:
        return report_problem("verify", problem)
    return 0


def verification_report(
    findings: Sequence[Row], records: Mapping[Place, Row]
) -> tuple[list[str], Mapping[str, int]]:
    """A line per finding, with its number on the screen, and the total; how many findings by outcome."""
    lines = []
    rows = verified_rows(findings, records)
    counts = Counter(dict.fromkeys(OUTCOMES, 0) | Counter(one["outcome"] for one in rows))
    for one in rows:
        named = f"F{one['number']} {one['finding_id']}"
        lines += wrap_text(f"{named}  {one['rule']}  {one['outcome']}: {shorten_line(one['sentence'], 1000)}")
    total = ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES)
    return [*lines, f"FINDINGS  {len(findings)}: {total}"], counts


def verified_rows(findings: Sequence[Row], records: Mapping[Place, Row]) -> list[Row]:
    """A finding each: its number on the screen, and what its records say of it."""
    rows = []
    for number, finding in enumerate(findings, 1):
        outcome, sentence = verify_claim(finding_claim(finding), evidence_records(finding, records))
        named = {"number": number, "finding_id": finding["finding_id"], "rule": finding["rule"]}
        rows.append(named | {"outcome": outcome, "sentence": TIME.sub(r"\1\2 UTC", sentence)})
    return rows


def finding_claim(finding: Row) -> Claim:
    """Its rule, its facts and its interval in UTC; what its sentence says is for people."""
    since, until = (at and at.astimezone(UTC) for at in (finding["valid_from_at"], finding["valid_until_at"]))
    return Claim(finding["rule"], finding["facts"], since, until)


def evidence_records(finding: Row, records: Mapping[Place, Row]) -> list[Record]:
    """Its records in order; one that is stored no more has no bytes."""
    found = []
    for place in finding["evidence"]:
        file_id, byte_offset = place["file_id"], place["byte_offset"]
        row = records.get((file_id, byte_offset), {"path": None, "node_id": None, "zone": "UTC", "raw": None})
        raw = None if row["raw"] is None else bytes(row["raw"])
        found.append(Record(row["path"] or file_id, byte_offset, row["node_id"], row["zone"] or "UTC", raw))
    return found


def require_confirmed(counts: Mapping[str, int]) -> None:
    """NotConfirmed: a finding says what its records do not say."""
    if counts[NOT_CONFIRMED]:
        raise NotConfirmed(
            expected="every finding confirmed by its records",
            found=f"{counts[NOT_CONFIRMED]} not confirmed",
            todo="look at them with 'show F1', and report them: this is a fault of the program",
        )
