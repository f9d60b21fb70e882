"""Elections of controllers: which lines belong to one, and the epoch of those that no line tells."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of

ELECTED, STARTED = "controller_elected", "controller_failover_started"
EPOCH_TOLD = "controller_epoch_incremented"
KRAFT_ELECTION = "controller_active"
ELECTIONS = (ELECTED, STARTED, EPOCH_TOLD, KRAFT_ELECTION)
# What ends the start of a controller before its epoch is told, or is over before an election.
BREAKS = (
    *("resigning", "resigned", "session_expired", "partition_machine_stopped", "replica_machine_stopped"),
    *("starting", "thread_starting", "election_failed", "epoch_failed", "failover_aborted"),
)
NEXT_LEADER = "controller_leader_changed"
# ZooKeeper grants no session more than twenty of its ticks of 2 s: who was silent for longer lost the election.
LONGEST_MS = 40_000
NODE = ("cluster_id", "controller_id")
OWN = (*NODE, "controller_epoch")
LINE = ("file_id", "byte_offset")


def controller_elections(controller_step: pl.DataFrame) -> pl.DataFrame:
    """One row per election that has an epoch: OWN, LINE of the first of its lines, mode, elected_at; own_file_id,
    own_byte_offset: the first of them in the file of the controller's own lines; is_epoch_told: False if no line of it
    tells the epoch (with_epoch).

    Up to 2.0 the line that elects has no epoch, the next one of that node does. Up to 0.10 it is of
    ZookeeperLeaderElector, whose lines stand in server.log: the two files need not be of the same time.
    Source: ZookeeperLeaderElector.elect, KafkaController.onControllerFailover, 0.8.0 to 0.10.2; KafkaController.elect
    from 0.11.
    """
    return controller_step.pipe(controller_election_attempts).pipe(with_election_epoch, controller_step)


def controller_election_attempts(controller_step: pl.DataFrame) -> pl.DataFrame:
    """Elections with their lines; controller_epoch: null if none of their lines tells it."""
    has_epoch = col("controller_epoch").is_not_null()
    is_own = col("event") != ELECTED
    is_in_own_file = col("file_id").is_in(col("file_id").filter(is_own | has_epoch).implode())
    return (
        controller_step.pipe(ordered_election_lines)
        .filter(col("rank") > 0)
        .group_by(*NODE, "attempt", maintain_order=True)
        .agg(
            *(col(name).first() for name in LINE),
            *(col(name).filter(is_in_own_file).first().alias(f"own_{name}") for name in LINE),
            col("controller_epoch").drop_nulls().last(),
            elected_at=col("logged_at").first(),
            is_kraft=(col("event") == KRAFT_ELECTION).any(),
            is_alone=(col("event") == ELECTED).all(),
        )
        .with_columns(mode=when("is_kraft").then(lit("kraft")).otherwise(lit("zookeeper")))
        .drop("attempt", "is_kraft")
    )


def ordered_election_lines(controller_step: pl.DataFrame) -> pl.DataFrame:
    """Lines of elections (rank from 1) and of what ends them (0), in order of time, then of what they say; the same
    line in a second file counts once. attempt: number of the election that the line belongs to, of its node."""
    event, at_ms = col("event"), col("logged_at").dt.epoch("ms")
    is_election = event.is_in(ELECTIONS)
    by_line = when(is_election).then("controller_id").otherwise(pl.coalesce("controller_id", "node_id"))
    rank = (
        when(~is_election)
        .then(0)
        .when(event == STARTED)
        .then(2)
        .when(event == EPOCH_TOLD)
        .then(3)
        .otherwise(1)
    )
    before = {name: col(name).shift(1).over(NODE) for name in ("event", "rank", "controller_epoch")}
    is_first = event.is_in([ELECTED, KRAFT_ELECTION]) | ((event == STARTED) & (before["event"] != ELECTED))
    is_over = (before["rank"] == 0) | before["controller_epoch"].is_not_null()
    is_late = at_ms - at_ms.shift(1).over(NODE) > LONGEST_MS
    begins = before["rank"].is_null() | (col("rank") == 0) | is_first | is_over | is_late
    return (
        controller_step.filter(is_election | col("step").is_in(BREAKS))
        .with_columns(controller_id=by_line, rank=rank)
        .filter(col("controller_id").is_not_null())
        .sort("logged_at", "rank", *LINE)
        .unique([*OWN, "logged_at", "event"], keep="first", maintain_order=True)
        .with_columns(attempt=begins.cast(pl.Int64).cum_sum().over(NODE))
    )


def with_election_epoch(attempted: pl.DataFrame, controller_step: pl.DataFrame) -> pl.DataFrame:
    """Elections that have an epoch; that of one in server.log alone is told by its neighbours, if they leave just one:
    between two known epochs lie as many numbers as elections, or it heard next that the one after it leads."""
    in_time = ("elected_at", *LINE)
    epoch, is_asked = col("controller_epoch"), col("controller_epoch").is_null()
    candidates = attempted.filter(epoch.is_not_null() | col("is_alone")).sort(in_time)
    of_cluster, of_run = "cluster_id", ("cluster_id", "run")
    neighbours = (
        candidates.filter(col("mode") == "zookeeper")
        .with_columns(
            run=epoch.is_not_null().cast(pl.Int64).cum_sum().over(of_cluster),
            least=epoch.forward_fill().over(of_cluster),
            following=epoch.backward_fill().over(of_cluster),
            following_id=when(~is_asked).then("controller_id").backward_fill().over(of_cluster),
            following_at=when(~is_asked).then("elected_at").backward_fill().over(of_cluster),
        )
        .filter(is_asked)
        .with_columns(left=pl.len().over(of_run) - pl.int_range(pl.len()).over(of_run))
        .with_columns(count=pl.len().over(of_run))
        .pipe(with_next_leader, controller_step, "elected_at")
    )
    is_counted = col("following") - col("least") - 1 == col("count")
    is_heard = (
        (col("left") == 1) & is_next_election_reported() & (col("following") - 1 > col("least").fill_null(0))
    )
    told = neighbours.filter(is_counted.fill_null(value=False) | is_heard.fill_null(value=False))
    inferred = told.with_columns(controller_epoch=(col("following") - col("left")).cast(pl.Int32))
    known = candidates.filter(epoch.is_not_null())
    return (
        pl.concat(
            [
                one.with_columns(is_epoch_told=lit(value=is_told))
                for one, is_told in ((known, True), (inferred, False))
            ],
            how="diagonal_relaxed",
        )
        .select(*OWN, *LINE, "own_file_id", "own_byte_offset", "mode", "elected_at", "is_epoch_told")
        .sort(in_time)
    )


@needs_rows_of("elected")
def with_next_leader(
    elected: pl.DataFrame, controller_step: pl.DataFrame, at: str = "began_at"
) -> pl.DataFrame:
    """Adds heard_id, heard_at: the next leader that its node hears of after it was elected (at), itself left out.

    Source: ZookeeperLeaderElector.LeaderChangeListener.handleDataChange, 0.8.0 to 0.10.2.
    """
    heard = controller_step.filter(
        col("event") == NEXT_LEADER, col("active_controller_id") != col("node_id")
    ).select("cluster_id", controller_id="node_id", heard_id="active_controller_id", heard_at="logged_at")
    return elected.sort(at).join_asof(
        heard.sort("heard_at", "heard_id"),
        left_on=at, right_on="heard_at", by=list(NODE), strategy="forward", check_sortedness=False,
    )  # fmt: skip


def is_next_election_reported() -> pl.Expr:
    """True if it is the one elected next, told when that one was elected."""
    late_ms = col("heard_at").dt.epoch("ms") - col("following_at").dt.epoch("ms")
    return (col("heard_id") == col("following_id")) & late_ms.is_between(0, LONGEST_MS)
