"""Holds the choice of an attempt against its rule, and says how certain that is and which lines tell it."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.gold.leader_election import leader_selectors
from pipeline.gold.leader_election.absence_overlap import BROKER, with_absence
from pipeline.gold.leader_election.evidence import line_struct, with_source_lines
from pipeline.model.brokers.candidates import online_brokers
from pipeline.model.lines.own_gaps import SINCE, with_missing_lines_since
from pipeline.model.partitions.controller_view import first_replica
from pipeline.model.terms.succession import TERM, with_terms
from schemas.silver.log_gap import LINES_MISSING

JUDGED = ("as_prescribed", "as_prescribed_by_result")


@needs_rows_of("found")
def with_judgement(
    found: pl.DataFrame, term: pl.DataFrame, log_gap: pl.DataFrame, broker_session: pl.DataFrame
) -> pl.DataFrame:
    """Attempts with kind, rule, choice, verdict, certainty, reason and evidence of this table."""
    sessions = broker_session.filter(col("mode") == "zookeeper")
    return (
        with_election_rule(found)
        .pipe(with_terms, term)
        .pipe(with_controller_doubt, term, log_gap)
        .pipe(with_certain_isr)
        .pipe(with_absence, sessions)
        .pipe(with_expected_leader)
        .pipe(with_doubted_candidate, sessions)
        .pipe(with_election_verdict)
        .pipe(with_undetermined_reason)
    )


def with_election_rule(found: pl.DataFrame) -> pl.DataFrame:
    """kind, selector, failure, and those that the rule can choose from: choices in order, online of them."""
    is_aimed = col("kind") == "reassign"
    return (
        found.with_columns(kind=leader_selectors.election_kind())
        .with_columns(
            selector=leader_selectors.selector_name(),
            target_replicas=when(is_aimed).then("target_replicas"),
            online=online_brokers(),
            choices=leader_selectors.selectable_replicas(),
        )
        .with_columns(failure=leader_selectors.failure_reason())
    )


def with_controller_doubt(found: pl.DataFrame, term: pl.DataFrame, log_gap: pl.DataFrame) -> pl.DataFrame:
    """doubt: why the controller may have known what no line given here says. is_own_whole: no line of its own node is
    known to be missing; is_isr_told: of the term."""
    gaps = log_gap.filter(col("kind").is_in(LINES_MISSING))
    of_cluster = gaps.group_by("cluster_id").agg(missing_from_at=SINCE)
    is_missing = col("missing_from_at") <= col("elected_at")
    doubt = (
        when(~col("is_whole").fill_null(value=False)).then(lit("beginning_missing"))
        .when(is_missing).then(lit("lines_missing"))
    )  # fmt: skip
    return (
        found.join(term.select(*TERM, "controller_id", "is_isr_told"), on=TERM, how="left")
        .join(of_cluster, on="cluster_id", how="left")
        .pipe(with_missing_lines_since, log_gap)
        .with_columns(
            doubt=doubt, is_own_whole=(col("own_missing_from_at") > col("elected_at")).fill_null(value=True)
        )
    )


def with_certain_isr(found: pl.DataFrame) -> pl.DataFrame:
    """is_isr_before_certain: nothing was written since (is_isr_numbered), the leader asks this controller for every
    change, there was none, or it is alone.

    Where lines are missing, only what the controller itself said last of the ISR: its next leader epoch follows. Not
    where an election leaves leader epochs out: others changed it.
    """
    follows = (col("leader_epoch") == col("old_epoch") + 1).fill_null(value=False)
    is_left_out = is_after_left_out_epochs()
    is_led_by_none = col("old_leader") == leader_selectors.NOBODY
    is_own = col("isr_line_file_id").is_not_null() & col("is_own_whole") & follows
    is_known = col("doubt").is_null() | is_own | (is_led_by_none & follows)
    is_told = col("is_isr_told").fill_null(value=False) | (col("replicas").list.len() == 1)
    is_certain = ((is_told | is_led_by_none) & is_known & ~is_left_out).fill_null(value=False)
    is_certain |= col("is_isr_numbered")
    return found.with_columns(is_isr_before_certain=when(col("isr_before").is_not_null()).then(is_certain))


def is_after_left_out_epochs() -> pl.Expr:
    is_later = col("leader_epoch") > col("old_epoch") + 1
    return ((col("how") == "move") & is_later).fill_null(value=False)


def with_expected_leader(found: pl.DataFrame) -> pl.DataFrame:
    """by_isr and expected_leader: who is prescribed, by the ISR before and at all; is_clean."""
    is_removal = col("kind") == "isr_removal"
    is_told = col("doubt").is_null() & ~is_removal
    expected = leader_selectors.expected_by_isr()
    by_isr = when(is_told & ~leader_selectors.was_taken_out(expected)).then(expected)
    by_result = (
        when(is_removal).then(leader_selectors.expected_of_removal())
        .otherwise(leader_selectors.expected_by_result())
    )  # fmt: skip
    was_away = when(col("away").is_not_null()).then(lit(value=False))
    return found.with_columns(
        by_isr=by_isr,
        expected_leader=when(col("outcome") == "done").then(pl.coalesce(by_isr, by_result)),
        is_clean=pl.coalesce(leader_selectors.is_clean_election(), was_away),
    )


def with_doubted_candidate(found: pl.DataFrame, sessions: pl.DataFrame) -> pl.DataFrame:
    """doubt also where the broker that the rule chooses, and the controller did not, may have been away: its session is
    undetermined."""
    in_doubt = sessions.filter(col("certainty") == "undetermined").select(
        *BROKER, doubted_from_at="joined_at", doubted_until_at="left_at"
    )
    is_over = (col("doubted_until_at") < col("elected_at")).fill_null(value=False)
    is_doubted = col("doubted_from_at").is_not_null() & ~is_over & (col("leader") != col("expected_leader"))
    return (
        found.sort("elected_at")
        .join_asof(
            in_doubt.sort("doubted_from_at"),
            left_on="elected_at",
            right_on="doubted_from_at",
            by_left=["cluster_id", "expected_leader"],
            by_right=BROKER,
            coalesce=False,
            check_sortedness=False,
        )
        .with_columns(doubt=pl.coalesce("doubt", when(is_doubted).then(lit("lines_missing"))))
        .drop("doubted_from_at", "doubted_until_at")
    )


def with_election_verdict(found: pl.DataFrame) -> pl.DataFrame:
    """What differs is undetermined where lines may be missing that tell why. Where leader epochs are left out before
    another one led meanwhile: an election of the one that led last changes something.
    """
    leader, expected, verdict = col("leader"), col("expected_leader"), col("verdict")
    is_same = leader == col("old_leader")
    is_redundant = (col("from_state") == leader_selectors.ONLINE) & is_same & ~is_after_left_out_epochs()
    by_rule = when(col("by_isr").is_not_null()).then(lit(JUDGED[0])).otherwise(lit(JUDGED[1]))
    found_so = (
        when(col("outcome") == "failed").then(lit(None, pl.String))
        .when(is_redundant).then(lit("redundant"))
        .when(leader == expected).then(by_rule)
        .when(expected.is_null() | reason_for_doubt().is_not_null()).then(lit("undetermined"))
        .otherwise(lit("differs"))
    )  # fmt: skip
    is_open = (verdict == "redundant") & (col("kind") != "isr_removal")
    is_determined = (verdict != "undetermined").fill_null(value=True) & (~is_open | is_same)
    return found.with_columns(verdict=found_so).with_columns(
        is_expected=when(verdict.is_in([*JUDGED, "differs"])).then(verdict != "differs"),
        certainty=election_certainty(),
        expected_leader=when(is_determined).then(expected),
    )


def election_certainty() -> pl.Expr:
    """What a request alone implies may have been before it, where lines are missing."""
    is_implied = col("how") == "implied"
    return (
        when(is_implied & (col("doubt") == "lines_missing").fill_null(value=False))
        .then(lit("undetermined"))
        .when(is_implied)
        .then(lit("inferred"))
        .otherwise(lit("proved"))
    )


def reason_for_doubt() -> pl.Expr:
    """Why a leader that the rule does not seem to choose may be the right one all the same."""
    # A removal reads the leader from ZooKeeper, where a deposed controller may have written (up to 2.0).
    is_removal = col("kind") == "isr_removal"
    # Up to 0.9 the first of the ISR takes over from a broker that shuts down, since then the first of the assignment.
    is_by_order = (col("kind") == "controlled_shutdown") & col("is_old")
    is_first = is_by_order & (first_replica("isr") == col("leader"))
    # A controller elects an assigned replica: else lines of a reassignment are missing.
    is_outside = (col("leader") >= 0) & ~col("choices").list.contains(col("leader"))
    return pl.coalesce(
        "doubt",
        when(is_removal).then(lit("leader_unknown")),
        when(is_outside).then(lit("replicas_unknown")),
        when(is_first).then(lit("release_unknown")),
    )


def is_elected_unseen() -> pl.Expr:
    is_removal = (col("kind") == "isr_removal") & (col("trigger") == "unknown") & (col("leader") >= 0)
    return (is_removal & (col("leader") != col("old_leader"))).fill_null(value=False)


def with_undetermined_reason(found: pl.DataFrame) -> pl.DataFrame:
    """reason: why something is undetermined. evidence: the line of the attempt, and those that tell an unclean one.
    kind: of a removal that no line brings about, and that has another leader than before, unknown: it was elected."""
    is_removal = col("kind") == "isr_removal"
    is_isr_missing = col("choices").is_not_null() & col("isr").is_null()
    missing = (
        when(is_removal).then(lit("leader_unknown"))
        .when(is_isr_missing).then(lit("isr_unknown"))
        .otherwise(lit("replicas_unknown"))
    )  # fmt: skip
    is_chosen = (col("outcome") == "done") & (col("leader") >= 0) & ~is_removal
    is_unsure_of_isr = col("is_clean").is_null() & is_chosen
    reason = (
        when(col("verdict") == "undetermined").then(pl.coalesce(reason_for_doubt(), missing))
        .when(is_unsure_of_isr).then(lit("isr_before_uncertain"))
    )  # fmt: skip
    is_concluded = ~col("is_clean") & ~col("is_unclean_said")
    is_by_isr = is_concluded & col("is_isr_before_certain")
    is_by_absence = is_concluded & ~col("is_isr_before_certain")
    return with_source_lines(
        found.with_columns(
            reason=reason, kind=when(~is_elected_unseen()).then("kind").otherwise(lit("unknown"))
        ),
        line_struct(),
        line_struct("note_"),
        when(is_by_isr).then(line_struct("isr_line_")),
        when(is_by_absence).then(line_struct("known_isr_")),
        when(is_by_absence).then("away"),
    )
