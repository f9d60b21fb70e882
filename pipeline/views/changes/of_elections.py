"""Elections of leaders that a tool asked for, as changes."""

from datetime import datetime

import polars as pl
from polars import col, lit, when

from pipeline.core.conditions import all_conditions, is_in
from pipeline.views.changes.frames import LINE, change_rows, group_requests
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.times import reached_since

ELECTIONS = "silver.election_event"
BY_TOOL = {"preferred election by tool": "preferred_election", "unclean election": "unclean_election"}
TOOLS = ("AdminClientTriggered", "ZkTriggered")
# Up to 2.1 each partition of a request has its line. Nodes of KRaft print what was elected within a second.
LINE_BY_LINE, AT_ONCE = pl.duration(milliseconds=50), pl.duration(seconds=1)
STARTING = ("starting", "thread_starting")
AT_START = pl.duration(seconds=10)
STARTED, ENABLED, UNCLEAN = "started", "enabled", "UNCLEAN"


def of_elections(answers: Answers, since: datetime | None, terms: pl.DataFrame) -> list[pl.DataFrame]:
    """ZooKeeper mode: by the line that begins one, and what was elected for it. KRaft prints what was elected alone."""
    asked = all_conditions(is_in("step", (STARTED, ENABLED)), reached_since("logged_at", since))
    names = ("logged_at", "step", "selector", "trigger", "topic", "partition", "controller_id", *LINE)
    lines = answers.rows(ELECTIONS, asked, names)
    elected = elected_by_tool(answers, since, terms)
    is_kraft = col("mode") == "kraft"
    return [
        election_requests(
            with_elected(begun_by_tool(lines, answers, since), elected.filter(~is_kraft)), LINE_BY_LINE
        ),
        election_requests(elected.filter(is_kraft), AT_ONCE),
        unclean_enabled_changes(lines.filter(col("step") == ENABLED), answers),
    ]


def begun_by_tool(lines: pl.DataFrame, answers: Answers, since: datetime | None) -> pl.DataFrame:
    """Lines that begin one, as they say from 2.4 on; before by what the controller was doing."""
    started = lines.filter(col("step") == STARTED)
    begun, unsaid = started.filter(col("trigger").is_in(TOOLS)), started.filter(col("trigger").is_null())
    if len(unsaid):
        causes = all_conditions(is_in("cause", tuple(BY_TOOL)), reached_since("logged_at", since))
        own = answers.rows("silver.controller_line", causes, LINE)
        begun = pl.concat([begun, unsaid.join(own, on=LINE, how="semi")])
    is_unclean = (col("selector") == UNCLEAN).fill_null(value=False)
    return begun.with_columns(
        at=col("logged_at"),
        kind=when(is_unclean).then(lit("unclean_election")).otherwise(lit("preferred_election")),
    )


def elected_by_tool(answers: Answers, since: datetime | None, terms: pl.DataFrame) -> pl.DataFrame:
    """Leaders that were elected for a tool, with the mode. What a controller prints before it is in office was decided
    in the term before."""
    asked = all_conditions(is_in("trigger", tuple(BY_TOOL)), reached_since("elected_at", since))
    names = (
        "topic",
        "partition",
        "elected_at",
        "trigger",
        "outcome",
        "old_leader",
        "leader",
        "term_id",
        *LINE,
    )
    made = answers.rows("gold.leader_election", asked, names)
    is_said = col("ended_how") != "process_end"  # else it ended after its last line
    of_term = terms.select(
        "term_id", "mode", "controller_id", ended_at=when(is_said).then("ended_at"), begun_at="elected_at"
    )
    is_led = (col("outcome") == "done") & (col("leader") != col("old_leader")).fill_null(value=True)
    is_after = (col("elected_at") > col("ended_at")) | (col("elected_at") < col("begun_at"))
    is_in_office = (col("mode") == "zookeeper") | ~is_after.fill_null(value=False)
    return made.join(of_term, on="term_id", how="left").filter(is_led, is_in_office).with_columns(
        at=col("elected_at"),
        kind=col("trigger").replace_strict(BY_TOOL, return_dtype=pl.String),
        outcome=lit("elected"),
    )  # fmt: skip


def with_elected(asked_for: pl.DataFrame, elected: pl.DataFrame) -> pl.DataFrame:
    """outcome: that a leader was elected for the request within a few seconds; null: none."""
    by = ("kind", "topic", "partition")
    won = elected.select(*by, "elected_at").sort("elected_at")
    found = asked_for.sort("at").join_asof(
        won, left_on="at", right_on="elected_at", by=by, strategy="forward", tolerance="10s",
        check_sortedness=False,
    )  # fmt: skip
    return found.with_columns(outcome=when(col("elected_at").is_not_null()).then(lit("elected")))


def election_requests(rows: pl.DataFrame, within: pl.Expr) -> pl.DataFrame:
    nothing = {"ms": lit(None, pl.Int64), "reason": lit(None, pl.String), "certainty": lit("proved")}
    together = group_requests(rows.with_columns(**nothing), within, "kind", "trigger")
    count = col("outcomes").list.len()
    return change_rows(
        together.with_columns(led=count, asked=col("partitions").list.len()),
        outcomes=pl.concat_list(when(count > 0).then(lit("elected")).otherwise(lit("none_elected"))),
    )


def unclean_enabled_changes(lines: pl.DataFrame, answers: Answers) -> pl.DataFrame:
    """Without what the controller's process reads again as it starts: settings of topics that stood before."""
    if len(lines):
        names = ("logged_at", "controller_id")
        starts = answers.rows("silver.controller_step", is_in("step", STARTING), names).sort("logged_at")
        begun = starts.rename({"logged_at": "begun_at"})
        found = lines.sort("logged_at").join_asof(
            begun, left_on="logged_at", right_on="begun_at", by="controller_id", check_sortedness=False
        )
        is_read = (col("logged_at") - col("begun_at") < AT_START).fill_null(value=False)
        lines = found.filter(~is_read).drop("begun_at")
    topic = when(col("topic").is_not_null()).then(pl.format("topic {}", "topic"))
    return change_rows(
        lines,
        at=col("logged_at"),
        kind=lit("unclean_enabled"),
        topics=pl.concat_list("topic").list.drop_nulls(),
        allowed=topic.otherwise(lit("all topics")),
    )
