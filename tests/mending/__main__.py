"""`python -m tests.mending`: the damage table, kinds by tables; with --told what doctor and readers say alone.

Nights are run without Spark, as those of small clusters of a fleet are, which turn to it where they need it; --spark: all
with it."""

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from jobs import nightly
from pipeline.core.errors import NeedsSpark
from tests.mending.damage_table import Row, damages, printed, row_of
from tests.mending.damaged import made
from tests.mending.plain import plain_nightly


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--told", action="store_true", help="doctor and readers only")
    given.add_argument("--spark", action="store_true", help="nights with Spark")
    given.add_argument(
        "--whole", type=Path, help="folder of logs and warehouse; made there if it is not there"
    )
    given.add_argument("--kind", action="append", default=[], help="one of them (all)")
    given.add_argument("--table", action="append", default=[], help="layer.table, or (cluster) (all)")
    arguments = given.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for line in printed(rows_of(arguments, Path(folder))):
            print(line, flush=True)


def fleet_nightly(argv: list[str]) -> int:
    """Exit code."""
    try:
        return plain_nightly(argv)
    except NeedsSpark:
        return nightly.main(argv)


def rows_of(arguments: argparse.Namespace, folder: Path) -> Iterator[Row]:
    night = nightly.main if arguments.spark else fleet_nightly
    whole = arguments.whole or folder / "whole"
    if not whole.is_dir():
        made(whole, night)
    copy = folder / "damaged"
    for kind, table, act in damages():
        if kind not in (arguments.kind or [kind]) or table not in (arguments.table or [table]):
            continue
        found = row_of(whole, copy, kind, table, act, is_mended=not arguments.told, night=night)
        shutil.rmtree(copy)
        if found is not None:
            yield found


if __name__ == "__main__":
    main()
