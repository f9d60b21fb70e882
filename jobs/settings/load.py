"""Where settings come from, which of them wins, and what is said when one is wrong."""

import difflib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from jobs.settings.defaults import default_tree
from jobs.settings.masking import SHORTEST_KEY
from jobs.settings.model import Settings
from jobs.settings.places import setting_place
from pipeline.core.errors import SettingsError

FILE_NAME = "kafka-controller-audit.yaml"
PREFIX = "KCA_"
# Read by the tests, and by `notify`; no settings.
RESERVED = {"KCA_SHARED", "KCA_NOTIFY_URL", "KCA_NOTIFY_ROUTING_KEY"}
KEY_VARIABLE = "KCA_MASKING__KEY"
TODO = "correct it, or take it out to use the default"

Tree = dict[str, Any]


class _TwiceError(yaml.MarkedYAMLError):
    """A key that stands twice."""


class _Loader(yaml.SafeLoader):
    """YAML as it is, but a key that stands twice is an error: one of the two would be lost unsaid."""


def _mapping(loader: _Loader, node: yaml.MappingNode, deep: bool = False) -> Tree:  # noqa: FBT001, FBT002  (as yaml calls it)
    seen: set[object] = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=True)
        if key in seen:
            raise _TwiceError(None, None, f"the key {key} stands twice", key_node.start_mark)
        seen.add(key)
    return {str(key): value for key, value in loader.construct_mapping(node, deep).items()}


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def load_settings(
    conf: Path | None = None,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] = os.environ,
    folder: Path | None = None,
) -> Settings:
    """Defaults < file < environment < flags.

    `conf`: the file given with --conf; None: conf/kafka-controller-audit.yaml of `folder` (the working
    directory) or of the checkout, if there is one. `flags`: keys as in the file, without those not given.
    SettingsError: the first thing that is wrong, with file, key, expected and found.
    """
    merged: Tree = {}
    sources: dict[str, str] = {}
    for tree, origin in _trees(conf, flags or {}, environ, folder or Path.cwd()):
        _overlay(merged, tree, origin, sources)
    try:
        settings = Settings.model_validate(merged)
    except ValidationError as problem:
        raise _sentence(problem, sources) from None
    settings._sources.update(sources)
    return settings


def _trees(
    conf: Path | None, flags: Mapping[str, Any], environ: Mapping[str, str], folder: Path
) -> Iterator[tuple[Tree, str]]:
    yield default_tree(), "defaults"
    file = conf or settings_file_in(folder)
    if file is not None:
        yield _parse(_read(file), str(file)), str(file)
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in RESERVED:
            yield _from_variable(name, environ[name]), name
    for key, value in flags.items():
        yield {key: value}, f"--{key.replace('_', '-')}"


def settings_file_in(folder: Path) -> Path | None:
    checkout = Path(__file__).resolve().parents[2]
    files_ = (place / "conf" / FILE_NAME for place in (folder, checkout))
    return next((file for file in files_ if file.is_file()), None)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        found = problem.strerror if isinstance(problem, OSError) else "bytes that are no UTF-8"
        raise SettingsError(
            expected=f"settings that can be read in {file}",
            found=str(found),
            todo="give the path of a YAML file",
        ) from None


def _parse(text: str, origin: str) -> Tree:
    try:
        tree = yaml.load(text, _Loader)  # noqa: S506  (_Loader is a SafeLoader)
    except yaml.YAMLError as problem:
        raise _no_yaml(problem, origin) from None
    if tree is not None and not isinstance(tree, dict):
        raise SettingsError(
            expected=f"keys with values in {origin}",
            found=f"a {type(tree).__name__}",
            todo="write `key: value`",
        )
    return tree or {}


