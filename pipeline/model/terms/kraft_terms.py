"""Which KRaft controller was in office when, and which of its lines are decisions."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of

LINE = ("event", "file_id", "byte_offset")
# How a KRaft node says that the registration of a broker is another one now.
REPLAYED = ("fenced", "unfenced", "registration_changed")
SOON = timedelta(seconds=2)
AT_ONCE = timedelta(seconds=1)
HOLE = timedelta(days=1)  # silver.term.holes
IN_TERM = ("term_id", "life", "controller_epoch")


def kraft_terms(term: pl.DataFrame) -> pl.DataFrame:
    """One row per KRaft term that was seen to begin, or heard of: (cluster_id, controller_id, term_id, life,
    controller_epoch), from_at to next_at, when another one begins, and is_unseen: its own lines are missing.
    since_at: the earliest that one may have begun which others only heard of: the last line of the term before it, of
    that day in UTC, as days before are not changed any more. void_from_at: from when on nothing that it decided was
    committed. Rows without controller and term stand for what followed a term that no line proves to have gone on.

    A controller that was superseded goes on printing decisions until it hears of it; none of them comes true.
    """
    in_kraft = term.filter(col("mode") == "kraft")
    told = in_kraft.select(
        *("cluster_id", "controller_id", *IN_TERM, "void_from_at"),
        from_at=pl.coalesce("elected_at", pl.min_horizontal("void_from_at", "first_seen_at")),
        is_unseen=col("elected_at").is_null() & col("told_from_at").is_null(),
        told_until_at=pl.coalesce("told_until_at", "first_seen_at"),
    )
    return (
        pl.concat([told, unproved_spans(in_kraft)], how="diagonal")
        .sort("cluster_id", "from_at", ~col("is_unseen"), "life", "controller_epoch")
        .with_columns(
            next_at=col("from_at").shift(-1).over("cluster_id"),
            since_at=pl.max_horizontal(
                pl.min_horizontal("from_at", col("told_until_at").shift(1).over("cluster_id")),
                col("from_at").dt.truncate("1d"),
            ),
        )
        .drop("told_until_at")
    )


@needs_rows_of("term")
def unproved_spans(term: pl.DataFrame) -> pl.DataFrame:
    """Two rows per term after which no line proves that it goes on: of that day (UTC), behind what is told of it, until
    the first line what any controller did is unseen; from then on lines are read, and whoever is in office is not
    known. One row per term that was given up, of which that is the line (what was void began that day, and a hole lasts
    one at least): from what was not committed any more on, what others did is unseen."""
    at, void_at = col("unproved_from_at"), col("void_from_at")
    is_given_up = (at - void_at).is_between(timedelta(), HOLE, closed="left").fill_null(value=False)
    told_until_at = col("told_until_at") + timedelta(milliseconds=1)
    since = pl.max_horizontal(at.dt.truncate("1d"), when(told_until_at <= at).then(told_until_at))
    spans = (
        (since, True, ~is_given_up),
        (at, False, ~is_given_up),
        (void_at, True, is_given_up),
    )
    return pl.concat(
        term.filter(at.is_not_null(), is_of_it).select(
            "cluster_id", from_at=begin, told_until_at=begin, is_unseen=lit(is_unseen)
        )
        for begin, is_unseen, is_of_it in spans
    )


def unseen_of(terms: pl.DataFrame) -> pl.DataFrame:
    """The terms of which no line was read: (cluster_id, from_at, next_at), from the earliest that each may begin."""
    return terms.filter("is_unseen").select("cluster_id", "next_at", from_at="since_at")


def unproved_holes(terms: pl.DataFrame) -> pl.DataFrame:
    """(cluster_id, hole_from_at, hole_until_at): what any controller did is unseen, until lines are read again."""
    is_of_nobody = col("controller_id").is_null()
    is_end_known = (is_of_nobody & ~col("is_unseen")).shift(-1, fill_value=False).over("cluster_id")
    holes = terms.filter(is_of_nobody & col("is_unseen") & is_end_known)
    return holes.select("cluster_id", hole_from_at="from_at", hole_until_at="next_at")


def until_unseen(broker_absence: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """silver.broker_absence with back_at: when it was back, or may have been, as a controller without lines came."""
    unseen = unseen_of(terms).select("cluster_id", unseen_at="from_at").sort("unseen_at")
    return (
        broker_absence.sort("out_at")
        .join_asof(
            unseen, left_on="out_at", right_on="unseen_at", by="cluster_id", strategy="forward",
            allow_exact_matches=False, check_sortedness=False,
        )
        .with_columns(back_at=pl.min_horizontal("back_at", "unseen_at"))
        .drop("unseen_at")
    )  # fmt: skip


def is_in_span(at: str, begin: str, end: str) -> pl.Expr:
    """True if a time is in the stretch from begin to end, which may be null: no end."""
    is_before_end = (col(at) < col(end)).fill_null(value=True)
    return (col(at) >= col(begin)) & is_before_end


@needs_rows_of("rows")
def with_kraft_term(rows: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """Rows (cluster_id, at) with IN_TERM of the KRaft term (kraft_terms) that went on then; null before the first."""
    return rows.pipe(with_holder, terms).drop("holder_id")


def with_holder(rows: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """The same with holder_id, its controller."""
    begun = (
        terms.filter(col("from_at").is_not_null())
        .sort("from_at", "life", "controller_epoch")
        .select("cluster_id", "from_at", *IN_TERM, holder_id="controller_id")
    )
    return (
        rows.sort("at")
        .join_asof(begun, left_on="at", right_on="from_at", by="cluster_id", check_sortedness=False)
        .drop("from_at")
    )


@needs_rows_of("decisions")
def decisions_in_effect(
    decisions: pl.DataFrame, term: pl.DataFrame, broker_event: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Decisions (cluster_id, logged_at, node_id, controller_id) without those of controllers that were superseded, and
    those that they gave up: they never come true. Where it is not known who is in office any controller's decision
    counts, but for one that gave up its last term before. Adds at, term_id, life, controller_epoch.

    broker_event: of decisions about brokers, which another node replays if the next controller has got them.
    """
    is_its_own = col("holder_id") == pl.coalesce("node_id", "controller_id")
    terms = kraft_terms(term)
    own = (
        decisions.drop("controller_epoch", strict=False)
        .with_columns(at="logged_at")
        .pipe(with_holder, terms)
        .filter(col("holder_id").is_null() | is_its_own)
        .drop("holder_id")
        .pipe(without_abandoned_decisions, terms)
        .pipe(with_void_flag, terms)
    )
    void, certain = own.filter("is_void"), own.filter(~col("is_void"))
    if broker_event is None or void.is_empty():
        return certain.drop("is_void")
    return pl.concat([certain, void.pipe(replayed_decisions, broker_event, terms)]).drop("is_void")


