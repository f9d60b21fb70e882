"""The first screen of a cluster of which the metadata log alone was given."""

from collections.abc import Sequence
from datetime import UTC, datetime

from jobs.layout import wrap_lines, wrap_text
from jobs.metadata.recorded import RecordedCluster
from jobs.metadata.witness import log_text
from jobs.text import age_text, format_count, length_text, printable_line, shorten_line
from pipeline.core.clocks import day_clock
from pipeline.kafka.machines.registrations import FENCED, GONE, SHUT_DOWN
from pipeline.kafka.metadata_log.segment import MetadataRecord
from pipeline.model.metadata.intervals import RecordedOutage
from pipeline.model.metadata.words import record_sentence

HANG = 8
SHOWN, SHOWN_TERMS, SHOWN_CHANGES = 3, 12, 4
UNKNOWN = (
    "not known without text logs: since when and why brokers were away, who served, and what was refused"
)
SET = ("CONFIG_RECORD", "FEATURE_LEVEL_RECORD")
ASKED = (
    ("rights", ("ACCESS_CONTROL_ENTRY_RECORD", "REMOVE_ACCESS_CONTROL_ENTRY_RECORD")),
    ("SCRAM users", ("USER_SCRAM_CREDENTIAL_RECORD", "REMOVE_USER_SCRAM_CREDENTIAL_RECORD")),
    ("tokens", ("DELEGATION_TOKEN_RECORD", "REMOVE_DELEGATION_TOKEN_RECORD")),
    ("quotas", ("CLIENT_QUOTA_RECORD",)),
    ("voters", ("KRAFT_VOTERS",)),
)


def recorded_verdict(cluster: RecordedCluster) -> str:
    """What is wrong on record; never that all is well, as records do not show who serves."""
    judged = cluster.replay.judged
    illegal = sum(one.verdict == "illegal" for one in judged.moves) + len(judged.broken)
    leaderless = format_count(len(cluster.leaderless), "partition")
    told = [
        f"{leaderless} without a leader" if cluster.leaderless and not cluster.is_stopped else "",
        format_count(len(cluster.lossy), "unclean election") if cluster.lossy else "",
        f"{format_count(illegal, 'record')} that no release of Kafka writes" if illegal else "",
        f"{format_count(len(cluster.copies.problems), 'file')} damaged" if cluster.copies.problems else "",
    ]
    which = "all brokers" if _is_begun(cluster) else "all brokers that are told of"
    stopped = f"; at the end {which} are stopped in order" if cluster.is_stopped else ""
    said = ", ".join(filter(None, told))
    if said:
        return f"NOT OK: on record {said}{stopped}"
    over = [one for one in cluster.outages if one.until_ms is not None]
    back = len(cluster.replay.unclean) - len(cluster.lossy)
    ended = [
        f"{format_count(len(over), 'outage')} ended" if over else "",
        f"{format_count(back, 'last known leader')} came back" if back else "",
    ]
    before = f"; {', '.join(filter(None, ended))}" if any(ended) else ""
    return f"NOT ENOUGH EVIDENCE: the metadata log alone; on record nothing wrong goes on at the end{before}{stopped}"


def recorded_screen(cluster: RecordedCluster) -> list[str]:
    """At most 40 lines."""
    lines = [
        *_heading(cluster),
        *wrap_text(f"VERDICT  {recorded_verdict(cluster)}", 9),
        *wrap_text(f"         {UNKNOWN}", 9),
        *_at_end(cluster),
        "",
        *_terms(cluster),
        *_brokers(cluster),
        *_outages(cluster),
        *_elections(cluster),
        *_changes(cluster),
        *wrap_text(f"MOVES   {cluster.move_text()}", HANG),
        *_broken(cluster),
        *wrap_text(f"WITNESS {log_text(cluster)}", HANG),
        *_read(cluster),
        *wrap_text(
            "NEXT    the same command with the text logs of the nodes beside it; metadata PATH --topic TOPIC tells "
            "record by record",
            HANG,
        ),
    ]
    return [printable_line(one) for one in lines]


