"""Questions asked of tables: on rows where a value is missing, at bounds of times, and in the order that numbers them."""

from datetime import UTC, datetime
from typing import Any

import pytest

from jobs.questions.compare import partition_states_at
from jobs.questions.outages import COLUMNS, by_topic, open_lines, outage_lines, worst_outages
from jobs.screen.facts import gather_facts
from pipeline.catalog.tables import BY_SHORT_NAME, SPECS
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.judged import count_moves, count_replay_checks, odd_moves_since
from pipeline.views.reading.times import begin_of_utc_day, holds_at
from tests.frames import at, frame
from tests.jobs.answering import answers_of


def answers(**texts: str) -> Answers:
    return answers_of(**{name: frame(BY_SHORT_NAME[name].spec, text) for name, text in texts.items()})


INTERVALS = """
    topic | topic_life | partition | interval_seq | valid_from_at | valid_until_at | state            | leader | is_served | replicas | is_deleting | certainty    | is_assignment_stale
    a     | 1          | 0         | 1            | 1             | 5              |                  | 1      | true      | [1 2]    | false       | proved       | false
    a     | 1          | 0         | 2            | 5             |                | OnlinePartition  | 2      | true      | [1 2]    | false       | proved       |
    a     | 1          | 1         | 1            | 2             |                | OfflinePartition | 2      | false     | [2 1]    | false       | proved       | false
    a     | 1          | 2         | 1            | 2             |                |                  |        |           |          | false       | proved       | false
    b     | 1          | 0         | 1            | 2             |                | OnlinePartition  | 2      |           | [1 2]    | true        | undetermined | false
    b     | 1          | 1         | 1            | 2             |                | OnlinePartition  | 2      | true      | [1 2]    | false       | proved       | true
    b     | 1          | 2         | 1            | 2             |                |                  | -1     | false     | [1]      | false       | proved       | false
"""  # fmt: skip


def test_partitions_at_the_end() -> None:
    """Without a leader are a-1 and b-2; led elsewhere a-0 and, as it has none, b-2; not known a-2, b-0 and b-1.
    Of a-2 it is not known whether somebody serves it; of b-0, which is being deleted, nobody asks."""
    assert answers(partition_timeline=INTERVALS).partitions_at_end() == {
        "partitions": 6, "offline": 2, "service_unknown": 1, "elsewhere": 2, "unknown": 3,
    }  # fmt: skip
    assert answers().partitions_at_end() == dict.fromkeys(
        ("partitions", "offline", "service_unknown", "elsewhere", "unknown"), 0
    )


@pytest.mark.parametrize(
    ("moment", "held"),
    [(at(0.999), 0), (at(1), 1), (at(1.5), 1), (at(4.999), 6), (at(5), 6), (None, 6)],
)
def test_an_interval_holds_from_its_begin_until_before_its_end(moment: datetime | None, held: int) -> None:
    found = answers(partition_timeline=INTERVALS).rows("gold.partition_timeline", holds_at(moment))
    assert len(found) == held
    begins = set(found["valid_from_at"]) - {at(2)}
    assert begins == ({at(5)} if moment is None or moment >= at(5) else {at(1)} if held else set())


def test_brokers_that_lead_and_those_that_should() -> None:
    ratios = """
    broker_id | valid_from_at | valid_until_at | preferred_count | imbalance_ratio
    1         | 1             | 5              | 3               | 0.5
    1         | 5             |                | 4               | 0.25
    3         | 1             |                | 1               | 1.0
    """
    asked_of = answers(partition_timeline=INTERVALS, leader_imbalance=ratios)

    def told(moment: datetime | None) -> list[tuple[Any, ...]]:
        names = ("broker_id", "preferred_count", "leads", "cached")
        return [tuple(one[name] for name in names) for one in asked_of.brokers(moment)]

    assert told(None) == [(1, 4, None, None), (2, None, 2, 3), (3, 1, None, None)]
    assert told(at(1)) == [(1, 3, 1, 1), (3, 1, None, None)]


