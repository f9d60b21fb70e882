"""The style and the script of a page: files beside this one, also from inside an archive."""

from importlib.resources import files

from schemas.namespace import full_module_name


def read_page_source(name: str) -> str:
    return files(full_module_name("jobs.report")).joinpath(name).read_text(encoding="utf-8")
