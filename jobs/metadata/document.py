"""What `incident --format json` gives of a cluster of which the metadata log alone was given."""

from collections.abc import Sequence
from typing import Any

from jobs.metadata.recorded import RecordedCluster
from jobs.metadata.screen import recorded_verdict

OF_PARTITION = ("topic", "partition", "leader", "leader_epoch", "partition_epoch", "isr", "replicas")
OF_BROKER = ("broker_id", "state", "broker_epoch")
OF_OUTAGE = ("topic", "partition", "from_ms", "until_ms", "cause", "cause_broker_id")


def recorded_document(cluster: RecordedCluster) -> dict[str, Any]:
    """For programs: verdict, what is so at the end, terms, sessions, outages, elections by cause, moves."""
    replay, joined = cluster.replay, cluster.joined
    is_wrong = recorded_verdict(cluster).startswith("NOT OK")
    return {
        "cluster_id": cluster.cluster_id,
        "verdict": recorded_verdict(cluster),
        "verdict_code": "not_ok" if is_wrong else "not_enough_evidence",
        "witness": "records",
        "offsets": [joined.first_offset, joined.last_offset] if len(joined.marks) else None,
        "certain_until_offset": joined.certain_until,
        "void_records": joined.void_count,
        "terms": [
            {"controller_epoch": one.epoch, "controller_id": one.leader, "first_offset": one.offset}
            for one in joined.epochs
        ],
        "partitions": [_named(one, OF_PARTITION) for one in replay.partitions.values()],
        "brokers": [_named(one, OF_BROKER) for one in replay.brokers.values()],
        "outages": [_named(one, OF_OUTAGE) for one in cluster.outages],
        "elections": dict(cluster.elections),
        "unclean": [
            {"topic": new.topic, "partition": new.partition, "offset": new.offset, "leader": new.leader}
            for _, new in replay.unclean
        ],
        "moves": {f"{machine}: {verdict}": count for (machine, verdict), count in cluster.verdicts.items()},
        "broken": [one.sentence for one in replay.judged.broken],
    }


def _named(one: object, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(one, name) for name in names}
