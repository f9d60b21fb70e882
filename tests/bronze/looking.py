"""A look at a file of one's own making."""

from pathlib import Path
from typing import Any

from pipeline.bronze.file_look import Wanted, inspect_file

TIME = b"[2024-03-01 12:00:00,123] "
STATE = TIME + b"TRACE [Broker id=3] Cached leader info x for partition t-0 (state.change.logger)\n"


def seen(
    folder: Path, name: str, content: bytes, log: str | None = None, envelope: str | None = None
) -> dict[str, Any]:
    path = folder / name
    path.write_bytes(content)
    return looked(path, log, envelope)


def looked(
    path: Path,
    log: str | None = None,
    envelope: str | None = None,
    max_file_bytes: int = 1 << 40,
    max_ratio: int = 500,
    wanted: Wanted | None = None,
) -> dict[str, Any]:
    return inspect_file(
        str(path),
        log,
        envelope,
        wanted or Wanted(),
        is_server_read=False,
        stored_bytes=path.stat().st_size if path.exists() else 0,
        max_file_bytes=max_file_bytes,
        max_ratio=max_ratio,
        max_record_bytes=16 << 20,
    )
