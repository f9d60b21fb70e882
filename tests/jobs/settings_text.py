"""Settings from text, as a file of settings has it."""

from pathlib import Path

from jobs.settings.load import load_settings
from jobs.settings.model import Settings


def write(folder: Path, text: str) -> Path:
    file = folder / "own.yaml"
    file.write_text(text)
    return file


def from_text(folder: Path, text: str) -> Settings:
    return load_settings(write(folder, text), environ={})
