"""Whether a broker can be restarted: which partitions would lose their last in-sync replica, as last known."""

from collections.abc import Sequence

from polars import col

from jobs.questions.named.answer import Answer, AnswerItem
from jobs.text import format_count, list_text, shorten_line
from pipeline.core.errors import InputProblem
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row
from pipeline.views.reading.times import holds_at

TIMELINE, SESSION = "gold.partition_timeline", "gold.broker_session"
STATE = (
    *("topic", "partition", "leader", "is_served", "isr", "is_isr_stale", "replicas", "is_assignment_stale"),
    *("is_deleting", "certainty", "valid_from_at", "evidence", "isr_evidence"),
)
SHOWN = 40


def is_safe_to_restart(answers: Answers, node: int) -> Answer:
    """By partitions of which the broker has a replica: alone in the ISR with it gone, one left, not known.

    InputProblem: no line names such a broker.
    """
    rows = answers.rows(TIMELINE, holds_at(None), STATE).to_dicts()
    own = [row for row in rows if can_have(row, node) and not row["is_deleting"]]
    sessions = answers.rows(SESSION, None, ("broker_id", "left_at"))
    live = None if sessions.is_empty() else set(sessions.filter(col("left_at").is_null())["broker_id"])
    known = set(sessions["broker_id"]).union(*(row["replicas"] or row["isr"] or () for row in rows))
    if node not in known:
        raise InputProblem(
            expected=f"a broker {node} in the logs read",
            found=f"brokers {', '.join(map(str, sorted(known))) or 'none'}",
            todo="name one of them",
        )
    fates = {kind: [row for row in own if restart_fate(row, node, live) == kind] for kind in FATES}
    return Answer(
        restart_sentence(node, own, fates, is_live=live is None or node in live),
        [
            *(restart_item(kind, row) for kind in ("lost", "offline") for row in fates[kind][:SHOWN]),
            *left_out(fates),
        ],
        unknown_isr_notes(fates["unknown"]),
        answers.last_at(),
    )


# What becomes of a partition when the broker stops.
FATES = ("lost", "offline", "last", "unknown", "safe")


def can_have(row: Row, broker: int) -> bool:
    """A partition of which no line tells the replicas can be of any broker."""
    named = row["replicas"] or row["isr"]
    return named is None or broker in named


def restart_fate(row: Row, broker: int, live: set[int] | None) -> str:
    """offline: nobody serves it even now. lost: no other live broker is in sync. last: one other is. live: None where
    no line tells which brokers were there."""
    if row["is_served"] is False:
        return "offline"
    is_unsure = row["certainty"] == "undetermined" or row["is_isr_stale"] or row["is_assignment_stale"]
    if row["isr"] is None or is_unsure:
        return "unknown"
    in_sync = set(row["isr"]) - {broker}
    if live is None and in_sync:
        return "unknown"
    others = in_sync & (live or set())
    return "safe" if len(others) > 1 or broker not in row["isr"] else "last" if others else "lost"


def restart_sentence(broker: int, own: Sequence[Row], fates: dict[str, list[Row]], *, is_live: bool) -> str:
    if not own:
        return f"Broker {broker} has no replica that the logs show."
    lost, unknown, offline = (len(fates[kind]) for kind in ("lost", "unknown", "offline"))
    of_all = f"of {format_count(len(own), 'partition')}"
    here = "" if is_live else f" By the logs broker {broker} is not there even now."
    last = (
        f" {format_count(len(fates['last']), 'partition')} would have one in-sync replica left."
        if fates["last"]
        else ""
    )
    without = f"{offline:,} {of_all} {'have' if offline > 1 else 'has'} no leader even now"
    rest = f"{last}{here}"
    if lost:
        none_now = f" {without}." if offline else ""
        return f"NO: {format_count(lost, 'partition')} would lose the last in-sync replica.{none_now}{rest}"
    if offline:
        doubt = f" Of {unknown:,} more the logs do not tell the ISR for certain." if unknown else ""
        return f"NO: {without}; see why before a restart.{doubt}{rest}"
    if unknown:
        return (
            f"Not enough evidence: of {unknown:,} {of_all} the logs do not tell the ISR"
            f" for certain; of the others none would lose its last in-sync replica.{rest}"
        )
    kept = f"an in-sync replica is left {of_all}"
    return f"Yes, by the state last known: {kept}.{rest}"


def restart_item(kind: str, row: Row) -> AnswerItem:
    words = "has no leader even now" if kind == "offline" else "would lose its last in-sync replica"
    name = f"{shorten_line(row['topic'], 120)}-{row['partition']}"
    text = f"{name} {words}: leader {row['leader']}, ISR {list_text(row['isr'])}, replicas {list_text(row['replicas'])}"
    return AnswerItem(text, row["valid_from_at"], row["certainty"], row["isr_evidence"] or row["evidence"])


def left_out(fates: dict[str, list[Row]]) -> list[AnswerItem]:
    more = sum(max(len(fates[kind]) - SHOWN, 0) for kind in ("lost", "offline"))
    return [AnswerItem(f"{more:,} more")] if more else []


def unknown_isr_notes(unknown: Sequence[Row]) -> list[str]:
    if not unknown:
        return []
    names = ", ".join(f"{shorten_line(row['topic'], 80)}-{row['partition']}" for row in unknown[:5])
    return [f"the ISR of {format_count(len(unknown), 'partition')}, for example {names}"]
