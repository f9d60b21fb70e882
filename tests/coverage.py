"""What is understood of real logs: by release, log, logger and event, and which wordings were never met."""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tests.kafka.reading import read_table
from tests.oracle.corpus import logs
from tests.oracle.rows import Wording, wordings

REPOSITORY = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("KCA_SHARED", REPOSITORY.parent / "shared"))
LOGS = ("controller", "state-change", "server")
CONTROLLERS = ("controller", "state-change")
SHOWN_CHARACTERS = 120


@dataclass(frozen=True)
class Group:
    """Records of one release that say the same, or are not understood for the same reason; "" = none."""

    release: str
    log: str
    logger: str
    event: str
    template: str
    reason: str


@dataclass
class Coverage:
    """`unknown`: (release, reason, logger or first words) of what is not understood in a controller's logs."""

    groups: Counter[Group] = field(default_factory=Counter)
    unknown: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    files: int = 0
    size_bytes: int = 0

    def sums(self, key: Callable[[Group], tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
        """Records by what `key` says of their group."""
        result: Counter[tuple[Any, ...]] = Counter()
        for group, count in self.groups.items():
            result[key(group)] += count
        return result


def covered(folders: Iterable[Path]) -> Coverage:
    """Every Kafka log below the folders, read as a job reads it."""
    found = Coverage()
    keys = ["log", "logger", "event", "template", "not_understood_reason"]
    for file in logs(*folders):
        table = read_table(file.data, log=file.log, envelope=file.envelope)
        found.files += 1
        found.size_bytes += len(file.data)
        for row in table.group_by(keys, use_threads=False).aggregate([([], "count_all")]).to_pylist():
            found.groups[Group(file.release, *(row[key] or "" for key in keys))] += row["count_all"]
        for row in unknown(table):
            first = (row["raw"] or b"")[:SHOWN_CHARACTERS].decode("utf-8", "replace").split("\n")[0]
            found.unknown[file.release, row["not_understood_reason"], first or str(row["logger"])] += 1
    return found


def unknown(table: pa.Table) -> list[dict[str, Any]]:
    """Records of the controller's two logs that are not understood; blank ones say nothing."""
    is_controllers = pc.is_in(table["log"], value_set=pa.array(CONTROLLERS))
    is_said = pc.is_in(table["not_understood_reason"], value_set=pa.array(["blank", None]))
    left = table.filter(pc.and_(is_controllers, pc.invert(is_said)))
    rows: list[dict[str, Any]] = left.select(["not_understood_reason", "logger", "raw"]).to_pylist()
    return rows


def by_release(found: Coverage) -> Iterator[str]:
    yield f"{'release':30}" + "".join(f"{log:>15}{'understood':>12}" for log in LOGS)
    sums = found.sums(lambda group: (group.release, group.log, group.event != ""))
    for release in sorted({group.release for group in found.groups}):
        yield f"{release:30}" + cells({key[1:]: count for key, count in sums.items() if key[0] == release})
    totals = found.sums(lambda group: (group.log, group.event != ""))
    yield f"{'all ' + str(len({group.release for group in found.groups})):30}" + cells(totals)


def cells(sums: Mapping[tuple[Any, ...], int]) -> str:
    """Records of each log and how many of them are understood, of counts by (log, is understood)."""
    pairs = [(sums.get((log, True), 0), sums.get((log, False), 0)) for log in LOGS]
    return "".join(
        f"{known + left:15,}{known:12,}" if known + left else f"{'-':>15}{'-':>12}" for known, left in pairs
    )


def by_logger(found: Coverage) -> Iterator[str]:
    """Loggers that a template names, with the wordings met of those they have; all others as one line."""
    yield f"{'logger':68}{'records':>9}{'understood':>12}{'events':>8}{'wordings met':>14}"
    wanted = Counter(wording.logger for wording in wordings())
    never = Counter(wording.logger for wording in never_met(found))
    sums = found.sums(lambda group: (group.logger, group.event != ""))
    events = Counter(
        logger for logger, event in found.sums(lambda group: (group.logger, group.event)) if event
    )
    records = {logger: sums[logger, True] + sums[logger, False] for logger in wanted}
    for logger, count in sorted(records.items(), key=lambda one: -one[1]):
        if count:
            met = f"{wanted[logger] - never[logger]} of {wanted[logger]}"
            yield f"{logger:68}{count:9,}{sums[logger, True]:12,}{events[logger]:8}{met:>14}"
    unmet = [logger for logger, count in records.items() if not count]
    yield f"{f'{len(unmet)} loggers that were never met':68}{0:9}{0:12}{0:8}" + (
        f"{f'0 of {sum(wanted[logger] for logger in unmet)}':>14}"
    )
    others = sum(count for (logger, _), count in sums.items() if logger not in wanted)
    yield f"{'loggers that no template names, and text without one':68}{others:9,}"


def by_event(found: Coverage) -> Iterator[str]:
    yield "release\tlog\tlogger\tevent\treason\trecords"
    sums = found.sums(lambda one: (one.release, one.log, one.logger, one.event, one.reason))
    for key, count in sorted(sums.items()):
        yield "\t".join((*key, str(count)))


def never_met(found: Coverage) -> list[Wording]:
    met = {(group.logger, group.template) for group in found.groups}
    return [wording for wording in wordings() if (wording.logger, wording.text) not in met]


def report(found: Coverage) -> Iterator[str]:
    yield from by_release(found)
    yield ""
    yield from by_logger(found)
    yield ""
    for (log, reason), count in sorted(found.sums(lambda group: (group.log, group.reason)).items()):
        if reason:
            yield f"not understood: {log:14}{reason:20}{count:10,}"
    every, events = len(wordings()), {wording.event for wording in wordings()}
    seen = {group.event for group in found.groups} - {""}
    yield f"wordings met: {every - len(never_met(found))} of {every}; events met: {len(seen)} of {len(events)}"
    yield f"read: {found.files:,} files, {found.size_bytes / 1e6:,.1f} MB, {found.groups.total():,} records"
    yield f"records of controller and state-change logs that are not understood: {found.unknown.total():,}"
    for (release, reason, text), count in found.unknown.most_common():
        yield f"{count:10,} {release}: {reason}: {text}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.coverage", description=__doc__)
    parser.add_argument(
        "--logs", type=Path, nargs="+", default=[SHARED / "corpus"], help="folders of logs (the corpus)"
    )
    parser.add_argument(
        "--events", action="store_true", help="every release, logger and event as a table of tabs"
    )
    parser.add_argument("--never", action="store_true", help="the wordings that were never met, one a line")
    given = parser.parse_args()
    missing = [folder for folder in given.logs if not folder.is_dir()]
    if missing:
        sys.stderr.write(f"Expected folders of logs, found no {missing[0]}; give --logs or set KCA_SHARED.\n")
        return 4
    found = covered(given.logs)
    lines = by_event(found) if given.events else report(found)
    if given.never:
        lines = (f"{one.event}\t{one.logger}\t{one.text}" for one in never_met(found))
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
