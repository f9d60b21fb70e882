"""`python -m jobs.docs [README.md]`: writes the generated parts of the README anew; `make docs` calls it."""

import sys
from importlib.resources import files
from pathlib import Path

from jobs.explain.folding import alike
from jobs.explain.text import as_lines
from pipeline.catalog.docs import blocks, filled
from pipeline.kafka.reading.pasted import pasted
from schemas.namespace import named

EXAMPLE_WIDTH = 100
# tests/data/sample/lab-2.2.2/broker-2/state-change.log, lines 1339 and 1340.
EXAMPLE = b"""\
[2026-11-21 09:00:21,682] ERROR [Controller id=2 epoch=8] Controller 2 epoch 8 initiated state change of replica 1 \
for partition payments-1 from OfflineReplica to ReplicaDeletionIneligible failed (state.change.logger)
java.lang.IllegalStateException: Replica [Topic=payments,Partition=1,Replica=1] should be in the \
ReplicaDeletionStarted states before moving to ReplicaDeletionIneligible state. Instead it is in OfflineReplica state
"""


def main(readme: Path) -> int:
    """Exit code 0; the file is written only if something in it is stale."""
    text = readme.read_text(encoding="utf-8")
    fresh = refreshed(text)
    if fresh != text:
        readme.write_text(fresh, encoding="utf-8")
    return 0


def refreshed(text: str) -> str:
    """The text of a README with its generated parts as they should be."""
    defaults = files(named("jobs.settings")).joinpath("defaults.yaml").read_text(encoding="utf-8")
    return filled(text, blocks(defaults) | {"explain": explained_example()})


def explained_example() -> str:
    """What `explain` prints for a line of the sample."""
    found = pasted(EXAMPLE)
    return "\n".join(["```", *as_lines(alike(found.records[:1]), None, EXAMPLE_WIDTH), "```"])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "README.md")))
