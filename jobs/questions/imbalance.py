"""Each broker's leader imbalance at a time and over the period, from what was published; with another limit, too."""

import argparse
import csv
import io
import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from polars import col

from jobs.layout import HELD, format_table, wrap_text
from jobs.questions.ask import moment_within, require_tables
from jobs.questions.ask_text import NOTHING, ratio_notes
from jobs.questions.broker_text import leads_text, ratio_texts
from jobs.questions.brokers import beyond_end, resolve_asked_time
from jobs.questions.findings_out import iso_or_value
from jobs.text import csv_cell
from pipeline.core.clocks import day_clock
from pipeline.core.errors import InputProblem
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.in_doubt import with_known_ratios
from pipeline.views.reading.rows import Row

SLICES = 32
BARS = "▁▂▃▄▅▆▇█"
TABLE = "gold.leader_imbalance"
INTERVAL = (
    *("broker_id", "valid_from_at", "valid_until_at", "led_elsewhere_count", "imbalance_ratio"),
    *("threshold_ratio", "certainty"),
)
DIGITS = 6
OPTIONS = ("--at", "--broker", "--threshold", "--format", "--output")
COLUMNS = (
    "broker_id", "at", "leads", "cached", "preferred_count", "led_elsewhere_count", "imbalance_ratio",
    "threshold_ratio", "limit_source", "is_breach", "seconds_over", "certainty",
)  # fmt: skip


def is_question(argv: Sequence[str]) -> bool:
    """True if these arguments of the imbalance job ask for what was published, and not for a run."""
    return any(one.partition("=")[0] in OPTIONS for one in argv)


def conflicting_output(given: argparse.Namespace) -> str | None:
    """What is wrong with the form of the question; None: nothing."""
    if (given.format == "parquet") != (getattr(given, "output", None) is not None):
        return "--format parquet and --output FILE go together"
    return None