def test_topics_that_are_being_deleted() -> None:
    steps = """
    topic | step               | logged_at | byte_offset | file_id
    a     | deletion_requested | 1         | 9           | f
    a     | deletion_completed | 1         | 10          | f
    z     | deletion_requested | 2         | 0           | f
    b     | deletion_completed | 1         | 0           | f
    b     | deletion_requested | 2         | 0           | f
    c     | created            | 3         | 0           | f
    d     | deletion_requested | 1         | 0           | f
    d     | deletion_completed | 2         | 0           | f
    d     | deletion_blocked   | 2         | 1           | f
    e     | deletion_blocked   | 1         | 0           | f
    f     | deletion_requested | 1         | 0           | f
    f     | removed            | 2         | 0           | f
    """
    assert answers(topic_event=steps).deleting() == ["b", "e", "z"]
    lives = """
    life | elected_at
    1    | 0
    2    | 1.5
    2    | 9
    """
    assert answers(topic_event=steps, controller_term=lives).deleting() == ["b", "z"]


def test_what_server_log_says_of_other_things_is_told_apart() -> None:
    rows = """
    not_understood_reason | log
    other_logger          | server
    no_template           | server
    no_template           | server
    no_template           | controller
    bad_bytes             | server
                          | server
    """
    assert {(*one.values(),) for one in answers(log_record=rows).reasons()} == {
        ("other_logger", True, 1), ("no_template", True, 2), ("no_template", False, 1), ("bad_bytes", False, 1)
    }  # fmt: skip


def test_findings_are_numbered_by_harm() -> None:
    """What is alike by its entity: an id goes by the name that the cluster was given, too."""
    rows = """
    finding_id | rule             | severity | status    | suppressed_by | valid_from_at | entity
    known      | unclean_election | critical | new       | seen          | 1             | a-0
    over       | unclean_election | critical | resolved  |               | 1             | a-0
    gone       | unclean_election | critical | retracted |               | 1             | a-0
    late       | outage           | warning  | new       |               | 3             | broker 1
    at_once    | outage           | warning  | new       |               | 3             | broker 2
    early      | outage           | warning  | ongoing   |               | 2             | broker 3
    no_boss    | no_controller    | warning  | new       |               | 1             | controller
    worst      | outage           | critical | new       |               | 9             | broker 1
    info       | outage           | info     | new       |               | 1             | broker 1
    """
    order = [one["finding_id"] for one in answers(finding=rows).findings()]
    assert order == ["worst", "early", "late", "at_once", "no_boss", "info", "over", "known"]


def test_the_level_is_that_of_the_newest_term() -> None:
    terms = """
    term_id | last_seen_at | is_trace_seen | replica_machine
    1-1     | 9            | true          | R1
    1-2     | 10           | false         | R2
    1-3     |              | true          | R1
    """
    assert answers(term=terms).level() == {"is_trace": False, "machine": "R2"}
    assert answers().level() is None


MOVES = """
    verdict    | normal     | logged_at | ordered_at | byte_offset | file_id
    refused    | KAFKA-8237 | 5         | 5          | 1           | f
    refused    |            | 4         | 5          | 2           | f
    illegal    |            | 6         | 6          | 3           | f
    valid      | item       | 1         | 1          | 4           | f
"""


def test_moves_since_a_time_and_of_all_times() -> None:
    one = answers(transition_audit=MOVES)
    assert count_moves(one, None) == {"refused": 2, "illegal": 1, "valid": 1, "normal": 1}
    assert count_moves(one, at(5)) == {"refused": 1, "illegal": 1, "normal": 1}
    assert [row["byte_offset"] for row in odd_moves_since(one, 2, None)] == [3, 2]
    assert [row["byte_offset"] for row in odd_moves_since(one, 9, at(5))] == [3, 1]


