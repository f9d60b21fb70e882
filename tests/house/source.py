"""The source files that the rules of the house are about."""

import ast
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def python_files(*folders: str) -> list[Path]:
    return sorted(file for folder in folders for file in (REPOSITORY / folder).rglob("*.py"))


def short(file: Path) -> str:
    return file.relative_to(REPOSITORY).as_posix()


def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"), str(file))
