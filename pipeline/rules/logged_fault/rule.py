"""The rule logged_fault."""

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.faults import (
    FATAL,
    FAULT_FACTS,
    LOGGED,
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

# A process that goes on is rid of what is wrong once it begins anew, or ends.
ENDS = (STARTING, "signalled", "shutting_down", "exiting", "halting", FATAL)


@made_of_rows("node_event")
def find(node_event: pl.DataFrame) -> pl.DataFrame:
    """A node met a fault and went on: what it holds of the metadata, or does with it, may be wrong from then on, until
    its process begins anew or ends. The next one reads all anew, and may meet the same fault.

    Source: LoggingFaultHandler.handleFault, SharedServer, from 3.3.
    """
    runs = by_fault(faults_of_step(node_event, LOGGED, ENDS))
    is_over = col("over_at").is_not_null()
    state = when(is_over).then(lit("may have been wrong until it was restarted or stopped; ")).otherwise(
        lit("may be wrong from then on, restart it and ")
    )  # fmt: skip
    sentence = filled_text(
        "{} went on after a fault{} ({}): its metadata {}{}",
        *(node_name(), fault_count_text(), fault_text(), state, heap_advice("read the exception below it")),
    )
    return fault_findings(runs, when(is_over).then(lit("info")).otherwise(lit("warning")), sentence)


RULE = Rule(
    name="logged_fault",
    version=1,
    severities=("warning", "info"),
    facts=FAULT_FACTS,
    find=find,
)
