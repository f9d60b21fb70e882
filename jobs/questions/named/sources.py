"""What each table tells happened, and when."""

from collections.abc import Callable
from dataclasses import dataclass

from jobs.questions.ask_text import leader_text
from jobs.questions.changes.asked import change_sentence
from jobs.questions.named.controllers import controller_and_epoch
from jobs.questions.named.partitions import NO_LINE, election_kind_text
from jobs.questions.outage_events import event_of
from jobs.text import format_count, list_text, shorten_line
from pipeline.core.conditions import Condition, IsNull, column_differs, column_equals, is_in
from pipeline.views.reading.rows import Row
from pipeline.views.terms.tenures import LAST_LINE

Words = Callable[[Row], str]


@dataclass(frozen=True)
class Source:
    """What a table tells happened at the time in a column. broker: the column that names the broker; is_of_partitions:
    its rows have topic and partition. line: which of its records says so, by place in evidence or by name in lines;
    None: none does alone. only: of its rows those. rank: how soon it is left out where not all is told, 0 last."""

    table: str
    at: str
    words: Words
    broker: str | None = None
    is_of_partitions: bool = False
    is_of_topics: bool = False
    line: int | str | None = 0
    only: Condition | None = None
    rank: int = 1


def partition_of(row: Row) -> str:
    return f"{shorten_line(row['topic'], 120)}-{row['partition']}"


def spell_out_code(text: str | None) -> str:
    return (text or "not known").replace("_", " ")


def end_of_term(row: Row) -> str:
    how = row["ended_how"]
    if how in LAST_LINE:
        return f"last line of the term of {controller_and_epoch(row)}, which ended after it: {spell_out_code(how)}"
    why = f": {spell_out_code(how)}" if how else ", no line tells how"
    return f"the term of {controller_and_epoch(row)} ended{why}"


def arrival_text(row: Row) -> str:
    how = spell_out_code(row["joined_how"])
    return f"broker {row['broker_id']} joined{'' if how == 'joined' else f' ({how})'}"


def departure_text(row: Row) -> str:
    count = row["led_count"] or 0
    lost = (
        f", {format_count(count, 'partition')} lost {'its' if count == 1 else 'their'} leader"
        if count
        else ""
    )
    return f"broker {row['broker_id']} left ({spell_out_code(row['left_how'])}){lost}"


