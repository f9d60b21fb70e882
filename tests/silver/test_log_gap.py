"""Gaps: each kind from lines or files that have it, none in logs that are whole, and a lab cluster robbed of a log."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
from polars import col

from pipeline.core.frames import empty_frame, frame_of
from schemas.bronze import file_sighting
from schemas.silver.log_gap import GAP_KINDS, SPEC
from tests.chain import built
from tests.frames import frame
from tests.kafka.reading import read_table
from tests.lab import Row, records
from tests.rows import records_in, records_of

MIDNIGHT = datetime(2026, 11, 21, tzinfo=UTC)
QUICK = ("2.2.2-zk-stock", "3.9.2-kraft-migration-stock", "4.3.1-kraft-separate-stock")
ELECTED = "INFO [Controller id={0}] {0} successfully elected as the controller. Epoch incremented to {1} and epoch zk version is now {1} (kafka.controller.KafkaController)"
CHECKED = "TRACE [Controller id={0}] Checking need to trigger auto leader balancing (kafka.controller.KafkaController)"
MOVED = "TRACE [Controller id={0} epoch={1}] Changed partition a-0 state from NewPartition to OfflinePartition (state.change.logger)"
STARTED = "INFO [ControllerEventThread controllerId={0}] Starting (kafka.controller.ControllerEventManager$ControllerEventThread)"
CREATED = (
    "INFO [Controller id={0}] New partition creation callback for a-0 (kafka.controller.KafkaController)"
)


def at(seconds: int, message: str, *values: int) -> str:
    moment = MIDNIGHT + timedelta(seconds=seconds)
    return f"[{moment:%Y-%m-%d %H:%M:%S},000] {message.format(*values)}"


def checks(node: int, seconds: Iterable[int]) -> list[str]:
    return [at(second, CHECKED, node) for second in seconds]


def lines(*some: str | list[str]) -> str:
    return "\n".join(line for one in some for line in ([one] if isinstance(one, str) else one))


def every_five_minutes(*holes: tuple[int, int]) -> list[int]:
    return [s for s in range(10, 5 * 3600, 300) if not any(start <= s < end for start, end in holes)]


LOGS = {
    # Whole: elected, checks, moves; quiet for hours after it has resigned.
    (1, "controller"): lines(at(5, ELECTED, 1, 1), checks(1, every_five_minutes()), at(9 * 3600, STARTED, 1)),
    (1, "state-change"): lines(at(6, MOVED, 1, 1), at(3 * 3600, MOVED, 1, 1)),
    # An hour of controller.log is not there, in which state-change.log goes on. Epoch 2 is nobody's.
    (2, "controller"): lines(at(5, ELECTED, 2, 3), checks(2, every_five_minutes((7000, 11000)))),
    (2, "state-change"): lines(at(6, MOVED, 2, 3), at(9000, MOVED, 2, 3), at(9001, MOVED, 2, 3)),
    # The same hour, but the process was down.
    (3, "controller"): lines(checks(3, every_five_minutes((7000, 11000))[:23]), at(10999, STARTED, 3), checks(3, every_five_minutes((0, 11000)))),
    # Damaged.
    (4, "controller"): lines("\tat kafka.Somewhere", at(1, STARTED, 4), at(2, "INFO cut in the midst"), at(3, STARTED, 4), at(4, "INFO and at its en")),
    # Set back by an hour and a half.
    (5, "controller"): lines(at(20_000, STARTED, 5), at(20_300, STARTED, 5), at(14_900, STARTED, 5)),
    # Acts of which controller.log has nothing, and an epoch whose election is not there.
    (6, "state-change"): lines(at(40_000, MOVED, 6, 7), at(43_000, MOVED, 6, 7)),
    (7, "controller"): lines(at(50_000, CREATED, 7)),
    (8, "controller"): lines(at(1, STARTED, 8), at(4, "INFO and at its en")),
}  # fmt: skip
BAD_BYTES = (
    lines(at(1, STARTED, 9), at(2, STARTED, 9), at(3, STARTED, 9))
    .encode()
    .replace(b"00:00:02,000] INFO", b"00:00:02,000] INFO \xff")
)
SIGHTINGS = """
    path             | size_bytes | state      | sentence       | file_id | run_id
    /k/controller.log.1 | 1       | read       |                | r1      | 1
    /k/controller.log.4 | 1       | read       |                | r4      | 1
    /k/server.log.7  | 1          | not_asked  |                |         | 1
    /k/broken.gz     | 1          | unreadable | not a gzip     |         | 1
    /k/mended.gz     | 1          | unreadable | not a gzip     |         | 1
    /k/mended.gz     | 1          | read       |                | m       | 2
    /k/new.gz        | 1          | unreadable | not a gzip     | 1-controller | 1
    /k/new.gz        | 1          | read       |                | n       | 2
    /n/half.gz       | 1          | unreadable | not whole      | 1-controller | 2
    /n/state-change.log.2026-11-21-03.gz | 1 | not_kafka | no line of one |  | 1
    /n/kafka-gc.log  | 1          | not_kafka  | no line of one |         | 1
    /n/0.log         | 1          | not_kafka  | no line; it looks like Kafka's: its lines begin so |  | 1
    /n/controller.log | 1         | read       |                | 1-controller | 1
    /n/controller.log | 1         | read       |                | 2-controller | 2
    /m/controller.log | 1         | read       |                | 3-controller | 1
    /m/controller.log | 1         | read       |                | 4-controller | 2
    /m/controller.log.2026-11-21-00 | 1 | known |             | 3-controller | 2
    /a/controller.log | 1         | read       |                | 5-controller | 1
    /a/controller.log | 1         | read       |                | 7-controller | 2
    /a/controller.log | 1         | known      |                | 5-controller | 3
    /a/controller.log | 1         | known      |                | 7-controller | 4
