"""From when on the limit that a controller goes by is other than before, where a run brings lists of settings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from jobs.cutting import Cut
from pipeline.kafka.balancing import DEFAULTS, typed
from pipeline.store.rows import collect_rows
from schemas.silver import broker_setting, term
from schemas.silver.broker_setting import PER_BROKER

RATIO = "threshold_ratio"
BEGIN = datetime.min.replace(tzinfo=UTC)

Printed = tuple[datetime, str, int, float | None]  # time, file, byte, ratio


def with_limits(
    cut: Cut, read: Callable[..., DataFrame], before: Mapping[str, int], now: Mapping[str, int]
) -> Cut:
    """The cut, or an earlier one where the limit of a controller is other than before by what it printed.

    before, now: versions of tables as the run found them and as they are; most runs bring no list of settings.
    Of a broker that never was controller nobody asks.
    """
    name = broker_setting.SPEC.name
    if now.get(name, 0) <= before.get(name, 0):
        return cut
    after, earlier = (by_broker(read(broker_setting.SPEC, some.get(name, 0))) for some in (now, before))
    nodes = after.keys() | earlier.keys()
    changed = {node: first_change(earlier.get(node, ()), after.get(node, ())) for node in nodes}
    terms = (
        read(term.SPEC)
        .groupBy("controller_id")
        .agg(F.min(F.least("elected_at", "first_seen_at")).alias("at"))
    )
    times = [
        max(since, row["at"].astimezone(UTC))
        for row in collect_rows(terms)
        if (since := changed.get(row["controller_id"]))
    ]
    if not times:
        return cut
    at = min(times) if cut.at is None else min(*times, cut.at)
    return replace(cut, at=at.replace(microsecond=at.microsecond // 1000 * 1000), has_lines=True)


def by_broker(settings: DataFrame) -> Mapping[int, Sequence[Printed]]:
    rows = settings.where((F.col("name") == PER_BROKER) & F.col("node_id").isNotNull()).select(
        "node_id", "logged_at", "file_id", "byte_offset", typed(RATIO).alias(RATIO)
    )
    found: dict[int, list[Printed]] = {}
    for row in collect_rows(rows):
        line = (row["logged_at"].astimezone(UTC), row["file_id"], row["byte_offset"], row[RATIO])
        found.setdefault(row["node_id"], []).append(line)
    return {node: without_repeats(sorted(lines, key=lambda one: one[:3])) for node, lines in found.items()}


def without_repeats(lines: Sequence[Printed]) -> Sequence[Printed]:
    """Of neighbours that say the same the first: what holds when stays as it is, and a start repeats it mostly."""
    return [
        line
        for before, line in zip([None, *lines], lines, strict=False)
        if not before or before[3] != line[3]
    ]


def first_change(before: Sequence[Printed], now: Sequence[Printed]) -> datetime | None:
    """The first time at which the two give another limit, BEGIN if they do before the first; None: at none."""
    times = [BEGIN, *sorted({line[0] for line in (*before, *now)})]
    return next((at for at in times if held_at(before, at) != held_at(now, at)), None)


def held_at(lines: Sequence[Printed], at: datetime) -> float:
    """As kafka.balancing has it: the newest until then, else the earliest, else Kafka's default."""
    until_then = [line for line in lines if line[0] <= at]
    held = until_then[-1] if until_then else lines[0] if lines else None
    return float(DEFAULTS[RATIO]) if held is None or held[3] is None else held[3]
