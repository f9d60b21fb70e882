"""How many faults are found, and how many findings are faults: by kind of fault and release."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from tests.replay import naive
from tests.replay.judging import Told, told
from tests.replay.simulator.days import Simulated, simulated
from tests.replay.simulator.faults import FAULTS
from tests.replay.simulator.record import Line, Term, Thing

RELEASES = (
    "0.8.2.2", "0.9.0.1", "0.10.2.2", "0.11.0.3", "1.0.2", "1.1.1", "2.0.1", "2.2.2", "2.3.1", "2.5.1", "2.6.3",
    "3.2.3", "3.9.1",
)  # fmt: skip
Place = tuple[Thing, Term]


@dataclass
class Score:
    """Places are objects in a term. `decided`: of those hit, whose lines no healthy history prints."""

    kind: str
    release: str
    hit: int = 0
    decided: int = 0
    found: int = 0
    findings: int = 0
    elsewhere: int = 0
    unsaid: int = 0  # hit, not decided, and called hidden or undetermined

    @property
    def recall(self) -> str:
        return share(self.found, self.decided)

    @property
    def precision(self) -> str:
        return share(self.findings - self.elsewhere, self.findings)

    def add(self, other: "Score") -> None:
        for name in ("hit", "decided", "found", "findings", "elsewhere", "unsaid"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def share(part: int, whole: int) -> str:
    """Nothing of nothing is no hundred percent."""
    return f"{part / whole:.1%}" if whole else "-"


def machine_of(log: Simulated) -> str:
    return "R1" if log.version < (2, 3) else "R2"


def scored(kind: str, release: str, log: Simulated, seed: int) -> Score:
    """One kind of fault done to one log."""
    lines, injected = FAULTS[kind](log, Random(f"{kind} {release} {seed}"))  # noqa: S311  (dice, not secrets)
    rows = told(lines, machine_of(log))
    by_place = by_object(rows)
    impossible = impossible_places(by_place, traced_terms(lines), machine_of(log))
    hit = {(one.thing, one.term) for one in injected}
    accused = {place for place, of_it in by_place.items() if any(row.is_finding for row in of_it)}
    open_ones = (hit & by_place.keys()) - impossible
    unsure = ("hidden", "undetermined")
    return Score(
        kind,
        release,
        hit=len(hit),
        decided=len(hit & impossible),
        found=len(hit & impossible & accused),
        findings=len(accused),
        elsewhere=len(accused - (hit & impossible)),
        unsaid=sum(any(row.verdict in unsure for row in by_place[place]) for place in open_ones),
    )


def by_object(rows: Iterable[Told]) -> dict[Place, list[Told]]:
    found: dict[Place, list[Told]] = defaultdict(list)
    for row in rows:
        found[row.thing, row.term].append(row)
    return found


def traced_terms(lines: Iterable[Line]) -> dict[Term, tuple[int, int]]:
    """Places of the first and last TRACE line of each term, in the state-change.log of its node."""
    place: dict[int, int] = defaultdict(int)
    found: dict[Term, tuple[int, int]] = {}
    for line in lines:
        if line.log == "state-change":
            if line.level == "TRACE" and line.move is not None:
                found[line.term] = (found.get(line.term, (place[line.node], 0))[0], place[line.node])
            place[line.node] += 1
    return found


def impossible_places(
    by_place: dict[Place, list[Told]], traced: dict[Term, tuple[int, int]], machine: str
) -> set[Place]:
    """Objects with lines that no healthy history prints; decided without the product."""
    return {
        (thing, term)
        for (thing, term), rows in by_place.items()
        if is_impossible(rows, "P1" if thing[2] is None else machine, traced.get(term, (0, -1)))
    }


def is_impossible(rows: Sequence[Told], machine: str, traced: tuple[int, int]) -> bool:
    """A pair that Kafka does not allow, or a gap that no unprinted moves bridge. `traced`: see traced_terms."""
    held: str | None = None
    since = -1
    for row in rows:
        if row.outcome != "done":
            continue
        if row.from_state not in naive.VALID_PREVIOUS[machine][row.to_state]:
            return True
        is_trace = traced[0] <= since and row.seq <= traced[1]
        unprinted = naive.SOMETIMES_SILENT[machine] | (set() if is_trace else naive.TRACE_ONLY[machine])
        if held is not None and row.from_state not in naive.after(machine, held, unprinted):
            return True
        held, since = row.to_state, row.seq
    return False


def table(seeds: Sequence[int], days: float, releases: Sequence[str] = RELEASES) -> Iterator[Score]:
    """Every kind of fault on every release, all seeds together; from 2.6 on at the stock level and at TRACE."""
    runs = [(name, level) for name in releases for level in ("", "TRACE") if not level or name >= "2.6"]
    for name, level in runs:
        logs = [simulated(name, seed, days, level=level) for seed in seeds]
        for kind in FAULTS:
            total = Score(kind, f"{name} {level}".strip())
            for seed, log in zip(seeds, logs, strict=True):
                total.add(scored(kind, name, log, seed))
            yield total


def printed(scores: Iterable[Score]) -> str:
    """By kind of fault, with the sum over releases."""
    by_kind: dict[str, list[Score]] = defaultdict(list)
    for one in scores:
        by_kind[one.kind].append(one)
    lines = ["fault            release           hit decided found  recall findings precision unsure"]
    for kind, own in by_kind.items():
        total = Score(kind, "all")
        for one in own:
            total.add(one)
        lines += [row(one) for one in (*own, total)]
    return "\n".join(lines)


def row(one: Score) -> str:
    """`unsure`: hit, not decided, and called hidden or undetermined; the rest of the hit look healthy."""
    return (
        f"{one.kind:16} {one.release:13} {one.hit:7} {one.decided:7} {one.found:5} {one.recall:>7} "
        f"{one.findings:8} {one.precision:>9} {one.unsaid:6}"
    )
