"""How gold.imbalance_check follows the nights."""

from datetime import datetime

from pipeline.core.incremental import A_DAY_OF_MINUTES, Incremental, TablesAtHand
from pipeline.model.terms.ongoing import deposed_terms_day


def judged_terms_day(at_hand: TablesAtHand, begin: datetime) -> datetime | None:
    """Begin of the first day of the terms that print ratios from `begin` on though they had a successor before."""
    return deposed_terms_day(at_hand, ("imbalance_ratio",), begin)


INCREMENTAL = Incremental(
    ordered_by="checked_at",
    lookback_days=1,
    lookback_minutes=A_DAY_OF_MINUTES,
    inputs_from=judged_terms_day,
)
