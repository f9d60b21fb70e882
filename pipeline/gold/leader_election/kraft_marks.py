"""What KRaft controllers print of decisions that change leaders, put beside the changes that may have come of them."""

import polars as pl
from polars import col, when

from pipeline.core.made_of import needs_rows_of
from pipeline.gold.leader_election.evidence import line_struct
from pipeline.model.terms.kraft_terms import decisions_in_effect

BROKER = ("cluster_id", "broker_id")
LEFT = (
    "session_timed_out",
    "fence_granted",
    "controlled_shutdown_granted",
    "shutdown_granted",
    "log_dir_failed",
)
BACK = ("unfence_granted",)
OF_RETURN = "handleBrokerUnfenced"  # the trigger of the line that counts what a return changed
RUNS = ("preferred_election_run", "periodic_task_run")
PREFERRED_TASK = "electPreferred"
UNCLEAN_TASK = "unclean_election_triggered"  # from 3.9, where the topic allows it
COMPLETED, CHANGED = "completed", "changed"
UNCLEAN = "elected_unclean"
CHOICES = ("elect_unclean", "elect_elr")
SOON = pl.duration(seconds=1)  # what one event prints in two files
LATER = pl.duration(seconds=3)  # from a decision to the first broker that prints what came of it
LATE = pl.duration(seconds=60)  # the same, while few controllers are there to write the decision down
MARK = ("at", "step", "file_id", "byte_offset")
CHOICE = ("cluster_id", "topic_id", "partition", "leader_epoch", "leader")


@needs_rows_of("changes")
def with_marks(
    changes: pl.DataFrame,
    broker_event: pl.DataFrame,
    election_event: pl.DataFrame,
    reassignment_event: pl.DataFrame,
    term: pl.DataFrame,
) -> pl.DataFrame:
    """Adds left (of the leader before), back (of the new one), moved (of the partition), run (of preferred elections),
    task (of the controller's own unclean ones): the last such decision that can be of the change, as columns <name>_ of
    MARK, null where there is none;
    are_runs_told: its controller printed one by then, be it that nothing was to do; are_moves_told: it printed a line
    of any reassignment by then on that day (UTC); said_: what lines say of this very election.

    A controller says what it chose in the event in which it chose: where it does (said_at), only decisions of that
    event can be of the change. A broker that was let back before it led has not left since; one that left before the
    reassignment ended is not why another leads.

    changes: rows with leader_before, valid_from_at_before, leader, leader_epoch, topic, topic_id, partition,
    valid_from_at, term_id.
    """
    is_decision = (col("said_by") == "decision") & col("broker_id").is_not_null()
    decided = decisions_in_effect(broker_event.filter(is_decision), term, broker_event)
    told_moves = decisions_in_effect(reassignment_event, term)
    moves = told_moves.filter(is_end_of_move(), col("partition").is_not_null())
    is_of_task = (col("trigger") == PREFERRED_TASK).fill_null(value=True)
    runs = decisions_in_effect(election_event.filter(col("event").is_in(RUNS), is_of_task), term)
    changed_at = pl.min_horizontal("valid_from_at", "said_at")
    is_said = col("said_at").is_not_null()
    of_leadership = pl.max_horizontal(col("valid_from_at_before") - SOON, changed_at - LATE)
    since_before = when(is_said).then(changed_at - SOON).otherwise(of_leadership)
    lately = changed_at - LATER
    first_runs = runs.group_by("cluster_id", "term_id").agg(runs_told_from_at=col("at").min())
    of_leaders = {
        "left": (decided.filter(col("step").is_in(LEFT)), ("cluster_id", "leader_before")),
        "back": (decided.filter(col("step").is_in(BACK)), ("cluster_id", "leader")),
    }
    found = changes.join(printed_choices(election_event), on=CHOICE, how="left")
    for name, (marks, key) in of_leaders.items():
        found = with_last_mark(found, marks, name, key, BROKER, since_before)
    found = without_done(found, election_event)
    partition = ("cluster_id", "topic", "partition")
    found = with_last_mark(found, moves, "moved", partition, partition, lately)
    tasks = decisions_in_effect(election_event.filter(col("event") == UNCLEAN_TASK), term)
    found = with_last_mark(found, tasks, "task", partition, partition, changed_at - SOON)
    is_changing = col("partition_count") > 0
    found = with_last_mark(found, runs.filter(is_changing), "run", ("cluster_id",), ("cluster_id",), lately)
    return (
        found.join(first_runs, on=["cluster_id", "term_id"], how="left")
        .with_columns(are_runs_told=(col("runs_told_from_at") <= col("valid_from_at")).fill_null(value=False))
        .pipe(with_printed_moves, told_moves)
        .pipe(without_returned, decided.filter(col("step").is_in(BACK)))
    )


def with_printed_moves(found: pl.DataFrame, moves: pl.DataFrame) -> pl.DataFrame:
    key = ("cluster_id", "term_id", "day")
    first = moves.group_by("cluster_id", "term_id", day=col("at").dt.truncate("1d")).agg(
        moves_from_at=col("at").min()
    )
    is_told = col("moves_from_at") <= col("valid_from_at") + SOON
    return (
        found.with_columns(day=col("valid_from_at").dt.truncate("1d"))
        .join(first, on=key, how="left")
        .with_columns(are_moves_told=is_told.fill_null(value=False))
        .drop("day", "moves_from_at")
    )


