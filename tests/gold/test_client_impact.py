"""What clients could feel, by hand: each kind, its bounds, whom it hurts, and what is not known."""

from typing import Any

import polars as pl

from pipeline.rules.shared.clients import clients_text, with_clients
from schemas.gold import client_impact
from tests.frames import at
from tests.gold.impact_frames import KILLED, LEADS, RUNS, STATES, dead_leader_impact
from tests.gold.impact_frames import impact_of as impact

LOG_CREATED = """
    cluster_id | topic  | partition | step        | min_isr | logged_at | file_id | byte_offset
    c          | orders | 0         | log_created | 2       | 0         | f1      | 1
"""
COLUMNS = ("topic", "audience", "kinds", "low_ms", "high_ms")


def told(rows: pl.DataFrame, topic: str) -> list[tuple[Any, ...]]:
    return [row[1:] for row in rows.select(COLUMNS).rows() if row[0] == topic]


def test_a_dead_leader_is_bounded_by_its_last_line_the_first_sign_and_the_line_of_the_next() -> None:
    rows = impact(partition_timeline=STATES, broker_session=KILLED, process_run=RUNS, replica_offset=LEADS)
    least, most = 110_000 - 101_200, 110_300 - 100_500 + client_impact.RECOVERY_MS
    kinds = ["leader_dead_unnoticed"]
    assert told(rows, "orders") == [
        (audience, kinds, least, most) for audience in ("consumers", "producers", "producers_acks_all")
    ]


def test_a_dead_follower_holds_up_acks_of_all_and_consumers_until_it_is_out_of_the_isr() -> None:
    rows = impact(partition_timeline=STATES, broker_session=KILLED, process_run=RUNS)
    least, most = 112_000 - 101_200, 112_000 - 100_500 + client_impact.RECOVERY_MS
    kinds = ["acks_waiting"]
    assert told(rows, "clicks") == [(one, kinds, least, most) for one in ("consumers", "producers_acks_all")]


def test_without_logs_of_brokers_the_bounds_are_wider_and_the_end_is_not_known() -> None:
    rows = impact(
        partition_timeline=STATES,
        broker_session=KILLED.replace("101.2", "     ").replace("killed", "unknown"),
    )
    (row,) = rows.filter(topic="orders", audience="producers").select(*COLUMNS, "until_at", "from_at").rows()
    assert row[2:] == (["leader_dead_unnoticed"], 1_000, None, None, row[-1])
    assert str(row[-1])[17:19] == "40"  # 100 s: what the session says


def test_a_silence_claims_nothing_of_the_time_in_which_the_leader_is_in_doubt() -> None:
    """Broker 2 is said to lead until it is back, but nothing is known for certain from 105 on."""
    states = """
        cluster_id | topic | topic_life | partition | interval_seq | part_seq | valid_from_at | valid_until_at | stated_from_at | leader | isr   | leader_epoch | is_isr_stale | is_deleting | certainty
        c          | orders | 1         | 0         | 1            | 1        | 0             | 105            | 0              | 2      | [2 1] | 0            | false        | false       | proved
        c          | orders | 1         | 0         | 2            | 1        | 105           |                | 105            | 2      | [2 1] | 0            | false        | false       | undetermined
    """
    rows = impact(partition_timeline=states, broker_session=KILLED, process_run=RUNS)
    (row,) = rows.filter(topic="orders", audience="producers").select("low_ms", "certainty").rows()
    assert row == (105_000 - 101_200, "inferred")
    early = states.replace("105 ", "101 ")
    rows = impact(partition_timeline=early, broker_session=KILLED, process_run=RUNS)
    (row,) = rows.filter(topic="orders", audience="producers").select("low_ms", "certainty").rows()
    assert row == (0, "undetermined")