def _heading(cluster: RecordedCluster) -> list[str]:
    nodes = ",".join(map(str, cluster.node_ids)) or "unknown"
    head = f"{cluster.cluster_id}  KRaft  metadata log alone, of nodes {nodes}  times in UTC"
    if cluster.times_ms is None:
        snapshot = cluster.joined.snapshots[-1:]
        end = (snapshot[0].snapshot or (0, 0))[0] if snapshot else 0
        return wrap_lines([head, f"a snapshot alone: the state as of offset {end}, no history"], HANG)
    first, last = (_time(one) for one in cluster.times_ms)
    age = age_text(datetime.now(UTC) - last)
    return wrap_lines([head, f"DATA {day_clock(first)} - {day_clock(last)} UTC (age {age})"], HANG)


def _at_end(cluster: RecordedCluster) -> list[str]:
    partitions = cluster.replay.partitions.values()
    led, placed = (
        sum(getattr(one, name) is not None for one in partitions) for name in ("leader", "replicas")
    )
    unknown = len(partitions) - min(led, placed)
    not_known = f" | not known {unknown:,}, which began before the records" if unknown else ""
    last = cluster.joined.epochs[-1:]
    leader = "not told" if not last or last[0].leader is None else str(last[0].leader)
    epoch = f" (epoch {last[0].epoch})" if last else ""
    head = (
        f"AT END  without a leader {len(cluster.leaderless):,}/{led:,} | not preferred "
        f"{cluster.elsewhere:,}/{placed:,} | controller {leader}{epoch}{not_known}"
    )
    named = [f"{one.topic or one.topic_id}-{one.partition}" for one in cluster.leaderless]
    lines = wrap_text(head, HANG)
    return [*lines, *wrap_text(f"        without a leader: {_names(named)}", 10)] if named else lines


def _terms(cluster: RecordedCluster) -> list[str]:
    epochs = cluster.joined.epochs
    if not epochs:
        return []
    if all(one.leader is None for one in epochs):
        course = "whose is not told: of a dump up to 4.0, or begun before the records"
    else:
        course = " ".join("?" if one.leader is None else str(one.leader) for one in epochs[-SHOWN_TERMS:])
    longest = max(cluster.silences, key=lambda one: one.until_ms - one.from_ms, default=None)
    gap = ""
    if longest is not None:
        length = length_text(longest.until_ms - longest.from_ms)
        gap = (
            f"; nobody active {len(cluster.silences)} times, longest {length} from {_clock(longest.from_ms)}"
        )
        gap += f" (offset {longest.offset_before})"
    return wrap_text(
        f"TERMS   {len(epochs)} ({course}), epochs {epochs[0].epoch} to {epochs[-1].epoch}{gap}", HANG
    )


def _brokers(cluster: RecordedCluster) -> list[str]:
    brokers = sorted(cluster.replay.brokers.values(), key=lambda one: one.broker_id)
    away = [one for one in brokers if one.state in (FENCED, SHUT_DOWN, GONE)]
    said = [f"{one.broker_id} {one.state} since {_clock(one.decided_at_ms)}" for one in away]
    ended = [one for one in cluster.sessions if one.left_ms is not None]
    hows = ", ".join(
        f"{how} {sum(one.left_how == how for one in ended)}"
        for how in sorted({str(one.left_how) for one in ended})
    )
    rest = f"; away: {_names(said)}" if said else "; all in service"
    left = f"; sessions ended {len(ended)} ({hows})" if ended else ""
    if not _is_begun(cluster):
        rest = rest if said else "; all that are told of in service"
        return wrap_text(f"BROKERS {len(brokers)} told of, others not known{rest}{left}", HANG)
    return wrap_text(f"BROKERS {len(brokers)} registered{rest}{left}", HANG)


def _is_begun(cluster: RecordedCluster) -> bool:
    """True if the records begin with the log, or with a snapshot: what stood before them is known."""
    joined = cluster.joined
    return bool(joined.snapshots) or not len(joined.marks) or joined.first_offset == 0


