"""Lives of topics of the labs: as the targets have them, as deletions were done to them, as metadata logs have them."""

from collections import Counter
from pathlib import Path

import pytest

from tests.chain import built
from tests.gold.lab_runs import rows
from tests.gold.topic_truth import RIGHT, as_targets, judged, kraft_topics, targets
from tests.gold.truth import ms
from tests.lab import Row, folder_of, records, rows_of

SAMPLES = ("2.2.2-zk-stock", "3.2.3-zk-trace")
OTHERS = (
    *("0.11.0.3-zk-stock", "1.0.2-zk-stock", "2.5.1-zk-stock", "2.6.3-zk-stock", "2.6.3-zk-trace"),
    *("3.2.3-zk-stock", "3.9.1-zk-stock", "3.9.1-zk-trace"),
)
# Cluster, how many deletions of truth/deletions.tsv.
RUNS = (("2.2.2-zk-moves", 6),)
OTHER_RUNS = (
    ("1.0.2-zk-moves", 6), ("2.2.2-zk-redrive", 3), ("3.9.1-zk-moves", 6), ("3.9.1-zk-redrive", 3),
    ("3.9.2-kraft-separate-moves", 3), ("4.0.0-kraft-combined-moves", 3),
)  # fmt: skip
# Cluster; topics, of them removed, with two lives, grown.
KRAFT = (("4.3.1-kraft-separate-stock", (13, 3, 1, 1)),)
OTHER_KRAFT = (
    ("3.3.2-kraft-combined-stock", (13, 3, 1, 1)),
    ("3.9.2-kraft-separate-stock", (13, 3, 1, 1)),
    ("4.0.0-kraft-combined-stock", (13, 3, 1, 1)),
    ("4.3.1-kraft-combined-trace", (13, 3, 1, 1)),
    ("3.9.2-kraft-migration-stock", (13, 1, 0, 1)),
    ("4.4.0-kraft-separate-stock", (13, 3, 1, 1)),
)
LATE_MS = 60  # a record is replayed some ms after it was written


def lives_of(folder: Path) -> list[Row]:
    return rows_of(built(records(folder), "topic_lifecycle")["topic_lifecycle"])


def slow(values: tuple[object, ...]) -> list[object]:
    return [pytest.param(*one, marks=pytest.mark.soak) for one in values]  # type: ignore[misc]


@pytest.mark.parametrize(
    "cluster", [*SAMPLES, *(pytest.param(one, marks=pytest.mark.soak) for one in OTHERS)]
)
def test_lives_are_those_of_the_targets(shared: Path, cluster: str) -> None:
    """All of 145 lives, to the millisecond."""
    found = as_targets(lives_of(folder_of(shared, cluster)))
    assert found
    assert found == targets(shared, cluster)


@pytest.mark.parametrize(("cluster", "count"), [*RUNS, *slow(OTHER_RUNS)])
def test_what_became_of_deletions_is_told(shared: Path, cluster: str, count: int) -> None:
    folder = folder_of(shared, cluster)
    lives = lives_of(folder)
    verdicts = {
        (one["topic"], one["asked_ms"]): (*judged(one, lives), one.get("delayed_by"))
        for one in rows(folder, "deletions")
    }
    print(cluster, Counter(verdict for verdict, *_ in verdicts.values()))
    assert len(verdicts) == count
    assert {key: one for key, one in verdicts.items() if one[0] != RIGHT} == {}


@pytest.mark.parametrize(("cluster", "counts"), [*KRAFT, *slow(OTHER_KRAFT)])
def test_lives_in_kraft_are_those_of_the_metadata_log(
    shared: Path, cluster: str, counts: tuple[int, ...]
) -> None:
    folder = folder_of(shared, cluster)
    lives = lives_of(folder)
    truth = kraft_topics(folder)
    own = {one["topic_id"]: one for one in lives}
    assert set(own) == set(truth)
    gone = {topic_id for topic_id, one in own.items() if one["ended_how"] == "deleted"}
    again = {one["topic"] for one in lives if one["topic_life"] == 2}
    grown = {topic_id for topic_id, one in own.items() if one["grown"]}
    assert (len(own), len(gone), len(again), len(grown)) == counts
    assert gone == {topic_id for topic_id, one in truth.items() if one["gone_ms"]}
    for topic_id in gone:
        assert abs(ms(own[topic_id]["ended_at"]) - truth[topic_id]["gone_ms"]) <= LATE_MS
    in_kraft = [one for one in lives if one["mode"] == "kraft"]
    assert all(abs(ms(one["created_at"]) - truth[one["topic_id"]]["at_ms"]) <= LATE_MS for one in in_kraft)
    assert all(one["partition_count"] == len(truth[one["topic_id"]]["first"]) for one in in_kraft)
    assert all(bool(one["grown"]) == bool(truth[one["topic_id"]]["added"]) for one in in_kraft)
    assert all(one["requested_at"] <= one["created_at"] and one["serving_ms"] > 0 for one in in_kraft)


PUBLIC = (
    # Cluster; lives by how they ended.
    ("2.0.0-oridonner", {"deleted": 17, None: 5}),
    ("2.5.0-Parasmani300", {"wiped": 10, None: 5}),
)


@pytest.mark.soak
@pytest.mark.parametrize(("cluster", "ends"), PUBLIC)
def test_ends_of_topics_of_public_clusters(shared: Path, cluster: str, ends: dict[str | None, int]) -> None:
    """Of the second one deletion failed on a disk of the only broker, before all was wiped."""
    lives = lives_of(shared / "corpus" / "public" / cluster)
    assert Counter(one["ended_how"] for one in lives) == ends
    put_off = [one for one in lives if one["put_off_at"]]
    said = [(one["blocked_by"], one["ended_how"], len(one["blocking_replicas"])) for one in put_off]
    assert said == ([] if ends.get("deleted") else [("storage_error", "wiped", 6)])
    assert all(row["error"] == "KAFKA_STORAGE_ERROR" for one in put_off for row in one["blocking_replicas"])
