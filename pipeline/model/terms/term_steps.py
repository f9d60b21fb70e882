"""When each term follows which, and what lines say of a controller in its own term."""

from collections.abc import Sequence

import polars as pl
from polars import col, lit, when

from pipeline.core.span_join import rows_in_spans
from pipeline.model.lines.evidence import LINE, evidence_line
from pipeline.model.terms.elections import BREAKS, LONGEST_MS, with_next_leader

STARTED = ("starting", "thread_starting", "created")
LEAVING = ("resigning", "renounced")
GIVING_UP = ("resigning", "resigned")
RESIGNED = "controller_resigned"  # at INFO it stands alone
WITHOUT_OFFICE = "without_office"
NOBODY = r"^\w*\(\)$"  # of the brokers that it watches: Set(), HashSet()
AT_ONCE_MS = 5_000
LIVE = "controller_live_brokers"  # the brokers that a controller finds alive at its start
TERM = ("cluster_id", "term_id")
NAMED = ("cluster_id", "controller_id", "controller_epoch")
SAID = ("said_at", "said_file_id", "said_byte_offset")
MODE = ("cluster_id", "mode")
IN_TURN = ("life", "controller_epoch")


def with_succession(term: pl.DataFrame) -> pl.DataFrame:
    """Terms in their turn (MODE, IN_TURN) with began_at, and of the terms that come next: superseded_at and
    next_controller_id of the one in turn, next_own_at of the same node, reused_at of the same node and epoch.

    Terms of ZooKeeper and of KRaft follow one another each by themselves.
    is_succeeded: the next one seen is the next one that there was, and its election was seen. In KRaft not every
    epoch has a leader; of one that was in office before lines tell of an election it is not known whether it was
    deposed by then.
    """
    node = ("cluster_id", "controller_id")
    life, epoch, began_at = col("life"), col("controller_epoch"), col("began_at")
    is_same_life = life.shift(-1).over(MODE) == life
    is_next_epoch = epoch.shift(-1).over(MODE) == epoch + 1
    is_begin_unseen = col("elected_at").is_null() & col("told_from_at").is_not_null()
    is_next = is_same_life & (is_next_epoch | ((col("mode") == "kraft") & ~is_begin_unseen))
    is_seen = col("elected_at").shift(-1).over(MODE).is_not_null()
    following = (
        term.with_columns(began_at="first_seen_at")
        .sort("cluster_id", *IN_TURN)
        .with_columns(
            next_own_at=began_at.shift(-1).over(node),
            reused_at=began_at.shift(-1).over(*node, "controller_epoch"),
        )
    )
    return following.sort(*MODE, *IN_TURN).with_columns(
        superseded_at=began_at.shift(-1).over(MODE),
        next_controller_id=col("controller_id").shift(-1).over(MODE),
        is_succeeded=(is_seen & is_next).fill_null(value=False),
    )


def steps_in_terms(
    term: pl.DataFrame, controller_step: pl.DataFrame, steps: Sequence[str], names: Sequence[str]
) -> pl.DataFrame:
    """Terms (with_succession: TERM, elected_at, mode) with each of these steps of their node from the line that elects
    it on, with_next_election_of_node(): SAID and the columns of controller_step that are named, among them step; in
    order of SAID. Lines of another file belong to it in the millisecond of its election too, but those that end a
    term."""
    at, file_id, offset = SAID
    said = (
        controller_step.pipe(with_lone_resignations)
        .pipe(with_offices)
        .filter(col("step").is_in(steps))
        .select(
            "cluster_id",
            pl.coalesce("node_id", "controller_id").alias("controller_id"),
            pl.col("logged_at").alias(at),
            pl.col("file_id").alias(file_id),
            pl.col("byte_offset").alias(offset),
            *names,
            "office",
        )
    )
    names_of_term = (
        *TERM,
        "controller_id",
        "elected_at",
        "mode",
        *LINE,
        "began_at",
        "next_own_at",
        "superseded_at",
    )
    spans = term.select(names_of_term).pipe(with_next_election_of_node, controller_step)
    is_later = col(at) > col("began_at")
    is_same_file, is_end = col(file_id) == col("file_id"), col("step").is_in(BREAKS)
    is_behind = when(is_same_file).then(col(offset) >= col("byte_offset")).otherwise(~is_end)
    return (
        rows_in_spans(
            spans, said, ("cluster_id", "controller_id"), ("began_at", "next_own_at"), at, closed="left"
        )
        .filter(is_later | is_behind)
        .with_columns(step=step_if_active_controller(at))
        .filter(col("step").is_in([*steps, WITHOUT_OFFICE]))
        .drop("controller_id", "began_at", "next_own_at", "superseded_at", "office", *LINE)
        .sort(*TERM, *SAID)
    )


def with_lone_resignations(controller_step: pl.DataFrame) -> pl.DataFrame:
    """Adds a step resigning for each line resigned without one: at INFO a node prints the end of its resignation alone.

    Source: KafkaController.onControllerResignation, 0.9 to 3.9: DEBUG as it begins, INFO as it is done.
    """
    node = ("cluster_id", pl.coalesce("node_id", "controller_id"), "file_id")
    said = controller_step.filter(col("step").is_in(GIVING_UP)).sort(*LINE)
    is_lone = (col("step") == "resigned") & col("step").shift(1).over(node).ne_missing(lit("resigning"))
    return pl.concat([controller_step, said.filter(is_lone).with_columns(step=lit("resigning"))])


