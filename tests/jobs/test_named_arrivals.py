"""Who was told of a partition's leader: the answer and what it rests on."""

import gzip
import re
from datetime import date, datetime, timedelta

import polars as pl
import pytest

from jobs.questions.given_names import TopicPartition
from jobs.questions.named.arrivals import did_it_arrive, waited_text
from jobs.questions.named.lines_of_requests import lines_of_requests
from pipeline.core.errors import InputProblem
from pipeline.views.reading.answers import Answers
from schemas.bronze import source_file
from schemas.gold import partition_timeline, request_trace
from schemas.silver import control_request
from tests.frames import at, frame
from tests.jobs.answering import answers_of
from tests.jobs.conftest import SAMPLE

# The leader since 10 s; at 30 s it takes broker 3 out of the ISR itself.
LEADERS = """
    cluster_id | topic | partition | interval_seq | part_seq | valid_from_at | valid_until_at | stated_from_at | state           | leader | leader_epoch | isr     | replicas | term_id | seq | certainty | is_deleting
    c          | t     | 0         | 1            | 1        | 0             | 10             | 0              | OnlinePartition | 1      | 4            | [1 2 3] | [1 2 3]  | 1-1     | 100 | proved    | false
    c          | t     | 0         | 2            | 1        | 10            | 30             | 10             | OnlinePartition | 2      | 5            | [2 3]   | [1 2 3]  | 1-1     | 200 | proved    | false
    c          | t     | 0         | 3            | 1        | 30            |                | 30             | OnlinePartition | 2      | 5            | [2]     | [1 2 3]  | 1-1     | 300 | proved    | false
"""  # fmt: skip
REQUESTS = """
    cluster_id | term_id | broker_id | request_seq | work_seq | request         | partition_count | told_at | sent_at | received_at | apply_ms | outcome          | certainty
    c          | 1-1     | 1         | 110         | 90       | LEADER_AND_ISR  | 3               | 0.1     | 0.1     | 0.2         |          | received         | inferred
    c          | 1-1     | 2         | 210         | 190      | LEADER_AND_ISR  | 3               | 10.1    | 10.1    | 10.2        | 40       | applied          | inferred
    c          | 1-1     | 9         | 211         | 190      | LEADER_AND_ISR  | 3               | 10.1    | 10.1    | 10.2        | 40       | applied          | inferred
    c          | 1-1     | 1         | 220         | 190      | STOP_REPLICA    | 1               | 10.2    | 10.2    |             |          | lost_broker_gone | inferred
    c          | 1-1     | 2         | 230         | 190      | UPDATE_METADATA | 3               | 10.3    | 10.3    | 10.4        |          | applied          | inferred
    c          | 1-1     | 9         | 230         | 190      | UPDATE_METADATA | 3               | 10.3    | 10.3    | 10.4        |          | applied          | inferred
    c          | 1-1     | 2         | 310         | 305      | UPDATE_METADATA | 1               | 31      | 31      | 31.1        |          | applied          | inferred
"""  # fmt: skip
FILES = """
    cluster_id | file_id | load_seq | record_count | consumed_bytes | first_logged_at | last_logged_at
    c          | f       | 1        | 3            | 300            | 0               | 200
"""


@pytest.fixture
def answers() -> Answers:
    return answers_of(
        partition_timeline=frame(partition_timeline.SPEC, LEADERS),
        request_trace=frame(request_trace.SPEC, REQUESTS),
        source_file=frame(source_file.SPEC, FILES),
    )


@pytest.mark.parametrize("asked", [at(20), at(40), None])
def test_requests_of_the_piece_of_work_that_made_the_leader(answers: Answers, asked: datetime | None) -> None:
    found = did_it_arrive(answers, TopicPartition("t", 0), asked)
    assert found.sentence.endswith(
        "(leader epoch 5). 3 of 4 requests that followed arrived; not all reached broker 1."
    )
    assert [one.text.split(" (")[0] for one in found.told] == [
        "LeaderAndIsr to broker 2",
        "StopReplica to broker 1",
        "UpdateMetadata to broker 2",
        "UpdateMetadata to broker 9",
    ]