def _outages(cluster: RecordedCluster) -> list[str]:
    found = cluster.outages
    if not found:
        before = "" if _is_begun(cluster) else "; of what began before the records it is not known"
        return wrap_text(f"OUTAGES none on record{before}", HANG)
    open_ones = [one for one in found if one.until_ms is None]
    ended = [one for one in found if one.until_ms is not None]
    worst = sorted(ended, key=lambda one: one.from_ms - (one.until_ms or 0))[:1]
    longest = f"; longest over {_outage_text(worst[0])}" if worst else ""
    still = f", {len(open_ones)} at the end" if open_ones else ""
    return wrap_text(f"OUTAGES {len(found)} on record{still}{longest}", HANG)


def _outage_text(one: RecordedOutage) -> str:
    length = length_text((one.until_ms or 0) - one.from_ms)
    why = f", {one.cause.replace('_', ' ')}" if one.cause else ""
    broker = f" of broker {one.cause_broker_id}" if one.cause_broker_id is not None else ""
    return f"{one.topic or one.topic_id}-{one.partition} {length} from {_clock(one.from_ms)}{why}{broker}"


def _elections(cluster: RecordedCluster) -> list[str]:
    counts = cluster.elections
    if not counts:
        return []
    told = ", ".join(f"{cause.replace('_', ' ')} {count}" for cause, count in counts.most_common())
    lines = wrap_text(f"ELECTED {sum(counts.values()):,} times: {told}", HANG)
    unclean = [
        f"{new.topic}-{new.partition} at {_clock(new.decided_at_ms)} (broker {new.leader}, offset {new.offset})"
        for _, new in cluster.lossy
    ]
    back = len(cluster.replay.unclean) - len(cluster.lossy)
    lines += wrap_text(f"        last known leader back: {back}", 10) if back else []
    return [*lines, *wrap_text(f"        unclean: {_names(unclean)}", 10)] if unclean else lines


def _changes(cluster: RecordedCluster) -> list[str]:
    lives = cluster.replay.lives
    created = [one.name for one in lives if one.created_at_ms is not None]
    deleted = [one.name for one in lives if one.deleted_at_ms is not None]
    parts = [f"topics created {len(created)}", f"deleted {len(deleted)}"]
    parts += [f"{words} {len(found)}" for words, names in ASKED if (found := cluster.changes(*names))]
    settings = cluster.changes(*SET)
    parts += [f"settings and features {len(settings)}"] if settings else []
    lines = wrap_text(f"CHANGES {', '.join(parts)}", HANG)
    return [*lines, *(_change_text(one) for one in settings[-SHOWN_CHANGES:])]


def _change_text(one: MetadataRecord) -> str:
    return shorten_line(f"        {_clock(one.at_ms)} {record_sentence(one, {})}", 120)


def _broken(cluster: RecordedCluster) -> list[str]:
    judged = cluster.replay.judged
    illegal = [
        f"{one.machine} {one.key}: {one.from_state} to {one.to_state} (offset {one.offset})"
        for one in judged.moves
        if one.verdict == "illegal"
    ]
    broken = [f"{one.key}: {one.sentence} (offset {one.offset})" for one in judged.broken]
    return [line for one in [*illegal, *broken][:SHOWN] for line in wrap_text(f"        {one}", 10)]


def _read(cluster: RecordedCluster) -> list[str]:
    parts = [part for _, _, part in cluster.copies.files]
    records = sum(len(one.records) + len(one.no_ops) for one in parts)
    unread = sum(record.reason is not None for part in parts for record in part.records)
    head = f"READ    {len(parts)} files, {records:,} records, {unread:,} not understood"
    refused = [f"        {path}: {why}" for path, why in cluster.copies.refused[:SHOWN]]
    damaged = [f"        {one}" for one in cluster.copies.problems[:SHOWN]]
    return wrap_lines([head, *damaged, *refused], 10)


def _names(found: Sequence[str]) -> str:
    left = len(found) - SHOWN
    return ", ".join([*found[:SHOWN], *([f"{left:,} more"] if left > 0 else [])])


def _time(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC)


def _clock(at_ms: int) -> str:
    return day_clock(_time(at_ms))
