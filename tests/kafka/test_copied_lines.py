"""Lines that were copied from a page, a ticket or a terminal: blanks are gone, and long lines were broken."""

import re

import pyarrow as pa

from pipeline.core.template import Template
from pipeline.kafka.wording.templates import matcher
from tests.oracle.rendering import instances
from tests.oracle.values import hard


def on_a_page(template: str) -> str:
    """A run of blanks is shown as one, and those at the ends are not."""
    return re.sub("  +", " ", template).strip(" ")


def test_every_row_without_the_blanks_that_a_page_takes() -> None:
    rendered = [one for one in instances(hard, 0) if on_a_page(one.wording.text) != one.wording.text]
    shown = [Template("", "", on_a_page(one.wording.text)).render(one.texts) for one in rendered]
    assert len(rendered) > 30
    loggers = [one.wording.logger for one in rendered]
    found = matcher().match(pa.array(loggers), pa.array(shown)).template.tolist()
    events = [matcher().templates[number].name if number >= 0 else None for number in found]
    expected = [one.wording.event for one in rendered]
    assert [
        (one, event, text) for one, event, text in zip(expected, events, shown, strict=True) if event != one
    ] == []
