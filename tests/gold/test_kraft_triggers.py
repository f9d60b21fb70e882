"""By which decision a KRaft controller elected a leader, and when its choice can be held against a rule."""

import polars as pl

from pipeline.gold.leader_election.kraft_choosing import with_kraft_expected_leader, with_kraft_verdict
from pipeline.gold.leader_election.kraft_marks import without_done
from pipeline.gold.leader_election.kraft_triggers import with_kraft_trigger
from schemas.gold import leader_election
from schemas.silver import election_event
from tests.frames import at, frame
from tests.rows import same_rows

TIME = pl.Datetime("us", "UTC")
MARKS: tuple[tuple[str, pl.DataType], ...] = (
    ("at", TIME), ("step", pl.String()), ("file_id", pl.String()), ("byte_offset", pl.Int64()),
)  # fmt: skip
BACK = (at(10), "unfence_granted", "x", 1)

CHOICES = """
    topic | leader | old_leader | leader_epoch | isr | isr_before | replicas | kind    | certainty | selector
    said  | 3      | 1          | 5            | [3 2] | [1 2 3]  | [1 2 3]  | offline | proved    |
    late  | 3      | 1          | 5            | [3 2] | [1 2 3]  | [1 2 3]  | offline | proved    |
    right | 2      | 1          | 5            | [3 2] | [1 2 3]  | [1 2 3]  | offline | proved    |
"""


def choices_of(text: str) -> pl.DataFrame:
    times = pl.Datetime("us", "UTC")
    return frame(leader_election.SPEC, text).with_columns(
        leader_before="old_leader",
        able="replicas",
        said_isr=pl.lit(None, pl.List(pl.Int32)),
        said_step=pl.lit(None, pl.String),
        said_selector=pl.lit(None, pl.String),
        said_at=pl.lit(None, times),
        mark_at=pl.when(topic="said").then(pl.lit(at(1), times)),
        is_next=True,
        is_born=False,
        is_term_read=True,
        is_out_known=True,
        has_disk_out=False,
        is_assignment_stale=False,
        missing_epochs=0,
        trigger=pl.lit("broker failure"),
    )


def test_a_choice_that_only_brokers_print_is_never_against_its_rule() -> None:
    """They print it some time after it was decided: who was in service then is not known so well."""
    found = with_kraft_verdict(with_kraft_expected_leader(choices_of(CHOICES)))
    assert dict(found.select("topic", "verdict").rows()) == {
        "said": "differs",
        "late": "undetermined",
        "right": "as_prescribed",
    }


DATED = """
    topic  | leader | old_leader | leader_epoch | isr | isr_before | replicas
    said   | 3      |            | 5            | [3] |            | [1 2 3]
    next   | 3      | 1          | 5            | [3] |            | [1 2 3]
    before | 3      |            | 5            | [3] |            | [1 2 3]
"""


def test_of_an_election_that_no_line_dates_the_controller_may_have_said_that_it_was_unclean() -> None:
    missing = pl.when(pl.col("topic") != "next").then(None).otherwise(0)
    found = with_kraft_expected_leader(choices_of(DATED).with_columns(missing_epochs=missing))
    assert dict(found.select("topic", "is_clean").rows()) == {"said": True, "next": True, "before": None}


TRIGGERED = """
    topic  | leader | old_leader | isr | trigger
    back   | 2      |            | [2] | broker start
    asked  | 2      |            | [2] | unclean election
    unread | 2      | -1         | [2] | unknown
    alone  | 2      | -1         | [2] | broker start
"""


