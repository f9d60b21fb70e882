"""This product's own version."""

from importlib.metadata import PackageNotFoundError, version


def product_version() -> str:
    try:
        return version("kafka-controller-audit")
    except PackageNotFoundError:
        return "not installed"
