"""Proves every published finding again from the stored bytes of its records."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC

from pyspark.sql import functions as F

from jobs.answers import Answers, Row
from jobs.ask import asking, published_answers, require
from jobs.outcome import said
from jobs.proof import CONFIRMED, NOT_CONFIRMED, UNDECIDED, Claim, Record
from jobs.text import printable, shortened
from jobs.verifying import verified
from pipeline.core.errors import NotConfirmed, PipelineError
from pipeline.store.rows import collect_rows

OUTCOMES = (CONFIRMED, NOT_CONFIRMED, UNDECIDED)


def main(argv: Sequence[str] | None = None) -> int:
    given = asking("verify", "Whether the lines of each finding say what it says.").parse_args(argv)
    try:
        answers = published_answers(given.warehouse, given.cluster, given.run_id)
        require(answers, "gold.finding")
        findings = answers.findings()
        places = [one for row in findings for one in row["evidence"]]
        lines, counts = report(findings, records(answers, places))
        print("\n".join(map(printable, lines)), flush=True)
        require_confirmed(counts)
    except PipelineError as problem:
        return said("verify", problem)
    return 0


def records(answers: Answers, places: Sequence[Row]) -> dict[tuple[str, int], Row]:
    """By (file_id, byte_offset): path, node_id, zone of local times, raw bytes. Costs a look at these files."""
    if not places:
        return {}
    wanted = sorted({(one["file_id"], int(one["byte_offset"])) for one in places})
    asked = answers.store.spark.createDataFrame(wanted, "file_id string, byte_offset long")
    files = (
        answers.table("bronze.source_file")
        .groupBy("file_id")
        .agg(*(F.max_by(name, "load_seq").alias(name) for name in ("path", "zone")))
    )
    found = (
        answers.table("bronze.log_record")
        .where(F.col("file_id").isin(sorted({file_id for file_id, _ in wanted})))
        .where(F.col("byte_offset").isin(sorted({byte_offset for _, byte_offset in wanted})))
        .select("file_id", "byte_offset", "node_id", "raw")
        .join(F.broadcast(asked), on=["file_id", "byte_offset"], how="left_semi")
        .join(F.broadcast(files), on="file_id", how="left")
    )
    return {(row["file_id"], row["byte_offset"]): row for row in collect_rows(found)}


def report(
    findings: Sequence[Row], records: Mapping[tuple[str, int], Row]
) -> tuple[list[str], Mapping[str, int]]:
    """A line per finding and the total; how many findings by outcome."""
    lines = []
    counts = Counter(dict.fromkeys(OUTCOMES, 0))
    for finding in findings:
        outcome, sentence = verified(claim(finding), evidence(finding, records))
        counts[outcome] += 1
        lines.append(f"{finding['finding_id']}  {finding['rule']}  {outcome}: {shortened(sentence, 1000)}")
    total = ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES)
    return [*lines, f"FINDINGS  {len(findings)}: {total}"], counts


def claim(finding: Row) -> Claim:
    """The row with its times in UTC."""
    times = {name: finding[name] for name in ("valid_from_at", "valid_until_at")}
    return finding | {name: at and at.astimezone(UTC) for name, at in times.items()}


def evidence(finding: Row, records: Mapping[tuple[str, int], Row]) -> list[Record]:
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
            todo="look at them with 'show FINDING_ID', and report them: this is a fault of the program",
        )
