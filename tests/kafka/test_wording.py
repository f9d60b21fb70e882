"""Every row of the template tables: rendered with values of its fields, and read back as exactly these."""

import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pipeline.core.template import quote_literal
from pipeline.kafka.facts import fact_table_columns, read_fact_table
from pipeline.kafka.wording.exception_lines import line_matcher
from pipeline.kafka.wording.templates import COLUMN_TYPES, field_kinds, template_matcher, template_rows
from tests.oracle import rows
from tests.oracle.rendering import (
    Coincidence,
    Instance,
    coincidence,
    instances,
    is_stated,
    matches,
    misread,
    stated,
)
from tests.oracle.values import admitted, hard, is_free

TURNS = 3
PATTERNS = sorted({row["pattern"] for name, row in rows.fields().items() if not is_free(name)})
POOLS = st.fixed_dictionaries(
    {pattern: st.lists(admitted(pattern), min_size=TURNS, max_size=TURNS) for pattern in PATTERNS}
)
QUIET = settings(
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],  # what is wrong names its row: nothing to shrink
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)


def unexplained(rendered: Sequence[Instance]) -> list[str]:
    return [
        str(one) for one in misread(rendered) if one.coincidence is None or not is_stated(one.coincidence)
    ]


@pytest.mark.parametrize("turn", range(4))
def test_every_row_with_hard_values(turn: int) -> None:
    assert not unexplained(list(instances(hard, turn)))


@pytest.mark.soak
@pytest.mark.parametrize("turn", range(4, 200))
def test_every_row_with_every_hard_value(turn: int) -> None:
    assert not unexplained(list(instances(hard, turn)))


def generated(pools: dict[str, list[str]], turn: int) -> list[str]:
    """What was not read back of TURNS instances of every row; fields of free text have hard values."""

    def pool(name: str) -> Sequence[str]:
        return hard(name) if is_free(name) else pools[rows.fields()[name]["pattern"]]

    return unexplained([one for n in range(TURNS) for one in instances(pool, turn + n)])


@settings(QUIET, max_examples=1)
@given(pools=POOLS, turn=st.integers(0, 1000))
def test_every_row_with_generated_values(pools: dict[str, list[str]], turn: int) -> None:
    assert not generated(pools, turn)[:5]


@pytest.mark.soak
@settings(QUIET, max_examples=300)
@given(pools=POOLS, turn=st.integers(0, 1000))
def test_every_row_with_many_generated_values(pools: dict[str, list[str]], turn: int) -> None:
    assert not generated(pools, turn)[:5]


def observed(turns: int) -> set[Coincidence]:
    """Coincidences of one release; of others only those that change what is read."""
    by_logger: dict[str, list[rows.Wording]] = {}
    for wording in rows.wordings():
        by_logger.setdefault(wording.logger, []).append(wording)
    found = {
        coincidence(one.wording, other)
        for turn in range(turns)
        for one in instances(hard, turn)
        for other in by_logger[one.wording.logger]
        if other is not one.wording and matches(other, one)
    }
    return {one for one in found if one.releases == "same" or one.outcome != "wins" or one.event != one.other}


def test_texts_of_two_rows_have_one_meaning_or_a_stated_order() -> None:
    found = observed(3)
    assert not {one for one in found if one.event != one.other and one.outcome != "wins"}
    assert not {one for one in found if not is_stated(one)}


@pytest.mark.soak
def test_what_is_stated_of_two_rows_holds() -> None:
    misreads = [one.coincidence for turn in range(60) for one in misread(list(instances(hard, turn)))]
    held = {form for one in [*observed(60), *misreads] if one is not None for form in one.forms()}
    assert set(stated()) == {one for one in stated() if one in held}


def test_no_wording_stands_twice() -> None:
    seen = [(row["logger"], row["template"]) for row in template_rows()]
    assert len(seen) == len(set(seen))


def test_fields_are_declared_and_used() -> None:
    templates = (*template_matcher().templates, *line_matcher().templates)
    used = {name for template in templates for name in template.fields}
    assert used == set(field_kinds())
    assert {kind.column for kind in field_kinds().values()} - {""} == set(COLUMN_TYPES)
    assert {row["field"] for row in read_fact_table("wording/compounds.tsv")} <= used


def test_blanks_at_the_end_are_kept() -> None:
    assert any(row["template"].endswith(" ") for row in template_rows())


def test_quote_is_literal() -> None:
    assert re.fullmatch(quote_literal("a.(b)[c]{d}|$^*+?\\"), "a.(b)[c]{d}|$^*+?\\")


def test_every_table_of_facts_is_declared_and_as_declared() -> None:
    folder = Path(str(files("pipeline.kafka")))
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*.tsv")}
    assert there == set(fact_table_columns())
    assert all(column.meaning for columns in fact_table_columns().values() for column in columns)
    for name in sorted(there):
        assert read_fact_table(name), name