"""

# (kind, node_id, second it is from and until, certainty)
EVERY_KIND = [
    ("begins_inside_record", 4, None, None, "proved"),
    ("ends_inside_record", 8, 4, 4, "proved"),
    ("cut_records", 4, 2, 4, "proved"),
    ("unreadable_records", 9, 2, 2, "proved"),
    ("time_goes_back", 5, 20_000, 14_900, "inferred"),
    ("silence", 2, 6_910, 11_110, "inferred"),
    ("controller_log_missing", 2, 9_000, 9_001, "inferred"),
    ("controller_log_missing", 6, 40_000, 43_000, "inferred"),
    ("state_change_log_missing", 7, 50_000, 50_000, "inferred"),
    ("term_missing", 0, 5, 5, "proved"),
    ("term_missing", 0, 9_001, 40_000, "proved"),
    ("election_missing", 6, None, 40_000, "proved"),
    ("not_read", 0, None, None, "proved"),
    ("not_read", 0, None, None, "proved"),
    ("not_read", 0, None, None, "proved"),
    ("not_read", 0, 10_800, 14_400, "proved"),
    ("index_missing", 0, None, None, "inferred"),
    ("replaced", 1, 32_400, 5, "inferred"),
    ("replaced", 5, 20_300, 50_000, "inferred"),
]


def gaps(lines: pl.DataFrame, sightings: pl.DataFrame | None = None) -> list[Row]:
    seen = empty_frame(file_sighting.SPEC) if sightings is None else sightings
    found: list[Row] = built(lines, "log_gap", file_sighting=seen)["log_gap"].to_dicts()
    return found


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        # The term goes on, or another one came; a cluster that begins anew, and one file that is silent, tell nothing.
        (at(3 * 86_400, MOVED, 1, 1), ["days_missing"]),
        (at(3 * 86_400, MOVED, 1, 2), ["days_missing", "election_missing"]),
        (at(3 * 86_400, ELECTED, 1, 2), []),
        (at(80_000, MOVED, 1, 1), []),
    ],
)
def test_days_of_which_no_file_has_lines_are_missing_while_a_controller_is_in_office(
    later: str, expected: list[str]
) -> None:
    logs = {(1, "controller"): at(5, ELECTED, 1, 1), (1, "state-change"): later}
    kinds = {"days_missing", "election_missing"}
    found = [one for one in gaps(records_in(logs)) if one["kind"] in kinds]
    assert sorted({one["kind"] for one in found}) == expected
    assert all(one["evidence"] for one in found)


def test_every_kind_of_gap() -> None:
    sightings = frame(file_sighting.SPEC, SIGHTINGS).with_columns(cluster_id=pl.lit("c"))
    bad = read_table(BAD_BYTES + b"\n", node_id=9, log="controller", file_id="9-controller", load_seq=99)
    rows = gaps(pl.concat([records_in(LOGS), frame_of(bad)]), sightings)
    keys = [tuple(row[name] for name in SPEC.key) for row in rows]
    assert len(keys) == len(set(keys))

    def second(moment: datetime | None) -> int | None:
        return None if moment is None else round((moment - MIDNIGHT).total_seconds())

    found = sorted(
        (
            (
                row["kind"],
                row["node_id"] or 0,
                second(row["from_at"]),
                second(row["until_at"]),
                row["certainty"],
            )
            for row in rows
        ),
        key=lambda one: (GAP_KINDS.index(str(one[0])), one[1], one[3] or 0),
    )
    assert found == EVERY_KIND
    paths = {row["path"]: row["kind"] for row in rows if row["path"]}
    assert paths == {
        "/k/controller.log": "index_missing",
        "/k/broken.gz": "not_read",
        "/n/half.gz": "not_read",
        "/n/0.log": "not_read",
        "/n/state-change.log.2026-11-21-03.gz": "not_read",
        "/n/controller.log": "replaced",
        "/a/controller.log": "replaced",
    }
    (numbers,) = [row["sentence"] for row in rows if row["kind"] == "index_missing"]
    assert numbers.endswith("2, 3")


def test_checks_of_each_hour_are_no_silence() -> None:
    """leader.imbalance.check.interval.seconds=3600: only an hour with two elections shows more than one; a day is missing."""
    hourly = [s for s in range(605, 60 * 3600, 3600) if not 20 * 3600 <= s < 44 * 3600]
    logs = lines(at(1, ELECTED, 1, 1), checks(1, [6]), at(600, ELECTED, 1, 2), checks(1, hourly))
    rows = gaps(records_in({(1, "controller"): logs}))
    ends = [(row["from_at"], row["until_at"]) for row in rows if row["kind"] == "silence"]
    assert ends == [
        (MIDNIGHT + timedelta(seconds=605, hours=19), MIDNIGHT + timedelta(seconds=605, hours=44))
    ]


def test_time_goes_back_into_an_hour_that_has_lines_before() -> None:
    logs = {(1, "controller"): lines(*(at(second, STARTED, 1) for second in (3500, 3700, 3590)))}
    rows = [row for row in gaps(records_in(logs)) if row["kind"] == "time_goes_back"]
    assert [(row["from_at"] - MIDNIGHT, row["until_at"] - MIDNIGHT) for row in rows] == [
        (timedelta(seconds=3700), timedelta(seconds=3590))
    ]
    length = len(at(3500, STARTED, 1)) + 1
    assert [place["byte_offset"] for place in rows[0]["evidence"]] == [length, 2 * length]


def test_whole_logs_have_no_gap(shared: Path) -> None:
    clusters = [records_of(shared / "corpus" / "lab" / name) for name in QUICK]
    assert gaps(pl.concat(clusters)) == []


@pytest.mark.soak
def test_no_lab_cluster_has_a_gap(shared: Path) -> None:
    for cluster in sorted((shared / "corpus" / "lab").iterdir()):
        assert gaps(frame_of(records(cluster))) == [], cluster.name


def test_a_log_that_is_taken_away_is_missed(shared: Path) -> None:
    whole = records_of(shared / "corpus" / "lab" / "2.2.2-zk-stock")
    is_taken = (col("node_id") == 2) & (col("log") == "controller")
    rows = gaps(whole.filter(~is_taken))
    assert {(row["kind"], row["node_id"], row["log"]) for row in rows} == {
        ("controller_log_missing", 2, "controller"),
        ("election_missing", 2, "controller"),
        ("begins_inside_term", 2, "controller"),
    }
    assert all(row["evidence"] for row in rows)
