"""The folder that all logs of a cluster lie in: said once, paths stand below it."""

from collections.abc import Iterable


def folder_of(paths: Iterable[str]) -> str:
    """The deepest one that all paths lie in; empty where there is none, as above several disks or stores."""
    parts = [path.split("/")[:-1] for path in paths]
    if not parts:
        return ""
    first, last = min(parts), max(parts)
    same = next((n for n, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), None)
    folder = "/".join(first[: len(min(first, last, key=len)) if same is None else same])
    return "" if folder.endswith(":/") or folder.rstrip("/").endswith(":") else folder


def path_below(path: str, folder: str) -> str:
    """A path as it stands below the folder."""
    return path.removeprefix(f"{folder}/") if folder else path
