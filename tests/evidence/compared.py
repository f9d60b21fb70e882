"""What tables say of a part of the logs against what they say of the whole, table by table."""

import polars as pl

from tests.evidence.of_clients import impacts
from tests.evidence.of_clusters import checks, dumps, lives, sessions, terms, transitions
from tests.evidence.of_findings import findings
from tests.evidence.of_partitions import breaches, elections, moves, outages, ratios, timeline
from tests.evidence.statements import LATEST_UTC, OTHER, UNDETERMINED, Compared, Frame, Row, Said

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
    "transition_audit": (("logged_at",), transitions),
    "leader_imbalance": (("valid_from_at",), ratios),
    "imbalance_breach": (("breached_at",), breaches),
    "imbalance_check": (("checked_at",), checks),
    "replay_check": (("logged_at",), dumps),
    "client_impact": (("from_at",), impacts),
    "finding": (("valid_from_at",), findings),
}


OF_NOBODY = pl.struct(
    pl.lit(None).alias(name) for name in ("broker_ids", "broker_id", "node_id", "partition")
)


def compared(part: Tables, whole: Tables, frame: Frame) -> dict[str, list[Said]]:
    """By table, one or more for each row of the part that begins in the time of the frame."""
    found = {}
    for name, (begin, comparison) in COMPARISONS.items():
        rows = part[name].filter(pl.coalesce(begin) >= frame.from_at)
        of_whole = whole[name].to_dicts()
        if name == "finding":
            of_whole = until_back(of_whole, whole["broker_session"].to_dicts())
            of_whole += going_on(whole["partition_outage"], frame)
            of_whole += waiting_topics(whole, frame)
            of_whole += harmless_elections(whole["leader_election"])
        if name == "controller_term":
            of_whole += heard_terms(whole)
        found[name] = list(comparison(rows.to_dicts(), of_whole, frame))
    return found


def going_on(outages: pl.DataFrame, frame: Frame) -> list[Row]:
    """Outages of the whole that go on at the end of the part's time, or of which no line tells how they go on, as
    findings: what is open is told whatever its length, and of what ended later the whole tells the long ones alone."""
    is_open = pl.col("ended_at").is_null() | (pl.col("ended_at") > frame.until_at)
    is_untold = pl.col("ended_how") == "lines_missing"
    is_certain = pl.col("certainty") != UNDETERMINED
    rows = outages.filter(is_certain, is_open | is_untold.fill_null(value=False))
    open_ones = rows.select(
        rule=pl.lit("outage"),
        valid_from_at="noticed_at",
        valid_until_at=pl.when(~is_open & ~is_untold.fill_null(value=False)).then("ended_at"),
        term_id="term_id",
        facts=OF_NOBODY,
    )
    return open_ones.to_dicts()


def waiting_topics(whole: Tables, frame: Frame) -> list[Row]:
    """The same of topics whose deletion waits at the end of the part's time, and of those that have no leader yet."""
    deletions = whole["topic_lifecycle"].filter(
        pl.col("put_off_at") <= frame.until_at, pl.col("ended_at").fill_null(LATEST_UTC) > frame.until_at
    )
    new = whole["partition_timeline"].filter(
        pl.col("state") == "NewPartition",
        pl.col("valid_from_at") <= frame.until_at,
        pl.col("valid_until_at").fill_null(LATEST_UTC) > frame.until_at,
    )
    waiting = [
        rows.select(
            rule=pl.lit(rule),
            entity=pl.format("topic {}", "topic"),
            valid_from_at=begin,
            valid_until_at=end,
            term_id="term_id",
            facts=OF_NOBODY,
        )
        for rule, rows, begin, end in (
            ("stuck_deletion", deletions, pl.coalesce("deletion_requested_at", "put_off_at"), "ended_at"),
            ("topic_without_leader_since_creation", new, "valid_from_at", "valid_until_at"),
        )
    ]
    return pl.concat(waiting, how="vertical_relaxed").to_dicts()


def harmless_elections(elections: pl.DataFrame) -> list[Row]:
    """Unclean elections of the whole, as warnings: of the last leader, and of the only replica, it tells none; who does
    not know these takes Kafka's word."""
    name = pl.format("{}-{}", "topic", "partition")
    unclean = elections.filter(~pl.col("is_clean")).select(
        rule=pl.lit("unclean_election"),
        severity=pl.lit("warning"),
        entity=name,
        valid_from_at="elected_at",
        valid_until_at="elected_at",
        term_id="term_id",
        facts=OF_NOBODY,
    )
    return unclean.to_dicts()


def until_back(findings: list[Row], sessions: list[Row]) -> list[Row]:
    """A broker that flaps is away until it joins again: then its last departure is the end, which fewer logs do not
    know."""
    found = []
    for one in findings:
        left_at, broker_id = one["valid_until_at"], one["facts"]["broker_id"]
        if one["rule"] != "broker_flapping" or left_at is None:
            found.append(one)
            continue
        back = [stay["joined_at"] for stay in sessions if stay["broker_id"] == broker_id]
        found.append(one | {"valid_until_at": min((at for at in back if at > left_at), default=left_at)})
    return found


def heard_terms(whole: Tables) -> list[Row]:
    """KRaft: whom a node names as leader of an epoch that has no term, as the one that was elected never came to act
    on it: Kafka's own words, that the whole holds against the silence of its log."""
    known = whole["controller_term"].select("controller_epoch")
    named = whole["controller_step"].filter(
        pl.col("event") == "controller_observed_leader", pl.col("active_controller_id").is_not_null()
    )
    heard = named.join(known, on="controller_epoch", how="anti").unique(
        ["controller_epoch", "active_controller_id"]
    )
    nothing = dict.fromkeys(whole["controller_term"].columns)
    return [
        nothing | {"controller_epoch": one["controller_epoch"], "controller_id": one["active_controller_id"]}
        for one in heard.to_dicts()
    ]
