"""Builds the wheel with one package of its own: jobs, pipeline and schemas stand below it, as their imports then say.

Only the wheel: an editable install, as `make` makes it, is the folders of the checkout as they are.
"""

import ast
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "kafka_controller_audit"
BELOW = ("jobs", "pipeline", "schemas")
# Folders of the checkout that stand elsewhere in the package.
COPIED = {"conf": "pipeline/store/conf"}
IMPORT = re.compile(rb"^(\s*from )((?:jobs|pipeline|schemas)\b)")
DOCUMENTATION = (
    '"""Audit of Kafka\'s controllers, from their logs; its package `pipeline` reads the tables."""\n'
)


class OnePackage(BuildHookInterface[Any]):
    """What hatchling calls around the build of a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        self.made = Path(tempfile.mkdtemp())
        make(Path(self.root), self.made)
        build_data["force_include"][str(self.made)] = PACKAGE
        scripts = self.metadata.core.scripts
        scripts.update({name: f"{PACKAGE}.{place}" for name, place in scripts.items()})

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002  (as called)
        if version != "editable":
            shutil.rmtree(self.made)


def make(checkout: Path, package: Path) -> None:
    """The content of the package, in a folder that is there."""
    (package / "__init__.py").write_text(DOCUMENTATION)
    for name in BELOW:
        shutil.copytree(
            checkout / name, package / name, ignore=shutil.ignore_patterns("__pycache__", "cases.txt")
        )
    for source, place in COPIED.items():
        shutil.copytree(checkout / source, package / place)
    for path in package.rglob("*.py"):
        path.write_bytes(below(path.read_bytes(), path))


def below(source: bytes, path: Path) -> bytes:
    """The same module with imports of its neighbours below PACKAGE. ValueError: one that this does not rewrite."""
    lines = source.split(b"\n")
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        names = [node.module or "."] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
        if not any(name.partition(".")[0] in ("", *BELOW) for name in names):
            continue
        place = node.lineno - 1
        lines[place], count = IMPORT.subn(rb"\1" + PACKAGE.encode() + rb".\2", lines[place])
        if not count:
            raise ValueError(f"{path}:{node.lineno}: expected `from jobs.module import name`")
    return b"\n".join(lines)