def is_end_of_move() -> pl.Expr:
    """The record that ends a reassignment has no adding and no removing replicas."""
    lists = (col(name).list.len().fill_null(0) == 0 for name in ("adding_replicas", "removing_replicas"))
    return (col("step") == COMPLETED) | ((col("step") == CHANGED) & pl.all_horizontal(lists))


def without_returned(found: pl.DataFrame, back: pl.DataFrame) -> pl.DataFrame:
    """left is null where the broker was let back between that and its leadership, or where the reassignment of the
    partition ended since."""
    returns = back.sort("at").select("cluster_id", leader_before="broker_id", returned_at="at")
    is_back = (col("returned_at") > col("left_at")).fill_null(value=False)
    is_moved = col("moved_at").is_between("left_at", "valid_from_at", closed="right").fill_null(value=False)
    return (
        found.sort("valid_from_at_before")
        .join_asof(
            returns, left_on="valid_from_at_before", right_on="returned_at", by=["cluster_id", "leader_before"],
            coalesce=False, check_sortedness=False,
        )
        .with_columns(when(~is_back & ~is_moved).then(col(f"left_{name}" for name in MARK)))
        .drop("returned_at")
    )  # fmt: skip


def without_done(found: pl.DataFrame, election_event: pl.DataFrame) -> pl.DataFrame:
    """back is null where its event was over when the controller chose: it counts what it changed behind its choices.

    Source: ReplicationControlManager.generateLeaderAndIsrUpdates, from 3.0.
    """
    is_end = (col("step") == "batch") & (col("trigger") == OF_RETURN)
    ends = election_event.filter(is_end).select(back_file_id="file_id", over_offset="byte_offset")
    choice = col("choice_line").struct
    is_same_file = choice.field("file_id") == col("back_file_id")
    is_over = (is_same_file & (col("over_offset") < choice.field("byte_offset"))).fill_null(value=False)
    return (
        found.sort("back_byte_offset")
        .join_asof(
            ends.sort("over_offset"), left_on="back_byte_offset", right_on="over_offset", by="back_file_id",
            strategy="forward", coalesce=False, check_sortedness=False,
        )
        .with_columns(when(~is_over).then(col(f"back_{name}" for name in MARK)))
        .select(found.columns)
    )  # fmt: skip


def with_last_mark(
    changes: pl.DataFrame,
    marks: pl.DataFrame,
    name: str,
    key: tuple[str, ...],
    by: tuple[str, ...],
    since: pl.Expr,
) -> pl.DataFrame:
    """Changes with the last of the marks from that time until just after the change.

    key: columns of changes that name what the marks are of; by: those of marks.
    """
    names = [f"{name}_{one}" for one in MARK]
    in_turn = marks.sort(MARK).select(*by, col(MARK).name.prefix(f"{name}_"), mark_at="at")
    is_of_it = col("mark_at") >= since
    return (
        changes.with_columns(until_at=pl.min_horizontal("valid_from_at", "said_at") + SOON)
        .sort("until_at")
        .join_asof(
            in_turn, left_on="until_at", right_on="mark_at", by_left=key, by_right=by, coalesce=False,
            check_sortedness=False,
        )
        .with_columns(when(is_of_it).then(col(names)))
        .select(*changes.columns, *names)
    )  # fmt: skip


def printed_choices(election_event: pl.DataFrame) -> pl.DataFrame:
    """(CHOICE, said_step, said_selector, said_at, said_isr, diff_line, choice_line): what lines say of one choice:
    diffs that name the topic, and what the controller said when it chose. said_isr: before it.

    The line of the choice itself has the leader epoch before from 4.1 on, and until then none: it is that of the next
    diff. Diffs, which every controller prints that replays the record, have the epoch after.
    """
    is_choice = col("event").is_in(CHOICES)
    is_said = col("topic_id").is_not_null() & ((col("step") == UNCLEAN) | is_choice)
    place = ("logged_at", "file_id", "byte_offset")
    partition = ("cluster_id", "topic_id", "partition", "new_leader")
    rows = election_event.filter(is_said).sort(place).with_row_index("row").with_columns(is_choice=is_choice)
    next_diff = when(~col("is_choice")).then("row").backward_fill().over(partition)
    epoch_of_diff, diff_at = (col(name).gather(next_diff) for name in ("leader_epoch", "logged_at"))
    is_soon = diff_at - col("logged_at") <= LATE
    epoch = pl.coalesce(
        col("leader_epoch") + col("is_choice").cast(pl.Int32), when(is_soon).then(epoch_of_diff)
    )
    return (
        rows.with_columns(leader_epoch=epoch, leader="new_leader")
        .group_by(CHOICE)
        .agg(
            said_step=col("step").max(),
            said_selector=col("selector").min(),
            said_at=col("logged_at").min(),
            said_isr=col("isr_before").drop_nulls().first(),
            diff_line=line_struct().filter(~col("is_choice")).first(),
            choice_line=line_struct().filter(col("is_choice")).first(),
        )
    )
