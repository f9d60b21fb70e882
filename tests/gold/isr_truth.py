"""The ISR of each partition at every time against ZooKeeper's own log of writes: `python -m tests.gold.isr_truth DIR...`."""

import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from pipeline.core.frames import frame_of
from tests.chain import built
from tests.gold.kraft_truth import UNTOLD, Stretch, sums, wrong
from tests.gold.lab_runs import first_life
from tests.gold.truth import UNKNOWN, Value, at_instant, told_values, true_values
from tests.lab import READ, Row, rows_of

# Up to 2.3 a leader prints before it writes, since then after it has written: up to 132 ms in the labs.
SETTLED_MS = 300
WITH_SERVER_LOG = (*READ, "server")


def stretches(cluster: Path, timeline: list[Row]) -> Iterator[Stretch]:
    """All of the time in which there is a partition, but what is near to a true change of its ISR."""
    true, told = true_values(cluster, "isr"), told_values(timeline, "isr")
    end = max(at for values in (true, told) for changes in values.values() for at, _ in changes)
    for partition, changes in sorted(true.items()):
        own = told.get(partition, [])
        near = [(at - SETTLED_MS, at + SETTLED_MS) for at, _ in changes]
        edges = {edge for one in near for edge in one} | {at for at, _ in own} | {end}
        for left, right in pairwise(sorted(one for one in edges if changes[0][0] <= one <= end)):
            expected = at_instant(changes, left)
            is_near = any(begin < right and until > left for begin, until in near)
            if not is_near and expected not in (None, UNKNOWN):
                yield Stretch(partition, left, right, expected, claimed(at_instant(own, left)))


def claimed(told: Value) -> Value:
    return UNTOLD if told in (None, UNKNOWN) else told


def report(cluster: Path) -> None:
    """Partition-seconds right, undetermined and wrong, rows of the timeline and elections of which it is not known
    whether they were clean: without server.log, and with it."""
    for logs in (READ, WITH_SERVER_LOG):
        tables = built(frame_of(first_life(cluster, logs)), "leader_election")
        found = list(stretches(cluster, rows_of(tables["partition_timeline"])))
        elections = tables["leader_election"]
        chosen = elections.filter(elections["is_clean"].is_null() & (elections["leader"] >= 0))
        unsure = chosen.filter(chosen["kind"] != "isr_removal").height
        right, unknown, off = sums(found)
        print(
            f"{cluster.name:20} {'with' if logs != READ else 'without':8} right {right:9.1f}  undetermined "
            f"{unknown:9.1f}  wrong {off:6.1f} ({len(wrong(found))})  rows {tables['partition_timeline'].height}  "
            f"elections undetermined {unsure}"
        )


if __name__ == "__main__":
    for name in sys.argv[1:]:
        report(Path(name))