BOUNDS = {(1, 2, date(2026, 11, 21)): (-30, 40), (1, 3, date(2026, 11, 21)): (None, 40)}


@pytest.mark.parametrize(
    ("broker", "queue_ms", "said"),
    [
        (1, 50, "50 ms"),
        (2, 50, "10 to 80 ms"),
        (2, 1500, "1.5 s"),
        (2, 30, "at most 60 ms"),
        (3, 100, "at least 60 ms"),
        (3, 40, ""),
        (4, 100, ""),
    ],
)
def test_a_request_was_on_its_way_as_long_as_clocks_leave_open(broker: int, queue_ms: int, said: str) -> None:
    row = {"controller_id": 1, "broker_id": broker, "sent_at": at(10), "queue_ms": queue_ms}
    assert waited_text(row, BOUNDS) == said


def test_without_requests_it_is_not_known(answers: Answers) -> None:
    bare = answers_of(
        partition_timeline=frame(partition_timeline.SPEC, LEADERS), source_file=frame(source_file.SPEC, FILES)
    )
    assert did_it_arrive(bare, TopicPartition("t", 0), at(20)).sentence.startswith(
        "Not enough evidence: t-0 had leader 2"
    )
    with pytest.raises(InputProblem):
        did_it_arrive(answers, TopicPartition("nope", 0), at(20))


def first_ids_in_the_logs(partition: str, leader_epoch: int, since: str) -> set[tuple[int, str, int]]:
    """(broker, request, correlation id): the first of each kind of which a broker prints the partition so (2.2)."""
    named = rf"leaderEpoch={leader_epoch},.*for partition {re.escape(partition)} "
    first: dict[tuple[int, str], int] = {}
    for broker in (1, 2, 3):
        for path in sorted(
            (SAMPLE / "lab-2.2.2" / f"broker-{broker}").glob("state-change.log*"), reverse=True
        ):
            data = path.read_bytes()
            for line in (gzip.decompress(data) if path.suffix == ".gz" else data).decode().splitlines():
                if line[1:24] < since or "Sending" in line or not re.search(named, f"{line} "):
                    continue
                request = "UPDATE_METADATA" if "Cached leader" in line else "LEADER_AND_ISR"
                number = re.search(r"correlation id (\d+)", line)
                if number:
                    first.setdefault((broker, request), int(number[1]))
    return {(*one, number) for one, number in first.items()}


@pytest.mark.parametrize(
    ("topic", "partition", "leader_epoch", "since", "count"),
    [("orders", 0, 3, "2026-11-21 08:58:23,422", 6), ("audit_log", 0, 10, "2026-11-21 08:59:38,531", 5)],
)
def test_up_to_2_5_brokers_tell_which_requests_named_the_partition(
    sample_answers: Answers, topic: str, partition: int, leader_epoch: int, since: str, count: int
) -> None:
    asked = datetime.fromisoformat(f"{since.replace(',', '.')}+00:00") + timedelta(milliseconds=5)
    found = did_it_arrive(sample_answers, TopicPartition(topic, partition), asked)
    assert f"(leader epoch {leader_epoch}). {count} of {count} requests" in found.sentence
    named = {
        (one.values["broker_id"], one.values["request"], one.values["correlation_id"]) for one in found.told
    }
    assert named == first_ids_in_the_logs(f"{topic}-{partition}", leader_epoch, since)
    assert found.not_known == []


