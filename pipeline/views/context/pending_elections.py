"""Elections of preferred leaders that a controller has begun and not finished, at one time."""

from datetime import datetime

from polars import col

from pipeline.core.conditions import column_equals, column_since, is_in
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row
from pipeline.views.terms.tenures import ZOOKEEPER, at_or_before, context_row

BEGUN = ("listed", "resumed", "started", "requested", "in_progress")
DONE = ("elected", "elected_unclean", "result", "not_elected", "skipped", "failed", "listed_as_done")
COLUMNS = (
    "logged_at",
    "step",
    "selector",
    "trigger",
    "topic",
    "partition",
    "file_id",
    "byte_offset",
    "controller_id",
)
PREFERRED = ("PREFERRED", "PreferredReplicaPartitionLeaderSelector")
LINE = ("seq", "event_seq", "file_id", "byte_offset")


def pending_election_rows(answers: Answers, term: Row | None, at: datetime) -> list[Row]:
    """Those of the work that the controller of a term is at, which has no line yet of their end. A KRaft controller
    elects at once, none waits there.

    Source: KafkaController.onReplicaElection (before 2.4 onPreferredReplicaElection) handles all partitions of a
    request in one piece of work of its only thread: what it has ended, it has forgotten.
    """
    if term is None or term["mode"] != ZOOKEEPER:
        return []
    within = column_since("logged_at", term["began_at"]) & at_or_before("logged_at", at)
    own = within & column_equals("controller_id", term["controller_id"])
    begun = answers.rows(
        "silver.election_event", own & is_in("step", BEGUN) & is_in("selector", PREFERRED), COLUMNS
    )
    newest = begun["logged_at"].max()
    if not isinstance(newest, datetime):
        return []
    at_work = (
        column_since("logged_at", newest)
        & at_or_before("logged_at", at)
        & column_equals("term_id", term["term_id"])
    )
    lines = answers.rows("silver.controller_line", at_work, LINE)
    of_now = lines.filter(col("event_seq") == lines.sort("seq")["event_seq"].last())
    asked = begun.filter(col("topic").is_not_null()).join(of_now, on=["file_id", "byte_offset"], how="semi")
    after = (
        column_since("logged_at", newest)
        & at_or_before("logged_at", at)
        & column_equals("controller_id", term["controller_id"])
    )
    ended = answers.rows("silver.election_event", after & is_in("step", DONE), COLUMNS)
    waiting = asked.join(ended, on=["topic", "partition"], how="anti").unique(["topic", "partition"])
    return [
        context_row(
            f"{one['topic']}-{one['partition']}",
            {"trigger": one["trigger"]},
            one["logged_at"],
            term,
        )
        for one in waiting.sort("topic", "partition").iter_rows(named=True)
    ]
