"""What controllers hold of partitions against a plain Python twin, on generated lines: many clusters in one frame."""

from collections.abc import Iterable
from random import Random

import polars as pl
import pytest

from pipeline.core.frames import empty_frame, with_absent
from pipeline.core.span import Span
from pipeline.model.partitions.carried_views import behind_views
from pipeline.model.partitions.controller_view import (
    BEFORE,
    listed_as_not_preferred,
    ordered_states,
    states_held,
    term_begin_places,
)
from pipeline.model.partitions.preferred_counts import COUNTS, counts_at, preferred_count_changes, shares_at
from pipeline.model.partitions.statements import PARTITION, TRACKED
from pipeline.model.terms.succession import TERM
from schemas.gold import partition_timeline
from schemas.silver import assignment, term
from schemas.state import partition_view
from tests.frames import at, frame
from tests.model.controller_twin import Cluster, Row, answer, views, views_before

CLUSTERS, SEED = 150, 20261121
TYPES = empty_frame(partition_timeline.SPEC).schema


@pytest.fixture(scope="module")
def clusters() -> list[Cluster]:
    random = Random(SEED)  # noqa: S311  no secrets are drawn
    return [Cluster(random, f"{number}") for number in range(CLUSTERS)]


@pytest.fixture(scope="module")
def cluster_wide(clusters: list[Cluster]) -> pl.DataFrame:
    rows = [one for each in clusters for one in each.intervals]
    kinds = {name: TYPES[name] for name in rows[0]} | {"valid_from_at": pl.Int64, "valid_until_at": pl.Int64}
    return ordered_states(pl.DataFrame(rows, schema=kinds).sample(fraction=1, shuffle=True, seed=1))


@pytest.fixture(scope="module")
def begins(clusters: list[Cluster]) -> pl.DataFrame:
    rows = [
        (each.partitions[0][0], f"1-{epoch}", *place)
        for each in clusters
        for epoch, place in each.begins.items()
    ]
    kinds = {"cluster_id": pl.String, "term_id": pl.String, "at": pl.Int64}
    return pl.DataFrame(rows, schema=kinds | {"controller_epoch": pl.Int32, "seq": pl.Int64}, orient="row")


@pytest.fixture(scope="module")
def own(clusters: list[Cluster]) -> pl.DataFrame:
    rows = [one for each in clusters for one in each.lines]
    others = {"term_id": pl.String, "seq": pl.Int64, "cause": pl.String, "listed_of": pl.Int32}
    kinds = {name: TYPES.get(name) or others[name] for name in rows[0]}
    return pl.DataFrame(rows, schema=kinds).sample(fraction=1, shuffle=True, seed=1)


@pytest.fixture(scope="module")
def seen(own: pl.DataFrame, begins: pl.DataFrame, cluster_wide: pl.DataFrame) -> pl.DataFrame:
    return states_held(own, begins, cluster_wide, "listed_of")


@pytest.fixture(scope="module")
def questions(clusters: list[Cluster]) -> pl.DataFrame:
    kinds = {"cluster_id": pl.String, "term_id": pl.String, "broker_id": pl.Int32, "seq": pl.Int64}
    rows = [one for each in clusters for one in each.asked]
    return pl.DataFrame(rows, schema=kinds | {"listing_seq": pl.Int64})


def in_order(rows: Iterable[Row], *names: str) -> list[str]:
    return sorted(str({name: row[name] for name in names}) for row in rows)


def test_what_a_controller_holds_after_and_before_each_line(
    clusters: list[Cluster], seen: pl.DataFrame
) -> None:
    names = (
        *PARTITION,
        "term_id",
        "seq",
        "cause",
        "listed_of",
        *TRACKED,
        *(f"{one}{BEFORE}" for one in TRACKED),
    )
    expected = [one for each in clusters for one in views(each)]
    assert in_order(seen.to_dicts(), *names) == in_order(expected, *names)
    assert len(expected) > 10 * CLUSTERS


def test_terms_without_a_begin_are_left_out(
    seen: pl.DataFrame, begins: pl.DataFrame, cluster_wide: pl.DataFrame
) -> None:
    found = states_held(seen, begins.filter(pl.col("term_id") == "1-1"), cluster_wide)
    assert set(found["term_id"]) == {"1-1"}


@pytest.mark.parametrize("shards", [1, 3])
def test_counts_by_looking_at_every_partition(
    clusters: list[Cluster],
    seen: pl.DataFrame,
    questions: pl.DataFrame,
    begins: pl.DataFrame,
    cluster_wide: pl.DataFrame,
    shards: int,
) -> None:
    """At once, and some partitions at a time, of which only the lists are known that name one of them."""
    asked = questions.sample(fraction=1, shuffle=True, seed=1)
    shard = pl.struct(PARTITION).hash(1) % shards
    parts = [seen.filter(shard == number) for number in range(shards)]
    shares = [
        shares_at(with_known_lists(asked, part), moving(part), begins, cluster_wide.filter(shard == number))
        for number, part in enumerate(parts)
    ]
    found = counts_at(asked, pl.concat(shares)).to_dicts()
    expected = [
        answer(each, lines, one) for each in clusters for lines in [views(each)] for one in each.asked
    ]
    assert in_order(found, *expected[0]) == in_order(expected, *expected[0])
    for name in ("preferred", "elsewhere", "moved", "listed", "agreed"):
        assert len({row[name] for row in found}) > 1, name


