"""How gold.finding follows the nights: it is built whole, but reads neither all connections again, nor elections of
which no rule tells."""

from datetime import datetime

from pipeline.core.conditions import column_reaching, is_in
from pipeline.core.incremental import Incremental, TablesAtHand
from pipeline.gold.finding.candidates import COUNTING
from pipeline.rules.registry import OF_CONNECTIONS
from schemas.gold.finding import SPEC


def unanswered_since(at_hand: TablesAtHand, start: datetime) -> datetime | None:
    """When the first finding began that rests on connections and goes on at the day: its kernel reads the connections
    of all that time again. None: there is no such finding."""
    reaches = is_in("rule", OF_CONNECTIONS) & column_reaching("valid_until_at", start)
    at = at_hand.stored(SPEC, reaches)["valid_from_at"].min()
    return at if isinstance(at, datetime) else None


INCREMENTAL = Incremental(inputs_from=unanswered_since, counting=COUNTING)
