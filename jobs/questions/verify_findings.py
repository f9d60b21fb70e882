"""The verify command: proves every published finding again from the stored bytes of its records."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC

from jobs.engine.run.outcome import report_problem, worst_exit_code
from jobs.layout import wrap_text
from jobs.questions.ask import all_answers, question_parser, require_tables
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
    given = question_parser("verify", "Whether the lines of each finding say what it says.").parse_args(argv)
    try:
        found = all_answers(given.warehouse, given.cluster, given.run_id)
    except PipelineError as problem:
        return report_problem("verify", problem)
    return worst_exit_code([verify_cluster(one, place) for place, one in enumerate(found)])


def verify_cluster(answers: Answers, place: int) -> int:
    """Of one cluster, the place of which among them tells whether others stand before it; exit code."""
    try:
        require_tables(answers, "gold.finding")
        findings = answers.findings()
        places = [one for row in findings for one in row["evidence"]]
        lines, counts = verification_report(findings, answers.records(places))
        print_lines([*([""] if place else []), answers.cluster_id, *lines])
        require_confirmed(counts)
    except PipelineError as problem:
        return report_problem("verify", problem)
    return 0


def verification_report(
    findings: Sequence[Row], records: Mapping[Place, Row]
) -> tuple[list[str], Mapping[str, int]]:
    """A line per finding, with its number on the screen, and the total; how many findings by outcome."""
    lines = []
    counts = Counter(dict.fromkeys(OUTCOMES, 0))
    for number, finding in enumerate(findings, 1):
        outcome, sentence = verify_claim(finding_claim(finding), evidence_records(finding, records))
        counts[outcome] += 1
        named = f"F{number} {finding['finding_id']}"
        as_read = TIME.sub(r"\1\2 UTC", sentence)
        told = f"{named}  {finding['rule']}  {outcome}: {shorten_line(as_read, 1000)}"
        lines += wrap_text(told)
    total = ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES)
    return [*lines, f"FINDINGS  {len(findings)}: {total}"], counts


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
