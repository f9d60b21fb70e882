"""Leaders that move, partitions without one, coordinators that load, records that are lost."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.client_impact.pieces import EARLIER, LINE, PIECE, as_pieces, with_line_of, with_served
from pipeline.model.partitions.statements import PARTITION

MOVED, LEADERLESS, COORDINATOR, LOST = "leader_moved", "no_leader", "coordinator_moved", "records_lost"
GROUPS, TRANSACTIONS = "__consumer_offsets", "__transaction_state"
LOADED = {"groups_loaded": GROUPS, "transactions_loaded": TRANSACTIONS}
COORDINATED = (GROUPS, TRANSACTIONS)


def moved_leaders(
    states: pl.DataFrame, leads: pl.DataFrame, follows: pl.DataFrame, deaths: pl.DataFrame
) -> pl.DataFrame:
    """Leaders that another one follows at once, from the line of the old one that follows to that of the new one that
    leads; those that were dead by then (deaths) are told as such."""
    is_move = (col("old_leader") >= 0) & (col("leader") >= 0) & (col("leader") != col("old_leader"))
    dead = deaths.select(*PARTITION, old_leader="root_broker_id", dead_at="from_at", noticed_at="root_at")
    moves = states.filter(is_move.fill_null(value=False)).with_row_index("move_no")
    at_once = (col("valid_from_at") >= col("dead_at")) & (col("valid_from_at") <= col("noticed_at") + EARLIER)
    by_death = moves.join(dead, on=[*PARTITION, "old_leader"]).filter(at_once).select("move_no").unique()
    since = col("valid_from_at") - EARLIER
    ends = {f"end_{name}": f"line_{name}" for name in LINE}
    names = ("line_at", *(f"line_{name}" for name in LINE))
    found = (
        moves.join(by_death, on="move_no", how="anti")
        .pipe(with_line_of, follows, "old_leader", "leader_epoch", since)
        .rename({"line_at": "follows_at"})
        .drop(names, strict=False)
        .pipe(with_served, leads, "leader_epoch", "valid_from_at")
    )
    decided, follows_at, leads_at = col("valid_from_at"), col("follows_at"), col("line_at")
    is_both_told = follows_at.is_not_null() & (col("line_epoch") == col("leader_epoch"))
    is_told = leads_at.is_not_null() & follows_at.is_not_null()
    return as_pieces(
        found,
        kind=lit(MOVED),
        from_at=pl.min_horizontal(decided, follows_at),
        from_latest_at=pl.max_horizontal(decided, follows_at),
        until_earliest_at=when(is_both_told).then(leads_at).otherwise(decided),
        until_at=when(leads_at.is_not_null()).then(pl.max_horizontal(decided, follows_at, leads_at)),
        root_event=lit("partition_timeline"),
        root_at=decided,
        certainty=when(col("certainty") == "undetermined")
        .then("certainty")
        .when(is_told)
        .then(lit("proved"))
        .otherwise(lit("inferred")),
        **ends,
    )


def leaderless_stretches(
    partition_outage: pl.DataFrame, states: pl.DataFrame, leads: pl.DataFrame
) -> pl.DataFrame:
    """Rows of gold.partition_outage, until the leader says that it leads. Of partitions without any begin the time
    that a controller noticed stands for it."""
    begin, end = (col("evidence").list.get(place, null_on_oob=True).struct for place in (0, 1))
    next_state = states.select(*PARTITION, "leader_epoch", ended_at="valid_from_at", new_leader="leader")
    known = partition_outage.filter(col("certainty") != "undetermined")
    found = known.join(
        next_state.unique([*PARTITION, "ended_at", "new_leader"]),
        on=[*PARTITION, "ended_at", "new_leader"],
        how="left",
    ).pipe(with_served, leads, "leader_epoch", "ended_at")
    is_told = col("ended_how").is_in(["deleted", "wiped", "leader_returned"])
    until_at = when(is_told).then("ended_at").otherwise(pl.max_horizontal("line_at", "ended_at"))
    is_known = is_told | col("line_at").is_not_null()
    return as_pieces(
        found,
        kind=lit(LEADERLESS),
        from_at=pl.coalesce("unserved_from_at", "noticed_at"),
        from_latest_at="noticed_at",
        until_earliest_at="ended_at",
        until_at=when(is_known & col("unserved_from_at").is_not_null()).then(until_at),
        root_event=lit("partition_outage"),
        root_at="noticed_at",
        **{name: begin.field(name) for name in LINE},
        end_file_id=pl.coalesce("line_file_id", end.field("file_id")),
        end_byte_offset=pl.coalesce("line_byte_offset", end.field("byte_offset")),
    )


def loading_coordinators(pieces: pl.DataFrame, client_event: pl.DataFrame) -> pl.DataFrame:
    """Of pieces of partitions that coordinate: moves told as coordinator_moved, and behind each the time until the
    next line of a broker that has loaded it."""
    own = pieces.filter(col("topic").is_in(COORDINATED))
    loads = client_event.filter(col("step").is_in(list(LOADED))).select(
        *("cluster_id", "topic", "partition", "step"),
        asked_at="logged_at",
        load_at="logged_at",
        loads_from_at=col("logged_at") - pl.duration(milliseconds=col("took_ms").fill_null(0)),
        **{f"load_{name}": name for name in LINE},
    )
    loaded = (
        own.filter(col("until_earliest_at").is_not_null(), col("kind") != LOST)
        .with_columns(asked_at=pl.coalesce("until_earliest_at", "from_at") - EARLIER)
        .with_columns(asked_at=pl.max_horizontal("asked_at", "from_latest_at"))
        .sort("asked_at")
        .join_asof(
            loads.sort("asked_at"),
            on="asked_at",
            by=["cluster_id", "topic", "partition"],
            strategy="forward",
            tolerance="60s",
            check_sortedness=False,
        )
    )
    tail = loaded.filter(col("load_at").is_not_null()).with_columns(
        kind=lit(COORDINATOR),
        from_at=pl.min_horizontal("from_at", "load_at"),
        from_latest_at=pl.max_horizontal("loads_from_at", pl.min_horizontal("until_earliest_at", "load_at")),
        until_earliest_at="load_at",
        until_at="load_at",
        confirmed_by="step",
        **{f"end_{name}": f"load_{name}" for name in LINE},
    )
    told = own.with_columns(kind=when(col("kind") == MOVED).then(lit(COORDINATOR)).otherwise("kind"))
    others = pieces.filter(~col("topic").is_in(COORDINATED))
    return pl.concat([others, told, tail.select(list(PIECE))])


def lost_records(leader_election: pl.DataFrame) -> pl.DataFrame:
    """Unclean elections after which a log went beyond that of the leader: gold.leader_election.records_at_risk."""
    is_loss = (col("records_at_risk") > 0) & ~col("was_last_leader").fill_null(value=False)
    found = leader_election.filter(~col("is_clean").fill_null(value=True), is_loss.fill_null(value=False))
    return as_pieces(
        found,
        kind=lit(LOST),
        from_at="elected_at",
        from_latest_at="elected_at",
        until_earliest_at="elected_at",
        until_at="elected_at",
        root_event=lit("leader_election"),
        root_at="elected_at",
    )
