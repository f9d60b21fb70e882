"""Replay of the metadata log: states at the end, judged moves, what a hole or a missing base leaves unknown."""

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from pipeline.kafka.metadata_log.dump import read_metadata_dump
from pipeline.model.metadata.broker_replay import GAP, VALID
from pipeline.model.metadata.history import replay_log
from pipeline.model.metadata.joining import NodeParts, join_copies
from pipeline.model.metadata.replay import MetadataReplay
from tests.metadata import SHARED, copies_of, dumped_lab, part_of, samples
from tests.model.metadata.target_rows import target_rows

TARGETS = SHARED / "kafka" / "open-audits" / "targets" / "metadata_log.tsv"
LABS = (
    "3.3.2-kraft-combined-stock",
    "3.9.2-kraft-migration-stock",
    "3.9.2-kraft-separate-stock",
    "3.9.2-kraft-separate-moves",
    "4.0.0-kraft-combined-stock",
    "4.0.0-kraft-combined-moves",
    "4.3.1-kraft-combined-trace",
    "4.3.1-kraft-separate-stock",
    "4.4.0-kraft-separate-stock",
)


def targets(name: str) -> dict[str, list[tuple[str, str]]]:
    """What another replay of the same records gave: by kind of fact key and value."""
    if not TARGETS.is_file():
        pytest.skip("no targets")
    found = defaultdict(list)
    for line in TARGETS.read_text(encoding="utf-8").splitlines():
        cluster, what, *rest = line.split("\t")
        if cluster == name:
            found[what].append((rest[0], rest[1] if len(rest) > 1 else ""))
    return found


@pytest.mark.parametrize("name", LABS)
def test_the_targets_of_a_lab(name: str) -> None:
    """States, leaders, ISRs, sessions, lives, moves and silences, each with its time."""
    joined, wanted = join_copies([NodeParts(None, read_metadata_dump(dumped_lab(name)))]), targets(name)
    replay = replay_log(joined)
    for what, rows in target_rows(replay, joined).items():
        assert rows == sorted(wanted[what]), what
    assert {one.verdict for one in replay.judged.moves} == {VALID} and not replay.judged.broken
    unclean = sorted(f"{new.topic}-{new.partition}" for _, new in replay.unclean)
    assert unclean == sorted(key for key, _ in wanted["unclean"])
    epochs = [one.partition(" ")[0] for one, _ in wanted["controller_epoch"]]
    assert [str(one.epoch) for one in joined.epochs] == epochs


def test_each_election_has_its_cause() -> None:
    parts = read_metadata_dump(dumped_lab("4.3.1-kraft-separate-stock"))
    replay = replay_log(join_copies([NodeParts(None, parts)]))
    causes = Counter(one.cause for one in replay.states if one.cause)
    assert causes["controlled_shutdown"] and causes["fenced"] and causes["preferred"] and not causes["other"]


def test_void_records_change_nothing() -> None:
    joined = join_copies(copies_of(samples() / "diverged"))
    alone = join_copies([one for one in copies_of(samples() / "diverged") if one.node_id == 103])
    assert (joined.void_count, len(joined.void)) == (37, 37)
    assert (joined.certain_until, joined.certain_by) == (390, "majority")
    both, one = (target_rows(replay_log(log), log) for log in (joined, alone))
    assert both == one


def test_the_last_epoch_that_works_proves_what_was_before() -> None:
    joined = join_copies(copies_of(samples() / "3.9.2-one-node"))
    assert (joined.certain_until, joined.certain_by) == (57, "epoch")


def replay_of(path: Path) -> MetadataReplay:
    return replay_log(join_copies([NodeParts(1, [part_of(path)])]))


def test_a_hole_leaves_moves_undecided() -> None:
    moves = replay_of(samples() / "hostile" / "gap.log").judged.moves
    assert Counter(one.verdict for one in moves)[GAP] == 2 and moves[-1].to_state == "Active"


def test_what_has_no_base_has_no_epochs() -> None:
    replay = replay_of(samples() / "hostile" / "middle.log")
    assert {one.partition_epoch for one in replay.states} >= {0}
    assert all(one.leader_epoch is None for one in replay.states if one.partition_epoch is None)


def test_what_is_not_legal_is_said() -> None:
    replay = replay_of(samples() / "hostile" / "unknown-tag.log")
    before = len(replay.judged.moves)
    known = next(one for one in replay.registrations if one.state == "Fenced")
    lines = [
        b"baseOffset: 90 partitionLeaderEpoch: 9 position: 0 CreateTime: 5 size\n",
        b'| payload: {"type":"BROKER_REGISTRATION_CHANGE_RECORD","version":1,"data":'
        b'{"brokerId":%d,"brokerEpoch":77,"fenced":1,"inControlledShutdown":1}}\n' % known.broker_id,
    ]
    (part,) = read_metadata_dump(lines)
    replay.take_log(part.records)
    assert [one.verdict for one in replay.judged.moves[before:]] == ["illegal"]
    assert [one.sentence[:15] for one in replay.judged.broken] == ["broker epoch 77"]
