"""What a broker leads and should lead as text, with ? for what is not known."""

from jobs.text import ratio_text
from pipeline.views.reading.in_doubt import is_in_doubt
from pipeline.views.reading.rows import Row


def leads_text(broker: Row) -> tuple[str, str]:
    """How many partitions it serves, and how many name it; ? where of none of these is known whether it does, and
    behind a number that may be another, as who leads some partition is not known."""
    cached, is_doubted = broker["cached"] or 0, broker.get("is_lead_doubted", False)
    leads = (
        "?"
        if cached and broker["leads"] is None
        else doubted_text(broker["leads"] or 0, is_doubted=is_doubted)
    )
    return leads, doubted_text(cached, is_doubted=is_doubted)


def doubted_text(count: int, *, is_doubted: bool) -> str:
    """A number that nobody knows is none, and never 0."""
    return str(count) if not is_doubted else f"{count}?" if count else "?"


def ratio_texts(broker: Row) -> tuple[str, str, str, str, str]:
    """preferred, elsewhere, ratio, limit and breach of a broker; ? behind what lines are missing of."""
    is_doubted = is_in_doubt(broker)
    mark = "?" if is_doubted else ""
    is_told = broker["certainty"] is not None  # else it is preferred leader of none that is known
    ratio = broker["imbalance_ratio"]
    may_be_more = not is_told and broker.get("is_lead_doubted", False)
    return (
        doubted_text(broker["preferred_count"] or 0, is_doubted=is_doubted or may_be_more),
        doubted_text(broker["led_elsewhere_count"] or 0, is_doubted=is_doubted or may_be_more),
        "?" if is_told and ratio is None else f"{ratio_text(ratio)}{mark}",
        ratio_text(broker["threshold_ratio"]),
        f"BREACH{mark}" if broker["is_breach"] else "",
    )
