"""Brokers that registered anew between two looks of controllers, of which no list says so (ZooKeeper mode)."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.stretches import TIME
from pipeline.model.brokers.departures import BOUNCED, BROKER, SESSION
from pipeline.model.brokers.end_reasons import CLOCKS
from pipeline.model.lines.evidence import LINE

REGISTERED = ("registered", "registered_again")
BEGIN_SAID = "is_begin_said"
LIST = "broker_change"
OWN = {"cluster_id": pl.String(), "broker_id": pl.Int32(), "own_at": TIME}
OWN_LINE = {"own_file_id": pl.String(), "own_byte_offset": pl.Int64()}
STAY = (*BROKER, "stay")
NOT_TOLD = pl.DataFrame(schema=OWN | OWN_LINE)


@needs_rows_of("node_event")
def registrations_in_server_log(node_event: pl.DataFrame) -> pl.DataFrame:
    """One row per registration of a broker with ZooKeeper, as its server.log says it: BROKER, own_at, OWN_LINE."""
    is_said = (col("area") == "registration") & col("step").is_in(REGISTERED)
    file_id, byte_offset = LINE
    return (
        node_event.filter(is_said, col("node_id").is_not_null())
        .select(
            "cluster_id",
            broker_id="node_id",
            own_at="logged_at",
            own_file_id=file_id,
            own_byte_offset=byte_offset,
        )
        .sort(*BROKER, "own_at", "own_file_id", "own_byte_offset")
        .unique([*BROKER, "own_at"], keep="first", maintain_order=True)
    )


@needs_rows_of("in_order")
def with_unsaid_bounces(in_order: pl.DataFrame, registered: pl.DataFrame) -> pl.DataFrame:
    """Looks in their order, is_bounced also where the broker is there as before, and under another registration: its
    epoch is not the one that was told before (from 2.2, a controller that starts), or where no epoch is told its own
    line says that it registered since the look before. is_unsaid: so; sign_: the line that tells it, else null.
    is_missed: it is gone, and its own line says that it registered since the look before: a look is missing.

    in_order: BROKER, at, is_live, is_joined, is_bounced, broker_epoch, sign_; of what is no look, but put among them,
    joined_how, and of seeds BEGIN_SAID: true of one that begins as the broker registered. registered: see
    registrations_in_server_log. Who lost its session and registered anew keeps its process.
    Source: KafkaController.processBrokerChange, initializeControllerContext: bounced brokers are told apart from 2.2
    on, and never by a controller that starts.
    """
    was_live = col("is_live").shift(1, fill_value=False).over(BROKER)
    is_begin = col("is_live") & (~was_live | col("is_bounced"))
    said = pl.coalesce(BEGIN_SAID, col("is_joined") | col("is_bounced"))
    epoch_before = col("broker_epoch").forward_fill().shift(1).over(STAY)
    looks = (
        in_order.with_columns(
            said.alias(BEGIN_SAID),
            is_begin=is_begin,
            is_same_stay=col("is_live") & ~is_begin & col("joined_how").is_null(),
            stay=is_begin.cast(pl.Int64).cum_sum().over(BROKER),
        )
        .with_columns(epoch_before=epoch_before)
        .pipe(with_broker_registration, registered)
    )
    is_told = col("broker_epoch").is_not_null() & col("epoch_before").is_not_null()
    is_other = (col("is_same_stay") & (col("broker_epoch") != col("epoch_before"))).fill_null(value=False)
    is_own = col("is_same_stay") & ~is_told & col("own_at").is_not_null()
    signs = (
        when(is_other).then(f"sign_{name}").when(is_own).then(f"own_{name}").alias(f"sign_{name}")
        for name in LINE
    )
    is_unsaid = is_other | is_own
    # Who is put before the look that misses it has its registrations.
    own_before = when(col("joined_how").is_not_null()).then("own_at").shift(1).over(BROKER)
    is_missed = ~col("is_live") & was_live & pl.coalesce("own_at", own_before).is_not_null()
    return looks.with_columns(
        *signs, is_bounced=col("is_bounced") | is_unsaid, is_unsaid=is_unsaid, is_missed=is_missed
    )


def with_broker_registration(looks: pl.DataFrame, registered: pl.DataFrame) -> pl.DataFrame:
    """own_at and its line: the broker's last own registration since the look before, null where it is that of a look
    with which a stay begins. Of a stay whose begin no own line tells, as it is before the logs or the clocks of both
    nodes differ, nothing is told."""
    begins = looks.filter("is_begin").select(*BROKER, begin_at="at").unique()
    owned = nearest_registration(registered, "own_at", begins, "begin_at")
    free = owned.filter(col("begin_at").is_null()).select(*BROKER, "own_at", *OWN_LINE)
    known = nearest_registration(begins, "begin_at", registered.select(*BROKER, "own_at"), "own_at").filter(
        col("own_at").is_not_null()
    )
    agreed = known.select(*BROKER, "begin_at", is_agreed=lit(value=True))
    before_at = col("at").shift(1).over(BROKER)
    is_since = col("own_at") > col("look_before_at")
    is_known = col("is_agreed").fill_null(value=False) & col(BEGIN_SAID).first().over(STAY)
    names = ("own_at", *OWN_LINE)
    return (
        looks.with_row_index("row")
        .with_columns(look_before_at=before_at, begin_at=col("at").first().over(STAY))
        .join(agreed, on=[*BROKER, "begin_at"], how="left")
        .sort("at")
        .join_asof(free, left_on="at", right_on="own_at", by=BROKER, coalesce=False, check_sortedness=False)
        .sort("row")
        .with_columns(when(is_since & is_known).then(name).alias(name) for name in names)
        .drop("row", "look_before_at", "begin_at", "is_agreed")
    )


def without_lost_leaders(sessions: pl.DataFrame) -> pl.DataFrame:
    """led_count and unmoved_count are not known where a broker bounced and no list says so: no controller handled that
    it was gone, and who lost its session alone goes on leading."""
    is_unsaid = (col("left_how") == BOUNCED) & (col("mode") == "zookeeper") & (col("certainty") != "proved")
    is_known = ~is_unsaid.fill_null(value=False)
    return sessions.with_columns(when(is_known).then(col("led_count", "unmoved_count")))


def with_missing_lists(sessions: pl.DataFrame, in_order: pl.DataFrame, seeds: pl.DataFrame) -> pl.DataFrame:
    """are_lists_missing: while the broker was there, or as it left, a list said of some broker what does not follow
    from the list before it in that term: lines between are missing, and it may have left and come back in them. So it
    is where it registered again before it left (is_missed), and with what was in doubt before the lines that are
    given (seeds: as zookeeper_sessions has them)."""
    was_live = col("is_live").shift(1).over(BROKER)
    is_same_term = (col("term_id") == col("term_id").shift(1).over(BROKER)) & (col("event") == LIST)
    is_gone_unsaid = was_live & ~col("is_live") & ~col("is_left")
    is_here_again = was_live & col("is_joined") & ~col("is_bounced")
    is_odd = is_same_term & (is_gone_unsaid | is_here_again)
    odd = in_order.filter(is_odd.fill_null(value=False)).select("cluster_id", odd_at="at").unique()
    is_within = (col("joined_at") < col("odd_at")) & (col("odd_at") <= col("left_at")).fill_null(value=True)
    torn = sessions.join(odd, on="cluster_id").filter(is_within).select(SESSION)
    before = seeds.filter(col("certainty") == "undetermined").select(SESSION)
    again = sessions.filter(col("is_missed").fill_null(value=False)).select(SESSION)
    marked = pl.concat([torn, again, before]).unique().with_columns(are_lists_missing=lit(value=True))
    return (
        sessions.drop("is_missed")
        .join(marked, on=list(SESSION), how="left")
        .with_columns(col("are_lists_missing").fill_null(value=False))
    )


def nearest_registration(rows: pl.DataFrame, at: str, others: pl.DataFrame, other_at: str) -> pl.DataFrame:
    """Rows with the other of the same broker that is nearest, null where clocks do not explain how far it is."""
    return rows.sort(at).join_asof(
        others.sort(other_at), left_on=at, right_on=other_at, by=BROKER, strategy="nearest", tolerance=CLOCKS,
        coalesce=False, check_sortedness=False,
    )  # fmt: skip