def test_up_to_2_5_a_replica_that_prints_nothing_is_named(answers: Answers) -> None:
    of_old = frame(request_trace.SPEC, REQUESTS).with_columns(
        work_seq=pl.lit(None, pl.Int64),
        correlation_id=pl.lit(8, pl.Int32),
        controller_id=pl.lit(1, pl.Int32),
        file_id=pl.lit("f"),
        byte_offset=pl.int_range(pl.len()),
    )
    printed = frame(control_request.SPEC, LINES).with_columns(
        leader_epoch=pl.lit(5, pl.Int32), logged_at=pl.lit(at(10.2)).cast(pl.Datetime("us", "UTC"))
    )
    old = answers_of(
        partition_timeline=frame(partition_timeline.SPEC, LEADERS),
        request_trace=of_old,
        control_request=printed,
        source_file=frame(source_file.SPEC, FILES),
    )
    found = did_it_arrive(old, TopicPartition("t", 0), at(20))
    assert [one.text.split(" (")[0] for one in found.told] == ["LeaderAndIsr to broker 2"]
    assert found.not_known == [
        "whether a LeaderAndIsr was sent to brokers 1, 3: no line there names the partition"
    ]


# Two requests of controller 1 to broker 2, and one to broker 3 under an id that broker 2 had, too.
LINES = """
    cluster_id | file_id | byte_offset | event                          | request        | step     | controller_id | broker_id | correlation_id | topic | partition | logged_at
    c          | a       | 10          | leader_and_isr_sent            | LEADER_AND_ISR | sent     | 1             | 2         |                | t     | 0         | 1
    c          | a       | 20          | leader_and_isr_sent_summary    | LEADER_AND_ISR | sent     | 1             | 2         |                |       |           | 1
    c          | a       | 30          | leader_and_isr_sent            | LEADER_AND_ISR | sent     | 1             | 2         |                | t     | 0         | 5
    c          | a       | 35          | leader_and_isr_sent            | LEADER_AND_ISR | sent     | 1             | 2         |                | t     | 1         | 5
    c          | a       | 40          | leader_and_isr_sent_summary    | LEADER_AND_ISR | sent     | 1             | 2         |                |       |           | 5
    c          | a       | 50          | controller_response_received   | LEADER_AND_ISR | answered | 1             | 2         | 8              |       |           | 5.4
    c          | b       | 10          | broker_leader_and_isr_request  | LEADER_AND_ISR | received | 1             | 2         | 7              |       |           | 1.1
    c          | b       | 20          | broker_leader_and_isr_request  | LEADER_AND_ISR | received | 1             | 2         | 8              |       |           | 5.1
    c          | b       | 30          | broker_leader_and_isr_received | LEADER_AND_ISR | received | 1             | 2         | 8              | t     | 0         | 5.1
    c          | b       | 40          | broker_leader_and_isr_received | LEADER_AND_ISR | received | 1             | 2         | 8              | t     | 1         | 5.1
    c          | b       | 50          | broker_leader_and_isr_finished | LEADER_AND_ISR | applied  | 1             | 2         | 8              |       |           | 5.3
    c          | b       | 60          | broker_leader_and_isr_request  | LEADER_AND_ISR | received | 1             | 2         | 8              |       |           | 9
    c          | d       | 10          | broker_leader_and_isr_request  | LEADER_AND_ISR | received | 1             | 3         | 8              |       |           | 5.2
"""  # fmt: skip
ASKED = """
    cluster_id | controller_id | broker_id | correlation_id | request        | sent_at | received_at | applied_at | answered_at
    c          | 1             | 2         | 8              | LEADER_AND_ISR | 5       | 5.1         | 5.3        | 5.4
"""


def test_every_line_of_a_request_is_of_both_sides_and_of_no_other_request() -> None:
    answers = answers_of(control_request=frame(control_request.SPEC, LINES))
    (row,) = frame(request_trace.SPEC, ASKED).to_dicts()
    proving = [{"file_id": "a", "byte_offset": 40}, {"file_id": "b", "byte_offset": 20}]
    (found,) = lines_of_requests(answers, [row | {"evidence": proving}], TopicPartition("t", 0))
    places = [f"{one['file_id']}{one['byte_offset']}" for one in found]
    assert places == ["a30", "a40", "b20", "b30", "b50", "a50"]
