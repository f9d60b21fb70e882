"""`python -m jobs.docs [README.md]`: writes the generated parts of the README anew; `make docs` calls it."""

import sys
from importlib.resources import files
from pathlib import Path

from pipeline.catalog.docs import blocks, filled


def main(readme: Path) -> int:
    """Exit code 0; the file is written only if something in it is stale."""
    text = readme.read_text(encoding="utf-8")
    fresh = refreshed(text)
    if fresh != text:
        readme.write_text(fresh, encoding="utf-8")
    return 0


def refreshed(text: str) -> str:
    """The text of a README with its generated parts as they should be."""
    defaults = files("jobs").joinpath("defaults.yaml").read_text(encoding="utf-8")
    return filled(text, blocks(defaults))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "README.md")))
