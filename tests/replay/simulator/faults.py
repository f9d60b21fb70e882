"""What befalls logs, and what a controller should not do: each fault changes printed lines and says where."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import NamedTuple

from tests.replay.naive import VALID_PREVIOUS
from tests.replay.simulator.days import Simulated, simulated
from tests.replay.simulator.record import Line, Term, Thing, printed

HOUR_MS = 3_600_000
SKEW_MS = 30_000
SHARE, LEAST = 0.01, 10  # of the moves, and moves, for faults of single lines


class Injected(NamedTuple):
    """A fault of one kind at one object of one term."""

    kind: str
    thing: Thing
    term: Term


Faulty = tuple[list[Line], list[Injected]]


def done_moves(lines: list[Line]) -> list[int]:
    return [at for at, line in enumerate(lines) if line.move is not None and line.move.outcome == "done"]


def chosen(lines: list[Line], rng: Random) -> list[int]:
    able = done_moves(lines)
    return sorted(rng.sample(able, min(len(able), max(LEAST, round(len(able) * SHARE)))))


def at(kind: str, line: Line) -> Injected:
    if line.move is None:
        raise ValueError(f"expected a line that moves an object, found {line.body[:80]}")
    return Injected(kind, line.move.thing, line.term)


def illegal_move(log: Simulated, rng: Random) -> Faulty:
    """The controller moves an object to where it must not go; the next line leaves from there or not."""
    lines = log.printed()
    injected = []
    machine = {"replica": "R1" if log.version < (2, 3) else "R2", "partition": "P1"}
    for place in chosen(lines, rng):
        line = lines[place]
        move = line.move
        if move is None:
            continue
        valid_previous = VALID_PREVIOUS[machine[move.kind]]
        targets = [state for state in valid_previous if move.from_state not in valid_previous[state]]
        target = rng.choice(targets)
        body = line.body.replace(f"to {move.to_state}", f"to {target}", 1)
        lines[place] = replace(line, body=body, move=move._replace(to_state=target), verdict="illegal")
        injected.append(at("illegal move", line))
    return lines, injected


def lost_line(log: Simulated, rng: Random) -> Faulty:
    lines = log.printed()
    lost = set(chosen(lines, rng))
    return (
        [line for place, line in enumerate(lines) if place not in lost],
        [at("lost line", lines[place]) for place in sorted(lost)],
    )


def doubled_line(log: Simulated, rng: Random) -> Faulty:
    lines = log.printed()
    twice = set(chosen(lines, rng))
    return (
        [line for place, line in enumerate(lines) for _ in range(1 + (place in twice))],
        [at("doubled line", lines[place]) for place in sorted(twice)],
    )


def swapped_lines(log: Simulated, rng: Random) -> Faulty:
    """Two lines of one object in one term change places."""
    lines = log.printed()
    later: dict[tuple[Thing, Term], int] = {}
    pairs = []
    wanted = set(chosen(lines, rng))
    for place in reversed(done_moves(lines)):
        line = lines[place]
        if line.move is not None:
            key = line.move.thing, line.term
            if place in wanted and key in later:
                pairs.append((place, later[key]))
                del later[key]
            else:
                later[key] = place
    for one, other in pairs:
        first, second = lines[one], lines[other]
        lines[one], lines[other] = replace(second, at_ms=first.at_ms), replace(first, at_ms=second.at_ms)
    return lines, [at("swapped lines", lines[one]) for one, _ in pairs]


def cut_line(log: Simulated, rng: Random) -> Faulty:
    """A shipper drops the end of a line, logger and all."""
    lines = log.printed()
    injected = []
    for place in chosen(lines, rng):
        line = lines[place]
        injected.append(at("cut line", line))
        kept = rng.randrange(10, len(line.body) - len("(state.change.logger)") - 1)
        lines[place] = replace(line, body=line.body[:kept].rstrip(), move=None)
    return lines, injected


def missing_broker(log: Simulated, rng: Random) -> Faulty:
    lines = log.printed()
    node = rng.choice(sorted({line.node for line in lines}))
    lost = [line for line in lines if line.node == node and line.move is not None]
    return [line for line in lines if line.node != node], unique(
        [at("missing broker", line) for line in lost]
    )


def missing_hour(log: Simulated, rng: Random) -> Faulty:
    """The hourly files of one hour are gone, on every broker."""
    lines = log.printed()
    hour = lines[rng.choice(done_moves(lines))].at_ms // HOUR_MS
    lost = [line for line in lines if line.at_ms // HOUR_MS == hour and line.move is not None]
    kept = [line for line in lines if line.at_ms // HOUR_MS != hour]
    return kept, unique([at("missing hour", line) for line in lost])


def info_only(log: Simulated, _: Random) -> Faulty:
    return at_other_level("INFO only", replace(log, level="TRACE"), 0, log.lines[-1].at_ms + 1)


def level_changed(log: Simulated, rng: Random) -> Faulty:
    """Somebody sets state.change.logger to the other level in mid-hour, and leaves it so."""
    return at_other_level("level changed", log, mid_hour(log, rng), log.lines[-1].at_ms + 1)


def level_for_hours(log: Simulated, rng: Random) -> Faulty:
    """The same, and back after some hours; a level lowered and raised again looks like lost lines."""
    since = mid_hour(log, rng)
    return at_other_level("level for hours", log, since, since + rng.randint(1, 6) * HOUR_MS)


def mid_hour(log: Simulated, rng: Random) -> int:
    moves = done_moves(list(log.lines))
    return log.lines[rng.choice(moves[len(moves) // 4 : 3 * len(moves) // 4])].at_ms


def at_other_level(kind: str, log: Simulated, since_ms: int, until_ms: int) -> Faulty:
    """Hit: what is printed at one of the levels only."""
    other = "INFO" if log.level == "TRACE" else "TRACE"
    lines = printed(log.lines, lambda at_ms: other if since_ms <= at_ms < until_ms else log.level)
    hit = [
        at(kind, line)
        for line in log.lines
        if since_ms <= line.at_ms < until_ms
        and line.move is not None
        and line.is_printed("TRACE") != line.is_printed("INFO")
    ]
    return lines, unique(hit)


def clock_skew(log: Simulated, rng: Random) -> Faulty:
    """The clock of each broker is off by up to 30 s."""
    lines = log.printed()
    off = {node: rng.randint(-SKEW_MS, SKEW_MS) for node in sorted({line.node for line in lines})}
    moved = [replace(line, at_ms=line.at_ms + off[line.node]) for line in lines]
    return moved, unique([at("clock skew", line) for line in lines if line.move is not None])


def fail_over_midway(log: Simulated, _: Random) -> Faulty:
    """Controllers die in the midst of their work; the objects hit are those of such terms."""
    other = simulated(log.release, log.seed, log.days, level=log.level, mishaps=("die_midway",))
    lines = other.printed()
    hit = [line for line in lines if line.move is not None and line.term in other.cut_short]
    return lines, unique([at("fail-over midway", line) for line in hit])


def wiped_cluster(log: Simulated, _: Random) -> Faulty:
    """ZooKeeper is emptied and the epochs begin again; the objects hit are those of epochs used twice."""
    other = simulated(log.release, log.seed, log.days, level=log.level, mishaps=("wipe",))
    lines = other.printed()
    hit = [line for line in lines if line.move is not None and line.term[0] > 1]
    return lines, unique([at("wiped cluster", line) for line in hit])


def unique(injected: list[Injected]) -> list[Injected]:
    return list(dict.fromkeys(injected))


FAULTS: dict[str, Callable[[Simulated, Random], Faulty]] = {
    "illegal move": illegal_move,
    "lost line": lost_line,
    "doubled line": doubled_line,
    "swapped lines": swapped_lines,
    "cut line": cut_line,
    "missing broker": missing_broker,
    "missing hour": missing_hour,
    "INFO only": info_only,
    "level changed": level_changed,
    "level for hours": level_for_hours,
    "clock skew": clock_skew,
    "fail-over midway": fail_over_midway,
    "wiped cluster": wiped_cluster,
}
