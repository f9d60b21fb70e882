"""What missing logs leave in doubt in KRaft mode against a plain Python twin, on generated states and absences."""

from collections.abc import Iterable
from random import Random
from typing import Any

import polars as pl
from polars import lit

from pipeline.core.frames import empty_frame
from pipeline.core.stretches import TIME
from pipeline.gold.partition_timeline.missing_broker_logs import with_missing_logs
from pipeline.gold.partition_timeline.own_stops import process_stops, state_lines
from pipeline.gold.partition_timeline.silences import last_restatements
from schemas.gold import partition_timeline
from schemas.silver import broker_absence, partition_state, process_run, wording_seen
from tests.frames import at
from tests.gold.missing_logs_twin import DAY, Absence, Known, State, doubted

PARTITIONS, SEED = 400, 20261127
BROKERS = (1, 2, 3)
SECONDS = 3 * DAY
COLUMNS = ("partition", "at", "leader", "is_assignment_stale", "is_isr_stale", "is_unseen", "certainty")
Rows = list[dict[str, Any]]


# No node was started anew, and no state is printed twice: tests/gold/test_own_stops.py has those.
NO_STOPS = (
    process_stops(
        empty_frame(process_run.SPEC),
        state_lines(LINES := empty_frame(partition_state.SPEC).with_columns(at="logged_at")),
    ),
    last_restatements(LINES),
)


def some_known(random: Random) -> Known:
    """Some of three brokers have logs, from early on or late; brokers come and go, and so do controllers."""
    watched = {one: random.choice([0, 0, DAY // 2]) for one in random.sample(BROKERS, random.randint(1, 3))}
    absences = []
    for broker in BROKERS:
        now = 0
        for _ in range(random.randint(0, 4)):
            out_at = now + random.randint(1, DAY)
            back_at = random.choice([None, out_at + random.randint(1, DAY // 2)])
            silent_from_at = random.choice([None, out_at - random.randint(1, DAY // 4)])
            absences.append(Absence(broker, out_at, silent_from_at, back_at))
            now = back_at or out_at
    begun = sorted(random.sample(range(1, SECONDS), random.randint(0, 4)))
    terms = zip(begun, [*begun[1:], None], strict=False)
    return Known(watched, tuple(absences), tuple(one for one in terms if random.random() < 0.5))


def some_states(random: Random, partition: int) -> list[State]:
    """States one after another; some only repeat that of the one before."""
    found: list[State] = []
    known_at: float
    for now in sorted(random.sample(range(1, SECONDS), random.randint(1, 5))):
        leader = random.choice([None, -1, 1, 2, 3, 1, 2, 3])
        isr = tuple(random.sample(BROKERS, random.randint(0, 3)))
        known_at, replicas_at = now, random.choice([now, found[-1].replicas_at if found else now])
        if found and random.random() < 0.3:
            leader, isr, known_at = found[-1].leader, found[-1].isr, found[-1].known_at
        replicas = tuple(random.sample(BROKERS, random.randint(1, 3)))
        certainty = random.choice(["proved", "proved", "inferred", "undetermined"])
        found.append(State(partition, now, known_at, leader, isr, replicas, replicas_at, certainty))
    return found


def test_generated_absences() -> None:
    """Each partition is in a cluster of its own."""
    random = Random(SEED)  # noqa: S311  no secrets are drawn
    known = [some_known(random) for _ in range(PARTITIONS)]
    printed = [some_states(random, number) for number in range(PARTITIONS)]
    found = with_missing_logs(states_frame(printed), *frames_of(known), *NO_STOPS)
    expected = [one for told, of in zip(printed, known, strict=True) for one in doubted(told, of)]
    rows = found.select(COLUMNS).rows()
    twins = [tuple(getattr(one, name) for name in COLUMNS) for one in expected]
    assert sorted(rows, key=str) == sorted(((one[0], at(one[1]), *one[2:]) for one in twins), key=str)
    assert len(expected) > sum(map(len, printed)) + PARTITIONS // 4


def states_frame(printed: Iterable[list[State]]) -> pl.DataFrame:
    rows: Rows = [
        {"cluster_id": str(one.partition), "topic_id": "t", "topic": "t", "partition": one.partition}
        | {"leader": one.leader, "isr": one.isr, "replicas": one.replicas, "certainty": one.certainty}
        | {"at": at(one.at), "known_at": at(one.known_at), "replicas_at": at(one.replicas_at)}
        | {"event": "said", "partition_epoch": place, "row_no": place, "is_assignment_stale": False}
        for each in printed
        for place, one in enumerate(each)
    ]
    times = dict.fromkeys(("at", "known_at", "replicas_at"), TIME)
    schema = empty_frame(partition_timeline.SPEC).schema | times | {"event": pl.String, "row_no": pl.Int64}
    return pl.DataFrame(rows, schema=schema).with_columns(
        gone_at=lit(None, TIME), is_gone_before=lit(value=False)
    )


def frames_of(known: list[Known]) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """wording_seen, broker_absence, and the terms of kraft_terms; the cluster is the number of the partition."""
    named = [(str(number), one) for number, one in enumerate(known)]
    seen: Rows = [
        {"cluster_id": name, "node_id": broker, "log": "state-change", "first_at": at(begun)}
        for name, one in named
        for broker, begun in one.watched.items()
    ]
    absences: Rows = [
        {"cluster_id": name, "broker_id": each.broker, "out_at": at(each.out_at), "is_partial": False}
        | {"silent_from_at": moment(each.silent_from_at), "back_at": moment(each.back_at)}
        for name, one in named
        for each in one.absences
    ]
    terms: Rows = [
        {
            "cluster_id": name,
            "controller_id": None,
            "from_at": at(begun),
            "since_at": at(begun),
            "next_at": moment(end),
            "is_unseen": True,
        }
        for name, one in named
        for begun, end in one.unseen
    ]
    return (
        pl.DataFrame(seen, schema=empty_frame(wording_seen.SPEC).schema),
        pl.DataFrame(absences, schema=empty_frame(broker_absence.SPEC).schema),
        pl.DataFrame(
            terms,
            schema={
                "cluster_id": pl.String,
                "controller_id": pl.Int32,
                "from_at": TIME,
                "since_at": TIME,
                "next_at": TIME,
                "is_unseen": pl.Boolean,
            },
        ),
    )


def moment(seconds: int | None) -> Any:
    return None if seconds is None else at(seconds)
