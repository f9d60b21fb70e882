"""Lines that should be there: of a task that runs every N seconds, and of the other log of a controller that acts."""

import polars as pl
from polars import col, lit

from pipeline.core.stretches import overdue_spans, unaccompanied_spans, without_touched_spans
from pipeline.kafka.facts import read_fact_table
from pipeline.model.lines.evidence import known_lines

NODE = ("cluster_id", "node_id")
# A periodic line is missed once it is this late: three of its periods and a minute.
LATE_PERIODS, LATE_SECONDS = 3, 60
# The two logs of a controller are of one time: a line of the other counts so many seconds before and after.
NEAR_SECONDS = 600
ACTING = r"^(?:\[Controller id=\{controller_id\}|Controller \{controller_id\} epoch)"
FIRST = ("first_file_id", "first_offset")


def silent_log_gaps(seen: pl.DataFrame) -> pl.DataFrame:
    """A node that started, was elected or left its term meanwhile is left out: its periodic lines begin or end then."""
    periodic = [row["event"] for row in read_fact_table("wording/periodic_lines.tsv")]
    elections = [row["event"] for row in read_fact_table("wording/office_lines.tsv")]
    is_change = col("is_start") | col("event").is_in(elections).fill_null(value=False)
    lines = seen.filter(col("event").is_in(periodic) & col("node_id").is_not_null())
    sentence = pl.format(
        "no line of what runs every {} s ({}) for {}: lines are missing, or the process stood still",
        *(
            whole_seconds("period"),
            col("event").str.replace_all("_", " ", literal=True),
            long_time("missing"),
        ),
    )
    return (
        overdue_spans(lines, (*NODE, "log", "event"), LATE_PERIODS, LATE_SECONDS)
        .pipe(without_touched_spans, seen.filter(is_change), NODE)
        .select(
            *NODE, "log", "from_at", "until_at",
            file_id="after_file_id",
            kind=lit("silence"),
            certainty=lit("inferred"),
            sentence=sentence,
            evidence=known_lines(("before_file_id", "before_offset"), ("after_file_id", "after_offset")),
        )
    )  # fmt: skip


def long_time(seconds: str) -> pl.Expr:
    """Minutes below two hours, else hours with one decimal."""
    minutes = pl.format("{} min", (col(seconds) / 60).round(0, mode="half_away_from_zero").cast(pl.Int64))
    hours = pl.format("{} h", (col(seconds) / 3600).round(1, mode="half_away_from_zero"))
    return pl.when(col(seconds) < 2 * 3600).then(minutes).otherwise(hours)


def whole_seconds(seconds: str) -> pl.Expr:
    return col(seconds).round(0, mode="half_away_from_zero").cast(pl.Int64)


def missing_log_gaps(seen: pl.DataFrame) -> tuple[pl.DataFrame, ...]:
    """Acts of a controller that one of its logs tells of, in hours in which the other has no line."""
    known = seen.filter(col("node_id").is_not_null())
    controller, state_change = (known.filter(col("log") == log) for log in ("controller", "state-change"))
    # KRaft has an event of that name, of nodes that need not be brokers.
    is_creation = (col("event") == "partition_created") & col("logger").str.starts_with("kafka.controller.")
    acts = state_change.filter(col("template").str.contains(ACTING))
    created = controller.filter(is_creation)
    return (
        unaccompanied_spans(acts, controller, NODE, NEAR_SECONDS).pipe(
            gap_rows,
            "controller",
            "controller_log_missing",
            "a controller acts in state-change.log, and no line of its controller.log is near",
        ),
        unaccompanied_spans(created, state_change, NODE, NEAR_SECONDS).pipe(
            gap_rows,
            "state-change",
            "state_change_log_missing",
            "partitions are created in controller.log, and no line of state-change.log is near",
        ),
    )


def gap_rows(stretches: pl.DataFrame, log: str, kind: str, sentence: str) -> pl.DataFrame:
    return stretches.select(
        *NODE, "from_at", "until_at",
        log=lit(log),
        kind=lit(kind),
        certainty=lit("inferred"),
        sentence=lit(sentence),
        evidence=known_lines(FIRST),
    )  # fmt: skip
