"""`python -m jobs.docs [FOLDER]` writes DECISIONS.md and what is generated in README.md and docs/ (`make docs`)."""

import sys
from importlib.resources import files
from pathlib import Path

from jobs.documentation.commands import commands_part
from jobs.documentation.decisions import write_index
from jobs.documentation.playbooks import playbooks_part
from jobs.documentation.short_screen import short_screen
from jobs.documentation.tables import columns_part, facts_part
from jobs.explain.folding import fold_record_group
from jobs.explain.text import explanation_lines
from pipeline.catalog.docs import fill_blocks, generated_blocks
from pipeline.kafka.reading.pasted import read_pasted_text
from schemas.namespace import full_module_name

EXAMPLE_WIDTH = 100
# tests/data/sample/lab-2.2.2/broker-2/state-change.log, lines 1339 and 1340.
EXAMPLE = b"""\
[2026-11-21 09:00:21,682] ERROR [Controller id=2 epoch=8] Controller 2 epoch 8 initiated state change of replica 1 \
for partition payments-1 from OfflineReplica to ReplicaDeletionIneligible failed (state.change.logger)
java.lang.IllegalStateException: Replica [Topic=payments,Partition=1,Replica=1] should be in the \
ReplicaDeletionStarted states before moving to ReplicaDeletionIneligible state. Instead it is in OfflineReplica state
"""


def main(folder: Path) -> int:
    """Exit code 0; a file is written only if something in it is stale."""
    made = generated_parts(folder)
    for document in documentation_files(folder):
        text = document.read_text(encoding="utf-8")
        fresh = fill_blocks(text, made)
        if fresh != text:
            document.write_text(fresh, encoding="utf-8")
    write_index(folder)
    return 0


def documentation_files(folder: Path) -> list[Path]:
    """What a reader of the project is given to read."""
    pages = (folder / "pipeline" / "rules").glob("*/playbook.md")
    return [folder / "README.md", *sorted((folder / "docs").rglob("*.md")), *sorted(pages)]


def generated_parts(folder: Path) -> dict[str, str]:
    """Every generated part by the name of its markers, which stand in one document each."""
    screen = (folder / "docs" / "first-screen.md").read_text(encoding="utf-8")
    defaults = files(full_module_name("jobs.settings")).joinpath("defaults.yaml").read_text(encoding="utf-8")
    return generated_blocks(defaults) | {
        "explain": explained_example(),
        "playbooks": playbooks_part(),
        "short-screen": short_screen(screen),
        "commands": commands_part(),
        "columns": columns_part(),
        "facts": facts_part(),
    }


def explained_example() -> str:
    """What `explain` prints for a line of the sample."""
    found = read_pasted_text(EXAMPLE)
    return "\n".join(
        ["```", *explanation_lines(fold_record_group(found.records[:1]), None, EXAMPLE_WIDTH), "```"]
    )


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
