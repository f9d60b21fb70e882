"""The rule deposed_controller_wrote."""

import polars as pl
from polars import col

from pipeline.model.settings import AuditLimit
from pipeline.rules.rule import Rule, of_rows
from pipeline.rules.shared.terms import WROTE, is_late, lines, of_term
from pipeline.rules.shared.wording import controller_name, counted, graded, length, millis, words


@of_rows("controller_term")
def find(controller_term: pl.DataFrame, audit_limit: AuditLimit) -> pl.DataFrame:
    """Up to 2.0: a controller wrote leaders of partitions after the next one was elected, who does not know of them.

    Source: KafkaController up to 2.0; from 2.1 on each write asks for the version of /controller_epoch (KAFKA-6082).
    """
    late_ms = millis("last_write_at") - millis("superseded_at")
    sentence = words(
        "{} wrote leaders of partitions {} after the next controller was elected, the last {} after: the "
        "next one does not know of them",
        *(controller_name(), counted("writes_after_count", "time"), length(late_ms)),
    )
    named = graded("critical")
    evidence = lines("elected", "wrote_after", "next_elected")
    wrote = controller_term.filter(is_late(audit_limit) & (col("overlap") == WROTE))
    told = {"writes_count": col("writes_after_count"), "late_ms": late_ms}
    return of_term(wrote, named, sentence, ("superseded_at", "last_write_at"), evidence, **told)


RULE = Rule(
    name="deposed_controller_wrote",
    version=1,
    severities=("critical",),
    facts=(
        "controller_id",
        "controller_epoch",
        "writes_count",
        "late_ms",
    ),
    find=find,
)
