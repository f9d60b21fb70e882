"""The rule quorum_flapping."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.span_join import rows_in_spans
from pipeline.model.lines.evidence import LINE, NO_LINES, known_lines
from pipeline.rules.quorum_flapping.unsettled import gaps_while_flapping, with_gaps, without_absorbed_gaps
from pipeline.rules.rule import Rule
from pipeline.rules.shared.limits import FLAPPING_DEPARTURES, FLAPPING_MINUTES, NO_QUORUM_LEADER
from pipeline.rules.shared.quorum_votes import MAJORITY_LOST, quorum_signs
from pipeline.rules.shared.wording import (
    EVIDENCE_KEPT,
    NO_TERM,
    duration_text,
    epoch_millis,
    facts_column,
    filled_text,
    root_columns,
    severity_column,
)

TERM = ("cluster_id", "term_id")
# Orders to stop, or to give up the office: what follows is wanted.
WANTED = ("signalled", "shutting_down", "shutdown_started", "resign_requested", "leader_removed")
FATAL, FETCH = "fatal_fault", "fetch_timed_out"
FAULT, PROCESS, SILENT, VOTER, MAJORITY, UNKNOWN = (
    *("fault", "process_ended", "leader_silent", "voter_out_of_touch", "majority_lost", "unknown"),
)
# A controller is stopped within it; a voter waits for controller.quorum.fetch.timeout.ms.
STOP, WAIT = timedelta(seconds=30), timedelta(seconds=10)
# It heard of the vote that soon: it was there, and others than it were not.
ALIVE_MS, DAY_MS = 1_000, 86_400_000
RESTART = timedelta(minutes=10)
SAID = {
    FAULT: "a fault ended the process of controller {}",
    PROCESS: "the process of controller {} ended",
    SILENT: "voters heard nothing from controller {}",
    VOTER: "node {} heard nothing from a controller that was there",
    MAJORITY: "controller {} heard from most of its voters no more",
}


def find(
    controller_term: pl.DataFrame,
    controller_step: pl.DataFrame,
    node_event: pl.DataFrame,
    flapping_departures: int,
    flapping_minutes: int,
) -> pl.DataFrame:
    """A KRaft quorum elected a controller anew several times in a row, none of them because its controller was told to
    stop: as often and as close as departures of a broker that flaps.

    What brought a controller down stands in server.log. Voters that heard nothing accuse it, more so if they are
    several. A single one while the controller was there, and gave up at once as it heard of the vote, was itself frozen
    or cut off: up to 3.9 it takes the controller down as it wakes (no pre-vote, KIP-996). That a controller heard from
    no majority is told by itself (3.7), by a frozen one also as it wakes, so voters that accuse it come first.
    Source: KafkaRaftClient.pollFollowerAsVoter, LeaderState.timeUntilCheckQuorumExpires.
    """
    changes = unplanned_term_ends(controller_term, controller_step, node_event).pipe(
        with_term_end_cause, node_event
    )
    apart = epoch_millis("superseded_at") - epoch_millis("superseded_at").shift(1).over("cluster_id")
    is_new = (apart > flapping_minutes * 60_000).fill_null(value=True)
    runs = changes.sort("superseded_at", "term_id").with_columns(
        run=is_new.cast(pl.Int64).cum_sum().over("cluster_id")
    )
    key = ("cluster_id", "run")
    many = runs.filter(pl.len().over(key) >= flapping_departures).pipe(
        merge_election_runs, flapping_departures
    )
    found = (
        many.group_by(key, maintain_order=True)
        .agg(
            elections=pl.len(),
            first_at=col("superseded_at").first(),
            last_at=col("superseded_at").last(),
            evidence=col("cause_lines").head(EVIDENCE_KEPT).explode(empty_as_null=False, keep_nulls=False),
        )
        .join(many.pipe(summarize_term_end_causes, key), on=key, maintain_order="left")
    )
    suspect = when(col("suspect_id").is_not_null()).then(
        filled_text("look at pauses (GC, disk, CPU) and network of node {}", "suspect_id")
    ).when(col("is_dark")).then(lit("server.log of the controllers would tell why")).otherwise(
        lit("find out why their processes ended, or voters were gone")
    )  # fmt: skip
    lasted_ms = epoch_millis("last_at") - epoch_millis("first_at")
    return found.select(
        "cluster_id",
        *severity_column("warning"),
        entity=lit("controller"),
        root_event=filled_text("elected anew since {}", epoch_millis("first_at")),
        **root_columns("quorum flapping", "first_at"),
        term_id=NO_TERM,
        valid_from_at="first_at",
        valid_until_at="last_at",
        sentence=filled_text(
            "a controller was elected anew {} times within {}, none after an order to stop; {}: {}",
            *("elections", duration_text(lasted_ms), suspect, "told"),
        ),
        facts=facts_column(
            elections_count="elections", causes="causes", suspect_id="suspect_id", lasted_ms=lasted_ms
        ),
        certainty=lit("inferred"),
        evidence=col("evidence").list.unique(maintain_order=True),
    )


def merge_election_runs(many: pl.DataFrame, least: int) -> pl.DataFrame:
    """Runs of elections (run, in their turn) of which so many follow each other within a day are one: it does not
    settle."""
    apart = epoch_millis("superseded_at") - epoch_millis("superseded_at").shift(1).over("cluster_id")
    row = ("cluster_id", "row")
    is_one = col("run").n_unique().over(row) >= least
    return (
        many.with_columns(
            row=(apart > DAY_MS).fill_null(value=False).cast(pl.Int64).cum_sum().over("cluster_id")
        )
        .with_columns(run=when(is_one).then(col("run").min().over(row)).otherwise("run"))
        .drop("row")
    )


def unplanned_term_ends(
    controller_term: pl.DataFrame, controller_step: pl.DataFrame, node_event: pl.DataFrame
) -> pl.DataFrame:
    """KRaft terms with a next one of the same life of the metadata that ended without an order. Where no server.log of
    the node tells of orders, one that gave up and whose process began anew soon after was restarted."""
    begun = controller_term.group_by("cluster_id", "life").agg(superseded_at=col("elected_at").min())
    low_at = pl.min_horizontal("ended_at", "vacant_from_at", "superseded_at")
    ended = controller_term.filter(
        col("mode") == "kraft", col("elected_at").is_not_null(), col("superseded_at").is_not_null()
    ).join(begun, on=["cluster_id", "superseded_at"], how="anti")
    ended = ended.select(
        *(*TERM, "controller_id", "ended_how", "ended_at", "superseded_at"),
        look_at=pl.max_horizontal("elected_at", low_at - WAIT),
        stop_at=pl.max_horizontal("elected_at", low_at - STOP),
        end_line=col("lines").map.get("ended").fill_null(NO_LINES),
        next_line=col("lines").map.get("next_elected").fill_null(NO_LINES),
    )
    process = node_event.filter(col("step").is_in([*WANTED, FATAL])).select(
        "cluster_id", "node_id", "step", at="logged_at"
    )
    said = rows_in_spans(
        ended, process, ["cluster_id"], ("stop_at", "superseded_at"), "at", closed="both"
    ).filter(col("node_id") == col("controller_id"))
    faulty = said.filter(col("step") == FATAL).select(TERM)
    wanted = said.join(faulty, on=TERM, how="anti").select(TERM)
    known = node_event.filter(col("area") == "process").select("cluster_id", controller_id="node_id").unique()
    began = controller_step.filter(col("step") == "created").select("cluster_id", "node_id", at="logged_at")
    gave_up = ended.filter(col("ended_how") != "process_end").join(
        known, on=("cluster_id", "controller_id"), how="anti"
    )
    restarted = rows_in_spans(
        gave_up.with_columns(soon_at=col("ended_at") + RESTART), began, ["cluster_id"], ("ended_at", "soon_at"), "at",
        closed="right",
    ).filter(col("node_id") == col("controller_id"))  # fmt: skip
    return ended.join(wanted, on=TERM, how="anti").join(restarted, on=TERM, how="anti")


@needs_rows_of("changes")
def with_term_end_cause(changes: pl.DataFrame, node_event: pl.DataFrame) -> pl.DataFrame:
    """cause, of_id (whom it is about), cause_lines."""
    faults = node_event.filter(col("step") == FATAL).select(
        "cluster_id", "node_id", "step", at="logged_at", line=known_lines(LINE)
    )
    signs = pl.concat([quorum_signs(node_event).select(faults.columns), faults])
    said = rows_in_spans(
        changes, signs, ["cluster_id"], ("look_at", "superseded_at"), "at", closed="both"
    ).sort("at", "node_id")
    is_own = col("node_id") == col("controller_id")
    of = {
        "fault": is_own & (col("step") == FATAL),
        "fetch": ~is_own & (col("step") == FETCH),
        "majority": is_own & (col("step") == MAJORITY_LOST),
    }
    told = said.group_by(TERM).agg(
        *(
            col("line").filter(one).head(1).explode().alias(f"{name}_lines")
            for name, one in of.items()
            if name != "fetch"
        ),
        accuser_ids=col("node_id").filter(of["fetch"]).unique(maintain_order=True),
        accused_at=col("at").filter(of["fetch"]).last(),
        fetch_lines=col("line").filter(of["fetch"] & col("node_id").is_first_distinct()).explode(),
    )
    count = col("accuser_ids").list.len()
    is_there = epoch_millis("ended_at") - epoch_millis("accused_at") <= ALIVE_MS
    is_ended = col("ended_how") == "process_end"
    cause = (
        when(col("fault_lines").list.len() > 0).then(lit(FAULT))
        .when(is_ended).then(lit(PROCESS))
        .when((count == 1) & is_there).then(lit(VOTER))
        .when(count > 0).then(lit(SILENT))
        .when(col("majority_lines").list.len() > 0).then(lit(MAJORITY))
        .otherwise(lit(UNKNOWN))
    )  # fmt: skip
    lines = (
        when(col("cause") == FAULT).then("fault_lines")
        .when(col("cause") == VOTER).then(pl.concat_list("fetch_lines", "end_line"))
        .when(col("cause") == SILENT).then("fetch_lines")
        .when(col("cause") == MAJORITY).then("majority_lines")
        .otherwise(NO_LINES)
    )  # fmt: skip
    accuser = col("accuser_ids").list.first()
    return (
        changes.join(told, on=TERM, how="left", maintain_order="left")
        .with_columns(cause=cause)
        .with_columns(
            of_id=when(col("cause") == VOTER)
            .then(accuser)
            .when(col("cause") != UNKNOWN)
            .then("controller_id"),
            cause_lines=pl.concat_list(lines.fill_null(NO_LINES), "next_line"),
        )
    )


@needs_rows_of("changes")
def summarize_term_end_causes(changes: pl.DataFrame, key: tuple[str, ...]) -> pl.DataFrame:
    """told: the causes in words, the most frequent first; causes: as a fact; suspect_id: who hung or was cut off at
    half of them or more; is_dark: no line tells of some."""
    counted = (
        changes.group_by(*key, "cause", "of_id")
        .agg(count=pl.len())
        .sort(*key, "count", "cause", "of_id", descending=[False, False, True, False, False])
    )
    text = col("cause").replace_strict(SAID, default="", return_dtype=pl.String)
    named = when(col("cause") == UNKNOWN).then(lit("no line tells why")).otherwise(
        text.str.replace("{}", col("of_id").cast(pl.String), literal=True)
    )  # fmt: skip
    times = when(col("count") > 1).then(filled_text(" ({} times)", "count")).otherwise(lit(""))
    is_suspect = col("cause").is_in([VOTER, SILENT])
    by_cause = changes.group_by(*key, "cause").agg(count=pl.len()).sort(*key, "cause")
    facts_of = by_cause.group_by(key).agg(causes=pl.struct("cause", col("count").cast(pl.Int64)))
    suspects = (
        changes.filter(is_suspect)
        .group_by(*key, "of_id")
        .agg(count=pl.len())
        .join(changes.group_by(key).agg(elections=pl.len()), on=key)
        .filter(col("count") * 2 >= col("elections"))
        .sort("count", "of_id", descending=[True, False])
        .group_by(key, maintain_order=True)
        .agg(suspect_id=col("of_id").first())
    )
    return (
        counted.with_columns(said=filled_text("{}{}", named, times))
        .group_by(key, maintain_order=True)
        .agg(
            told=col("said").unique(maintain_order=True).str.join(", "),
            is_dark=(col("cause") == UNKNOWN).any(),
        )
        .join(facts_of, on=key)
        .join(suspects, on=key, how="left")
    )


def absorb_controller_gaps(
    flapping: pl.DataFrame, gaps: pl.DataFrame, flapping_departures: int, no_quorum_leader_ms: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Findings of this rule that tell the times without a controller of a quorum that does not settle, too, and the
    gaps that are left. gaps: findings of the rules that it absorbs."""
    unsettled = gaps_while_flapping(gaps, flapping, flapping_departures)
    return with_gaps(flapping, unsettled, no_quorum_leader_ms), without_absorbed_gaps(gaps, unsettled)


RULE = Rule(
    name="quorum_flapping",
    version=2,
    severities=("warning",),
    facts=("elections_count", "causes", "suspect_id", "lasted_ms", "gaps_count", "longest_gap_ms"),
    find=find,
    absorbed=("no_controller", "quorum_without_leader"),
    absorb=absorb_controller_gaps,
    limits=(FLAPPING_DEPARTURES, FLAPPING_MINUTES, NO_QUORUM_LEADER),
)
