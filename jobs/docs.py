"""`python -m jobs.docs [FOLDER]` (`make docs`) writes DECISIONS.md, the settings in conf/, and what is made in docs."""

import sys
from pathlib import Path

from jobs.documentation.commands import commands_part
from jobs.documentation.decisions import write_index
from jobs.documentation.playbooks import playbooks_part
from jobs.documentation.questions import questions_part
from jobs.documentation.settings import CONF_FILE, settings_file, settings_part
from jobs.documentation.tables import columns_part, facts_part
from jobs.explain.folding import fold_record_group
from jobs.explain.text import explanation_lines
from pipeline.catalog.docs import fill_blocks, generated_blocks
from pipeline.kafka.reading.pasted import read_pasted_text

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
        write_if_stale(document, fill_blocks(document.read_text(encoding="utf-8"), made))
    write_index(folder)
    write_if_stale(folder / CONF_FILE, settings_file())
    return 0


def write_if_stale(file: Path, fresh: str) -> None:
    if file.read_text(encoding="utf-8") != fresh:
        file.write_text(fresh, encoding="utf-8")


def documentation_files(folder: Path) -> list[Path]:
    """What a reader of the project is given to read."""
    pages = (folder / "pipeline" / "rules").glob("*/playbook.md")
    return [folder / "README.md", *sorted((folder / "docs").rglob("*.md")), *sorted(pages)]


def generated_parts(folder: Path) -> dict[str, str]:
    """Every generated part by the name of its markers, which stand in one document each."""
    screen = (folder / "docs" / "first-screen.md").read_text(encoding="utf-8")
    return generated_blocks() | {
        "settings": settings_part(),
        "explain": explained_example(),
        "playbooks": playbooks_part(),
        "readme-screen": block_between(screen, "first-screen"),
        "commands": commands_part(),
        "questions": questions_part(),
        "columns": columns_part(),
        "facts": facts_part(),
    }


def block_between(document: str, name: str) -> str:
    """What stands between the markers of that name. IndexError: there are none."""
    return document.split(f"<!-- {name}:start -->\n")[1].split(f"\n<!-- {name}:end -->", maxsplit=1)[0]


def explained_example() -> str:
    """What `explain` prints for a line of the sample."""
    found = read_pasted_text(EXAMPLE)
    return "\n".join(
        ["```", *explanation_lines(fold_record_group(found.records[:1]), None, EXAMPLE_WIDTH), "```"]
    )


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