def test_checks_of_a_day_are_asked_by_time() -> None:
    rows = """
    check              | day_at | logged_at | said_count | equal_count | undecided_count | differing_count
    initial_state_dump | 0      | 5         | 3          | 1           | 1               | 1
    initial_state_dump | 0      | 7         | 4          | 4           | 0               | 0
    refused_pair       | 0      | 5         | 1          | 1           | 0               | 0
    """
    one = answers(replay_check=rows)
    assert count_replay_checks(one, at(6)) == {
        "initial_state_dump": {"check": "initial_state_dump", "said": 4, "equal": 4, "differing": 0, "undecided": 0}
    }  # fmt: skip
    assert count_replay_checks(one, None)["initial_state_dump"]["said"] == 7
    assert begin_of_utc_day(at(6)) == at(0)


OUTAGES = """
    topic | topic_life | partition | noticed_at | unserved_from_at | ended_at | root_event | root_broker_id | term_id
    a     | 1          | 0         | 1.100      | 0                | 3.600    | failure    | 2              | 1-1
    a     | 1          | 1         | 1.900      | 0                | 4.400    | failure    | 1              | 1-1
    b     | 1          | 0         | 1.950      |                  | 2.900    | failure    | 1              | 1-1
    b     | 1          | 1         | 2.000      |                  | 7.000    | failure    |                |
    b     | 2          | 1         | 11.000     | 10               |          | start-up   | 3              | 1-2
"""


def test_outages_by_event() -> None:
    """What was short is counted and no event's; of events that lasted as long the first comes first."""
    rows = answers(partition_outage=OUTAGES).rows("gold.partition_outage", None, COLUMNS)
    told = worst_outages(rows, at(10))
    assert told.all == {
        "outages": 5, "partitions": 5, "noticed_ms": 10_950, "unsure_ms": 0, "most_ms": None, "longest_ms": 5000,
        "open": 1, "long": 3, "unsure_long": 0, "short": 1, "begun": 1, "unended": 0,
    }  # fmt: skip
    assert [(one["noticed_at"], one["noticed_ms"], one["brokers"]) for one in told.events] == [
        (at(1.1), 5000, [1, 2]), (at(2), 5000, []), (at(11), 0, [3]),
    ]  # fmt: skip
    assert told.event_count == 3
    assert [(one["topic"], one["noticed_ms"], one["most_ms"]) for one in by_topic(rows, at(10))] == [
        ("b", 5950, None), ("a", 5000, 8000),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("unsure", "said"),
    [
        ("", "0 of 1 s or more, 2 that had just begun, 25 ms in total over all partitions, from 2 events; open 2; 1 under"),
        (
            "c | 1 | 2 | 1 | 0 | 5 | failure | 2 | 1-1 | undetermined",
            "0 of 1 s or more, 2 that had just begun, 25 ms in total over all partitions; "
            "up to 1 of 1 s or more, 4.0 s more where lines are missing, from 3 events; open 2; 1 under",
        ),
    ],
)  # fmt: skip
def test_what_is_not_yet_long_is_not_told_as_long(unsure: str, said: str) -> None:
    text = f"""
    topic | topic_life | partition | noticed_at | unserved_from_at | ended_at | root_event | root_broker_id | term_id | certainty
    a     | 1          | 0         | 9.990      | 0                |          | failure    | 2              | 1-1     | proved
    a     | 1          | 1         | 9.995      | 0                |          | start-up   | 2              | 1-1     | proved
    b     | 1          | 0         | 1.000      | 0                | 1.010    | failure    | 2              | 1-1     | proved
    {unsure}
    """
    rows = answers(partition_outage=text).rows("gold.partition_outage", None, COLUMNS)
    assert said in " ".join(" ".join(outage_lines(worst_outages(rows, at(10)))).split())


