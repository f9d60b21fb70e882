"""A table's declaration by its name, without the kernels that build the tables."""

from importlib import import_module

from schemas.namespace import full_module_name
from schemas.spec import TableSpec


def spec_of(name: str) -> TableSpec:
    """`layer.table`, as `schemas.<layer>.<table>` declares it."""
    spec: TableSpec = import_module(full_module_name(f"schemas.{name}")).SPEC
    return spec
