"""The groups and transactional ids of a coordinator's partition, by hand and by Java's own hashes."""

import pytest

from pipeline.gold.client_impact.coordinated import first_named, java_hash
from schemas.gold import partition_timeline
from schemas.silver import client_event
from tests.frames import at, frame

STATES = "cluster_id | topic | partition\n" + "\n".join(
    f"c | __consumer_offsets | {one}" for one in range(50)
)
NAMED = """
    cluster_id | topic              | partition | step        | name     | logged_at | file_id | byte_offset
    c          | __consumer_offsets | {}        | group_named | lab      | 5         | f1      | 1
    c          | __consumer_offsets |           | group_named | billing  | 6         | f1      | 2
    c          | __consumer_offsets |           | group_named | {}       | 7         | f1      | 3
"""


@pytest.mark.parametrize(
    ("name", "hashed"),
    [
        ("", 0),
        ("a", 97),
        ("hello", 99162322),
        ("polygenelubricants", 0),
        ("é😀", 233 * 961 + 0xD83D * 31 + 0xDE00),
    ],
)
def test_the_hash_is_that_of_java_without_its_sign(name: str, hashed: int) -> None:
    assert java_hash(name) == hashed


def placed(partition: int, other: str = "hello", states: str = STATES) -> dict[str, int]:
    rows = first_named(
        frame(partition_timeline.SPEC, states), frame(client_event.SPEC, NAMED.format(partition, other))
    )
    assert rows.filter(name="lab")["named_at"].to_list() == [at(5)]
    return dict(rows.select("name", "partition").rows())


def test_a_name_without_its_partition_lies_where_its_hash_says() -> None:
    own = java_hash("lab") % 50
    assert placed(own) == {"lab": own, "hello": 99162322 % 50, "billing": java_hash("billing") % 50}


def test_no_hash_is_used_where_a_line_says_otherwise_or_partitions_are_missing() -> None:
    wrong = (java_hash("lab") + 1) % 50
    assert placed(wrong) == {"lab": wrong}
    own = java_hash("lab") % 50
    assert placed(own, states=STATES.replace("| 17", "| 18")) == {"lab": own}


def test_a_masked_name_has_no_hash() -> None:
    own = java_hash("lab") % 50
    assert "client-0123456789ab" not in placed(own, "client-0123456789ab")
