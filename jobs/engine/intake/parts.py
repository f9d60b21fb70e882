"""Segments in groups whose records the driver can hold."""

from collections.abc import Sequence

from pipeline.bronze.planning import Segment

AT_ONCE_BYTES = 128 << 20


def parts_by_size(segments: Sequence[Segment]) -> list[list[int]]:
    """Segments (load_seq) in groups of no more than about AT_ONCE_BYTES of logs; a larger one alone."""
    parts: list[list[int]] = []
    room = 0
    for one in segments:
        size = one.limit - one.start_offset
        if size > room:
            parts.append([])
            room = AT_ONCE_BYTES
        parts[-1].append(one.load_seq)
        room -= size
    return parts
