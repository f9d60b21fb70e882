"""Real clusters through all builds, against what ZooKeeper and the actions on the cluster say."""

import re
from collections import Counter
from math import inf
from pathlib import Path

import pytest
from polars import col

from pipeline.core.frames import frame_of
from pipeline.gold.leader_election.data_loss_bound import with_bound
from pipeline.silver import replica_offset
from schemas.gold.replay_check import REPLAY_CHECKS
from tests.gold import session_truth
from tests.gold.election_truth import compared, writes
from tests.gold.imbalance_twin import counted, of_rows
from tests.gold.imbalance_twin import ratios as twin
from tests.gold.lab_runs import Unclean, first_life, unclean_elections
from tests.gold.outage_truth import closest, of_failed_disks, outages, told_outages, unmatched
from tests.gold.term_truth import judged, rewritten, zombie_writes
from tests.gold.truth import (
    SETTLED_MS,
    Ratio,
    end_state,
    given_alone,
    ms,
    ratios,
    terms,
    told_end_state,
    truncated,
    wrong_values,
)
from tests.gold.zookeeper_labs import UNDECIDED_ENDS, Lab, cases, folder
from tests.lab import Row, broken_rules, records, rows_of, tables_of
from tests.rules.rows import fact_texts

VERDICTS = ("first", "valid", "same_state", "failed", "refused", "hidden")
UNSURE = 0.06  # of elections of 1.1 to 2.6 without server.log, at most
LEADERS_CHANGED = 200  # at least, in each of these clusters
RATIOS_CHANGED = 50  # at least, in each of these clusters
ELECTION_SEEN_MS = 50  # from ZooKeeper's time of the election to the controller's line
HEALTHY_RULES = ("illegal_move", "refused_move", "discontinuity", "replay_disagreement", "missing_logs")
SUCCESSOR_OF_ZOMBIE = {("0.11.0.3-zk-stock", 2), ("1.0.2-zk-stock", 5)}


@pytest.fixture(scope="module", params=cases())
def lab(
    request: pytest.FixtureRequest,
    shared: Path,
) -> Lab:
    of = folder(shared, request.param[0])
    return Lab(of, tables_of(first_life(of)), request.param)


def test_terms(lab: Lab) -> None:
    told = {row["controller_epoch"]: row for row in lab.rows("controller_term")}
    true = terms(lab.folder)
    assert len(told) == len(true)
    for term, elected_ms in true:
        row = told[term.epoch]
        is_undecided = (lab.folder.name, term.epoch) in UNDECIDED_ENDS
        assert (row["controller_id"], row["ended_how"]) == (
            term.controller_id,
            None if is_undecided else term.ended_how,
        )
        assert 0 <= ms(row["elected_at"]) - elected_ms <= ELECTION_SEEN_MS


def test_elections_ends_and_zombies_are_those_that_were(lab: Lab) -> None:
    """`python -m tests.gold.term_truth FOLDER ...` prints how many of each."""
    found = list(judged(lab.folder, lab.rows("controller_term")))
    print(f"terms in {lab.folder.name}: {sorted(Counter(one[:2] for one in found).items())}")
    undecided = [one for one in found if one[1] != "right"]
    assert found and len(undecided) == len([one for one in UNDECIDED_ENDS if one[0] == lab.folder.name])
    assert all(one[:2] == ("end", "undetermined") for one in undecided)


def test_findings_about_terms_are_what_happened(lab: Lab) -> None:
    found = lab.rows("finding")
    by_rule = {
        rule: {int(one["term_id"].split("-")[1]) for one in found if one["rule"] == rule}
        for rule in ("controller_powerless", "deposed_controller_wrote", "no_controller", "failover_slow")
    }
    assert by_rule == {
        "controller_powerless": rewritten(lab.folder),
        "deposed_controller_wrote": set(zombie_writes(lab.folder)),
        "no_controller": set(),
        "failover_slow": set(),
    }


def test_lines_of_a_controller_have_its_term(lab: Lab) -> None:
    told = {(row["file_id"], row["byte_offset"]): row["term_id"] for row in lab.rows("controller_line")}
    is_about_own = (
        col("event") != "leader_and_isr_response_error"
    )  # may come when the controller has resigned
    acting = frame_of(first_life(lab.folder)).filter(
        col("log") == "state-change",
        col("controller_id") == col("node_id"),
        ~col("event").str.starts_with("broker") & is_about_own,
    )
    epoch = None
    for row in acting.sort("file_id", "byte_offset").iter_rows(named=True):
        epoch = row["controller_epoch"] or epoch  # 1.0 leaves it out on moves to NonExistentPartition
        assert told[row["file_id"], row["byte_offset"]] == f"1-{epoch}"


def test_end_state(lab: Lab) -> None:
    assert told_end_state(lab.timeline) == end_state(lab.folder)