def parse_percentage(text: str) -> float:
    """5 is five percent. As Kafka does: any number from 0 on."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a percentage such as 5, found {text[:40]!r}")
    return number


def show_imbalance(given: argparse.Namespace, answers: Answers) -> list[str]:
    require_tables(answers, TABLE)
    read = answers.read()
    first, last = read["first_at"], read["last_at"]
    at = moment_within(given.at, first, last)
    intervals = until_end(answers.rows(TABLE, None, INTERVAL), last)
    over = seconds_over(intervals, given.threshold)
    rows = [as_asked(row, at or last, given.threshold, over) for row in brokers_at(answers, at, given.broker)]
    if (beyond := beyond_end(given.at, answers)) and given.format != "text":
        nothing = dict.fromkeys(COLUMNS) | {"at": beyond, "certainty": "undetermined"}
        rows = [row | nothing | {"broker_id": row["broker_id"]} for row in rows]
    if given.format == "json":
        return json.dumps(
            [{name: iso_or_value(row[name]) for name in COLUMNS} for row in rows], indent=2
        ).splitlines()
    if given.format == "csv":
        return csv_lines(rows)
    if given.format == "parquet":
        columns = [{name: row[name] for name in COLUMNS} for row in rows]
        pq.write_table(pa.Table.from_pylist(columns), Path(given.output))
        return [f"{given.output}  {len(rows)} brokers"]
    period = f"ratio over {day_clock(first)} to {day_clock(last)}"
    return [
        *wrap_text(f"{answers.cluster_id}  at {resolve_asked_time(given.at, answers)[1]}"),
        *text_table(rows, drawn_by_broker(intervals, first, last)),
        f"  {period}",
    ]


def brokers_at(answers: Answers, at: datetime | None, broker_id: int | None) -> list[Row]:
    """The brokers at a time, or the one that is named. InputProblem: it is not among them."""
    rows = [row for row in answers.brokers(at) if broker_id in (None, row["broker_id"])]
    if broker_id is not None and not rows:
        raise InputProblem(
            expected=f"a broker {broker_id} that leads or is preferred leader then",
            found="none in the logs read",
            todo="leave --broker out to see all",
        )
    return rows


def as_asked(row: Row, at: datetime, percent: float | None, over: dict[int, float]) -> Row:
    """Columns COLUMNS. seconds_over: how long of the whole period the ratio was certainly over the limit; None: it has
    no limit, or no ratio is certain."""
    told = row | {"at": at, "seconds_over": over.get(row["broker_id"])}
    if percent is None:
        return told
    ratio, limit = row["imbalance_ratio"], percent / 100
    return told | {
        "limit_source": None if row["threshold_ratio"] is None else "asked",
        "threshold_ratio": limit,
        "is_breach": None if ratio is None else ratio > limit,
    }


def until_end(intervals: pl.DataFrame, last: datetime) -> pl.DataFrame:
    """Adds until_at: the end of the data where an interval goes on. No ratio is told where no leader is known that is
    another, and lines are missing."""
    return with_known_ratios(intervals, ("imbalance_ratio",)).with_columns(
        until_at=pl.max_horizontal(col("valid_until_at").fill_null(last), "valid_from_at")
    )


def seconds_over(intervals: pl.DataFrame, percent: float | None) -> dict[int, float]:
    limit = col("threshold_ratio") if percent is None else pl.lit(percent / 100)
    lasted = (col("until_at") - col("valid_from_at")).dt.total_microseconds()
    is_over = col("imbalance_ratio") > col("limit")
    judged = intervals.with_columns(limit=limit).filter(col("limit").is_not_null())
    is_sure = (col("certainty") != "undetermined").fill_null(value=True)
    over = judged.group_by("broker_id").agg(
        micros=lasted.filter(is_over, is_sure).sum(), is_told=is_sure.any()
    )
    return {broker: micros / 1e6 for broker, micros, is_told in over.iter_rows() if is_told}


def drawn_by_broker(intervals: pl.DataFrame, first: datetime, last: datetime) -> dict[int, str]:
    """Per broker a bar for the highest ratio in each of SLICES equal parts of the period, blank where it has none."""
    length = max(1, (last - first) // timedelta(microseconds=1))

    def place(moment: str) -> pl.Expr:
        return ((col(moment) - first).dt.total_microseconds() * SLICES // length).clip(0, SLICES - 1)

    parts = pl.int_ranges(place("valid_from_at"), place("until_at") + 1)
    highest = (
        intervals.select("broker_id", "imbalance_ratio", part=parts)
        .explode("part")
        .group_by("broker_id", "part")
        .agg(col("imbalance_ratio").max())
    )
    ratios: dict[int, dict[int, float]] = {}
    for broker, part, ratio in highest.iter_rows():
        ratios.setdefault(broker, {})[part] = ratio
    return {
        broker: "".join(ratio_bar(found.get(part)) for part in range(SLICES))
        for broker, found in ratios.items()
    }


def ratio_bar(ratio: float | None) -> str:
    return " " if ratio is None else BARS[min(int(ratio * len(BARS)), len(BARS) - 1)]


def text_table(rows: Sequence[Row], drawn: dict[int, str]) -> list[str]:
    cells = [
        (
            str(row["broker_id"]),
            *leads_text(row),
            *ratio_texts(row),
            seconds_over_text(row),
            drawn.get(row["broker_id"], "").replace(" ", HELD),
        )
        for row in rows
    ]
    head = (
        "BROKER",
        "leads",
        "cached",
        "preferred",
        "elsewhere",
        "ratio",
        "limit",
        "",
        "over for",
        "ratio over time",
    )
    return [*format_table(head, cells), *ratio_notes(rows)] if rows else [NOTHING]


def seconds_over_text(row: Row) -> str:
    seconds = row["seconds_over"]
    if seconds is None:
        return "-" if row["threshold_ratio"] is None else "?"
    return f"{seconds:.1f} s"


def csv_lines(rows: Sequence[Row]) -> list[str]:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        told = (rounded_value(iso_or_value(row[name])) for name in COLUMNS)
        writer.writerow(["" if one is None else csv_cell(str(one)) for one in told])
    return out.getvalue().splitlines()


def rounded_value(value: object) -> object:
    """As text shows it: millionths of a second or of a ratio. JSON and Parquet have the number itself."""
    return round(value, DIGITS) if isinstance(value, float) else value
