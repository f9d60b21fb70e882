"""What the product knows, as one hash: a change of templates, machines or rules rebuilds what stands on them."""

import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from schemas.namespace import PREFIX, full_module_name

# Words for people: no answer stands on them.
NOT_KNOWLEDGE = frozenset({"pipeline.kafka/wording/events.tsv", "pipeline.kafka/wording/server_loggers.tsv"})
TEMPLATES = ("pipeline.kafka.wording.by_mode",)
# What a file is recognised by: forms of lines and of paths.
FORMS = frozenset(
    f"pipeline.kafka/{name}"
    for name in (
        *("layout/envelopes.tsv", "layout/wrappers.tsv", "layout/json_layouts.tsv", "layout/paths.py"),
        *("reading/idents.tsv", "reading/sniff.py", "reading/prefixes.py", "reading/unread.py"),
    )
)
# Every package of which a line can change a row of a table.
PACKAGES = (
    "pipeline.core",
    "pipeline.kafka",
    "pipeline.model",
    "pipeline.rules",
    "pipeline.bronze",
    "pipeline.silver",
    "pipeline.state",
    "pipeline.gold",
    "schemas",
)


@cache
def knowledge_fingerprint(packages: tuple[str, ...] = PACKAGES) -> str:
    """SHA-256 over the data and code that turn records into answers, by name and content."""
    digest = hashlib.sha256()
    for package in packages:
        for name, content in sorted(read_knowledge_files(files(full_module_name(package)), package)):
            digest.update(f"{name}\0".encode() + content + b"\0")
    return digest.hexdigest()


@cache
def forms_fingerprint() -> str:
    """SHA-256 over what decides of which log, node and form a file is."""
    package = "pipeline.kafka"
    forms = (
        one
        for one in sorted(read_knowledge_files(files(full_module_name(package)), package))
        if one[0] in FORMS
    )
    return hashlib.sha256(
        b"".join(name.encode() + b"\0" + content + b"\0" for name, content in forms)
    ).hexdigest()


def read_knowledge_files(folder: Traversable, name: str) -> list[tuple[str, bytes]]:
    """By name; the same wherever the packages lie."""
    found: list[tuple[str, bytes]] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += (
                read_knowledge_files(entry, f"{name}/{entry.name}") if entry.name != "__pycache__" else []
            )
        elif entry.name.endswith((".py", ".tsv")) and f"{name}/{entry.name}" not in NOT_KNOWLEDGE:
            found.append((f"{name}/{entry.name}", entry.read_bytes().replace(PREFIX.encode(), b"")))
    return found