# An outage that no leader ended, by its ended_how.
END_OF_OUTAGE = {
    "elected": "was without a leader no longer",
    "leader_returned": "was without a leader no longer",
    "deleted": "its topic was deleted while it had no leader",
    "wiped": "the metadata of the cluster were begun anew, it had no leader before",
    "lines_missing": "nothing is known from then on, it had no leader before",
    "taken_over": "another controller took over, it had no leader before",
}
BEGUN = ~is_in("outcome", ("skipped", "failed"))
# What a node says of its own process and disks in server.log, by its step.
OF_NODES = {
    "starting": "starts",
    "start_failed": "failed to start",
    "signalled": "was told to stop by the operating system",
    "shutting_down": "shuts down",
    "exiting": "ends its process",
    "halting": "halts",
    "fatal_fault": "met a fault that it does not survive",
    "failed": "lost a log directory",
    "all_failed": "has no log directory left",
}
SOURCES = (
    Source(
        "gold.controller_term",
        "elected_at",
        lambda row: f"{controller_and_epoch(row)} was elected controller",
        "controller_id",
        rank=0,
    ),
    Source(
        "gold.controller_term",
        "ended_at",
        end_of_term,
        "controller_id",
        line="ended",
        rank=0,
    ),
    Source(
        "gold.broker_session",
        "joined_at",
        arrival_text,
        "broker_id",
        rank=0,
    ),
    Source(
        "gold.broker_session",
        "left_at",
        departure_text,
        "broker_id",
        line=-1,
        rank=0,
    ),
    Source(
        "gold.partition_outage",
        "noticed_at",
        lambda row: f"{partition_of(row)} was without a leader: {outage_cause_text(row)}",
        "root_broker_id",
        is_of_partitions=True,
    ),
    Source(
        "gold.partition_outage",
        "ended_at",
        lambda row: (
            f"{partition_of(row)} was served again, by {row['new_leader']}"
            if row["new_leader"] is not None
            else f"{partition_of(row)}: {END_OF_OUTAGE[row['ended_how']]}"
        ),
        "root_broker_id",
        is_of_partitions=True,
        line=1,
        rank=2,
    ),
    Source(
        "gold.leader_election",
        "elected_at",
        lambda row: (
            f"{partition_of(row)}: {election_kind_text(row)} {row['outcome']}, leader "
            f"{leader_text(row['old_leader'])} -> {leader_text(row['leader'])}, "
            f"ISR {list_text(row['isr'])}{unclean_suffix(row)}"
        ),
        "leader",
        is_of_partitions=True,
        rank=2,
    ),
    Source(
        "gold.topic_lifecycle",
        "created_at",
        lambda row: (
            f"topic {shorten_line(row['topic'], 120)} was created, {row['partition_count']} partitions"
        ),
        is_of_topics=True,
    ),
    Source(
        "gold.topic_lifecycle",
        "deletion_requested_at",
        lambda row: f"topic {shorten_line(row['topic'], 120)} was asked to be deleted",
        is_of_topics=True,
        line="requested",
    ),
    Source(
        "gold.topic_lifecycle",
        "ended_at",
        lambda row: f"topic {shorten_line(row['topic'], 120)} was gone: {spell_out_code(row['ended_how'])}",
        is_of_topics=True,
        line="ended",
        only=~IsNull("ended_how"),  # else there was none
    ),
    Source(
        "gold.reassignment",
        "started_at",
        lambda row: (
            f"{partition_of(row)}: reassignment {list_text(row['original_replicas'])} ->"
            f" {list_text(row['target_replicas'])} began"
        ),
        is_of_partitions=True,
        only=BEGUN,
    ),
    Source(
        "gold.reassignment",
        "ended_at",
        lambda row: (
            f"{partition_of(row)}: reassignment to {list_text(row['target_replicas'])} {spell_out_code(row['outcome'])}"
        ),
        is_of_partitions=True,
        line=-1,
        only=BEGUN,
    ),
    Source(
        "silver.node_event",
        "logged_at",
        lambda row: f"node {row['node_id']} {OF_NODES[row['step']]}{of_what(row)}",
        "node_id",
        # In KRaft each part of a process says once more that it starts and shuts down.
        only=is_in("area", ("process", "disk"))
        & is_in("step", tuple(OF_NODES))
        & (IsNull("component") | column_differs("component", "controller"))
        & (IsNull("component") | column_differs("step", "starting")),
    ),
    Source(
        "gold.imbalance_breach",
        "breached_at",
        lambda row: f"broker {row['broker_id']} went over its limit of leader imbalance",
        "broker_id",
    ),
    Source(
        "gold.imbalance_breach",
        "balanced_at",
        lambda row: f"broker {row['broker_id']} was within its limit of leader imbalance again",
        "broker_id",
        line=None,
    ),
    Source(
        "gold.finding",
        "valid_from_at",
        lambda row: f"{row['severity'].upper()} {row['sentence']}",
        "root_broker_id",
        only=~column_equals("status", "retracted"),
        rank=0,
    ),
)


# What people and tools asked for, where no table above tells that it began.
CHANGE = Source("gold.controller_term", "at", change_sentence, "broker_id")
TOLD_ABOVE = (
    *("topic_created", "deletion", "reassignment", "controller_resigned", "controller_znode_deleted"),
    "unclean_election",
)


def outage_cause_text(outage: Row) -> str:
    return NO_LINE if outage["root_event"] == "unknown" else spell_out_code(event_of(outage))


def of_what(row: Row) -> str:
    what = row["log_dir"] or row["detail"]
    return f": {shorten_line(what, 200)}" if what else ""


def unclean_suffix(row: Row) -> str:
    return "  UNCLEAN" if row["is_clean"] is False else ""
