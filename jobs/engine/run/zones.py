"""What is said of nodes that log in another time zone than most of their cluster."""

from collections.abc import Sequence
from datetime import timedelta

import polars as pl

from jobs.engine.incremental.at_hand import AtHand
from pipeline.model.terms.other_zones import other_zones
from schemas.silver import term, wording_seen

SAID = (
    "its times are {} {} those of {} though they tell of the same elections: it logs in another time zone, give it in "
    "--conf (clusters: {}: brokers: {}: zone: AREA/CITY), all others by --zone"
)


def zones_at_hand(cluster_id: str, at_hand: AtHand | None) -> dict[int, str]:
    """As said_of_zones, of a run that built terms of controllers; else empty."""
    if at_hand is None or term.SPEC.name not in at_hand.built:
        return {}
    return zone_sentences(cluster_id, at_hand.whole(wording_seen.SPEC.table))


def zone_sentences(cluster_id: str, said: pl.DataFrame) -> dict[int, str]:
    """By node that logs in another time zone than most what is said of its files: they cannot be judged together.

    said: as other_zones takes it.
    """
    return {
        one["node_id"]: SAID.format(
            zone_offset_text(abs(one["ahead"])),
            "ahead of" if one["ahead"] > timedelta() else "behind",
            node_list_text(one["others"]),
            cluster_id,
            one["node_id"],
        )
        for one in other_zones(said).to_dicts()
    }


def zone_offset_text(ahead: timedelta) -> str:
    hours, minutes = divmod(int(ahead.total_seconds()) // 60, 60)
    return " ".join([*([f"{hours} h"] if hours else []), *([f"{minutes} min"] if minutes else [])])


def node_list_text(nodes: Sequence[int]) -> str:
    return f"node{'s' if len(nodes) > 1 else ''} {', '.join(map(str, nodes))}"