@pytest.mark.parametrize("column", ["leader", "isr", "replicas"])
def test_values_at_every_instant(lab: Lab, column: str) -> None:
    """ISR where it is claimed: from 2.7 on everywhere but in terms that print no change of it, as the short ones of the
    clusters at TRACE may; before only where nobody else can have changed it."""
    assert list(wrong_values(lab.folder, lab.timeline, column)) == []
    told = {row["term_id"] for row in lab.rows("term") if row["is_isr_told"]}
    is_told = lab.expected[0] >= "2.7"
    assert bool(told) == is_told
    led = [row for row in lab.timeline if len(row["isr"] or ()) > 1 and (row["leader"] or 0) >= 0]
    assert led and all(row["is_isr_stale"] != (row["term_id"] in told) for row in led)
    if lab.expected[0].endswith("stock"):
        assert all(row["is_isr_stale"] != is_told for row in led)


def test_outages_are_those_that_were(lab: Lab) -> None:
    """Each is told within a second, none is invented, and none was longer than the upper bound says.

    Partitions without their first leader: ZooKeeper shows that for some ms at each creation; told is what outlasts
    the act that creates them.
    """
    told = told_outages(lab.rows("partition_outage"))
    true = outages(lab.folder)
    seen = [one for one in true if not one.is_unseen]
    must = [one for one in seen if not one.is_unborn or one.lasts_over(SETTLED_MS)]
    print(f"outages of {lab.folder.name}: {len(must)}, told {len(told)}")
    assert must and list(unmatched(must, told, SETTLED_MS)) == []
    of_disks = of_failed_disks(lab.folder, lab.rows("partition_outage"))
    assert list(unmatched([one for one in told if one not in of_disks], true, SETTLED_MS)) == []
    bounds = [(one.earliest_ms, closest(one, told).earliest_ms) for one in must if not one.is_unborn]
    assert all(earliest_ms <= from_ms for from_ms, earliest_ms in bounds)


def test_findings_say_the_event_at_their_root_in_columns(lab: Lab) -> None:
    """What it was is a word, when it was a time: since then, or before, or it is the term's."""
    found = lab.rows("finding")
    assert found and [row for row in found if re.search(r"\d{4,}", row["root_kind"] or "1234")] == []
    assert {row["root_kind"] for row in found if row["root_at"] is None} <= {"controller", "no_template"}
    assert any(row["root_broker_id"] is not None for row in found)


def test_elections_are_those_that_were(lab: Lab) -> None:
    """Every change of a leader by a controller is told and none is invented; of no choice is it said that it is
    against its rule, and of none wrongly that it was clean or not."""
    found = compared(lab.folder, lab.rows("leader_election"))
    print(f"elections of {lab.folder.name}: " + ", ".join(f"{one} {dict(found[one])}" for one in found))
    assert {
        (one, name) for one, counts in found.items() for name in ("wrong", "missed") if counts[name]
    } == set()
    assert found["leader"]["undetermined"] == 0 and found["leader"]["right"] > LEADERS_CHANGED / (
        1 + 3 * lab.is_short
    )
    is_told = not "1.1" <= lab.expected[0] < "2.7"
    assert found["is_clean"]["undetermined"] <= found["is_clean"]["right"] * (1 - is_told) * UNSURE


def test_ratios_are_those_that_kafka_prints(lab: Lab) -> None:
    cluster, _, line_count, unequal = lab.expected
    names = ("imbalance_observation", "controller_line", "leader_imbalance", "controller_term")
    found: list[Ratio] = ratios(*(lab.rows(name) for name in names))
    differing = [one for one in found if one.ratio != one.kafka_ratio]
    assert len(found) == line_count
    assert {(one.epoch, one.broker_id) for one in differing} == unequal
    assert all(one.is_zombie or (cluster, one.epoch) in SUCCESSOR_OF_ZOMBIE for one in differing)


def test_ratios_are_those_of_the_controller_that_prints_them(lab: Lab) -> None:
    """Also those of deposed controllers, and of the successor of one that went on writing."""
    cluster, _, line_count, unequal = lab.expected
    checks = lab.rows("imbalance_check")
    assert [row["is_equal"] for row in checks] == [True] * line_count
    assert [(row["only_kafka"], row["only_ours_count"]) for row in checks] == [([], 0)] * line_count
    stale = {(row["controller_epoch"], row["broker_id"]) for row in with_epoch(checks) if row["is_stale"]}
    assert {one for one in unequal if (cluster, one[0]) not in SUCCESSOR_OF_ZOMBIE} <= stale


def test_ratios_over_time_are_those_of_the_twin(lab: Lab) -> None:
    """Every partition looked at again at every moment; no lab goes on over midnight."""
    expected = {broker: rows for broker, rows in twin(of_rows(lab.timeline), inf).items() if rows}
    assert counted(lab.rows("leader_imbalance")) == expected
    assert sum(map(len, expected.values())) > RATIOS_CHANGED / (1 + 3 * lab.is_short)


def with_epoch(rows: list[Row]) -> list[Row]:
    return [row | {"controller_epoch": int(row["term_id"].split("-")[1])} for row in rows]


