"""A normal week of a fleet: few findings, fewer that wake somebody, and among them each incident that was seeded."""

from collections import Counter
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from jobs.questions.finding_lines import standing_findings, unsuppressed_findings
from pipeline.model.settings import BalancingSetting, StatedBalancing
from tests.chain import built
from tests.gold.fleet import FOUND_BY, LOST_HOUR, Week, fleet
from tests.lab import Row, rows_of
from tests.tables import log_table

# Of so many clusters at most so many findings, of which so many are critical.
SOME, ALL = (20, 15, 2), (40, 25, 3)
# In a normal week no controller is busy for long.
BUSY = {"slow_event", "controller_stalled", "kraft_slow_events"}
LOST = {f"fleet-{number:02d}" for number in LOST_HOUR}


def records_of(weeks: list[Week]) -> pa.Table:
    """bronze.log_record of all, each its own cluster."""
    tables = [log_table(one.logs, cluster_id=one.cluster_id, of=f"{one.cluster_id}/") for one in weeks]
    return pa.concat_tables(tables)


def findings_of(weeks: list[Week]) -> Iterator[Row]:
    """gold.finding of each cluster's week, those with one interval of checks built at once; other settings as shipped."""
    for check_seconds in {one.check_seconds for one in weeks}:
        alike = [one for one in weeks if one.check_seconds == check_seconds]
        setting = BalancingSetting(StatedBalancing(check_interval_seconds=check_seconds))
        yield from rows_of(built(records_of(alike), "finding", balancing_setting=setting)["finding"])


def test_all_lines_are_understood() -> None:
    records = records_of(fleet(8))
    assert records.num_rows > 20_000
    not_understood = records.filter(pc.is_null(records["event"]))
    assert not_understood["raw"].to_pylist() == []


def test_a_seed_tells_the_same_week() -> None:
    assert fleet(2) == fleet(2)
    assert fleet(2)[0].logs != fleet(2, seed=2)[0].logs


@pytest.mark.parametrize(
    ("clusters", "findings", "critical"), [SOME, pytest.param(*ALL, marks=pytest.mark.soak)]
)
def test_a_week_of_a_fleet_is_told_in_few_findings(clusters: int, findings: int, critical: int) -> None:
    weeks = fleet(clusters)
    found = [*findings_of(weeks)]
    shown = standing_findings(unsuppressed_findings(found))
    report = "\n".join(
        f"{one['cluster_id']} {one['severity']} {one['rule']} {one['entity']}: {one['sentence']}"
        for one in shown
    )
    print(Counter((one["severity"], one["rule"]) for one in shown), report, sep="\n")
    assert not BUSY & {one["rule"] for one in found}, report
    assert len(shown) <= findings, report
    assert sum(one["severity"] == "critical" for one in shown) <= critical, report
    seeded = {(one.cluster_id, *FOUND_BY[one.incident]) for one in weeks if one.incident}
    assert seeded <= {(one["cluster_id"], one["rule"], one["severity"]) for one in shown}, report
    others = LOST | {one.cluster_id for one in weeks if one.incident}
    normal = [one for one in shown if one["cluster_id"] not in others and not is_of_one_copy(one)]
    assert normal == [], report


def is_of_one_copy(one: Row) -> bool:
    """A restart of its only broker takes a topic away: who made it so is told. A warning where the lines begin inside
    the term of the controller that shut the broker down, as no list of brokers was read."""
    return one["rule"] == "outage" and "(scratch-0)" in one["sentence"]
