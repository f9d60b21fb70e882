"""Tenures of controllers: from election to end, how each ended, and what was done after it was over."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipeline.gold.controller_term.days import of_days
from pipeline.gold.controller_term.deposed import with_fate
from pipeline.gold.controller_term.ends import (
    releases,
    vacancies,
    with_end,
    with_gap,
    with_next_view,
)
from pipeline.gold.controller_term.own import own_lines
from pipeline.kafka.tenures import in_turn, place, with_succession
from schemas.gold.controller_term import SPEC


def build(
    term: DataFrame,
    controller_day: DataFrame,
    controller_event: DataFrame,
    broker_event: DataFrame,
    release_span: DataFrame,
) -> DataFrame:
    """One row per term.

    What rests on the time at which the next controller was elected is null where that was not seen: then the next
    term that lines tell of is not the next one, or began earlier than the first line that names it.
    Source: KafkaController, 0.8.2 to 3.9; QuorumController, from 2.8.
    """
    begun = term.transform(with_succession)
    told = (
        own_lines(begun, controller_event),
        of_days(controller_day),
        releases(begun, release_span),
        vacancies(begun, controller_event),
    )
    return (
        joined(begun, *told)
        .transform(with_next_view, broker_event, controller_event)
        .transform(with_end)
        .transform(with_gap)
        .transform(with_fate)
        .transform(with_lines)
        .select(*SPEC.columns)
    )


def joined(term: DataFrame, *facts: DataFrame) -> DataFrame:
    """Terms with the columns of each frame that has at most one row for each."""
    for one in facts:
        term = term.join(one, on=["cluster_id", "term_id"], how="left")
    return term


def with_lines(term: DataFrame) -> DataFrame:
    """lines: places by what their lines say; evidence: of them those of its election, its end and the next election."""
    order = in_turn()
    none = F.array().cast("array<struct<file_id: string, byte_offset: bigint>>")
    own = F.coalesce("election", F.array(place()))
    by_name = {
        "elected": own,
        "ready": F.array_compact(F.array("ready_line")),
        "fenced": F.array_compact(F.array("fenced_line")),
        "wrote_after": F.coalesce("write_lines", none),
        "ended": F.array_compact(F.array("end_line")),
        "vacant": F.array_compact(F.array("vacant_line")),
        "next_elected": F.coalesce(F.lead(own).over(order), none),
    }
    pairs = [part for name, lines in by_name.items() for part in (F.lit(name), lines)]
    lines = F.map_filter(F.create_map(*pairs), lambda _, places: F.size(places) > 0)
    basis = F.concat(*(by_name[name] for name in ("elected", "ended", "next_elected")))
    return term.withColumn("lines", lines).withColumn("evidence", F.array_distinct(basis))
