"""Whether files hold parts of one metadata log: where two have a record at the same place, it is the same record."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pipeline.kafka.metadata_log.segment import SNAPSHOT, MetadataPart

Place = tuple[int, int]


@dataclass
class SameLog:
    """What the files say that were taken so far. `cluster_id`: of the first that names one."""

    cluster_id: str | None = None
    records: dict[Place, tuple[str, str]] = field(default_factory=dict)

    def take_file(self, path: str, cluster_id: str | None, parts: Sequence[MetadataPart]) -> str | None:
        """Why a file does not belong to the others; None: it does, and is taken."""
        if None not in (cluster_id, self.cluster_id) and cluster_id != self.cluster_id:
            return f"of another cluster ({cluster_id}) than the files before it ({self.cluster_id}): name one alone"
        own: dict[Place, tuple[str, str]] = {}
        for part in parts:
            if part.form == SNAPSHOT:
                continue
            for one in part.records:
                if one.reason is not None or not one.fields:
                    continue
                place, said = (one.offset, one.epoch), f"{one.name} {sorted(one.fields.items())}"
                known = self.records.get(place)
                if known is not None and known[1] != said:
                    return f"at offset {one.offset} it says other than {known[0]}: of another cluster, or damaged"
                own[place] = path, said
        self.records |= own
        self.cluster_id = self.cluster_id or cluster_id
        return None