def with_offices(controller_step: pl.DataFrame) -> pl.DataFrame:
    """Adds office to lines that say that a broker resigns: none, held, or unsaid where it stops and nothing tells; null
    on others. Each broker that is stopped in order says it; only a controller has brokers to watch no longer, but for
    one that fails as it takes over.

    Source: KafkaController.shutdown, onControllerResignation; unregisterBrokerModificationsHandler, from 1.1.
    """
    node = ("cluster_id", pl.coalesce("node_id", "controller_id"), "file_id")
    step, at = col("step"), col("logged_at")
    of_stop = (
        controller_step.filter(step.is_in([*GIVING_UP, "handlers_dropped", "thread_stopping"]))
        .sort(*LINE, "step")
        .with_columns(
            stopping_at=when(step == "thread_stopping").then(at).forward_fill().over(node),
            dropped=when(step.shift(-1) == "handlers_dropped").then(col("detail").shift(-1)).over(node),
        )
    )
    is_none = col("dropped").str.contains(NOBODY)
    is_stopping = at - col("stopping_at") <= pl.duration(milliseconds=AT_ONCE_MS)
    office = (
        when(is_none & is_stopping).then(lit("none"))
        .when(~is_none).then(lit("held"))
        .when(is_none | is_stopping).then(lit("unsaid"))
        .otherwise(lit("held"))
    )  # fmt: skip
    told = of_stop.with_columns(office=when(step == "resigning").then(office)).with_columns(
        office=when(step.is_in(GIVING_UP)).then(col("office").forward_fill().over(node))
    )
    return controller_step.join(
        told.filter(step.is_in(GIVING_UP)).select("cluster_id", *LINE, "step", "office"),
        on=["cluster_id", *LINE, "step"],
        how="left",
        maintain_order="left",
    )


def step_if_active_controller(at: str) -> pl.Expr:
    """The step, WITHOUT_OFFICE where a broker says that it resigns and holds none: by its own word, or as the next
    controller was elected longer ago than any session lasts and its process stops."""
    is_long_over = col(at) > col("superseded_at") + pl.duration(milliseconds=LONGEST_MS)
    is_none = (col("office") == "none") | ((col("office") == "unsaid") & is_long_over)
    return when(is_none.fill_null(value=False)).then(lit(WITHOUT_OFFICE)).otherwise("step")


def with_next_election_of_node(spans: pl.DataFrame, controller_step: pl.DataFrame) -> pl.DataFrame:
    """next_own_at: when the node is elected again, or is done with resigning as it heard that another one leads (up to
    0.10, in server.log). What it says later is of an election whose lines are missing.

    Source: ZookeeperLeaderElector.LeaderChangeListener.handleDataChange; KafkaController.SessionExpirationListener,
    which up to 0.10 says that it resigns also where it is no controller.
    """
    heard = with_next_leader(spans.filter(col("began_at").is_not_null()), controller_step)
    done_at = col("heard_at") + pl.duration(milliseconds=LONGEST_MS)
    return heard.with_columns(next_own_at=pl.min_horizontal("next_own_at", done_at)).drop(
        "heard_id", "heard_at"
    )


def first_step_time_and_line(*steps: str) -> tuple[pl.Expr, pl.Expr]:
    """When and where one of the steps was said first, of a group of steps_in_terms; where: a list of that one line."""
    is_one = col("step").is_in(steps)
    return col(SAID[0]).filter(is_one).first(), evidence_line(SAID[1:]).filter(is_one).head(1)


def is_before_restart(at: str) -> pl.Expr:
    """True if the process said it that was elected."""
    return col("restarted_at").is_null() | (col(at) <= col("restarted_at"))


def term_resignations(term: pl.DataFrame, controller_step: pl.DataFrame) -> pl.DataFrame:
    """(TERM, resigning_at, resigning_file_id, resigning_byte_offset, resigning_event): null where the node started anew
    before it."""
    resigning = ("resigning_at", "resigning_file_id", "resigning_byte_offset", "resigning_event")
    is_leaving = col("step").is_in(LEAVING)
    return (
        steps_in_terms(term, controller_step, (*LEAVING, *STARTED), ["step", "event"])
        .group_by(TERM)
        .agg(
            *(
                pl.col(own).filter(is_leaving).first().alias(name)
                for own, name in zip((*SAID, "event"), resigning, strict=True)
            ),
            restarted_at=first_step_time_and_line(*STARTED)[0],
        )
        .select(
            *TERM, *(when(is_before_restart("resigning_at")).then(name).alias(name) for name in resigning)
        )
    )


def with_named_term(rows: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Rows (NAMED, logged_at) that name a controller and its epoch, with term_id and superseded_at of their term in
    the life of their time."""
    terms = term.select(*NAMED, "term_id", "began_at", "reused_at", "superseded_at")
    is_before_reuse = (col("logged_at") < col("reused_at")).fill_null(value=True)
    return (
        rows.drop_nulls((*NAMED, "logged_at"))
        .sort("logged_at")
        .join_asof(
            terms.drop_nulls("began_at").sort("began_at"),
            left_on="logged_at",
            right_on="began_at",
            by=list(NAMED),
            strategy="backward",
            check_sortedness=False,
        )
        .filter(col("term_id").is_not_null() & is_before_reuse)
        .drop("began_at", "reused_at")
    )
