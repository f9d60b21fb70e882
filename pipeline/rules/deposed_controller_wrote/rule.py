"""The rule deposed_controller_wrote."""

import polars as pl
from polars import col

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.limits import OVERLAP
from pipeline.rules.shared.terms import WROTE, is_late, of_term, records_of_term
from pipeline.rules.shared.wording import (
    controller_name,
    counted_noun,
    duration_text,
    epoch_millis,
    filled_text,
    severity_column,
)


@made_of_rows("controller_term")
def find(controller_term: pl.DataFrame, overlap_ms: int) -> pl.DataFrame:
    """Up to 2.0: a controller wrote leaders of partitions after the next one was elected, who does not know of them.

    Source: KafkaController up to 2.0; from 2.1 on each write asks for the version of /controller_epoch (KAFKA-6082).
    """
    late_ms = epoch_millis("last_write_at") - epoch_millis("superseded_at")
    sentence = filled_text(
        "{} wrote leaders of partitions {} after the next controller was elected, the last {} after: the "
        "next one does not know of them",
        *(controller_name(), counted_noun("writes_after_count", "time"), duration_text(late_ms)),
    )
    named = severity_column("critical")
    evidence = records_of_term("elected", "wrote_after", "next_elected")
    wrote = controller_term.filter(is_late(overlap_ms) & (col("overlap") == WROTE))
    told = {"writes_count": col("writes_after_count"), "late_ms": late_ms}
    return of_term(wrote, named, sentence, ("superseded_at", "last_write_at"), evidence, **told)


RULE = Rule(
    name="deposed_controller_wrote",
    version=1,
    severities=("critical",),
    facts=("controller_id", "controller_epoch", "writes_count", "late_ms"),
    find=find,
    limits=(OVERLAP,),
)
