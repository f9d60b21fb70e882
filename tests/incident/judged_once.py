"""Logs that are asked several things are judged once in a file of tests; they are read each time."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from jobs.engine.run.request import RunRequest
from jobs.incident import in_memory
from jobs.incident.in_memory import AnalyzedLogs, Loaded
from pipeline.core.frames import frame_of
from schemas.bronze import file_sighting, source_file
from tests.incident.answers import OF_A_RUN

OF_FILES = (source_file, file_sighting)


def content_of(request: RunRequest, read: Loaded) -> tuple[Any, ...]:
    """All that the answer rests on."""
    files = [frame_of(read.stored.read(one.SPEC)).drop(OF_A_RUN, strict=False) for one in OF_FILES]
    records = io.BytesIO()
    frame_of(read.stored.records).write_ipc(records)
    said = [request.cluster_id, request.settings.model_dump_json(), *(repr(one.rows()) for one in files)]
    return (*said, records.getvalue())


@contextmanager
def judging_once() -> Iterator[None]:
    """The same records of the same files, by the same settings, have one answer within it."""
    judge, known = in_memory.judge_loaded, dict[tuple[Any, ...], AnalyzedLogs]()

    def judged(request: RunRequest, run_id: str, read: Loaded) -> AnalyzedLogs:
        content = content_of(request, read)
        if content not in known:
            known[content] = judge(request, run_id, read)
        return known[content]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_memory, "judge_loaded", judged)
        yield