def test_a_frozen_leader_hurts_until_it_runs_again() -> None:
    frozen = KILLED.replace("end_reason |", "end_reason | end_reason_at |").replace(
        "killed     |", "session_lost | 121 |"
    )
    frozen = frozen.replace("|            | proved", "|            | | proved")
    rows = impact(partition_timeline=STATES, broker_session=frozen, process_run=RUNS, replica_offset=LEADS)
    (row,) = rows.filter(topic="orders", audience="producers").select("low_ms", "high_ms").rows()
    assert row == (110_000 - 101_200, 121_000 - 100_000 + client_impact.RECOVERY_MS)


def test_of_followers_that_follow_at_once_the_same_is_named_in_any_order() -> None:
    """Executors, nights and files bring rows in other orders."""
    states = """
        cluster_id | topic | topic_life | partition | interval_seq | part_seq | valid_from_at | valid_until_at | stated_from_at | leader | isr     | leader_epoch | is_isr_stale | is_deleting | certainty
        c          | orders | 1         | 0         | 1            | 1        | 10            |                | 10             | 1      | [1 2 3] | 4            | false        | false       | proved
    """
    lines = """
        cluster_id | topic  | partition | broker_id | step    | leader_epoch | logged_at | file_id | byte_offset
        c          | orders | 0         | 1         | leads   | 4            | 10.1      | f1      | 7
        c          | orders | 0         | 2         | follows | 4            | 10.3      | f2      | 7
        c          | orders | 0         | 3         | follows | 4            | 10.3      | f3      | 7
    """
    for isr in ("[1 2 3]", "[1 3 2]"):
        rows = impact(partition_timeline=states.replace("[1 2 3]", isr), replica_offset=lines)
        assert rows["kinds"].to_list() == [["acks_waiting"]] * 2
        assert rows["root_broker_id"].unique().to_list() == [3]


def test_an_isr_below_the_minimum_that_a_line_names_hurts_acks_of_all_alone() -> None:
    rows = impact(partition_timeline=STATES, client_event=LOG_CREATED)
    assert rows.filter(pl.col("kinds").list.contains("below_min_isr")).select(COLUMNS).rows() == [
        ("orders", "producers_acks_all", ["below_min_isr", "leader_moved"], 30_000, None)
    ]


def test_nobody_is_below_a_minimum_that_no_line_names() -> None:
    rows = impact(partition_timeline=STATES)
    assert rows.filter(pl.col("kinds").list.contains("below_min_isr")).is_empty()


def test_refused_appends_are_counted_one_by_one_without_any_other_line() -> None:
    refused = """
        cluster_id | topic  | partition | step           | min_isr | logged_at | file_id | byte_offset
        c          | orders | 0         | append_refused | 2       | 10        | f1      | 1
        c          | orders | 0         | append_refused | 2       | 12        | f1      | 2
        c          | orders | 0         | append_refused | 2       | 90        | f1      | 3
    """
    rows = impact(client_event=refused)
    assert rows.select("audience", "refused_count", "low_ms", "certainty").rows() == [
        ("producers_acks_all", 2, 0, "proved"),
        ("producers_acks_all", 1, 0, "proved"),
    ]


def test_a_topic_that_was_refused_and_one_that_waited_are_told_to_who_asked() -> None:
    lives = """
        cluster_id | topic | topic_life | mode      | created_how | created_at | online_at | serving_at
        c          | slow  | 1          | zookeeper | created     | 10         | 16        | 16.2
        c          | kraft | 1          | kraft     | created     | 10         | 10        | 16.2
    """
    refused = """
        cluster_id | topic | step           | logged_at | file_id | byte_offset
        c          | no    | create_refused | 20        | f1      | 1
    """
    rows = impact(topic_lifecycle=lives, topic_event=refused)
    assert rows.select(*COLUMNS, "effect").rows() == [
        ("no", "topic_creators", ["creation_refused"], 0, client_impact.RECOVERY_MS, "refused_at_once"),
        (
            "slow",
            "topic_creators",
            ["creation_wait"],
            6_000,
            6_200 + client_impact.RECOVERY_MS,
            "served_late",
        ),
    ]


