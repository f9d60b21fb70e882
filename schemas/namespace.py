"""Where the packages of this product lie: on their own in a checkout, below one of its own in the wheel."""

PREFIX = __name__.removesuffix("schemas.namespace")


def full_module_name(module: str) -> str:
    """The full name of a module or package that is named as in a checkout."""
    return PREFIX + module
