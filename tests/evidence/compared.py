"""What tables say of a part of the logs against what they say of the whole, table by table."""

import polars as pl

from tests.evidence.of_clusters import checks, dumps, findings, keyed, lives, sessions, terms
from tests.evidence.of_partitions import breaches, elections, moves, outages, ratios, timeline
from tests.evidence.statements import OTHER, UNDETERMINED, Compared, Frame, Said

Tables = dict[str, pl.DataFrame]
__all__ = ("OTHER", "Frame", "Said", "Tables", "compared")


# By table the columns of which the first that is known is the begin of a row, and how its rows are compared.
COMPARISONS: dict[str, tuple[tuple[str, ...], Compared]] = {
    "partition_timeline": (("valid_from_at",), timeline),
    "partition_outage": (("noticed_at",), outages),
    "controller_term": (("elected_at", "last_act_at"), terms),
    "leader_election": (("elected_at",), elections),
    "broker_session": (("joined_at",), sessions),
    "topic_lifecycle": (("first_seen_at",), lives),
    "reassignment": (("started_at",), moves),
    "transition_audit": (
        ("logged_at",),
        keyed(("file_id", "byte_offset"), ("verdict",), (UNDETERMINED, "first", "hidden")),
    ),
    "leader_imbalance": (("valid_from_at",), ratios),
    "imbalance_breach": (("breached_at",), breaches),
    "imbalance_check": (("checked_at",), checks),
    "replay_check": (("logged_at",), dumps),
    "finding": (("valid_from_at",), findings),
}


def compared(part: Tables, whole: Tables, frame: Frame) -> dict[str, list[Said]]:
    """By table, one or more for each row of the part that begins in the time of the frame."""
    found = {}
    for name, (begin, comparison) in COMPARISONS.items():
        rows = part[name].filter(pl.coalesce(begin) >= frame.from_at)
        found[name] = list(comparison(rows.to_dicts(), whole[name].to_dicts(), frame))
    return found