def test_a_group_has_no_coordinator_until_its_partition_is_loaded() -> None:
    states = STATES.replace("clicks", "other").replace("orders", "__consumer_offsets")
    loaded = """
        cluster_id | topic              | partition | step          | took_ms | logged_at | name    | file_id | byte_offset
        c          | __consumer_offsets | 0         | groups_loaded | 400     | 111       |         | f1      | 9
        c          | __consumer_offsets | 0         | group_named   |         | 110       | billing | f1      | 8
        c          | __consumer_offsets | 0         | group_named   |         | 112       | later   | f1      | 10
    """
    rows = impact(
        partition_timeline=states,
        broker_session=KILLED,
        process_run=RUNS,
        replica_offset=LEADS.replace("orders", "__consumer_offsets"),
        client_event=loaded,
    )
    (row,) = (
        rows.filter(topic="__consumer_offsets")
        .select("audience", "kinds", "low_ms", "high_ms", "confirmed_by", "names", "name_count")
        .rows()
    )
    kinds = ["leader_dead_unnoticed", "coordinator_moved"]
    assert row == (
        "groups",
        kinds,
        110_000 - 101_200 + 400,
        111_000 - 100_500 + client_impact.RECOVERY_MS,
        ["groups_loaded"],
        ["billing"],
        1,
    )


def test_outages_and_unclean_elections_say_how_long_clients_felt_it_at_most() -> None:
    impact_rows, _ = dead_leader_impact()
    event = pl.DataFrame({"cluster_id": ["c", "c"], "event": [1, 2], "names": [["orders-0"], ["other-0"]]})
    begun = event.with_columns(valid_from_at=pl.lit(at(105)), valid_until_at=pl.lit(at(110)))
    told = with_clients(begun, impact_rows, "names", ("cluster_id", "event")).with_columns(
        said=clients_text()
    )
    assert told.select("client_ms", "said").rows() == [(13_800, "; for clients at most 13.8 s"), (None, "")]


def test_of_a_leader_in_doubt_nothing_is_certain() -> None:
    doubtful = STATES.replace("proved", "undetermined")
    rows = impact(partition_timeline=doubtful, broker_session=KILLED, process_run=RUNS)
    assert rows.select("low_ms", "certainty").unique().rows() == [(0, "undetermined")]


def test_a_leader_that_died_after_its_topic_was_gone_hurts_nobody() -> None:
    gone = """
        cluster_id | topic  | topic_life | partition | interval_seq | part_seq | valid_from_at | valid_until_at | stated_from_at | leader | isr   | leader_epoch | is_isr_stale | is_deleting | certainty
        c          | orders | 1         | 0         | 1            | 1        | 0             | 102            | 0              | 2      | [2 1] | 0            | false        | false       | proved
        c          | orders | 1         | 0         | 2            | 1        | 102           | 103            | 102            | 2      | [2 1] | 0            | false        | true        | proved
    """
    unseen = KILLED.replace("101.2", "     ").replace("killed", "unknown")
    rows = impact(partition_timeline=gone, broker_session=unseen, process_run=RUNS)
    assert rows.select("kinds", "low_ms").unique().rows() == [(["leader_dead_unnoticed"], 0)]
    assert rows["until_at"].unique().to_list() == [at(103)]


def test_the_end_of_a_topic_days_later_bounds_no_failover_whose_leader_no_line_shows() -> None:
    """Else a deletion would change what was told of all earlier days."""
    deleted = STATES.replace("140           |                | 140", "140           | 900000         | 140")
    for states in (STATES, deleted):
        rows = impact(partition_timeline=states, broker_session=KILLED, process_run=RUNS)
        assert rows.filter(topic="orders")["until_at"].unique().to_list() == [None]


def test_how_long_a_creation_waited_that_no_line_ends_is_not_known() -> None:
    lives = """
        cluster_id | topic | topic_life | mode      | created_how | created_at | waited_for
        c          | slow  | 1          | zookeeper | created     | 10         | [2]
    """
    rows = impact(topic_lifecycle=lives)
    assert rows.select("until_earliest_at", "until_at", "low_ms", "high_ms", "certainty").rows() == [
        (at(10), None, 0, None, "undetermined")
    ]
