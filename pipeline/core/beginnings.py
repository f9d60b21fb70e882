"""Beginnings of what a regular expression matches."""

import re

_ATOM = re.compile(r"\\x[0-9A-Fa-f]{2}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^()\[\]\\]", re.DOTALL)
_QUANTIFIER = re.compile(r"(?:[*+?]|\{\d+(?:,\d*)?\})\??")
_TIMES = re.compile(r"\{(\d+)\}")
_GROUP = "(?:"


def beginning_of(pattern: str) -> str:
    """What matches each beginning of what `pattern` matches, down to letters, classes, and what a quantifier other than
    {n} or ? stands behind.

    pattern: in the syntax that Python's re and RE2 share; of groups it has (?:...) only.
    """
    return "|".join(_of_sequence(one) for one in _alternatives(pattern))


def _of_sequence(pattern: str) -> str:
    nested = ""
    for atom in reversed(_atoms(pattern)):
        nested = f"{atom}(?:{nested})?" if nested else atom
        inside = atom.removesuffix("?")
        if inside.startswith(_GROUP) and inside.endswith(")"):
            nested = f"(?:{nested}|{beginning_of(inside[len(_GROUP) : -1])})"
    return nested


def _alternatives(pattern: str) -> list[str]:
    found, at = [""], 0
    while at < len(pattern):
        end = _end_of_atom(pattern, at)
        if pattern[at] == "|":
            found.append("")
        else:
            found[-1] += pattern[at:end]
        at = end
    return found


def _atoms(pattern: str) -> list[str]:
    atoms, at = list[str](), 0
    while at < len(pattern):
        end = _end_of_atom(pattern, at)
        times = _TIMES.match(pattern, end)
        if times:
            atoms += [pattern[at:end]] * int(times[1])
            at = times.end()
        else:
            quantifier = _QUANTIFIER.match(pattern, end)
            stop = quantifier.end() if quantifier else end
            atoms.append(pattern[at:stop])
            at = stop
    return atoms


def _end_of_atom(pattern: str, at: int) -> int:
    """Behind the letter, class or group that begins at that place."""
    depth = 0
    while True:
        if pattern[at] in "()":
            depth += 1 if pattern[at] == "(" else -1
            at += 1
        else:
            found = _ATOM.match(pattern, at)
            if found is None:
                raise ValueError(f"no regular expression from {pattern[at:]!r} on")
            at = found.end()
        if not depth:
            return at
