"""The rule unclean_election."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.lines.evidence import LINE, evidence_line
from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.causes import REASON, cause_facts, end_reason_text, is_known, with_cause_lines
from pipeline.rules.shared.clients import clients_text, with_clients
from pipeline.rules.shared.first_diffs import LAST_KNOWN, UNCLEAN, first_diffs
from pipeline.rules.shared.wording import (
    NO_TERM,
    PARTITION,
    epoch_millis,
    facts_column,
    filled_text,
    ids_text,
    partition_name_text,
    root_columns,
    severity_column,
)

LOST = "; records that it had not copied are lost"
MAY_BE_LOST = LOST + ", unless it led last or has the only replica, which no line that was read tells"
LESS_LOST = "; no loss is seen: no former one came back with more records"
# What diffs of partitions tell so, replays tell again.
SELECTOR = "selector_unclean_elected"
SAYING_SO = (SELECTOR, "elect_unclean", "partition_transition")
OUTSIDE = "unclean election{}: {} got leader {} outside of its in-sync replicas"
ASKED = " that an administrator asked for"


@made_of_rows("leader_election", "election_event")
def find(
    leader_election: pl.DataFrame,
    election_event: pl.DataFrame,
    broker_session: pl.DataFrame,
    controller_step: pl.DataFrame,
    client_impact: pl.DataFrame,
) -> pl.DataFrame:
    """A leader from outside of the ISR was chosen: what the old leader had alone is lost.

    By gold.leader_election; what Kafka says so beside it, by the line: so the first that logs which begin in the middle
    of a term tell of a partition (first_diffs). Of a last known leader: see last_known_leader.
    Where the last leader came back nothing is lost, and nothing is told. A warning where logs show that none was.
    """
    is_unclean, has_two_lines = ~col("is_clean"), col("evidence").list.len() > 1
    # Of an election with a selector, Kafka's own word is a second line, also where it failed afterwards.
    told = leader_election.filter(is_unclean | has_two_lines).select("evidence")
    lines = told.explode("evidence", empty_as_null=False, keep_nulls=False).unnest("evidence")
    says_so = col("event").is_in(SAYING_SO) & (col("step") == UNCLEAN)
    said = election_event.filter(says_so).join(lines, on=LINE, how="anti")
    is_other = col("selector").ne_missing(lit(LAST_KNOWN))
    diffs = first_diffs(election_event, leader_election, controller_step).filter(is_other)
    is_at_risk = ~col("was_last_leader").fill_null(value=False)
    unclean = leader_election.filter(is_unclean & is_other & is_at_risk)
    with_reason = with_last_departure(unclean, broker_session, last_leader(), "elected_at")
    felt = (
        with_reason.with_columns(
            valid_from_at="elected_at",
            valid_until_at="elected_at",
            names=pl.concat_list(partition_name_text()),
        )
        .with_row_index("election")
        .pipe(with_clients, client_impact, "names", ("cluster_id", "election"))
        .drop("valid_from_at", "valid_until_at", "names", "election")
    )
    return pl.concat(
        [unclean_election_findings(felt), findings_by_line_alone(pl.concat([said, diffs]))],
        how="diagonal",
    )


def last_leader() -> pl.Expr:
    """The leader before, or the only one that was in sync: why it is gone, the election was unclean."""
    only = when(col("isr_before").list.len() == 1).then(col("isr_before").list.first())
    return when(col("old_leader") >= 0).then("old_leader").otherwise(only)


def unclean_election_findings(unclean: pl.DataFrame) -> pl.DataFrame:
    certainty = when("is_unclean_said").then(lit("proved")).otherwise(lit("inferred"))
    is_lossless = col("records_at_risk") == 0
    why = (
        when(is_known())
        .then(filled_text("; broker {} {}", "gone_id", end_reason_text("elected_at")))
        .otherwise(lit(""))
    )
    return unclean.select(
        *("cluster_id", "term_id"),
        *severity_column(when(is_lossless).then(lit("warning")).otherwise(lit("critical"))),
        entity=partition_name_text(),
        root_event=filled_text("{} at {}", "trigger", epoch_millis("elected_at")),
        **root_columns(col("trigger"), "elected_at"),
        valid_from_at="elected_at",
        valid_until_at="elected_at",
        sentence=filled_text(
            OUTSIDE + " (term {}: {} -> {}){}{}{}",
            *(unclean_initiator_text(), partition_name_text(), "leader", "term_id"),
            *(
                leadership_text("old_leader", "isr_before"),
                leadership_text("leader", "isr"),
                why,
                lost_records_text(),
                clients_text(),
            ),
        ),
        evidence=with_cause_lines(col("evidence")),
        facts=facts_column(
            **PARTITION,
            leader="leader",
            old_leader=when(col("old_leader") >= 0).then("old_leader"),
            isr_before="isr_before",
            isr="isr",
            records_at_risk="records_at_risk",
            client_ms="client_ms",
            **cause_facts(),
        ),
        certainty=certainty,
    )


def unclean_initiator_text() -> pl.Expr:
    """Kafka elects so itself where the topic allows it: as a broker comes back, and by a task from 3.9 on."""
    return when(col("kind") == "offline_admin_unclean").then(lit(ASKED)).otherwise(lit(""))


def lost_records_text() -> pl.Expr:
    """What an unclean election cost, as far as the ends of the two logs tell."""
    risk = col("records_at_risk")
    return (
        when(risk > 0)
        .then(filled_text(LOST + ", at most {}", risk))
        .when(risk == 0)
        .then(lit(LESS_LOST))
        .otherwise(lit(LOST))
    )


def leadership_text(leader: str, isr: str) -> pl.Expr:
    """Who leads with which ISR."""
    who = when(col(leader) >= 0).then(filled_text("leader {}", leader)).otherwise(lit("no leader"))
    members = (
        when(col(isr).is_not_null())
        .then(filled_text("ISR [{}]", ids_text(isr)))
        .otherwise(lit("ISR not known"))
    )
    return filled_text("{}, {}", who, members)


@needs_rows_of("said")
def findings_by_line_alone(said: pl.DataFrame) -> pl.DataFrame:
    """The same by a line alone: of the offline selector up to 1.0, a state to recover from 3.2, KRaft from 3.2.

    The selector says it of each leader that the ISR in ZooKeeper does not name, also of the only replica and of the
    last leader, of which nothing is lost: up to 0.10.2 of all that come back. A warning, as no line says who they are.
    """
    is_selector = (col("event") == SELECTOR).fill_null(value=False)
    topic = pl.coalesce("topic", "topic_id")
    partition = partition_name_text(topic)
    return said.filter(col("logged_at").is_not_null()).select(
        "cluster_id",
        *severity_column(when(is_selector).then(lit("warning")).otherwise(lit("critical"))),
        entity=partition,
        root_event=filled_text("elected at {}", epoch_millis("logged_at")),
        **root_columns("election", "logged_at"),
        term_id=NO_TERM,
        valid_from_at="logged_at",
        valid_until_at="logged_at",
        sentence=filled_text(
            OUTSIDE + "{}",
            *(
                lit(""),
                partition,
                "new_leader",
                when(is_selector).then(lit(MAY_BE_LOST)).otherwise(lit(LOST)),
            ),
        ),
        facts=facts_column(topic=topic, partition="partition", leader="new_leader"),
        certainty=lit("proved"),
        evidence=pl.concat_list(evidence_line()),
    )


def with_last_departure(
    rows: pl.DataFrame, broker_session: pl.DataFrame, broker_id: pl.Expr, at: str
) -> pl.DataFrame:
    """Rows with gone_id and REASON of its last departure by `at`; null where it is not known, or the broker is back."""
    stays = broker_session.select("cluster_id", "joined_at", gone_id="broker_id")
    left = broker_session.filter(col("left_at").is_not_null(), is_known()).select(
        "cluster_id", "left_at", *REASON, gone_id="broker_id"
    )
    by = ["cluster_id", "gone_id"]
    found = (
        rows.with_columns(gone_id=broker_id)
        .sort(at)
        .join_asof(left.sort("left_at"), left_on=at, right_on="left_at", by=by, check_sortedness=False)
        .join_asof(stays.sort("joined_at"), left_on=at, right_on="joined_at", by=by, check_sortedness=False)
    )
    is_away = (col("left_at") > col("joined_at")).fill_null(value=False)
    return found.with_columns(when(is_away).then(one).alias(one) for one in REASON).drop(
        "left_at", "joined_at"
    )


RULE = Rule(
    name="unclean_election",
    version=5,
    severities=("critical", "warning"),
    facts=(
        "topic",
        "partition",
        "leader",
        "old_leader",
        "isr_before",
        "isr",
        "records_at_risk",
        "client_ms",
        "end_reasons",
        "first_sign_ms",
    ),
    find=find,
)
