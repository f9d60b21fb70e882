"""Pages of the sample, also with text that would act."""

from datetime import UTC, datetime

import polars as pl

from jobs.questions.window import Window
from jobs.report.page import cluster_section, html_page
from jobs.report.told import cluster_report
from pipeline.core.stored_tables import MemoryTables
from pipeline.views.reading.answers import Answers

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)


HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"' onmouseover='alert(1)' x=\"",
    "</style></pre></title><svg/onload=alert(1)>",
    "a\x00b\x1b[31m\u202egnp.exe\u2066",
    "&lt;b&gt;&#60;",
    "javascript:alert(1)",
    "x" * 100_000,
)


def page_of(answers: Answers, window: Window | None = None, *, is_stored: bool = True) -> str:
    return html_page(
        [cluster_section(cluster_report(answers, window or Window(), "off", is_stored=is_stored))], AT
    )


def altered(answers: Answers, text: str) -> Answers:
    """The same with that text wherever a log or a person names something."""
    tables = MemoryTables()
    assert isinstance(answers.tables, MemoryTables)
    names = ("topic", "path", "sentence", "entity", "suppressed_by", "envelope", "zone", "end_detail")
    for name, rows in answers.tables.rows.items():
        said = [pl.lit(text).alias(one) for one in names if one in rows.columns]
        if name == "gold.finding":
            facts = [{"topic": text, "partition": 0}] * rows.height
            said.append(pl.lit(pl.Series("facts", facts, rows.schema["facts"])))
        if name == "bronze.log_record" and len(text) < 1000:
            said.append(pl.lit(text.encode()).alias("raw"))
        tables.rows[name] = rows.with_columns(said)
    return Answers(text, tables)
