"""Why brokers left and terms of controllers ended, as tables tell it, against what was done to the processes of a lab.

`python -m tests.gold.end_reason_truth FOLDER ...` prints a line for each cluster, with server.log and without it.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.gold import kraft_term_truth, session_truth
from tests.gold.truth import ms, terms
from tests.lab import Row, json_lines

SIGNALS = {"kill": "SIGKILL", "controlled_shutdown": "SIGTERM", "sigstop": "SIGSTOP", "sigcont": "SIGCONT"}
REASONS = {
    "SIGKILL": ("killed",),
    "SIGTERM": ("sigterm",),
    "SIGSTOP": ("session_lost", "majority_lost"),
    "SIGCONT": ("session_lost", "majority_lost"),
}
OF_TERMS = {"crashed": "SIGKILL", "shutdown": "SIGTERM", "session_expired": "SIGSTOP"}
OUTCOMES = ("right", "undetermined", "wrong")
START, ENDING = "start", ("SIGKILL", "SIGTERM")
PRINTED_MS = 100  # what is printed of an act may be printed as it is done, and its time is that of its end


class Act(NamedTuple):
    """What was done to a process."""

    at_ms: int
    signal: str


def acts(cluster: Path) -> dict[int, list[Act]]:
    """By node, in order."""
    found: dict[int, list[Act]] = defaultdict(list)
    for one in json_lines(cluster / "truth" / "actions.jsonl"):
        args = one.get("args", one)
        signal = SIGNALS.get(one["kind"], args.get("signal") if one["kind"] == "signal" else None)
        signal = START if one["kind"].startswith(START) else signal
        if signal:
            for node in args.get("brokers") or [args.get("node", args.get("broker"))]:
                found[node].append(Act(one["start_ms"], signal))
    return found


def last_act(done: list[Act], at_ms: int, since_ms: int = 0) -> Act | None:
    """The last signal by then; a process that was told to stop, and killed as it went on, was told to stop, and one
    that was frozen and goes on was frozen."""
    earlier = [one for one in done if since_ms <= one.at_ms <= at_ms]
    while earlier and earlier[-1].signal == START:
        earlier.pop()
    signals = [one.signal for one in earlier]
    is_first = signals[-2:] in (["SIGTERM", "SIGKILL"], ["SIGSTOP", "SIGCONT"])
    return earlier[-2] if is_first else earlier[-1] if earlier else None


def outcome(row: Row, act: Act | None) -> str:
    if row["end_reason"] in (None, "unknown"):
        return "undetermined"
    return "right" if row["end_reason"] in (REASONS[act.signal] if act else ("majority_lost",)) else "wrong"


def sign(row: Row, act: Act | None) -> str:
    """Whether the first sign is none of before what was done to it."""
    if row["first_sign_at"] is None or act is None:
        return "undetermined"
    return "right" if ms(row["first_sign_at"]) >= act.at_ms else "wrong"


def departures(cluster: Path, sessions: list[Row]) -> Iterator[tuple[str, str, str]]:
    """(kind, outcome, what) of each departure that is told. In KRaft mode a stay is of one process: of what was done to
    the next one, that is not unfenced yet, it tells nothing."""
    done = acts(cluster)
    for one, row, _ in session_truth.told(cluster, sessions):
        if row is None:
            continue
        own = done[one.broker_id]
        joined_ms = ms(row["joined_at"])
        ended = [each for each in own if each.signal in ENDING and joined_ms < each.at_ms <= one.at_ms]
        is_first = row["mode"] == "kraft" and ended
        act = ended[0] if is_first else last_act(own, one.at_ms + PRINTED_MS)
        what = f"broker {one.broker_id} {row['left_at']} {act}: {row['end_reason']} {row['first_sign_at']}"
        yield "reason", outcome(row, act), what
        yield "sign", sign(row, act), what


def ends(cluster: Path, rows: list[Row]) -> Iterator[tuple[str, str, str]]:
    """(kind, outcome, what) of each end of a term that another one followed."""
    is_kraft = (cluster / "truth" / "metadata-log.jsonl").exists()
    for mode, node, epoch, act in [*of_kraft(cluster)] if is_kraft else [*of_zookeeper(cluster)]:
        for row in rows:
            if (row["mode"], row["controller_epoch"], row["controller_id"]) == (mode, epoch, node):
                what = f"epoch {epoch} of {node} {act}: {row['ended_how']} {row['end_reason']} {row['first_sign_at']}"
                yield "reason", outcome(row, act), what
                yield "sign", sign(row, act), what


def of_zookeeper(cluster: Path) -> Iterator[tuple[str, int, int, Act | None]]:
    done, true = acts(cluster), terms(cluster)
    for number, (term, _) in enumerate(true[:-1]):
        act = last_act(done[term.controller_id], true[number + 1][1])
        is_so = act is not None and OF_TERMS.get(term.ended_how) == act.signal
        yield "zookeeper", term.controller_id, term.epoch, act if is_so else None


def of_kraft(cluster: Path) -> Iterator[tuple[str, int, int, Act | None]]:
    done, true = acts(cluster), kraft_term_truth.leaders(cluster)
    for number, leader in enumerate(true[:-1]):
        yield (
            "kraft",
            leader.node,
            leader.epoch,
            last_act(done[leader.node], true[number + 1].at_ms, leader.at_ms),
        )


def score_line(told: Iterator[tuple[str, str, str]]) -> str:
    counted = Counter((kind, outcome) for kind, outcome, _ in told)
    return "  ".join(
        f"{kind} {'/'.join(str(counted[kind, one]) for one in OUTCOMES)}" for kind in ("reason", "sign")
    )


def main(folders: list[str]) -> None:
    from tests.lab import READ, records, rows_of, tables_of  # noqa: PLC0415 - which imports what imports this

    for folder in map(Path, folders):
        for logs in ((*READ, "server"), READ):
            tables = tables_of(records(folder, logs))
            stays, tenures = (rows_of(tables[name]) for name in ("broker_session", "controller_term"))
            left, over = [*departures(folder, stays)], [*ends(folder, tenures)]
            said = f"departures {score_line(iter(left))}   terms {score_line(iter(over))}"
            sys.stdout.write(
                f"{folder.name:28} {'server.log' if 'server' in logs else 'without':10} {said}\n"
            )
            sys.stdout.writelines(
                f"    {what}\n" for _, outcome, what in (*left, *over) if outcome == "wrong"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
