"""The damage table: of each kind of damage and each table what doctor, readers, a night and repair make of it."""

import contextlib
import io
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from jobs import cli
from pipeline.catalog.tables import SPECS
from pipeline.core.errors import WarehouseDamaged
from tests.mending.damaged import CLUSTER, given, rows, seen
from tests.mending.kinds import OF_CLUSTERS, OF_TABLES, ClusterAct
from tests.store.damaging import Act

READERS = ("status", "findings")
TOLD = WarehouseDamaged.exit_code
WHOLE, UNTOLD = "whole", ""
LOST = ("lost for good", "lost_in_warehouse")
ALL = "(cluster)"
HEAD = ("KIND", "TABLE", "doctor", *READERS, "night", "repair", "then", "rows")


@dataclass(frozen=True)
class Said:
    code: int
    text: str


@dataclass(frozen=True)
class Row:
    """doctor: told, or whole. readers: refused, same, said (the same, and what is damaged), or other. night, repair, then (the night after): exit codes.
    rows: twin, as of a warehouse that was never damaged; said, where they are not and somebody said what is lost; else
    which tables differ. Nothing: it was not asked."""

    kind: str
    table: str
    doctor: str
    readers: tuple[str, ...]
    night: str = UNTOLD
    repair: str = UNTOLD
    then: str = UNTOLD
    rows: str = UNTOLD

    def cells(self) -> tuple[str, ...]:
        asked = (self.doctor, *self.readers, self.night, self.repair, self.then, self.rows)
        marked = (f"{one}!" if is_wrong else one for one, is_wrong in zip(asked, self.wrong(), strict=True))
        return self.kind, self.table, *marked

    def wrong(self) -> tuple[bool, ...]:
        """By cell. Doctor may say nothing of what costs nobody anything."""
        is_harmless = (
            set(self.readers) == {"same"} and self.night in (UNTOLD, "0") and self.rows in (UNTOLD, "twin")
        )
        return (
            self.doctor != "told" and not (self.doctor == WHOLE and is_harmless),
            *(one not in ("same", "said", "refused") for one in self.readers),
            self.night not in (UNTOLD, "0", str(TOLD)),
            self.repair not in (UNTOLD, "0"),
            self.then not in (UNTOLD, "0"),
            self.rows not in (UNTOLD, "twin", "said"),
        )


Night = Callable[[list[str]], int]
Damage = Callable[[Path], bool]


def damages() -> Iterator[tuple[str, str, Damage]]:
    """Kind, table, and what does it to a folder of logs and warehouses."""
    for kind, act in OF_TABLES.items():
        for name in (one.name for one in SPECS):
            yield kind, name, partial(to_table, act, name)
    for kind, of_cluster in OF_CLUSTERS.items():
        yield kind, ALL, partial(to_cluster, of_cluster)


def to_table(act: Act, name: str, folder: Path) -> bool:
    version = seen(folder).versions[name]
    return act(folder / "warehouse" / CLUSTER / name.replace(".", "/"), version)


def to_cluster(act: ClusterAct, folder: Path) -> bool:
    return act(folder / "warehouse" / CLUSTER, folder / "before" / CLUSTER)


def row_of(
    whole: Path,
    folder: Path,
    kind: str,
    table: str,
    act: Damage,
    *,
    is_mended: bool,
    night: Night | None = None,
) -> Row | None:
    """whole: what `made` made. folder: where a copy of it is damaged, and left. is_mended: nights and repair are asked,
    too. night: runs one and gives its exit code; the command, which starts Spark, if none is given. None: there is
    nothing of the kind to damage."""
    shutil.copytree(whole, folder)
    before = {one: asked(one, folder) for one in READERS}
    if not act(folder):
        return None
    doctor = asked("doctor", folder)
    told = {0: WHOLE, TOLD: "told"}.get(doctor.code, f"exit {doctor.code}")
    readers = tuple(compared(asked(one, folder), before[one]) for one in READERS)
    if not is_mended:
        return Row(kind, table, told, readers)
    jobs = (night or partial(run_command, "nightly"), partial(run_command, "repair"))
    first, mended, then = (said(job, given(folder)) for job in (*jobs, jobs[0]))
    ended = left(whole, folder, (first, mended, then))
    return Row(kind, table, told, readers, str(first.code), str(mended.code), str(then.code), ended)


def left(whole: Path, folder: Path, told: Iterable[Said]) -> str:
    """What the rows are in the end."""
    texts = "".join(one.text for one in (*told, asked("doctor", folder)))
    try:
        found, expected = rows(folder), rows(whole)
    except KeyError as none:
        return f"no {none.args[0]}"
    differing = [one for one in found if found[one] != expected[one]]
    if not differing:
        return "twin"
    return "said" if any(one in texts for one in LOST) else ",".join(differing)


def compared(found: Said, before: Said) -> str:
    if found == before:
        return "same"
    if found.code == before.code and found.text.startswith(before.text) and "'repair'" in found.text:
        return "said"
    return "refused" if found.code == TOLD else "other" if found.code == 0 else f"exit {found.code}"


def asked(command: str, folder: Path) -> Said:
    return said(partial(run_command, command), given(folder)[2:])


def run_command(name: str, arguments: list[str]) -> int:
    return cli.main([name, *arguments])


def said(job: Night, arguments: list[str]) -> Said:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = job(arguments)
    return Said(code, out.getvalue() + err.getvalue())


def printed(found: Iterable[Row]) -> Iterator[str]:
    """A line a row, as they come, and how many cells are wrong; one that is has an exclamation mark."""
    wrong = count = 0
    yield line(HEAD)
    for one in found:
        count, wrong = count + 1, wrong + sum(one.wrong())
        yield line(one.cells())
    yield f"{count} damages, {wrong} wrong cells"


def line(cells: Iterable[str]) -> str:
    widths = (40, 28, *(9 for _ in HEAD[2:]))
    return " ".join(f"{one:<{width}}" for one, width in zip(cells, widths, strict=True)).rstrip()
