"""The one registry of questions: `ask NAME`, its command, help, completion, assistants and documentation follow."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from schemas.namespace import full_module_name

FORMATS = ("text", "json", "jsonl")


@dataclass(frozen=True)
class Question:
    """One question of the published tables.

    words: what it answers.
    where: "module:function" below jobs.questions, loaded when it is asked. Its parameters are named after what it
        takes; `answers` are the tables of one cluster, `given` all of the arguments.
    takes: the names of its arguments in TAKES. is_listing: the function gives lines (list of str), no Answer.
    is_command: NAME alone is a command, too: the same as `ask NAME`.
    usage: what of its arguments the list of commands shows.
    formats: what --format takes.
    has_rows: programs get the rows behind the lines (rows_out.ROWS).
    needs: tables without which it has no answer.
    rests_on: what must be told for an Answer to be whole, a name of Untold; None: it says itself what it lacks.
    conflict: "module:function" that says of the arguments which do not go together; None: they all do.
    instead: argument and "module:function" of the arguments that answers where it is given, with an exit code.
    """

    words: str
    where: str
    takes: tuple[str, ...] = ()
    is_listing: bool = False
    is_command: bool = False
    usage: str = ""
    formats: tuple[str, ...] = FORMATS
    has_rows: bool = False
    is_of_findings: bool = False
    needs: tuple[str, ...] = ()
    rests_on: str | None = None
    conflict: str | None = None
    instead: tuple[str, str] | None = None


def listing_question(
    words: str,
    where: str,
    takes: tuple[str, ...] = (),
    formats: tuple[str, ...] = (),
    *,
    usage: str = "",
    is_command: bool = True,
    conflict: str | None = None,
    instead: tuple[str, str] | None = None,
) -> Question:
    """A Question that is answered in lines and, as a rule, is a command of its own. formats: of one that makes its
    documents itself; programs get rows of the others."""
    return Question(
        words,
        where,
        takes,
        is_listing=True,
        is_command=is_command,
        usage=usage,
        formats=formats or FORMATS,
        has_rows=not formats,
        conflict=conflict,
        instead=instead,
    )


QUESTIONS: dict[str, Question] = {
    "who-was-controller": Question(
        "which node was controller at a time",
        "named.controllers:who_was_controller",
        ("at",),
        needs=("gold.controller_term",),
    ),
    "why-leaderless": Question(
        "why a partition had no leader, and what was tried",
        "named.partitions:why_leaderless",
        ("partition", "at"),
        needs=("gold.partition_timeline", "gold.partition_outage"),
        rests_on="leaders",
    ),
    "what-happened": Question(
        "everything that was decided around a time, in order",
        "named.happened:what_happened",
        ("at", "around", "topic", "number", "broker", "all"),
        needs=("gold.controller_term",),
        rests_on="any",
    ),
    "what-was-it-doing": Question(
        "which event the controller was busy with at a time, what waited behind it, and what came next",
        "named.work:what_was_it_doing",
        ("at",),
        needs=("gold.controller_event",),
        rests_on="controllers",
    ),
    "why-slow": Question(
        "which events took a controller longest, with how many partitions, and what waited",
        "named.work:why_slow",
        ("since",),
        needs=("gold.controller_event",),
        rests_on="controllers",
    ),
    "did-it-arrive": Question(
        "who was told of a partition's leader at a time, when, and who answered; in KRaft who applied it",
        "named.arrivals:did_it_arrive",
        ("partition", "at", "every_line"),
        needs=(
            *("gold.partition_timeline", "gold.request_trace", "gold.clock_skew"),
            *("silver.partition_state", "silver.control_request"),
        ),
        rests_on="leaders",
    ),
    "who-felt-it": Question(
        "which clients could feel something at a time or in a period, for how long at least and at most, and why",
        "named.clients:who_felt_it",
        ("at", "since", "until"),
        needs=("gold.client_impact",),
        rests_on="leaders",
    ),
    "on-record": Question(
        "what the metadata log has of a partition at a time: leader, ISR, since when, and why",
        "named.on_record:what_is_on_record",
        ("partition", "at"),
    ),
    "metadata-lag": Question(
        "how long after a KRaft controller's decision each broker applied it, as far as lines and clocks prove it",
        "named.metadata_lags:answer_metadata_lag",
        ("since",),
        needs=(
            *("gold.partition_timeline", "gold.broker_session", "gold.clock_skew"),
            *("silver.partition_state", "silver.process_run"),
        ),
    ),
    "whose-clock": Question(
        "how far the clocks of nodes are apart, and whose is wrong",
        "named.clocks:whose_clock",
        needs=("gold.clock_skew",),
        rests_on="any",
    ),
    "unclean": Question(
        "unclean elections, and of how many nothing tells",
        "named.standing:answer_unclean",
        ("since",),
        is_of_findings=True,
        rests_on="any",
    ),
    "stuck": Question(
        "what waits and should have ended: outages, deletions, reassignments, elections of controllers",
        "named.standing:answer_stuck",
        ("since",),
        is_of_findings=True,
        rests_on="any",
    ),
    "flapping": Question(
        "brokers and quorums that come and go",
        "named.standing:answer_flapping",
        ("since",),
        is_of_findings=True,
        rests_on="controllers",
    ),
    "imbalance-now": Question(
        "each broker's leader imbalance and limit",
        "named.standing:imbalance_now",
        needs=("gold.leader_imbalance",),
    ),
    "is-it-safe-to-restart": Question(
        "which partitions would lose their last in-sync replica with a broker",
        "named.restart:is_safe_to_restart",
        ("node",),
        needs=("gold.partition_timeline", "gold.broker_session"),
        rests_on="leaders",
    ),
    "compare-nights": Question(
        "findings of the last run beside those of the run before",
        "named.nights:compare_nights",
        needs=("gold.finding",),
    ),
    "missing-evidence": Question(
        "where lines are missing, so that answers cannot know",
        "named.missing:missing_evidence",
        ("since",),
        needs=("silver.log_gap",),
    ),
    "show": listing_question(
        "a finding with every line that proves it", "ask:show_finding", ("finding",), usage="F1"
    ),
    "partition": listing_question(
        "what happened to a partition, interval by interval",
        "ask:partition_timeline",
        ("partition",),
        usage="TOPIC-N",
    ),
    "outages": listing_question(
        "partitions without a leader, for how long and by which event",
        "outages:show_outages",
        ("topic", "open"),
        usage="[--topic NAME] [--open]",
    ),
    "changes": Question(
        "what people and tools asked for, and what became of it",
        "named.requests:answer_changes",
        ("since", "until", "topic"),
        is_command=True,
        usage="[--since TIME] [--topic NAME]",
        needs=("gold.controller_term",),
        rests_on="controllers",
    ),
    "brokers": listing_question(
        "leader imbalance of each broker at a time, and why brokers had left",
        "brokers:show_brokers",
        ("at", "compare"),
        usage="[--at TIME] [--compare FILE]",
        instead=("compare", "brokers:run_comparison"),
    ),
    "imbalance": listing_question(
        "each broker's leader imbalance at a time and over the period, with another limit, too",
        "imbalance:show_imbalance",
        ("at", "broker", "threshold", "output"),
        (*FORMATS, "csv", "parquet"),
        is_command=False,  # the job of that name asks it
        conflict="imbalance:conflicting_output",
    ),
    "context": listing_question(
        "what the cluster was at a time, or what controller N took it for",
        "context:show_context",
        ("at", "controller", "partitions"),
        FORMATS,
        usage="[--at TIME] [--controller N]",
    ),
    "gauges": listing_question(
        "the gauges of Kafka's controller at a time or over time, rebuilt from its logs",
        "gauges:show_gauges",
        ("at", "since", "until", "every"),
        (*FORMATS, "openmetrics"),
        usage="[--at TIME] [--format openmetrics]",
        conflict="gauges:conflicting_times",
    ),
    "impact": listing_question(
        "the share of each topic's time that was served, at least and at most, by hour",
        "impact:show_impact",
        ("topic", "since", "until", "every"),
        (*FORMATS, "openmetrics"),
        usage="[--topic NAME] [--since TIME]",
    ),
    "term": listing_question(
        "one term of a controller, its start step by step, its end and what it did afterwards",
        "terms:show_term",
        ("term",),
        usage="N",
    ),
    "terms": listing_question("who was controller, from when until when", "ask:show_terms"),
    "runs": listing_question(
        "what ran when, and which runs can still be read with --run-id", "ask:show_runs"
    ),
}


def question_function(where: str) -> Callable[..., Any]:
    """What stands at "module:function" below jobs.questions."""
    module, _, name = where.partition(":")
    found: Callable[..., Any] = getattr(import_module(full_module_name(f"jobs.questions.{module}")), name)
    return found
