"""Joining and replaying a log takes time by its records, not by their square."""

from itertools import count
from time import process_time
from typing import Any

import numpy as np

from pipeline.kafka.metadata_log.segment import NO_OPS, SEGMENT, MetadataPart, MetadataRecord
from pipeline.model.metadata.joining import NodeParts, join_copies
from pipeline.model.metadata.replay import MetadataReplay

EPOCHS, TOPICS = 40_000, 4_000
ALONE = [1]
PARTITION = {
    "partitionId": 0,
    "replicas": ALONE,
    "isr": ALONE,
    "addingReplicas": [],
    "removingReplicas": [],
    "leader": 1,
    "leaderEpoch": 0,
    "partitionEpoch": 0,
}


def test_many_epochs() -> None:
    numbers = np.arange(EPOCHS)
    part = MetadataPart(SEGMENT, no_ops=np.empty(EPOCHS, NO_OPS))
    part.no_ops["offset"] = part.no_ops["epoch"] = part.no_ops["at_ms"] = numbers
    began = process_time()
    joined = join_copies([NodeParts(None, [part])])
    assert process_time() - began < 0.5
    assert [one.epoch for one in joined.epochs] == numbers.tolist() and joined.certain_until == EPOCHS - 1


def test_many_epochs_without_any_work() -> None:
    """The LeaderChange of a controller proves nothing."""
    part = MetadataPart(SEGMENT)
    part.records = [
        MetadataRecord(one, one, one, one, one, 0, "LEADER_CHANGE", 0, {}) for one in range(EPOCHS // 2)
    ]
    began = process_time()
    joined = join_copies([NodeParts(None, [part])])
    assert process_time() - began < 0.4
    assert joined.certain_until == -1


def test_many_topics_that_go() -> None:
    offsets = count()

    def record(name: str, fields: dict[str, Any]) -> MetadataRecord:
        offset = next(offsets)
        return MetadataRecord(0, offset, 1, offset, offset, 0, name, 0, fields)

    topics = [{"topicId": f"id-{one}", "name": f"topic-{one}"} for one in range(TOPICS)]
    records = [record("TOPIC_RECORD", one) for one in topics]
    records += [record("PARTITION_RECORD", PARTITION | {"topicId": one["topicId"]}) for one in topics]
    records += [record("REMOVE_TOPIC_RECORD", {"topicId": one["topicId"]}) for one in topics]
    replay = MetadataReplay()
    began = process_time()
    replay.take_log(records)
    assert process_time() - began < 0.6
    assert not replay.partitions and len(replay.removed) == TOPICS
    assert [one.deleted_offset for one in replay.lives] == [*range(2 * TOPICS, 3 * TOPICS)]


def test_a_topic_of_a_snapshot_lives_once() -> None:
    """One that the log has already, and its partitions are those of the snapshot."""
    base = [
        MetadataRecord(0, 0, 1, 0, 0, 0, "TOPIC_RECORD", 0, {"topicId": "a", "name": "A"}),
        MetadataRecord(0, 1, 1, 0, 0, 1, "PARTITION_RECORD", 0, PARTITION | {"topicId": "a"}),
    ]
    replay = MetadataReplay()
    for _ in range(2):
        replay.take_snapshot(base)
    replay.lose_base()
    replay.take_log([MetadataRecord(0, 9, 1, 9, 9, 0, "REMOVE_TOPIC_RECORD", 0, {"topicId": "a"})])
    assert [(one.topic_id, one.deleted_offset) for one in replay.lives] == [("a", 9)] and not replay.removed
