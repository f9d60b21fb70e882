"""Steps of topics: collections are taken apart, whatever they are called."""

from pipeline.silver import topic_event
from schemas.silver.topic_event import SPEC
from tests.frames import frame
from tests.rows import records_in, same_rows

LINES = """
    [2026-11-21 00:00:01,000] INFO [Controller id=1] New topics: [HashSet(a.x, b-1)], deleted topics: [Set()], new partition replica assignment [Map()] (kafka.controller.KafkaController)
    [2026-11-21 00:00:02,000] INFO [Controller id=1] Starting topic deletion for topics a.x,b-1 (kafka.controller.KafkaController)
    [2026-11-21 00:00:03,000] INFO [Topic Deletion Manager 1], Not retrying deletion of topic a.x at this time since it is marked ineligible for deletion (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:04,000] INFO [Topic Deletion Manager 1] Deletion of topic b-1 successfully completed (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:04,500] INFO [Topic Deletion Manager 1] Halted deletion of topics c,d due to offline replicas (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:04,600] INFO [Topic Deletion Manager 1] Halted deletion of topics e due to replica deletion failure (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:04,700] INFO [Topic Deletion Manager 1] Halted deletion of topics f due to topic reassignment in progress (kafka.controller.TopicDeletionManager)
    [2026-11-21 00:00:04,800] INFO [Controller id=1] New topics: [Set()], deleted topics: [HashSet(g, h)], new partition replica assignment [Map()] (kafka.controller.KafkaController)
    [2026-11-21 00:00:05,000] INFO [Controller id=1] List of topics to be deleted:  (kafka.controller.KafkaController)
"""


def test_steps() -> None:
    expected = frame(
        SPEC,
        """
        logged_at | topic | step
        1         | a.x   | created
        1         | b-1   | created
        2         | a.x   | deletion_queued
        2         | b-1   | deletion_queued
        3         | a.x   | deletion_blocked
        4         | b-1   | deletion_completed
        4.5       | c     | deletion_blocked
        4.5       | d     | deletion_blocked
        4.6       | e     | deletion_blocked
        4.8       | g     | removed
        4.8       | h     | removed
        """,
    )
    same_rows(
        topic_event.build(records_in({(1, "controller"): LINES})),
        expected,
        "logged_at",
        "topic",
        "step",
    )
