"""KRaft controllers that give up what they decided last, as it was not committed."""

from datetime import timedelta

import polars as pl
from polars import col

RENOUNCED, FAILED = "renounced", "controller_event_failed"
NODE = ("cluster_id", "controller_id")
OWN = (*NODE, "controller_epoch")
TERM = ("cluster_id", "term_id")
LINE = ("file_id", "byte_offset")
# All events that wait for their records fail as soon as the controller gives up.
AT_ONCE = "1s"
CLOCKS = timedelta(seconds=10)  # another node may say before that it is elected


def with_void_begin(terms: pl.DataFrame, controller_step: pl.DataFrame) -> pl.DataFrame:
    """Terms with void_from_at: the begin of the first event of which nothing was committed when the controller gave up.

    An event in which the controller renounces has written nothing: what it decided is void. The controller reverts to
    the last committed offset: void is what an event wrote that fails then as it still waits, and all after it, but for
    one case: the controller itself is elected next, and has it. Such an event says how long it took, the wait included.
    Null where nothing is read of the next controller: what it has nobody knows (with_given_up).
    Source: QuorumController.handleEventException, renounce; DeferredEventQueue.failAll, from 2.8.
    """
    node = pl.coalesce("node_id", "controller_id")
    said = controller_step.with_columns(controller_id=node).sort("logged_at")
    renounced = said.filter(col("step") == RENOUNCED, col("controller_epoch").is_not_null())
    failed = said.filter(col("event") == FAILED, col("began_at").is_not_null())
    is_own = pl.all_horizontal(col(name) == col(f"{name}_renounced") for name in LINE)
    reverted = (
        failed.select(*NODE, *LINE, "began_at", "logged_at")
        .join_asof(
            renounced.select(*OWN, "logged_at", col(LINE).name.suffix("_renounced")),
            on="logged_at",
            by=list(NODE),
            tolerance=AT_ONCE,
            check_sortedness=False,
        )
        .join(with_next_term_flags(terms), on=OWN)
        .filter((col("logged_at") >= col("elected_at")).fill_null(value=True))
        .filter(is_own | col("is_another_next"))
        .group_by(TERM)
        .agg(void_from_at=pl.max_horizontal("began_at", "elected_at").min())
    )
    return terms.join(reverted, on=TERM, how="left")


def with_next_term_flags(terms: pl.DataFrame) -> pl.DataFrame:
    """(OWN, term_id, elected_at) of KRaft terms; is_next_seen: the election of the next one was seen, or none is known;
    is_another_next: both elections were, and the next one is of another controller."""
    in_turn = terms.filter(col("mode") == "kraft").sort("cluster_id", "life", "controller_epoch")
    life = ("cluster_id", "life")
    is_elected = col("elected_at").is_not_null()
    is_next_seen = is_elected.shift(-1, fill_value=True).over(life)
    another = (col("controller_id").shift(-1).over(life) != col("controller_id")).fill_null(value=False)
    return (
        in_turn.with_columns(is_next_seen=is_next_seen)
        .with_columns(is_another_next=another & col("is_next_seen") & is_elected)
        .select(*OWN, "term_id", "elected_at", "is_next_seen", "is_another_next")
    )


def with_renounced_at(terms: pl.DataFrame, controller_step: pl.DataFrame) -> pl.DataFrame:
    """Terms whose controller gives up as another one leads, of which no line is read: unproved_from_at is that line.
    What the other one did is unseen, from the first event on that still waited (void_from_at).

    Source: QuorumController.QuorumMetaLogListener.handleLeaderChange, from 2.8.
    """
    said = controller_step.with_columns(controller_id=pl.coalesce("node_id", "controller_id"))
    is_renounced = (col("step") == RENOUNCED) & (col("active_controller_id") != col("controller_id"))
    renounced = said.filter(is_renounced).select(*OWN, given_up_at="logged_at").sort("given_up_at")
    failed = said.filter(col("event") == FAILED, col("began_at").is_not_null())
    terms_begun = (
        terms.filter(col("mode") == "kraft")
        .sort("cluster_id", "life", "controller_epoch")
        .select(
            *TERM,
            *OWN[1:],
            "elected_at",
            begun_at="first_seen_at",
            next_at=col("first_seen_at").shift(-1).over("cluster_id", "life"),
        )
    )
    is_next = (col("next_at") <= col("given_up_at") + CLOCKS).fill_null(value=False)
    given_up = (
        renounced.join_asof(
            terms_begun.sort("begun_at"),
            left_on="given_up_at",
            right_on="begun_at",
            by=list(OWN),
            check_sortedness=False,
        )
        .filter(col("term_id").is_not_null(), ~is_next)
        .unique(TERM, keep="last", maintain_order=True)
        .select(*TERM, "controller_id", "elected_at", "given_up_at")
    )
    waited = (
        failed.select(*NODE, "began_at", "logged_at")
        .join(given_up, on=NODE)
        .filter(col("logged_at").is_between("given_up_at", col("given_up_at") + pl.duration(seconds=1)))
        .group_by(TERM)
        .agg(waited_from_at=col("began_at").min())
    )
    since = given_up.join(waited, on=TERM, how="left").select(
        *TERM,
        "given_up_at",
        waited_at=pl.max_horizontal(pl.min_horizontal("waited_from_at", "given_up_at"), "elected_at"),
    )
    return (
        terms.join(since, on=TERM, how="left")
        .with_columns(
            void_from_at=pl.min_horizontal("void_from_at", "waited_at"),
            unproved_from_at=pl.min_horizontal("unproved_from_at", "given_up_at"),
        )
        .drop("given_up_at", "waited_at")
    )
