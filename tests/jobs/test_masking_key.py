"""Masking without a key that is long enough: who asked for it, and where."""

from pathlib import Path

import pytest

from jobs.settings.load import load_settings
from jobs.settings.places import setting_place
from pipeline.core.errors import SettingsError


def write(folder: Path, text: str) -> Path:
    file = folder / "own.yaml"
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("text", "environ", "asked", "found"),
    [
        ("zone: UTC\nmasking:\n  kinds: [hosts]\n", {}, "masking.kinds in {file} (line 3)", "none"),
        ("masking: {patterns: [{name: a, pattern: x}]}", {}, "masking.patterns in {file} (line 1)", "none"),
        ("{}", {"KCA_MASKING__KINDS": "[hosts]"}, "masking.kinds in KCA_MASKING__KINDS", "none"),
        (
            "masking: {kinds: [hosts]}",
            {"KCA_MASKING__KEY": "brief"},
            "masking.kinds in {file} (line 1)",
            "a shorter one in KCA_MASKING__KEY",
        ),
        (
            "masking:\n  key: brief\n  kinds: [hosts]\n",
            {},
            "masking.kinds in {file} (line 3)",
            "a shorter one in {file} (line 2)",
        ),
    ],
)
def test_who_asks_for_a_key_that_is_missing_is_told(
    tmp_path: Path, text: str, environ: dict[str, str], asked: str, found: str
) -> None:
    file = write(tmp_path, text)
    with pytest.raises(SettingsError) as problem:
        load_settings(file, environ=environ)
    words = f"Expected a key of at least 16 characters, as {asked} asks for masking, found {found}; "
    assert str(problem.value).startswith(words.format(file=file))
    assert "brief" not in str(problem.value)


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ("a: 1\nb:\n  c: 2\n", "b.c", 3),
        ("b:\n- {c: 1}\n- d: 2\n", "b.1.d", 3),
        ("b:\n- {c: 1}\n", "b.0.nothing", 2),
        ("a: [", "a", None),
        ("", "a", None),
    ],
)
def test_a_setting_stands_in_a_line(tmp_path: Path, text: str, key: str, line: int | None) -> None:
    file = write(tmp_path, text)
    assert setting_place(str(file), key) == (f"{file} (line {line})" if line else str(file))
    assert setting_place("--zone", "zone") == "--zone"
