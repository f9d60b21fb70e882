"""Which of the files found are not read though they may be logs of a controller, and why."""

from collections.abc import Mapping

from jobs.engine.intake.file_probe import OF_SERVER_LOG
from pipeline.kafka.layout.paths import is_named_as_kafkas
from schemas.bronze.file_sighting import LOOKS_LIKE, PROBLEMS, READ_UNTIL

# By path: a state of bronze.file_sighting, and its sentence.
States = Mapping[str, tuple[str, str | None]]


def unreadable_files(found: States) -> list[tuple[str, str]]:
    """Path and sentence of what cannot be read."""
    return [(path, said or "") for path, (state, said) in found.items() if is_problem(state, said)]


def is_problem(state: str, said: str | None) -> bool:
    """Also of a file that breaks off, whose beginning is read."""
    return state in PROBLEMS or READ_UNTIL in (said or "")


def unread_files(found: States) -> list[tuple[str, str]]:
    """The same and of what is none of Kafka's, though its name or its lines say so."""
    return [
        (path, said or state)
        for path, (state, said) in found.items()
        if is_problem(state, said)
        or (state == "not_kafka" and (is_named_as_kafkas(path) or LOOKS_LIKE in (said or "")))
    ]


def excerpt_files(found: States) -> list[tuple[str, str]]:
    """Path and sentence of what grep made of another file."""
    return [
        (path, said or "")
        for path, (state, said) in found.items()
        if state == "not_asked" and said not in (None, *OF_SERVER_LOG)
    ]
