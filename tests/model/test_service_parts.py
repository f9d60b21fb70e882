"""Intervals in parts where their leader leaves and returns: by hand, from any moment on, and put together again."""

import polars as pl
import pytest
from polars import col, lit
from polars.testing import assert_frame_equal

from pipeline.core.span import ALL_TIME, Span
from pipeline.model.partitions.service import unlisted_terms, without_cut_creations
from pipeline.model.partitions.service_parts import ended_intervals, in_parts, whole_intervals
from schemas.gold import broker_session, partition_timeline
from schemas.gold.partition_timeline import SPEC
from schemas.silver import term, wording_seen
from tests.carried import reaching, session_before
from tests.frames import at, frame
from tests.rows import same_rows

SESSIONS = """
    cluster_id | broker_id | joined_at | left_at | left_how     | left_term_id | left_event_seq
    c          | 1         | 5         | 100     | uncontrolled | 1-1          | 50
    c          | 1         | 200       | 300     | uncontrolled | 1-1          | 60
    c          | 1         | 310       | 400     | bounced      | 1-1          | 70
    c          | 1         | 400       |         |              |              |
    c          | 2         | 5         | 150     | uncontrolled | 1-1          | 55
    c          | 7         | 250       |         |              |              |
"""
INTERVALS = """
    cluster_id | topic    | topic_life | partition | interval_seq | valid_from_at | valid_until_at | state            | leader | is_deleting | term_id | event_seq | ended_by | certainty
    c          | twice    | 1          | 0         | 1            | 10            | 400            | OnlinePartition  | 1      | false       | 1-1     | 5         | moved    | proved
    c          | twice    | 1          | 0         | 2            | 400           |                | OnlinePartition  | 7      | false       | 1-1     | 70        |          | proved
    c          | gone     | 1          | 0         | 1            | 10            |                | OnlinePartition  | 2      | false       | 1-1     | 5         |          | proved
    c          | later    | 1          | 0         | 1            | 10            |                | OnlinePartition  | 7      | false       | 1-1     | 5         |          | proved
    c          | stated   | 1          | 0         | 1            | 120           |                | OnlinePartition  | 1      | false       | 1-1     | 51        |          | proved
    c          | offline  | 1          | 0         | 1            | 120           | 130            | OfflinePartition | 1      | false       | 1-1     | 51        | moved    | proved
    c          | deleting | 1          | 0         | 1            | 20            |                | OnlinePartition  | 2      | true        | 1-1     | 6         |          | proved
    c          | doubted  | 1          | 0         | 1            | 260           |                | OnlinePartition  | 7      | false       | 1-1     | 61        |          | undetermined
"""
PARTS = """
    topic    | interval_seq | part_seq | stated_from_at | valid_from_at | valid_until_at | is_served | unserved_why | ended_by
    twice    | 1            | 1        | 10             | 10            | 100            | true      |              | leader_gone
    twice    | 1            | 2        | 10             | 100           | 200            | false     | leader_gone  | leader_returned
    twice    | 1            | 3        | 10             | 200           | 300            | true      |              | leader_gone
    twice    | 1            | 4        | 10             | 300           | 310            | false     | leader_gone  | leader_returned
    twice    | 1            | 5        | 10             | 310           | 400            | true      |              | leader_gone
    twice    | 1            | 6        | 10             | 400           | 400            | false     | leader_gone  | moved
    twice    | 2            | 1        | 400            | 400           |                | true      |              |
    gone     | 1            | 1        | 10             | 10            | 150            | true      |              | leader_gone
    gone     | 1            | 2        | 10             | 150           |                | false     | leader_gone  |
    later    | 1            | 1        | 10             | 10            | 250            | false     | leader_gone  | leader_returned
    later    | 1            | 2        | 10             | 250           |                | true      |              |
    stated   | 1            | 1        | 120            | 120           | 200            | false     | leader_gone  | leader_returned
    stated   | 1            | 2        | 120            | 200           | 300            | true      |              | leader_gone
    stated   | 1            | 3        | 120            | 300           | 310            | false     | leader_gone  | leader_returned
    stated   | 1            | 4        | 120            | 310           |                | true      |              |
    offline  | 1            | 1        | 120            | 120           | 130            | false     | offline      | moved
    deleting | 1            | 1        | 20             | 20            |                |           |              |
    doubted  | 1            | 1        | 260            | 260           |                |           |              |
"""
TOLD = [name.strip() for name in PARTS.strip().splitlines()[0].split("|")]


def with_line(rows: pl.DataFrame, name: pl.Expr) -> pl.DataFrame:
    place = pl.struct(file_id=name, byte_offset=lit(0, pl.Int64))
    return rows.with_columns(evidence=pl.concat_list(place))


def intervals() -> pl.DataFrame:
    rows = frame(partition_timeline.SPEC, INTERVALS)
    return with_line(rows, pl.format("{} {}", "topic", "interval_seq"))


def sessions() -> pl.DataFrame:
    rows = frame(broker_session.SPEC, SESSIONS).with_columns(mode=lit("zookeeper"))
    return with_line(
        rows, pl.format("broker {} from {}", "broker_id", (col("joined_at") - at(0)).dt.total_seconds())
    )


NO_TERM = frame(term.SPEC, "cluster_id").clear()
NO_LINES = frame(wording_seen.SPEC, "cluster_id").clear()