@pytest.mark.parametrize("place", [3, 9, 15])
def test_lines_from_a_place_on_need_no_more_than_the_views_before(
    clusters: list[Cluster],
    own: pl.DataFrame,
    questions: pl.DataFrame,
    begins: pl.DataFrame,
    cluster_wide: pl.DataFrame,
    place: int,
) -> None:
    """What is held, and what is counted, is what all lines give; nothing cluster-wide is asked for."""
    later, asked = (one.filter(pl.col("seq") >= place) for one in (own, questions))
    before = frame_of_views([one for each in clusters for one in views_before(each, place)])
    stated = behind_views(later.pipe(as_said), before, with_doubted=True)
    unknown = begins.with_columns(at=pl.lit(None, pl.Int64))
    whole, from_place = (
        states_held(lines, at, cluster_wide, "listed_of") for lines, at in ((own, begins), (stated, unknown))
    )
    names = (*PARTITION, "term_id", "seq", *TRACKED, *(f"{one}{BEFORE}" for one in TRACKED))
    told = (one.filter(pl.col("seq") >= place).to_dicts() for one in (whole, from_place))
    assert len({tuple(in_order(rows, *names)) for rows in told}) == 1
    counted = (
        counts_at(asked, shares_at(asked, moving(lines), at, cluster_wide)).to_dicts()
        for lines, at in ((whole, begins), (from_place, unknown))
    )
    assert len({tuple(in_order(rows, *asked.columns, *COUNTS, "only_kafka")) for rows in counted}) == 1
    assert asked.height > CLUSTERS


def with_known_lists(asked: pl.DataFrame, seen: pl.DataFrame) -> pl.DataFrame:
    lists = (
        seen.filter(pl.col("listed_of").is_not_null())
        .select(*TERM, listing_seq="seq", is_known=True)
        .unique()
    )
    joined = asked.join(lists, on=[*TERM, "listing_seq"], how="left")
    return joined.with_columns(listing_seq=pl.when("is_known").then("listing_seq")).drop("is_known")


def moving(lines: pl.DataFrame) -> pl.DataFrame:
    return lines.with_columns(is_moving=pl.col("cause") == "move")


def as_said(lines: pl.DataFrame) -> pl.DataFrame:
    return lines.with_columns(said_event=pl.lit("partition_transition"), said_leader_epoch="leader_epoch")


def frame_of_views(rows: list[Row]) -> pl.DataFrame:
    types = empty_frame(partition_view.SPEC).schema
    found = pl.DataFrame(rows, schema={name: types[name] for name in rows[0]}).with_columns(
        doubted=pl.lit([], types["doubted"]),
        is_ended=pl.lit(value=False),
        is_epoch_unsaid=pl.lit(value=False),
    )
    return with_absent(found, partition_view.SPEC).select(partition_view.SPEC.columns)


def test_no_change_of_no_broker(seen: pl.DataFrame) -> None:
    """What changes the counts of no broker gives no row."""
    found = preferred_count_changes(seen.with_columns(is_moving=False), *TERM, "seq")
    counted = pl.any_horizontal(pl.col("preferred", "elsewhere", "moved", "listed") != 0)
    assert found.filter(~counted).is_empty()
    assert found["broker_id"].null_count() == 0


def test_what_a_controller_lists() -> None:
    text = """
        event                  | topic | partition | replicas
        imbalance_not_preferred | a    | 0         | [2 1]
        imbalance_not_preferred |      |           |
        imbalance_not_preferred | a    | 1         | []
        topic_change            | a    | 0         | [1 2]
    """
    found = listed_as_not_preferred(frame(assignment.SPEC, text))
    assert found.select("topic", "partition", "listed_of").rows() == [("a", 0, 2), ("a", 1, None)]


def test_a_term_begins_where_it_is_first_seen() -> None:
    """Before a day nothing cluster-wide is known of it."""
    text = """
        cluster_id | term_id | controller_epoch | elected_at | first_seen_at
        c          | 1-1     | 1                | 3          | 3
        c          | 1-2     | 2                |            | 9
    """
    for begin, first_at in ((None, at(3)), (at(3), at(3)), (at(4), None)):
        found = term_begin_places(frame(term.SPEC, text), Span(begin))
        expected = [("1-1", first_at, 1, 0), ("1-2", at(9), 2, 0)]
        assert found.select("term_id", "at", "controller_epoch", "seq").rows() == expected


def test_a_doubt_comes_after_the_statement_whose_place_it_has() -> None:
    """The term that begins then holds what is known after both."""
    doubted = frame(
        partition_timeline.SPEC,
        """
        cluster_id | topic | topic_life | partition | interval_seq | valid_from_at | valid_until_at | controller_epoch | seq | leader
        c          | a     | 1          | 0         | 1            | 5             | 5              | 1                | 7   | 2
        c          | a     | 1          | 0         | 2            | 5             |                | 1                | 7   |
        """,
    )
    for rows in (doubted, doubted.reverse()):
        assert ordered_states(rows)["leader"].to_list() == [2, None]