def _from_variable(name: str, text: str) -> Tree:
    """KCA_LIMITS__RANGE_BYTES=1 is {limits: {range_bytes: 1}}; the value is YAML, that of KEY_VARIABLE as it stands."""
    try:
        value = text if name == KEY_VARIABLE else yaml.load(text, _Loader)  # noqa: S506  (_Loader is a SafeLoader)
    except yaml.YAMLError as problem:
        raise _no_yaml(problem, name) from None
    *outer, last = name.removeprefix(PREFIX).lower().split("__")
    tree: Tree = {last: value}
    for key in reversed(outer):
        tree = {key: tree}
    return tree


def _no_yaml(problem: yaml.YAMLError, origin: str) -> SettingsError:
    """Where it stops being YAML, without the text, which may hold the key of masking."""
    mark = getattr(problem, "problem_mark", None)
    place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
    is_of_form = isinstance(problem, (yaml.scanner.ScannerError, yaml.parser.ParserError, _TwiceError))
    said = getattr(problem, "problem", "") if is_of_form else "what YAML does not know"
    return SettingsError(
        expected=f"YAML in {origin}", found=f"{said}{place}", todo="correct it, or put values in quotes"
    )


def _overlay(base: Tree, tree: Tree, origin: str, sources: dict[str, str], path: str = "") -> None:
    """Lay `tree` over `base`, key by key; lists are replaced whole. `sources` learns who said what."""
    for key, value in tree.items():
        dotted = f"{path}{key}"
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            _overlay(base[key], value, origin, sources, f"{dotted}.")
            sources.setdefault(dotted, origin)
            continue
        base[key] = value
        sources[dotted] = origin
        if isinstance(value, dict):
            base[key] = {}
            _overlay(base[key], value, origin, sources, f"{dotted}.")


def _sentence(problem: ValidationError, sources: Mapping[str, str]) -> SettingsError:
    error = problem.errors(include_url=False)[0]
    parts = [str(part) for part in error["loc"] if part != "[key]"]
    key = ".".join(parts)
    prefixes = [".".join(parts[:end]) for end in range(len(parts), 0, -1)]
    origin = next((sources[prefix] for prefix in prefixes if prefix in sources), "defaults")
    if error["type"] == "extra_forbidden":
        near = difflib.get_close_matches(parts[-1], _known(sources, ".".join(parts[:-1])), 1)
        hint = (
            f"write {near[0]}, or take it out"
            if near
            else "take it out; docs/reference/settings.md lists all keys"
        )
        return SettingsError(expected=f"known keys in {origin}", found=f"the unknown key {key}", todo=hint)
    if parts == ["masking"] and error["type"] == "value_error":
        return _no_key(error["input"], sources)
    reason = error["ctx"]["error"] if error["type"] == "value_error" else _wanted(error["msg"])
    is_secret = parts in (["masking"], ["masking", "key"])
    found = "another, which is not shown" if is_secret else repr(error["input"])
    return SettingsError(expected=f"{key} in {origin} to be {reason}", found=found, todo=TODO)


def _no_key(masking: Mapping[str, Any], sources: Mapping[str, str]) -> SettingsError:
    """Masking is on without a key that is long enough."""
    asked = next(f"masking.{name}" for name in ("kinds", "patterns") if masking[name])
    own = sources["masking.key"]
    return SettingsError(
        expected=f"a key of at least {SHORTEST_KEY} characters, as {asked} in {setting_place(sources[asked], asked)} "
        "asks for masking",
        found=f"a shorter one in {setting_place(own, 'masking.key')}" if masking["key"] else "none",
        todo=f"set {KEY_VARIABLE} in the environment, or take {asked} out to mask nothing",
    )


def _known(sources: Mapping[str, str], parent: str) -> list[str]:
    """Keys of the defaults below `parent`."""
    dotted = f"{parent}." if parent else ""
    return [
        key.removeprefix(dotted)
        for key, origin in sources.items()
        if origin == "defaults" and key.startswith(dotted) and "." not in key.removeprefix(dotted)
    ]


def _wanted(message: str) -> str:
    """'Input should be greater than 0' says 'greater than 0'."""
    return _one_line(message.removeprefix("Input should be ").removeprefix("a valid ").split(", unable")[0])


def _one_line(text: str) -> str:
    return " ".join(text.split())