def replayed_decisions(void: pl.DataFrame, broker_event: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """Of decisions about a broker that were given up those that another node replays, until the next controller has had
    time to: it commits what it got of them at once."""
    replays = broker_event.filter(col("said_by") == "replay", col("step").is_in(REPLAYED)).select(
        "cluster_id", "broker_id", replay_at="logged_at", replay_node="node_id"
    )
    next_at = terms.select("cluster_id", "term_id", until_at=col("next_at") + SOON)
    line = ("cluster_id", "file_id", "byte_offset", "broker_id")
    found = (
        void.join(next_at, on=["cluster_id", "term_id"])
        .join(replays, on=["cluster_id", "broker_id"])
        .filter(col("replay_node") != col("node_id"), col("replay_at").is_between(col("at"), col("until_at")))
    )
    return void.join(found, on=line, how="semi")


def with_void_flag(rows: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """Rows (cluster_id, term_id, at) with is_void: the controller of that term gave up what it decided then."""
    void = terms.filter(col("void_from_at").is_not_null()).select("cluster_id", "term_id", "void_from_at")
    is_void = (col("at") >= col("void_from_at")).fill_null(value=False)
    given_up = rows.join(void, on=["cluster_id", "term_id"], how="left", maintain_order="left")
    return given_up.with_columns(is_void=is_void).drop("void_from_at")


def without_abandoned_decisions(decisions: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """Without those of which the term is not known and whose node gave up before what it decides in its own last
    term: it was frozen, and others were elected meanwhile. In a hole of the logs it may have been elected again."""
    own = (
        terms.filter(col("controller_id").is_not_null(), col("from_at").is_not_null())
        .select("cluster_id", "from_at", own_void_at="void_from_at", own_id="controller_id")
        .sort("from_at")
    )
    is_behind_hole = col("controller_id").is_null() & ~col("is_unseen")
    holes = terms.filter(is_behind_hole).select("cluster_id", hole_until_at="from_at").sort("hole_until_at")
    # Its first act behind a hole may be what it gives up.
    is_since_hole = (col("own_void_at") + AT_ONCE >= col("hole_until_at")).fill_null(value=True)
    is_void = (col("own_void_at") <= col("at")) & is_since_hole
    is_given_up = (col("term_id").is_null() & is_void).fill_null(value=False)
    return (
        decisions.with_columns(own_id=pl.coalesce("node_id", "controller_id"))
        .sort("at")
        .join_asof(own, left_on="at", right_on="from_at", by=["cluster_id", "own_id"], check_sortedness=False)
        .join_asof(holes, left_on="at", right_on="hole_until_at", by="cluster_id", check_sortedness=False)
        .filter(~is_given_up)
        .drop("own_id", "own_void_at", "from_at", "hole_until_at")
    )


@needs_rows_of("lines")
def with_decided(lines: pl.DataFrame, controller_line: pl.DataFrame, terms: pl.DataFrame) -> pl.DataFrame:
    """is_decided: a controller wrote the line in its term (silver.controller_line), and no other was elected yet;
    what standbys print, and a process that starts and replays its log, is no decision. Without the decisions that it
    gave up."""
    own = controller_line.select("file_id", "byte_offset", own_id="term_id")
    is_decided = (col("own_id") == col("term_id")).fill_null(value=False)
    return (
        lines.join(own, on=["file_id", "byte_offset"], how="left")
        .pipe(with_kraft_term, terms)
        .with_columns(is_decided=is_decided)
        .pipe(with_void_flag, terms)
        .filter(~(col("is_decided") & col("is_void")))
        .drop("own_id", "is_void", *IN_TERM)
    )
