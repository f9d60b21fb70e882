"""Which node or nodes wrote a file, as a job finds it out by the beginning and the end."""

from dataclasses import dataclass

from pipeline.kafka.reading.sniff import HEAD_BYTES, Sniff, is_told_apart, with_writers


@dataclass(frozen=True)
class Writers:
    """node_id: the one node. is_shared: there are several. is_refused: and the lines do not tell which is whose."""

    node_id: int | None
    is_shared: bool = False
    is_refused: bool = False


def writers_of(found: Sniff, data: bytes, by_path: int | None) -> Writers:
    """found: of the first HEAD_BYTES of data. by_path: the node that the path names."""
    tail = data[-HEAD_BYTES:].partition(b"\n")[2] if len(data) > HEAD_BYTES else b""
    nodes = sorted(with_writers(found, tail).node_ids)
    if len(nodes) < 2:
        return Writers(nodes[0] if nodes else by_path)
    return Writers(None, True, not is_told_apart(found, data[:HEAD_BYTES], tail))
