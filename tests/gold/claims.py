"""What tables say of a lab cluster that is not so: for logs of which some are missing, where much may be left unsaid."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.gold import (
    election_truth,
    kraft_election_truth,
    kraft_outage_truth,
    kraft_term_truth,
    kraft_truth,
    session_truth,
    term_truth,
)
from tests.gold.outage_truth import Outage, is_near, outages, told_outages
from tests.gold.truth import SETTLED_MS, ms, wrong_values
from tests.lab import Row

# Kafka never did what these rules find; that much is missing is to be found.
NEVER = ("illegal_move", "refused_move", "discontinuity", "replay_disagreement", "leader_choice")
LINES_MISSING = "lines_missing"
ASPECTS = ("leader", "isr", "replicas")
TABLES = (
    "partition_timeline",
    "partition_outage",
    "leader_election",
    "broker_session",
    "controller_term",
    "imbalance_check",
    "finding",
)

Rows = dict[str, list[Row]]


def wrong_claims(cluster: Path, rows: Rows) -> list[str]:
    """A line for each; rows: of the tables named above. Empty if all that is said is so."""
    is_kraft = (cluster / "truth" / "metadata-log.jsonl").exists()
    found = list((in_kraft if is_kraft else in_zookeeper)(cluster, rows))
    found += [
        f"broker_session: {text}" for text in counted(session_truth.compared(cluster, rows["broker_session"]))
    ]
    found += [f"finding {row['rule']}: {row['sentence']}" for row in rows["finding"] if row["rule"] in NEVER]
    return found


def counted(scores: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    yield from (f"{of} wrong {counts['wrong']}" for of, counts in scores.items() if counts["wrong"])


def in_zookeeper(cluster: Path, rows: Rows) -> Iterator[str]:
    for aspect in ASPECTS:
        for one in wrong_values(cluster, rows["partition_timeline"], aspect):
            if one[-1] is not None:  # else no row says anything then
                yield f"timeline {aspect}: {one}"
    for text in counted(election_truth.compared(cluster, rows["leader_election"])):
        yield f"leader_election: {text}"
    for outage in unfounded(outages(cluster), certain(rows["partition_outage"])):
        yield f"outage: {outage}"
    for kind, outcome, what in term_truth.judged(cluster, rows["controller_term"]):
        if outcome == "wrong":
            yield f"term {kind}: {what}"
    for row in rows["imbalance_check"]:
        if row["is_equal"] is False:
            yield f"ratio of broker {row['broker_id']} at {row['checked_at']}: {row['imbalance_ratio']}, not {row['kafka_ratio']}"


def in_kraft(cluster: Path, rows: Rows) -> Iterator[str]:
    """States that brokers print are claimed where the controller's lines are there, too: else two replicas that die
    at once leave no trace."""
    claimed = [
        row | {"certainty": "undetermined"} if is_without_controller(row) else row
        for row in rows["partition_timeline"]
    ]
    for aspect in ASPECTS:
        for stretch in kraft_truth.wrong(list(kraft_truth.stretches(cluster, claimed, aspect))):
            if stretch.told is not None:  # else no row says anything then
                yield f"timeline {aspect}: {stretch}"
    for text in counted(kraft_election_truth.compared(cluster, rows["leader_election"])):
        yield f"leader_election: {text}"
    begun = kraft_truth.begin_ms(cluster)
    told = [row for row in certain(rows["partition_outage"]) if ms(row["noticed_at"]) >= begun]
    for outage in unfounded(kraft_outage_truth.outages(cluster, told_outages(told)), told):
        yield f"outage: {outage}"
    for kind, outcome, what in kraft_term_truth.judged(cluster, rows["controller_term"]):
        if outcome == "wrong":
            yield f"term {kind}: {what}"


def is_without_controller(row: Row) -> bool:
    return bool(row["certainty"] == "inferred" and row["partition_epoch"] is not None)


def certain(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["certainty"] != "undetermined"]


def unfounded(true: list[Outage], rows: list[Row]) -> Iterator[Outage]:
    """Told outages that were none: begin and end are those of one of the partition, to a second, or bound it. Of one
    that is only bounded on one side the other may be any."""
    for row, one in zip(rows, told_outages(rows), strict=True):
        is_begin_told, is_end_told = row["unserved_from_at"] is not None, row["ended_how"] != LINES_MISSING
        if not any(
            one.partition == other.partition
            and other.from_ms <= one.from_ms + SETTLED_MS
            and (one.earliest_ms - SETTLED_MS <= other.from_ms or not is_begin_told)
            and (is_near(one.until_ms, other.until_ms, SETTLED_MS) or not is_end_told)
            and is_within(one, other)
            for other in true
        ):
            yield one


def is_within(one: Outage, other: Outage) -> bool:
    """Whether it ended before, or with, the other."""
    return other.until_ms is None or (
        one.until_ms is not None and one.until_ms <= other.until_ms + SETTLED_MS
    )
