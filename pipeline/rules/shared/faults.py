"""What the rules on faults share: those that end the process, and those after which a node goes on."""

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.evidence import LINE, NO_LINES, known_lines
from pipeline.rules.shared.wording import (
    NO_TERM,
    epoch_millis,
    facts_column,
    filled_text,
    kept_evidence,
    root_columns,
    severity_column,
    shortened_column,
)

FATAL, LOGGED = "fatal_fault", "fault"
NODE = ("cluster_id", "node_id")
STARTING, STARTED = "starting", "started"
SHOWN = 50  # letters of a fault, and of a message
DAY_MS = 86_400_000
OUT_OF_MEMORY = "OutOfMemoryError"
# Of each of these rules.
FAULT_FACTS = ("node_id", "fault", "exception_class", "failures_count")


def faults_of_step(node_event: pl.DataFrame, step: str, ends: tuple[str, ...]) -> pl.DataFrame:
    """Faults of that step: phase, the last that its node had said of its start; over_at, over_line: the first of ends
    behind it."""
    is_phase, is_end = col("step").is_in([STARTING, STARTED]), col("step").is_in(ends)
    of_process = node_event.filter(col("area") == "process", is_phase | is_end | (col("step") == step))
    end = {"over_at": col("logged_at"), "over_line": known_lines(LINE)}
    return (
        of_process.sort("logged_at", *LINE)
        .with_columns(
            phase=when(is_phase).then("step").forward_fill().over(NODE),
            **{
                name: when(is_end).then(value).backward_fill().shift(-1).over(NODE)
                for name, value in end.items()
            },
        )
        .filter(col("step") == step)
    )


def by_fault(told: pl.DataFrame) -> pl.DataFrame:
    """One row for the faults of a node with the same exception, each within a day of the one before."""
    kind = (*NODE, "exception_class")
    apart = epoch_millis("logged_at") - epoch_millis("logged_at").shift(1).over(kind)
    return (
        told.with_columns(run=(apart > DAY_MS).fill_null(value=True).cast(pl.Int64).cum_sum().over(kind))
        .group_by(*kind, "run", maintain_order=True)
        .agg(
            failures=pl.len(),
            since_at=col("logged_at").first(),
            over_at=col("over_at").last(),
            over_line=col("over_line").last(),
            fault=col("detail").first(),
            message=col("exception_message").first(),
            lines=kept_evidence(known_lines(LINE)),
        )
        .with_columns(col("over_line").fill_null(NO_LINES))
    )


def fault_findings(runs: pl.DataFrame, severity: pl.Expr, sentence: pl.Expr) -> pl.DataFrame:
    return runs.select(
        "cluster_id",
        *severity_column(severity),
        entity=node_name(),
        root_event=filled_text("fault at {}", epoch_millis("since_at")),
        **root_columns("fault", "since_at", "node_id"),
        term_id=NO_TERM,
        valid_from_at="since_at",
        valid_until_at="over_at",
        sentence=sentence,
        facts=facts_column(
            node_id="node_id", fault="fault", exception_class="exception_class", failures_count="failures"
        ),
        certainty=lit("proved"),
        evidence=pl.concat_list("lines", "over_line").list.unique(maintain_order=True),
    )


def fault_count_text() -> pl.Expr:
    return when(col("failures") > 1).then(filled_text(", {} times", "failures")).otherwise(lit(""))


def node_name() -> pl.Expr:
    return when(col("node_id").is_null()).then(lit("a node")).otherwise(filled_text("node {}", "node_id"))


def fault_text() -> pl.Expr:
    """The fault and its exception, as far as a sentence holds them."""
    fault, message = shortened_column("fault", SHOWN), shortened_column("message", SHOWN)
    name = col("exception_class").str.extract(r"([\w$]+)$")
    exception = pl.concat_str(name, message, separator=": ", ignore_nulls=True).replace("", None)
    return pl.concat_str(fault, exception, separator="; ", ignore_nulls=True)


def heap_advice(otherwise: str) -> pl.Expr:
    is_full = col("exception_class").str.contains(OUT_OF_MEMORY).fill_null(value=False)
    return when(is_full).then(lit("give it more heap")).otherwise(lit(otherwise))
