"""What the logs that were given cannot tell, as those that would were not given: it is never said to be well."""

from dataclasses import dataclass

import polars as pl
from polars import col

from jobs.questions.half_read import half_read_text
from jobs.questions.nodes import last_active_controller
from pipeline.core.conditions import column_equals, is_in
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.times import holds_at

TERM, TIMELINE, LINE = "gold.controller_term", "gold.partition_timeline", "silver.controller_line"
CONTROLLER = "controller"
MOVES_IN = ("state-change", "mixed")  # logs that have moves of partitions and replicas
NO_CONTROLLER = "no line of a controller in office was read"


@dataclass(frozen=True)
class Untold:
    """Why it is not known, in words; None: the logs tell it. controllers: what controllers did, and what they were
    asked. leaders: who led what. is_end_read: lines in office of the last controller were read."""

    controllers: str | None = None
    leaders: str | None = None
    is_end_read: bool = True

    @property
    def any(self) -> str | None:
        return self.controllers or self.leaders


KNOWN = Untold()


def find_unknowns(answers: Answers) -> Untold:
    terms = answers.rows(TERM, None, ("life", "controller_epoch", "term_id", "controller_id", "elected_at"))
    if terms.is_empty():
        office = last_active_controller(answers)
        why = (
            NO_CONTROLLER
            if office is None
            else f"controller {office} was in office, and its election was not read"
        )
        return Untold(why, leaders_text(answers), is_end_read=False)
    unread = unread_of(answers, terms.filter(col("elected_at").is_null()))
    last = terms.sort("life", "controller_epoch").tail(1)["term_id"]
    is_end_read = last.item() not in unread["term_id"]
    return Untold(controllers_text(unread), leaders_text(answers), is_end_read=is_end_read)


def unread_of(answers: Answers, unelected: pl.DataFrame) -> pl.DataFrame:
    """Of these terms those of which no line in office of controller.log was read."""
    if unelected.is_empty():
        return unelected
    is_own = column_equals("log", CONTROLLER) & is_in("term_id", unelected["term_id"].to_list())
    return unelected.filter(
        ~col("term_id").is_in(answers.rows(LINE, is_own, ("term_id",))["term_id"].to_list())
    )


def controllers_text(unread: pl.DataFrame) -> str | None:
    """unread: terms of which only other nodes, or state-change.log alone, tell."""
    nodes = unread["controller_id"].unique().sort().to_list()
    if not nodes:
        return None
    noun = "controllers" if len(nodes) > 1 else "controller"
    return f"of {noun} {', '.join(map(str, nodes))} no line in office of controller.log was read"


def leaders_text(answers: Answers) -> str | None:
    if answers.rows(TIMELINE, holds_at(None), ("partition",)).is_empty():
        return "no line that was read tells who leads what"
    return half_read_text(answers)


def has_moves_log(answers: Answers) -> bool:
    return bool({*MOVES_IN} & {*answers.segments["log"]})
