"""The rule controller_powerless."""

import polars as pl
from polars import col, lit, when

from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.limits import OVERLAP
from pipeline.rules.shared.terms import of_term, records_of_term, with_data_end
from pipeline.rules.shared.wording import (
    controller_name,
    counted_noun,
    duration_text,
    epoch_millis,
    filled_text,
    severity_column,
)

# A controller prints every five minutes that it looks for imbalance: after two of them it may have ended.
STILL_MS = 600_000


@made_of_rows("controller_term")
def find(controller_term: pl.DataFrame, overlap_ms: int, data_end: pl.DataFrame) -> pl.DataFrame:
    """From 2.1: a controller held /controller while ZooKeeper refused what it wrote, as /controller_epoch was no longer
    its own, and nobody was elected in its place. Critical while its own lines show that it goes on so: it resigns at
    once where another one holds /controller.

    Source: KafkaZkClient with the version of /controller_epoch, KafkaController.maybeResign.
    """
    over_at = pl.min_horizontal(pl.coalesce("fenced_until_at", "until_at"), "superseded_at")
    alone_ms = over_at.dt.epoch("ms") - epoch_millis("fenced_from_at")
    is_open = col("ended_how") == "open"
    lives_on = epoch_millis("last_act_at") - epoch_millis("fenced_from_at") > overlap_ms
    is_still = is_open & lives_on & (epoch_millis("until_at") - epoch_millis("last_act_at") <= STILL_MS)
    until = (
        when(is_still)
        .then(lit("it still is so: no leader can be elected"))
        .when(is_open)
        .then(lit("no line tells whether it ended"))
        .otherwise(filled_text("it was so for {}", duration_text(alone_ms)))
    )
    sentence = filled_text(
        "{} held /controller and could write nothing, ZooKeeper refused its epoch {}; {}",
        *(controller_name(), counted_noun("fenced_count", "time"), until),
    )
    end = (
        when(col("ended_at").is_null())
        .then(records_of_term("still_fenced", "next_elected"))
        .otherwise(records_of_term("ended"))
    )
    evidence = pl.concat_list(records_of_term("elected", "fenced"), end)
    named = severity_column(when(is_still).then(lit("critical")).otherwise(lit("warning")))
    powerless = with_data_end(controller_term, data_end).filter(alone_ms > overlap_ms)
    told = {"refused_count": col("fenced_count"), "lasted_ms": when(~is_open).then(alone_ms)}
    return of_term(powerless, named, sentence, ("fenced_from_at", "fenced_until_at"), evidence, **told)


RULE = Rule(
    name="controller_powerless",
    version=2,
    severities=("critical", "warning"),
    facts=("controller_id", "controller_epoch", "refused_count", "lasted_ms"),
    find=find,
    limits=(OVERLAP,),
)
