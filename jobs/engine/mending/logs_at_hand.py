"""Which files that were read before the logs still hold, byte for byte."""

from collections.abc import Collection, Sequence

import polars as pl

from jobs.engine.intake.discovery import Candidate
from jobs.engine.intake.file_probe import Looker
from pipeline.bronze.planning import unique_file_id


def files_at_hand(
    looker: Looker, candidates: Sequence[Candidate], segments: pl.DataFrame, unnamed: Collection[str]
) -> frozenset[str]:
    """file_ids. segments: rows of bronze.source_file of the files that are asked for: each is at hand if a log begins
    with all that was read of it. unnamed: files of which no row tells: by node and first record."""
    furthest = segments.sort("consumed_bytes").group_by("file_id").last()
    asked = {
        (row["first_record_hash"], row["consumed_bytes"]): (row["file_id"], row["consumed_hash"])
        for row in furthest.to_dicts()
    }
    offsets: dict[str, set[int]] = {}
    for name, size in asked:
        offsets.setdefault(name, set()).add(size)
    looked = looker.look(candidates, {name: frozenset(sizes) for name, sizes in offsets.items()})
    readable = [one for one in looked if one.refusal is None and one.first_record_hash is not None]
    held = {
        file_id
        for (name, size), (file_id, consumed_hash) in asked.items()
        if any(one.first_record_hash == name and one.hashes.get(size) == consumed_hash for one in readable)
    }
    begun = {unique_file_id(one, one.size, ()) for one in readable}
    return frozenset(held | (begun & set(unnamed)))
