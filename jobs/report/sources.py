"""The style and the script of a page: files beside this one, also from inside an archive."""

from importlib.resources import files

from schemas.namespace import named


def source(name: str) -> str:
    return files(named("jobs.report")).joinpath(name).read_text(encoding="utf-8")
