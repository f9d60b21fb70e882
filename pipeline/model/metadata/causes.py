"""Why an election was held: what one decision changes stands in one batch."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pipeline.kafka.metadata_log.segment import MetadataRecord
from pipeline.model.metadata.states import ASSIGNED, PartitionRegistration

SHUTDOWN, FENCING, UNFENCING, DIRECTORY = "controlled_shutdown", "fenced", "unfenced", "directory"
REASSIGNMENT, PREFERRED, OTHER = "reassignment", "preferred", "other"
UNCLEAN, NOT_TOLD = "unclean", "cause not told"
# In the order in which one is taken where a batch has several.
OF_BROKERS = (SHUTDOWN, FENCING, UNFENCING, DIRECTORY)


@dataclass(slots=True)
class BatchCauses:
    """By kind the brokers that a batch tells something of. `is_told`: records of one batch are known to be of one."""

    brokers: dict[str, list[int]] = field(default_factory=dict)
    is_told: bool = True

    def of_election(
        self, old: PartitionRegistration, new: PartitionRegistration, said: dict[str, Any]
    ) -> tuple[str, int | None]:
        """Cause of an election, and the broker that it is put down to: of several in one batch the one that led or left
        the ISR, or leads now."""
        if not self.is_told:
            return NOT_TOLD, None
        concerned = {old.leader, new.leader, *(set(old.isr or ()) ^ set(new.isr or ()))}
        for kind in OF_BROKERS:
            several = self.brokers.get(kind, [])
            if len(several) == 1:
                return kind, several[0]
            if own := [one for one in several if one in concerned]:
                return kind, own[0]
        if any(said.get(name) is not None for name in ASSIGNED):
            return REASSIGNMENT, None
        if new.replicas and new.leader == new.replicas[0] and said.get("isr") in (None, old.isr):
            return PREFERRED, None
        return OTHER, None


def batch_causes(records: Iterable[MetadataRecord]) -> BatchCauses:
    found = BatchCauses()
    for one in records:
        if (kind := _broker_event(one)) is not None:
            said = one.fields or {}
            found.brokers.setdefault(kind, []).append(
                int(said["brokerId"] if "brokerId" in said else said["id"])
            )
    return found


def _broker_event(record: MetadataRecord) -> str | None:
    said = record.fields or {}
    if record.name == "BROKER_REGISTRATION_CHANGE_RECORD":
        if said.get("inControlledShutdown") == 1:
            return SHUTDOWN
        if (fenced := said.get("fenced", 0)) != 0:
            return FENCING if fenced == 1 else UNFENCING
        return DIRECTORY if said.get("logDirs") is not None else None
    by_name = {
        "FENCE_BROKER_RECORD": FENCING,
        "UNFENCE_BROKER_RECORD": UNFENCING,
        "REGISTER_BROKER_RECORD": FENCING,
        "UNREGISTER_BROKER_RECORD": FENCING,
    }
    return by_name.get(record.name or "")
