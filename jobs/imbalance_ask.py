"""Each broker's leader imbalance at a time and over the period, from what was published; with another limit, too."""

import argparse
import csv
import io
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import Column
from pyspark.sql import functions as F

from jobs.answers import Answers, Row
from jobs.ask import answered, asking, moment_or_clock, moment_within, require
from jobs.ask_text import limit_notes
from jobs.text import csv_cell, day_clock, ratio_text, table
from pipeline.core.errors import InputProblem
from pipeline.store.rows import collect_rows

SLICES = 32
BARS = "▁▂▃▄▅▆▇█"
OPTIONS = ("--at", "--broker", "--threshold", "--format", "--output")
COLUMNS = (
    "broker_id", "at", "leads", "preferred_count", "led_elsewhere_count", "imbalance_ratio", "threshold_ratio",
    "limit_source", "is_breach", "seconds_over", "certainty",
)  # fmt: skip


def is_question(argv: Sequence[str]) -> bool:
    """Whether these arguments of the imbalance job ask for what was published, and not for a run."""
    return any(one.partition("=")[0] in OPTIONS for one in argv)


def main(argv: Sequence[str]) -> int:
    """Exit code as in pipeline.core.errors.EXIT_CODES."""
    arguments = asking("imbalance", "Each broker's leader imbalance, from what was published.")
    arguments.add_argument("--at", type=moment_or_clock, metavar="TIME", help="UTC (the end of the data)")
    arguments.add_argument("--broker", type=int, metavar="N", help="one broker (all)")
    arguments.add_argument(
        "--threshold",
        type=percentage,
        metavar="PERCENT",
        help="what if the limit were so (that of the settings)",
    )
    arguments.add_argument("--format", choices=("text", "json", "csv", "parquet"), default="text")
    arguments.add_argument("--output", metavar="FILE", help="where --format parquet goes")
    given = arguments.parse_args(list(argv))
    if (given.format == "parquet") != (given.output is not None):
        arguments.error("--format parquet and --output FILE go together")
    return answered("imbalance", given, partial(imbalance, given))


def percentage(text: str) -> float:
    """5 is five percent. As Kafka does: any number from 0 on."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a percentage such as 5, found {text[:40]!r}")
    return number


def imbalance(given: argparse.Namespace, answers: Answers) -> list[str]:
    require(answers, "gold.leader_imbalance")
    read = answers.read()
    first, last = read["first_at"].astimezone(UTC), read["last_at"].astimezone(UTC)
    at = moment_within(given.at, first, last)
    rows = brokers_at(answers, at, last, given.threshold, given.broker)
    if given.format == "json":
        return json.dumps(
            [{name: plain(row[name]) for name in COLUMNS} for row in rows], indent=2
        ).splitlines()
    if given.format == "csv":
        return csv_lines(rows)
    if given.format == "parquet":
        columns = [{name: row[name] for name in COLUMNS} for row in rows]
        pq.write_table(pa.Table.from_pylist(columns), Path(given.output))
        return [f"{given.output}  {len(rows)} brokers"]
    period = f"ratio over {day_clock(first)} to {day_clock(last)}"
    return [
        f"{answers.store.cluster_id}  at {day_clock(at or last)} UTC",
        *text_table(rows, drawn_by_broker(answers, first, last)),
        f"  {period}",
    ]


def brokers_at(
    answers: Answers, at: datetime | None, last: datetime, percent: float | None, broker_id: int | None
) -> list[Row]:
    """Columns COLUMNS. seconds_over: how long of the whole period the ratio was over the limit."""
    rows = [
        row
        for row in answers.brokers(None if at is None else F.lit(at))
        if broker_id in (None, row["broker_id"])
    ]
    if broker_id is not None and not rows:
        raise InputProblem(
            expected=f"a broker {broker_id} that leads or is preferred leader then",
            found="none in the logs read",
            todo="leave --broker out to see all",
        )
    limit = F.col("threshold_ratio") if percent is None else F.lit(percent / 100)
    over = seconds_over(answers, limit, last)
    for row in rows:
        row["at"] = at or last
        row.setdefault("limit_source", None)
        row["seconds_over"] = over.get(row["broker_id"])
        if percent is not None:
            row["limit_source"] = None if row["threshold_ratio"] is None else "asked"
            row["threshold_ratio"] = percent / 100
            row["is_breach"] = (
                None if row["imbalance_ratio"] is None else row["imbalance_ratio"] > percent / 100
            )
    return rows


def seconds_over(answers: Answers, limit: Column, last: datetime) -> dict[int, float]:
    end = F.greatest(F.coalesce("valid_until_at", F.lit(last)), F.col("valid_from_at"))
    lasted = (F.unix_micros(end) - F.unix_micros("valid_from_at")) / 1e6
    intervals = answers.table("gold.leader_imbalance").where(limit.isNotNull())
    over = intervals.groupBy("broker_id").agg(
        F.sum(F.when(F.col("imbalance_ratio") > limit, lasted).otherwise(0.0)).alias("seconds")
    )
    return {row["broker_id"]: float(row["seconds"]) for row in collect_rows(over)}


def drawn_by_broker(answers: Answers, first: datetime, last: datetime) -> dict[int, str]:
    """Per broker a bar for the highest ratio in each of SLICES equal parts of the period, blank where it has none."""
    begin, length = F.unix_micros(F.lit(first)), max(1, int((last - first).total_seconds() * 1e6))

    def place(moment: Column) -> Column:
        slices = F.floor((F.unix_micros(moment) - begin) * SLICES / length)
        return F.least(F.greatest(slices, F.lit(0)), F.lit(SLICES - 1))

    until = F.coalesce("valid_until_at", F.lit(last))
    parts = F.sequence(place(F.col("valid_from_at")), F.greatest(place(until), place(F.col("valid_from_at"))))
    highest = (
        answers.table("gold.leader_imbalance")
        .select("broker_id", "imbalance_ratio", F.explode(parts).alias("part"))
        .groupBy("broker_id", "part")
        .agg(F.max("imbalance_ratio").alias("ratio"))
    )
    ratios: dict[int, dict[int, float]] = {}
    for row in collect_rows(highest):
        ratios.setdefault(row["broker_id"], {})[row["part"]] = row["ratio"]
    return {
        broker: "".join(bar(found.get(part)) for part in range(SLICES)) for broker, found in ratios.items()
    }


def bar(ratio: float | None) -> str:
    return " " if ratio is None else BARS[min(int(ratio * len(BARS)), len(BARS) - 1)]


def text_table(rows: Sequence[Row], drawn: dict[int, str]) -> list[str]:
    cells = [
        (
            str(row["broker_id"]),
            str(row["leads"] or 0),
            str(row["preferred_count"] or 0),
            str(row["led_elsewhere_count"] or 0),
            ratio_text(row["imbalance_ratio"]),
            ratio_text(row["threshold_ratio"]),
            "BREACH" if row["is_breach"] else "",
            "-" if row["seconds_over"] is None else f"{row['seconds_over']:.1f} s",
            drawn.get(row["broker_id"], ""),
        )
        for row in rows
    ]
    head = ("BROKER", "leads", "preferred", "elsewhere", "ratio", "limit", "", "over for", "ratio over time")
    return [*table(head, cells), *(f"  {line}" for line in limit_notes(rows))]


def csv_lines(rows: Sequence[Row]) -> list[str]:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        told = (plain(row[name]) for name in COLUMNS)
        writer.writerow(["" if one is None else csv_cell(str(one)) for one in told])
    return out.getvalue().splitlines()


def plain(value: object) -> object:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value