def test_whatever_led_before_an_unclean_election_of_a_broker_that_is_back_was_not_asked_for() -> None:
    """Where logs are missing the leader before is not known; without lines of the controller nothing is."""
    times = pl.Datetime("us", "UTC")
    expected = frame(leader_election.SPEC, TRIGGERED)
    is_back, is_said = pl.col("topic") != "asked", pl.col("topic").is_in(["back", "asked"])
    marks = [
        pl.lit(None, kind).alias(f"{name}_{one}")
        for name in ("left", "moved", "run", "task")
        for one, kind in MARKS
    ]
    back = [
        pl.when(is_back).then(pl.lit(value, kind)).alias(f"back_{one}")
        for (one, kind), value in zip(MARKS, BACK, strict=True)
    ]
    changes = expected.drop("trigger").with_columns(
        *(*marks, *back),
        leader_before="old_leader",
        partition_epoch=pl.lit(3, pl.Int32),
        is_born=False,
        is_term_read=pl.col("topic") != "unread",
        valid_from_at=pl.lit(at(10), times),
        topic_from_at=pl.lit(at(1), times),
        said_step=pl.when(is_said).then(pl.lit("elected_unclean")),
        are_runs_told=True,
        are_moves_told=True,
        is_assignment_stale=False,
    )
    same_rows(with_kraft_trigger(changes), expected, "topic", "trigger")


OUT = """
    topic  | leader | old_leader | isr   | replicas | trigger
    moved  | 2      | 1          | [2 3] | [2 3]    | reassignment
    told   | 2      | 1          | [2 3] | [1 2 3]  | reassignment
    silent | 2      | 1          | [2 3] | [1 2 3]  | unknown
    unseen | 2      | 1          | [2 3] | [1 2 3]  | unknown
    stays  | 2      | 1          | [2 3] | [1 2 3]  | unknown
"""


def test_who_stays_a_replica_was_not_moved_out() -> None:
    """Where the assignment is stale it was, if the controller printed a line of a reassignment before."""
    times = pl.Datetime("us", "UTC")
    expected = frame(leader_election.SPEC, OUT)
    names = ("left", "moved", "run", "task", "back")
    changes = expected.drop("trigger").with_columns(
        *(pl.lit(None, kind).alias(f"{name}_{one}") for name in names for one, kind in MARKS),
        certainty=pl.when(pl.col("topic") != "unseen").then(pl.lit("proved")),
        leader_before="old_leader",
        partition_epoch=pl.lit(3, pl.Int32),
        is_born=False,
        is_term_read=True,
        valid_from_at=pl.lit(at(10), times),
        topic_from_at=pl.lit(at(1), times),
        said_step=pl.lit(None, pl.String),
        are_runs_told=False,
        are_moves_told=pl.col("topic").is_in(["told", "unseen"]),
        is_assignment_stale=pl.col("topic").is_in(["told", "silent", "unseen"]),
    )
    same_rows(with_kraft_trigger(changes), expected, "topic", "trigger")


ENDS = """
    file_id | byte_offset | step  | trigger
    x       | 50          | batch | handleBrokerUnfenced
    x       | 90          | batch | handleBrokerUnfenced
    x       | 5           | batch | handleBrokerFenced
"""


def test_what_is_chosen_behind_the_count_of_a_return_is_not_of_it() -> None:
    """The controller chooses, then counts: a choice behind that was asked for. In another file no order is known."""
    places = [("of it", "x", 40), ("asked", "x", 60), ("elsewhere", "y", 60), ("unsaid", None, None)]
    choice = pl.Struct({"file_id": pl.String, "byte_offset": pl.Int64})
    changes = pl.DataFrame(
        [
            (topic, None if file is None else {"file_id": file, "byte_offset": at})
            for topic, file, at in places
        ],
        schema={"topic": pl.String, "choice_line": choice},
        orient="row",
    ).with_columns(
        pl.lit(value, kind).alias(f"back_{one}") for (one, kind), value in zip(MARKS, BACK, strict=True)
    )
    found = without_done(changes, frame(election_event.SPEC, ENDS))
    is_of_return = found.select("topic", pl.col("back_at").is_not_null()).rows()
    assert dict(is_of_return) == {"of it": True, "asked": False, "elsewhere": True, "unsaid": True}
