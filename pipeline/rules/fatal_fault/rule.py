"""The rule fatal_fault."""

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.evidence import LINE
from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.faults import (
    FATAL,
    FAULT_FACTS,
    STARTED,
    STARTING,
    by_fault,
    fault_count_text,
    fault_findings,
    fault_text,
    faults_of_step,
    heap_advice,
    node_name,
)
from pipeline.rules.shared.wording import filled_text


@made_of_rows("node_event")
def find(node_event: pl.DataFrame, earlier: pl.DataFrame) -> pl.DataFrame:
    """A fault ended the process of a node that had started: of an active controller the quorum elects another, a
    broker is gone without having been shut down. It is over once the node has started again. One that comes while a
    node starts is a start that failed, no finding of this rule; of a node that nobody names it is told here, as another
    one may be what starts in the same file.

    earlier: findings of failed_start, which tell a fault that ends a start.
    Source: ProcessTerminatingFaultHandler.handleFault (ProcessExitingFaultHandler up to 3.4), SharedServer, from 3.3.
    """
    is_up = col("phase").ne_missing(lit(STARTING)) | col("node_id").is_null()
    runs = faults_of_step(node_event, FATAL, (STARTED,)).filter(is_up)
    since = (
        when(col("over_at").is_null()).then(lit(", no line says that it started again")).otherwise(lit(""))
    )
    sentence = filled_text(
        "a fault ended the process of {}{} ({}){}: {}",
        *(node_name(), fault_count_text(), fault_text(), since, heap_advice("read the exception below it")),
    )
    return fault_findings(by_fault(runs), lit("warning"), sentence).pipe(without_failed_starts, earlier)


def without_failed_starts(fatal: pl.DataFrame, starts: pl.DataFrame) -> pl.DataFrame:
    """The rows of fatal that share no line of evidence with a row of starts: the fault that ends a start of a node that
    nobody names is in both.

    fatal: rows of fatal_fault; starts: rows of failed_start.
    """
    numbered = fatal.with_row_index("nr")
    of_faults, of_starts = (
        rows.select(*key, "evidence").explode("evidence").unnest("evidence")
        for rows, key in ((numbered, ("nr", "cluster_id")), (starts, ("cluster_id",)))
    )
    shared = of_faults.join(of_starts, on=["cluster_id", *LINE], how="semi").select("nr").unique()
    return numbered.join(shared, on="nr", how="anti").drop("nr")


RULE = Rule(
    name="fatal_fault",
    version=1,
    severities=("warning",),
    facts=FAULT_FACTS,
    find=find,
    after=("failed_start",),
)
