"""How gold.clock_skew follows the nights."""

from pipeline.core.incremental import Incremental

INCREMENTAL = Incremental(ordered_by="hour_at", lookback_days=1)
