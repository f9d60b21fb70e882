"""From when on what a broker goes by is other than before, where a run brings lists of settings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from jobs.cutting import Cut
from pipeline.kafka.balancing import DEFAULTS, NAMES, typed
from pipeline.store.rows import collect_one, collect_rows
from schemas.bronze import source_file
from schemas.silver import broker_setting

BEGIN = datetime.min.replace(tzinfo=UTC)

Key = tuple[int, str]  # broker, setting
Printed = tuple[datetime, str, int, float | None]  # time, file, byte, value as a number


def with_limits(
    cut: Cut, read: Callable[..., DataFrame], before: Mapping[str, int], now: Mapping[str, int]
) -> Cut:
    """The cut, or an earlier one where what a broker goes by is other than before by what it printed.

    before, now: versions of tables as the run found them and as they are; most runs bring no list of settings.
    Checks go by the limit of their controller, ratios by those of the broker.
    """
    name = broker_setting.SPEC.name
    if now.get(name, 0) <= before.get(name, 0):
        return cut
    after, earlier = (by_broker(read(broker_setting.SPEC, some.get(name, 0))) for some in (now, before))
    changed = [
        since
        for key in after.keys() | earlier.keys()
        if (since := first_change(earlier.get(key, ()), after.get(key, ()), DEFAULTS[key[1]]))
    ]
    begun = (
        collect_one(read(source_file.SPEC).agg(F.min("first_logged_at").alias("at")))["at"]
        if changed
        else None
    )
    if begun is None:
        return cut
    at = max(min(changed), begun.astimezone(UTC))
    at = at if cut.at is None else min(at, cut.at)
    return replace(cut, at=at.replace(microsecond=at.microsecond // 1000 * 1000), has_lines=True)


def by_broker(settings: DataFrame) -> Mapping[Key, Sequence[Printed]]:
    """What each broker printed of each setting, in order."""
    of_name = {name: key for key, name in NAMES.items()}
    known = settings.where(F.col("name").isin(*of_name) & F.col("node_id").isNotNull())
    values = [F.when(F.col("name") == name, typed(key).cast("double")) for name, key in of_name.items()]
    rows = known.select(
        "node_id", "name", "logged_at", "file_id", "byte_offset", F.coalesce(*values).alias("value")
    )
    found: dict[Key, list[Printed]] = {}
    for row in collect_rows(rows):
        line = (row["logged_at"].astimezone(UTC), row["file_id"], row["byte_offset"], row["value"])
        found.setdefault((row["node_id"], of_name[row["name"]]), []).append(line)
    return {key: without_repeats(sorted(lines, key=lambda one: one[:3])) for key, lines in found.items()}


def without_repeats(lines: Sequence[Printed]) -> Sequence[Printed]:
    """Of neighbours that say the same the first: what holds when stays as it is, and a start repeats it mostly."""
    return [
        line
        for before, line in zip([None, *lines], lines, strict=False)
        if not before or before[3] != line[3]
    ]


def first_change(before: Sequence[Printed], now: Sequence[Printed], default: float) -> datetime | None:
    """The first time at which the two give another value, BEGIN if they do before the first; None: at none."""
    times = [BEGIN, *sorted({line[0] for line in (*before, *now)})]
    return next((at for at in times if held_at(before, at, default) != held_at(now, at, default)), None)


def held_at(lines: Sequence[Printed], at: datetime, default: float) -> float:
    """As kafka.balancing has it: the newest until then, else the earliest, else Kafka's default."""
    until_then = [line for line in lines if line[0] <= at]
    held = until_then[-1] if until_then else lines[0] if lines else None
    return float(default) if held is None or held[3] is None else held[3]
