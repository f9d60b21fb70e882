"""A surrounding in which no Java is found."""

import os

from tests.conftest import REPOSITORY


def without_java() -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if "SPARK" not in name}
    return kept | {"JAVA_HOME": "/no/java", "PYTHONPATH": str(REPOSITORY)}
