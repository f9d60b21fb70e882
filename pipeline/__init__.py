"""Audit of Kafka controllers; `read`, `snapshot`, `make_views` and `clusters` are for notebooks and other programs.

They come on first use, so that the modules below that need no Spark do not import it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from schemas.namespace import full_module_name

if TYPE_CHECKING:
    from pipeline.store.reading import clusters, make_views, read, snapshot

__all__ = ["clusters", "make_views", "read", "snapshot"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module(full_module_name("pipeline.store.reading")), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
