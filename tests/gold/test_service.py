"""Who serves what is told alike everywhere: timeline, outages, sessions of brokers, and what commands say of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from jobs.questions.compare import partition_states_at
from pipeline.core.frames import frame_of
from pipeline.views.reading.answers import Answers
from tests.jobs.answering import answers_of
from tests.lab import Row, built_tables, rows_of

FAR = datetime(9999, 1, 1, tzinfo=UTC)
Partition = tuple[str, int, int]
QUICK = ("lab/2.2.2-zk-stock", "lab/3.9.2-kraft-separate-stock", "public/2.8.0-AndreasTraut")
OTHERS = (
    *("lab/0.11.0.3-zk-stock", "lab/1.0.2-zk-stock", "lab/2.5.1-zk-stock", "lab/2.6.3-zk-stock"),
    *(
        "lab/2.6.3-zk-trace",
        "lab/3.2.3-zk-stock",
        "lab/3.2.3-zk-trace",
        "lab/3.9.1-zk-stock",
        "lab/3.9.1-zk-trace",
    ),
    *("lab/3.3.2-kraft-combined-stock", "lab/3.9.2-kraft-migration-stock", "lab/4.0.0-kraft-combined-stock"),
    *("lab/4.3.1-kraft-combined-trace", "lab/4.3.1-kraft-separate-stock"),
    *("1.0.2-zk-moves", "2.2.2-zk-moves", "2.2.2-zk-redrive", "3.9.1-zk-moves", "3.9.1-zk-redrive"),
    *("3.9.2-kraft-separate-moves", "4.0.0-kraft-combined-moves", "4.4.0-kraft-separate-stock"),
    *("public/0.10.0.0-Aminoid", "public/0.10.2.0-andreinedelciu", "public/1.1.0-choopong"),
    "public/3.4.0-bhushankorg",
)


class Stretch(NamedTuple):
    """Of a partition, or of a broker (who): it goes on where until is FAR."""

    who: Partition | int
    begun: datetime
    until: datetime


def partition_of(row: Row) -> Partition:
    return row["topic"], row["topic_life"], row["partition"]


def stretches(rows: Iterable[Row], begun: str, until: str) -> Iterator[Stretch]:
    return (Stretch(partition_of(row), row[begun], row[until] or FAR) for row in rows)


def doubts_over(unserved: Iterable[Row]) -> set[tuple[Partition, datetime]]:
    """Partitions and times at which what was in doubt is certain, or what was certain is in doubt."""
    by_doubt: dict[bool, list[Row]] = {True: [], False: []}
    for row in unserved:
        by_doubt[row["certainty"] == "undetermined"].append(row)
    begun, ended = (
        {is_doubt: {(partition_of(row), row[column]) for row in rows} for is_doubt, rows in by_doubt.items()}
        for column in ("valid_from_at", "valid_until_at")
    )
    return (ended[True] & begun[False]) | (ended[False] & begun[True])


def together(parts: Iterable[Stretch], apart: set[tuple[Partition, datetime]]) -> set[Stretch]:
    """Stretches of one partition that touch are one, but for those that begin at these times and last."""
    found: list[Stretch] = []
    for one in sorted(parts):
        is_new = (one.who, one.begun) in apart and one.begun < one.until
        if found and found[-1].who == one.who and one.begun <= found[-1].until and not is_new:
            found[-1] = found[-1]._replace(until=max(found[-1].until, one.until))
        else:
            found.append(one)
    return set(found)


def away(sessions: Iterable[Row]) -> Iterator[Stretch]:
    """When brokers were in no session after one of theirs."""
    of_broker: dict[int, list[Row]] = defaultdict(list)
    for row in sorted(sessions, key=lambda one: one["joined_at"]):
        of_broker[row["broker_id"]].append(row)
    for broker, rows in of_broker.items():
        begins = [*(row["joined_at"] for row in rows[1:]), FAR]
        for row, back_at in zip(rows, begins, strict=True):
            if row["left_at"] is not None and row["left_at"] < back_at:
                yield Stretch(broker, row["left_at"], back_at)


def folder(shared: Path, name: str) -> Path:
    """Of a cluster of the corpus, or of the lab runs with other faults."""
    return shared / "corpus" / name if "/" in name else shared / "lab-runs" / name


def lasted(found: Iterable[Stretch]) -> dict[Partition | int, float]:
    """Seconds by partition of the stretches that ended."""
    seconds: dict[Partition | int, float] = defaultdict(float)
    for one in found:
        seconds[one.who] += 0 if one.until == FAR else (one.until - one.begun).total_seconds()
    return seconds


def served_meanwhile(timeline: Iterable[Row], gone: Iterable[Stretch]) -> list[tuple[Stretch, Row]]:
    """Parts that a broker serves while it is away."""
    by_leader: dict[Partition | int, list[Row]] = defaultdict(list)
    for row in timeline:
        if row["is_served"]:
            by_leader[row["leader"]].append(row)
    return [
        (one, row)
        for one in gone
        for row in by_leader[one.who]
        if max(row["valid_from_at"], one.begun) < min(row["valid_until_at"] or FAR, one.until)
    ]


def require_one_service(cluster: Path) -> None:
    """An outage is a stretch of the timeline that nobody serves, in doubt or not any more, each way, and a broker that is away serves nothing.
    There is no exception: what is being deleted or created, or not known, is neither served nor unserved, and in no
    outage."""
    tables = built_tables(cluster)
    timeline, outages, sessions = (
        rows_of(tables[name]) for name in ("partition_timeline", "partition_outage", "broker_session")
    )
    unserved = [row for row in timeline if row["is_served"] is False]
    told = list(stretches(outages, "noticed_at", "ended_at"))
    own = together(stretches(unserved, "valid_from_at", "valid_until_at"), doubts_over(unserved))
    print(
        f"outages of {cluster.name}: {len(told)}, stretches of the timeline {len(own)}, equal {len(own & {*told})}"
    )
    assert {*told} == own and len(told) == len(own)
    assert lasted(told) == pytest.approx(lasted(own))
    assert not [row for row in timeline if row["is_served"] is not None and row["is_deleting"]]
    gone = list(away(sessions))
    served = served_meanwhile(timeline, gone)
    print(f"  absences of brokers: {len(gone)}, partitions that they serve meanwhile: {len(served)}")
    assert served == []
    asked = answers_of(**{name: frame_of(rows) for name, rows in tables.items()})
    require_said(asked, {one.who for one in told if one.until == FAR}, gone)


def require_said(asked: Answers, still_open: set[Partition | int], gone: list[Stretch]) -> None:
    """The commands say so, too: how many are offline at the end, who leads nothing then, and when each broker left."""
    assert asked.partitions_at_end()["offline"] == len(still_open)
    described = partition_states_at(asked, None)
    offline = {(topic, number) for topic, number in described if described[topic, number]["leader"] == -1}
    assert offline == {(one[0], one[2]) for one in still_open if isinstance(one, tuple)}
    moments = {(one.who, one.begun) for one in gone} | {(one.who, None) for one in gone if one.until == FAR}
    for broker, moment in moments:
        leads = {row["broker_id"]: row["leads"] for row in asked.brokers(moment)}
        assert not leads.get(broker), (broker, moment)


@pytest.mark.parametrize("name", [*QUICK[:2], pytest.param(QUICK[2], marks=pytest.mark.soak)])
def test_one_service(shared: Path, name: str) -> None:
    require_one_service(folder(shared, name))


@pytest.mark.soak
@pytest.mark.parametrize("name", OTHERS)
def test_one_service_of_all_labs(shared: Path, name: str) -> None:
    require_one_service(folder(shared, name))
