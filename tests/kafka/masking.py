"""Records masked in each form, and the lines that they are of."""

from typing import Any

from pipeline.kafka.reading.masking import KINDS, Masking
from pipeline.kafka.reading.reader import ARROW_SCHEMA, ReadSettings
from tests.kafka.masks import PRINTED
from tests.kafka.reading import read_table
from tests.oracle.rendering import HEAD

KEY = b"a key of the tests"


ALL = Masking(KINDS, (), KEY)


FORMS = [(kind, text) for kind, texts in PRINTED.items() for text in texts]


SAME = [
    one.name
    for one in ARROW_SCHEMA
    if one.name not in ("raw", "fields", "reason", "exception_class", "exception_message")
]


LINE = HEAD + "{} (kafka.controller.KafkaController)\n"


def of(*kinds: str) -> Masking:
    return Masking(kinds, (), KEY)


def rows(data: bytes, masking: Masking | None = ALL, **changed: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read_table(
        data, settings=ReadSettings(masking=masking), log="mixed", **changed
    ).to_pylist()
    return found
