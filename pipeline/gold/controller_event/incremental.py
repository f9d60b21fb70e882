"""How gold.controller_event follows the nights."""

from pipeline.core.incremental import Incremental
from pipeline.gold.controller_event.pieces import LONGEST

# What begins a piece is at most LONGEST before its last line; so far back are the check before a check, the lines below
# INFO that tell how finely is told, and again what began the piece in which those stand.
LOOKBACK_MINUTES = 3 * int(LONGEST.total_seconds()) // 60

INCREMENTAL = Incremental(ordered_by="began_at", lookback_days=1, lookback_minutes=LOOKBACK_MINUTES)