def test_who_is_elected_where_no_list_is_read_may_be_back() -> None:
    """Broker 1 is gone from 10 on; the term that begins at 20, of which controller.log is missing, makes it leader."""
    led = frame(
        partition_timeline.SPEC,
        """
        cluster_id | topic | topic_life | partition | interval_seq | valid_from_at | valid_until_at | leader | state | certainty
        c          | held  | 1          | 0         | 1            | 0             |                | 1      | OnlinePartition | proved
        c          | given | 1          | 0         | 1            | 30            |                | 1      | OnlinePartition | proved
        """,
    ).with_columns(is_deleting=lit(value=False))
    gone = frame(
        broker_session.SPEC,
        "cluster_id | broker_id | joined_at | left_at | left_how\nc | 1 | -5 | 10 | uncontrolled",
    )
    terms = frame(
        term.SPEC,
        "cluster_id | mode | elected_at | first_seen_at\nc | zookeeper | -9 | -9\nc | zookeeper | | 20",
    )
    of_broker = with_line(gone.with_columns(mode=lit("zookeeper")), lit("left"))
    rows = with_line(led, col("topic"))
    # Days without lines end then: in them it may have come back, too.
    hole = frame(
        wording_seen.SPEC,
        "cluster_id | file_id | first_at | last_at\nc | f | -90100 | -90000\nc | g | 20 | 90",
    )
    found = [
        in_parts(rows, of_broker, unlisted_terms(terms.head(number), seen), rows.clear(), ALL_TIME)
        .sort("topic")["is_served"]
        .to_list()
        for number, seen in ((1, NO_LINES), (2, NO_LINES), (1, hole))
    ]
    assert found == [[False, True, False], [None, True, False], [None, True, False]]


@pytest.mark.parametrize(
    ("told_until", "expected"), [("11", None), ("70", None), ("71", "never_led"), ("", None)]
)
def test_what_is_new_as_the_lines_end_need_not_be_without_a_leader(
    told_until: str, expected: str | None
) -> None:
    """The log was copied, or ends, in the act that creates it; a minute later that act is over."""
    terms = frame(
        term.SPEC, f"cluster_id | mode | told_until_at\nc | zookeeper | 1\nc | zookeeper | {told_until}"
    )
    born = """
        cluster_id | topic | topic_life | partition | interval_seq | valid_from_at | valid_until_at | state        | leader | is_deleting | term_id | event_seq | certainty
        c          | cut   | 1          | 0         | 1            | 10            |                | NewPartition |        | false       | 1-1     | 5         | proved
        c          | led   | 1          | 0         | 1            | 10            | 10.001         | NewPartition |        | false       | 1-1     | 5         | proved
        c          | later | 1          | 0         | 1            | 10            | 14             | NewPartition |        | false       | 1-1     | 5         | proved
    """
    online = """
        c          | led   | 1          | 0         | 2            | 10.001        |                | OnlinePartition | 1   | false       | 1-1     | 5         | proved
        c          | later | 1          | 0         | 2            | 14            |                | OnlinePartition | 1   | false       | 1-1     | 6         | proved
    """
    rows = with_line(frame(partition_timeline.SPEC, born.rstrip() + online), lit("said"))
    parts = in_parts(rows, sessions().clear(), unlisted_terms(terms, NO_LINES), rows.clear(), ALL_TIME)
    found = without_cut_creations(parts, terms).sort("topic", "interval_seq")
    is_new = col("state") == "NewPartition"
    told = {row["topic"]: (row["is_served"], row["unserved_why"]) for row in found.filter(is_new).to_dicts()}
    is_served = None if expected is None else False
    assert told == {"cut": (is_served, expected), "led": (None, None), "later": (False, "never_led")}


def all_parts() -> pl.DataFrame:
    return in_parts(
        intervals(), sessions(), unlisted_terms(NO_TERM, NO_LINES), intervals().clear(), ALL_TIME
    ).select(SPEC.columns)


def test_parts_by_hand() -> None:
    """A broker that bounced leads nothing in the instant in which its partitions move; a broker that no list names
    before serves nothing until one does."""
    same_rows(all_parts(), frame(SPEC, PARTS), *TOLD)


def test_a_part_rests_on_the_line_that_begins_it_and_on_that_of_its_interval() -> None:
    rows = all_parts().filter(topic="twice", interval_seq=1).sort("part_seq")
    assert [[line["file_id"] for line in row] for row in rows["evidence"]] == [
        ["twice 1"], *([name, "twice 1"] for name in ("broker 1 from 5", "broker 1 from 200", "broker 1 from 200",
        "broker 1 from 310", "broker 1 from 310")),
    ]  # fmt: skip


@pytest.mark.parametrize("second", [10, 50, 100, 110, 150, 200, 220, 250, 255, 300, 305, 310, 350, 400, 500])
def test_parts_from_any_moment_on_are_those_of_all_time(second: float) -> None:
    whole, moment = all_parts(), at(second)
    before = whole.filter(col("valid_from_at") < moment)
    known = session_before(sessions(), moment)
    found = in_parts(
        intervals().filter(reaching("valid_until_at", moment)),
        pl.concat([known, sessions().filter(col("joined_at") >= moment)]),
        unlisted_terms(NO_TERM, NO_LINES),
        before.filter(reaching("valid_until_at", moment)),
        Span(moment),
    )
    reached = reaching("valid_until_at", moment)
    assert_frame_equal(
        found.select(SPEC.columns).filter(reached), whole.filter(reached), check_row_order=False
    )


def test_parts_are_put_together_again() -> None:
    own = [
        name
        for name in SPEC.columns
        if name not in ("stated_from_at", "part_seq", "is_served", "unserved_why")
    ]
    together = whole_intervals(all_parts())
    assert_frame_equal(together.select(own), intervals().select(own), check_row_order=False)
    # Of what has ended by 150 no interval is one that goes on.
    ended = ended_intervals(all_parts().filter(col("valid_until_at") <= at(150)))
    assert ended["topic"].to_list() == ["offline"]