def test_moves_by_verdict(lab: Lab) -> None:
    moves = lab.rows("transition_audit")
    counted = Counter(dict(zip(VERDICTS, lab.expected[1], strict=True)))
    assert Counter(row["verdict"] for row in moves) == counted
    assert all(row["normal"] for row in moves if row["verdict"] == "refused")
    assert all(row["cause"] != "unknown" for row in moves)


def test_a_healthy_machine_has_no_finding(lab: Lab) -> None:
    assert [row["sentence"] for row in lab.rows("finding") if row["rule"] in HEALTHY_RULES] == []


def test_kafka_says_the_same_of_its_states(lab: Lab) -> None:
    """Dumps, refusals and lists of valid states: Kafka's own words against the replay. At INFO replicas are not seen."""
    checks = lab.rows("replay_check")
    is_printed = lab.expected[0].endswith("trace") or lab.expected[0] < "2.6"
    unseen = set() if is_printed else {"requests_of_moves"}
    assert {row["check"] for row in checks} == set(REPLAY_CHECKS) - unseen
    assert sum(row["differing_count"] for row in checks) == 0
    dumps = [row for row in checks if row["check"] == "initial_state_dump" and row["machine"] == "replica"]
    whole = [row["equal_count"] == row["said_count"] for row in dumps if row["said_count"]]
    # In a term whose brokers are nearly all gone hardly a replica moves.
    assert any(whole) == is_printed if lab.is_field else set(whole) == {is_printed}


def test_evidence_tells_the_level_and_what_it_answers(lab: Lab) -> None:
    name = lab.expected[0]
    level = "TRACE" if name.endswith("trace") or name < "2.6" else "INFO"
    rows = [row for row in lab.rows("evidence") if row["is_controller"]]
    assert rows
    assert {(row["state_change_level"], row["is_complete"]) for row in rows} == {(level, True)}
    assert all(("moves of replicas" in row["answers"]) == (level == "TRACE") for row in rows)
    assert all("moves of partitions" in row["answers"] for row in rows)


def test_declarations_hold(lab: Lab) -> None:
    assert broken_rules(lab.tables) == []


def test_brokers_that_left(lab: Lab) -> None:
    """Every departure is told once, and who was told to shut down is never taken for one that died."""
    found = session_truth.compared(lab.folder, lab.rows("broker_session"))
    print(f"sessions of {lab.folder.name}: " + ", ".join(f"{one} {dict(found[one])}" for one in found))
    assert found["left"]["right"] > 5 * (not lab.is_short)
    for of in found:
        assert found[of]["wrong"] + found[of]["missed"] == 0, of


def test_what_unclean_elections_cost(lab: Lab) -> None:
    """Records are at risk where a broker that came back had to cut off its own, and nowhere else: what it had been
    given while it led alone. Up to 2.5 only server.log tells it."""
    found = frame_of(lab.tables["leader_election"])
    if lab.folder.name < "2.6":
        lines = frame_of(records(lab.folder, ("server",)))
        found = with_bound(found.drop("records_at_risk"), replica_offset.build(lines))
    rows = [row for row in rows_of(found) if row["records_at_risk"]]
    harmed = {f"{one.topic}-{one.partition}" for one in unclean_elections(lab.folder) if not one.is_harmless}
    told = {f"{row['topic']}-{row['partition']}": row["records_at_risk"] for row in rows}
    print(f"at risk in {lab.folder.name}: {told}")
    assert set(told) == (truncated(lab.folder) & harmed if lab.is_field else truncated(lab.folder))
    assert told == {name: count for name, count in given_alone(lab.folder).items() if name in told}


def test_unclean_elections_are_those_that_were(lab: Lab) -> None:
    """Who was elected outside of the ISR, and who of them had been the last leader: nothing can be lost then."""
    true = [
        Unclean(*one.partition, one.at_ms, one.leader, one.is_last)
        for one in writes(lab.folder)
        if one.leader >= 0 and not one.is_clean and not one.is_deleting
    ]
    if lab.is_field:
        assert sorted(true) == sorted(unclean_elections(lab.folder))
    is_told = (col("outcome") == "done") & ~col("is_clean")
    told = frame_of(lab.tables["leader_election"]).filter(is_told).to_dicts()
    found = [
        Unclean(
            row["topic"], row["partition"], ms(row["elected_at"]), row["leader"], bool(row["was_last_leader"])
        )
        for row in told
    ]
    assert [one.named() for one in sorted(found)] == [one.named() for one in sorted(true)]
    times = zip(sorted(found), sorted(true), strict=True)
    assert all(0 <= one.at_ms - other.at_ms <= SETTLED_MS for one, other in times)
    facts = [fact_texts(row["facts"]) for row in lab.rows("finding") if row["rule"] == "unclean_election"]
    lost = {(one.topic, one.partition) for one in true if not one.is_harmless}
    assert {(one["topic"], int(one["partition"])) for one in facts} == lost
