"""Where a setting stands, for people: its file and line, else the variable or flag that says it."""

from pathlib import Path

import yaml


def setting_place(origin: str, key: str) -> str:
    """origin: a file, or what else said it; key: with dots between its parts, numbers for items of lists."""
    number = line_of_key(origin, key)
    return origin if number is None else f"{origin} (line {number})"


def line_of_key(origin: str, key: str) -> int | None:
    """Line of the key, or of the nearest one above it that is there; None where the origin is no file of YAML."""
    try:
        node = yaml.compose(Path(origin).read_text(encoding="utf-8"), yaml.SafeLoader)
    except (OSError, ValueError, yaml.YAMLError):
        return None
    found = None
    for part in key.split("."):
        if isinstance(node, yaml.MappingNode):
            pair = next((one for one in node.value if one[0].value == part), None)
        elif isinstance(node, yaml.SequenceNode) and part.isdecimal() and int(part) < len(node.value):
            pair = (node.value[int(part)],) * 2
        else:
            pair = None
        if pair is None:
            break
        found, node = pair[0].start_mark.line + 1, pair[1]
    return found
