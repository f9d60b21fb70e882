"""A bit that turns in a file of an answer: readers say the same as before, or refuse; never anything else."""

from pathlib import Path
from random import Random

import pytest
from polars.exceptions import PolarsError

from pipeline.core.conditions import Compared
from pipeline.core.errors import WarehouseDamaged
from pipeline.store.files.local_files import LocalFiles
from pipeline.store.runs.published import LAST_RUN, last_row
from pipeline.store.tables.direct_reading import read_directly
from schemas.gold import finding
from tests.store.stating import put, rows
from tests.store.turning import COMMANDS, answer_files, made, rows_of, said, table_of, turned

# Files that are tried, each at so many places.
FEW, ALL, MANY, MANY_ASKED = 24, 1000, 60, 20
RUNS = "ops/run/_delta_log"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("whole"))


@pytest.mark.parametrize(("count", "places"), [(FEW, 1), pytest.param(ALL, MANY, marks=pytest.mark.soak)])
def test_rows_of_each_answer_are_the_same_or_refused(count: int, places: int, cluster: Path) -> None:
    random, refused, files = Random(52), 0, answer_files(cluster)  # noqa: S311  (places, no secret)
    for path in random.sample(files, min(count, len(files))):
        name = table_of(cluster, path)
        before = rows_of(cluster, name)
        assert before
        for _ in range(places):
            with turned(path, random) as place:
                found = rows_of(cluster, name)
                assert found in ((), before), f"bit {place} of {path}"
                refused += not found
    assert refused > places * min(count, len(files)) // 3


@pytest.mark.parametrize("places", [1, pytest.param(MANY_ASKED, marks=pytest.mark.soak)])
@pytest.mark.parametrize("command", COMMANDS)
def test_commands_answer_the_same_or_refuse(
    command: str, places: int, cluster: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    random = Random(command)  # noqa: S311  (places, no secret)
    before = said(cluster, command, capsys)
    assert before
    of_findings = [one for one in answer_files(cluster) if table_of(cluster, one) == finding.SPEC.name]
    of_runs = [one for one in answer_files(cluster) if table_of(cluster, one) == "ops.run"]
    of_both = [*of_findings, *of_runs]
    for path in random.sample(of_both, len(of_both) if places > 1 else 6):
        for _ in range(places):
            with turned(path, random) as place:
                found = said(cluster, command, capsys)
                assert found in ((), before), f"bit {place} of {path}"


def test_what_polars_cannot_read_of_a_file_without_sums_is_refused_as_damage(tmp_path: Path) -> None:
    cluster = made(tmp_path)
    table = put(cluster, finding.SPEC, rows(cluster, finding.SPEC))
    path = next(table.glob("*.parquet"))
    whole, name = path.read_bytes(), b"ARROW:schema"
    begin = whole.rindex(name) + len(name) + 16
    path.write_bytes(whole[:begin] + b"\0" + whole[begin + 1 :])
    with pytest.raises(WarehouseDamaged, match="ARROW:schema"):
        read_directly(cluster, finding.SPEC, None, None)
    with pytest.raises(PolarsError, match="compare"):
        read_directly(cluster, finding.SPEC, Compared("severity", "=", 1), None)


def test_the_row_beside_the_tables_is_told_as_it_was_written_or_not(cluster: Path) -> None:
    files, folder = LocalFiles(), str(cluster)
    path, random = cluster / LAST_RUN, Random(52)  # noqa: S311  (places, no secret)
    before = last_row(files, folder)
    assert before
    for _ in range(60):
        with turned(path, random):
            found = last_row(files, folder)
            # The name of the sum may be what has turned: then nothing but it is other.
            assert found is None or {name: found.get(name) for name in before} == before


def test_a_commit_of_the_runs_that_is_no_json_any_more_is_told_by_the_copy_of_its_row(
    cluster: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    newest, before = max((cluster / RUNS).glob("*.json")), rows_of(cluster, finding.SPEC.name)
    answers = {command: said(cluster, command, capsys) for command in COMMANDS}
    whole = newest.read_bytes()
    newest.write_bytes(whole.replace(b'{"', b"[", 1))
    try:
        assert rows_of(cluster, finding.SPEC.name) == before
        assert all(said(cluster, one, capsys) in ((), answers[one]) for one in COMMANDS)
        assert said(cluster, "status", capsys)
    finally:
        newest.write_bytes(whole)
