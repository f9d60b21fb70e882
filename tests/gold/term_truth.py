"""Terms as gold.controller_term tells them against what ZooKeeper's transaction log and the actions say.

`python -m tests.gold.term_truth FOLDER ...` builds the tables of lab clusters and prints a line for each.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.gold.lab_runs import changes
from tests.gold.truth import ms, terms
from tests.lab import Row

ELECTION_SEEN_MS = 50  # from ZooKeeper's time of the election to the controller's line
SILENT_MS = 10_000  # a controller may have had nothing to print before it was killed
KINDS = ("election", "end", "zombie write")
HANDED_OVER = ("shutdown", "znode_gone", "session_expired", "forced")
OUTCOMES = ("right", "undetermined", "wrong", "missed")


class Epoch(NamedTuple):
    """A write of /controller_epoch: its time in ms and the version that it gave."""

    at_ms: int
    version: int


def epochs(cluster: Path) -> dict[int, Epoch]:
    """The write that elected with each epoch, by epoch."""
    found: dict[int, Epoch] = {}
    for change in changes(cluster):
        if change["path"] == "/controller_epoch" and change["data"]:
            found.setdefault(change["data"], Epoch(change["time_ms"], change["version"]))
    return found


def rewritten(cluster: Path) -> set[int]:
    """Epochs that were written a second time: from outside, under a controller that goes on."""
    counts = Counter(
        one["data"] for one in changes(cluster) if one["path"] == "/controller_epoch" and one["data"]
    )
    return {epoch for epoch, count in counts.items() if count > 1}


def closed_sessions(cluster: Path) -> dict[int, bool]:
    """By epoch, whether /controller went as the session that had made it was closed; else it was deleted."""
    epoch, found = 0, dict[int, bool]()
    for change in changes(cluster):
        if change["path"] == "/controller_epoch" and change["data"]:
            epoch = change["data"]
        if change["path"] == "/controller" and change["op"] == "delete":
            found[epoch] = bool(change.get("session_closed"))
    return found


def zombie_writes(cluster: Path) -> Counter[int]:
    """By epoch: writes that raise the leader epoch of a partition while another epoch is the last one set."""
    newest, leader_epochs = 0, dict[str, int]()
    found: Counter[int] = Counter()
    for change in changes(cluster):
        if change["path"] == "/controller_epoch" and change["data"]:
            newest = change["data"]
        if change["path"].endswith("/state") and change["path"].startswith("/brokers/topics/"):
            data = change["data"] or {}
            before = leader_epochs.get(change["path"])
            epoch = data.get("leader_epoch")
            if (
                epoch is not None
                and before is not None
                and epoch > before
                and data["controller_epoch"] < newest
            ):
                found[data["controller_epoch"]] += 1
            leader_epochs[change["path"]] = -1 if epoch is None else epoch
    return found


def judged(cluster: Path, rows: list[Row]) -> Iterator[tuple[str, str, str]]:
    """(kind, outcome, what) of each election, end and zombie write."""
    told = {row["controller_epoch"]: row for row in rows}
    versions, writes = epochs(cluster), zombie_writes(cluster)
    true, is_closed = terms(cluster), closed_sessions(cluster)
    for number, (term, elected_ms) in enumerate(true):
        row = told.pop(term.epoch, None)
        what = f"epoch {term.epoch}"
        if row is None:
            yield from ((kind, "missed", what) for kind in KINDS[:2])
            continue
        yield "election", election(row, term.controller_id, elected_ms, versions[term.epoch]), what
        next_ms = true[number + 1][1] if number + 1 < len(true) else None
        outcome = end(row, term.ended_how, next_ms)
        was_open = row["ended_how"] in ("znode_gone", "forced")
        if outcome == "right" and next_ms and is_closed[term.epoch] == was_open:
            outcome = "wrong"
        yield "end", outcome, f"{what} {term.ended_how}: {row['ended_how']}"
        each = ("zombie write", written(row, writes[term.epoch]), f"{what}: {writes[term.epoch]}")
        yield from [each] * max(row["writes_after_count"] or 0, writes[term.epoch])
    yield from (("election", "wrong", f"epoch {epoch} was never set") for epoch in told)


def election(row: Row, controller_id: int, elected_ms: int, epoch: Epoch) -> str:
    if row["controller_id"] != controller_id:
        return "wrong"
    if row["elected_at"] is None:
        return "undetermined"
    is_in_time = 0 <= ms(row["elected_at"]) - elected_ms <= ELECTION_SEEN_MS
    is_version = row["epoch_zk_version"] in (None, epoch.version)
    return "right" if is_in_time and is_version else "wrong"


def end(row: Row, ended_how: str, next_ms: int | None) -> str:
    """Right kind; a gap kind and a time that fit: a crashed controller's last line may be long before its end."""
    if row["ended_how"] in (None, "superseded_unseen"):
        return "undetermined"
    if row["ended_how"] != ended_how:
        return "wrong"
    if next_ms is None or row["gap_kind"] == "unknown":
        return "right" if next_ms is None else "undetermined"
    after_ms = ms(row["ended_at"]) - next_ms
    fits = {
        "handover": -SILENT_MS < after_ms <= 0 and ended_how in HANDED_OVER,
        "session_timeout": after_ms < 0 and ended_how == "crashed",
        "none": after_ms > 0,
        "sole_broker": after_ms <= 0 and ended_how == "shutdown",
    }
    return "right" if fits[row["gap_kind"]] else "wrong"


def written(row: Row, count: int) -> str:
    if row["writes_after_count"] is None:
        return "undetermined"
    if row["writes_after_count"] == count:
        return "right" if row["overlap"] == "zombie_wrote" else "wrong"
    return "missed" if row["writes_after_count"] < count else "wrong"


def scores(cluster: Path, rows: list[Row]) -> Counter[tuple[str, str]]:
    return Counter((kind, outcome) for kind, outcome, _ in judged(cluster, rows))


def score_line(cluster: Path, rows: list[Row]) -> str:
    counted = scores(cluster, rows)
    cells = (f"{kind} " + "/".join(str(counted[kind, outcome]) for outcome in OUTCOMES) for kind in KINDS)
    return f"{cluster.name:18} {'   '.join(cells)}"


def main(folders: list[str]) -> None:
    from tests.lab import built_tables, rows_of  # noqa: PLC0415 - which imports what imports this

    sys.stdout.write(f"{'/'.join(OUTCOMES)} of {', '.join(KINDS)}\n")
    for name in folders:
        tables = built_tables(Path(name))
        sys.stdout.write(f"{score_line(Path(name), rows_of(tables['controller_term']))}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