@pytest.mark.parametrize("how", ["lines_missing", "taken_over"])
def test_what_no_line_ends_is_not_told_as_short(how: str) -> None:
    """One with another leader, one until lines are missing 1 ms later, one that lasted 2 s by then at least."""
    text = f"""
    topic | topic_life | partition | noticed_at | ended_at | root_event | term_id | ended_how | certainty
    a     | 1          | 0         | 1.000      | 1.001    | unknown    | 1-1     | elected   | proved
    a     | 1          | 0         | 2.000      | 2.001    | unknown    | 1-1     | {how}     | inferred
    a     | 1          | 0         | 5.000      | 7.000    | unknown    | 1-1     | {how}     | inferred
    """
    rows = answers(partition_outage=text).rows("gold.partition_outage", None, COLUMNS)
    said = " ".join(" ".join(outage_lines(worst_outages(rows, at(10)))).split())
    assert said.startswith(
        "OUTAGE 1 of 1 s or more, 2.0 s in total over all partitions, from 1 event; open 0; "
    )
    assert "; 1 under 1 s; 1 whose end no line tells 00:00:05.000 " in said


def test_open_outages_by_partition() -> None:
    """Whatever their length, the longest first."""
    more = """    c     | 1          | 7         | 9.929      |                  |          | topic creation |               | 1-2
"""
    rows = answers(partition_outage=OUTAGES + more).rows("gold.partition_outage", None, COLUMNS)
    said = [line.split() for line in open_lines(rows, at(10))]
    assert said == [
        ["OPEN", "2", "without", "a", "leader", "at", "the", "end", "of", "the", "data"],
        ["PARTITION", "noticed", "at", "least", "at", "most", "by"],
        ["c-7", "00:00:09.929", "71", "ms", "?", "topic", "creation"],
        ["b-1", "00:00:11.000", "0", "ms", "1.0", "s", "start-up:", "broker", "3", "gone"],
    ]


def test_who_leads_beside_what_is_described() -> None:
    """Kafka tells no leader that is dead."""
    found = partition_states_at(answers(partition_timeline=INTERVALS), None)
    assert {key: row["leader"] for key, row in found.items()} == {
        ("a", 0): 2, ("a", 1): -1, ("a", 2): None, ("b", 1): 2, ("b", 2): -1,
    }  # fmt: skip
    earlier = partition_states_at(answers(partition_timeline=INTERVALS), at(3.6))
    assert (earlier["a", 0]["leader"], earlier["a", 1]["leader"]) == (1, -1)


def test_a_cluster_of_which_nothing_is_built_is_asked_for_little() -> None:
    facts = gather_facts(answers(), {}, 0)
    assert (facts.read["files"], facts.read["last_at"], facts.read["nodes"]) == (0, None, [])
    assert (facts.brokers, facts.outages, facts.moves, facts.lines) == (None, None, None, {})
    built = gather_facts(answers(), {one.name: "1 a" for one in SPECS}, 0)
    assert built.outages is None and built.brokers == [] and built.moves == {"normal": 0}


def test_what_is_new_begins_with_the_first_line_of_new_segments() -> None:
    segments = """
    file_id | load_seq | node_id | zone | first_logged_at | last_logged_at | record_count | understood_count | record_bytes
    f       | 1        | 2       | UTC  | 1               | 2              | 3            | 2                | 40
    f       | 2        | 2       | UTC  | 5               | 9              | 3            | 3                | 40
    g       | 3        | 1       | UTC  | 4               | 6              | 1            | 1                | 10
    """
    one = answers(source_file=segments)
    assert one.read(1) == {
        "files": 2, "bytes": 90, "records": 7, "understood": 6, "first_at": at(1), "last_at": at(9),
        "new_from_at": at(4), "nodes": [1, 2], "zones": ["UTC"],
    }  # fmt: skip
    assert one.read()["new_from_at"] is None
    assert one.last_at() == datetime(2026, 11, 21, 0, 0, 9, tzinfo=UTC)
