"""What the audit judged, in counts: moves, elections, and what Kafka itself printed beside what is computed."""

from datetime import datetime

import polars as pl
from polars import col

from pipeline.core.conditions import (
    all_conditions,
    column_differs,
    column_equals,
    is_in,
)
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row
from pipeline.views.reading.times import begin_of_utc_day, moved_since, reached_since

ODD = ("illegal", "refused")


def count_moves(answers: Answers, since: datetime | None) -> dict[str, int]:
    """How many moves by verdict; refused ones that a release makes normally under 'normal'."""
    rows = answers.rows("gold.transition_audit", moved_since(since), ("verdict", "normal"))
    found = rows.group_by("verdict").agg(moves=pl.len(), normal=col("normal").count()).to_dicts()
    counts = {row["verdict"]: int(row["moves"]) for row in found}
    counts["normal"] = sum(int(row["normal"]) for row in found if row["verdict"] == "refused")
    return counts


def count_replay_checks(answers: Answers, since: datetime | None) -> dict[str, Row]:
    """By what is checked, how many statements of Kafka the replay has alike: said, equal, differing, undecided."""
    counts = {one: col(f"{one}_count").sum() for one in ("said", "equal", "differing", "undecided")}
    told = all_conditions(
        reached_since("logged_at", since), reached_since("day_at", since and begin_of_utc_day(since))
    )
    columns = ("check", *(f"{one}_count" for one in counts))
    rows = answers.rows("gold.replay_check", told, columns).group_by("check").agg(**counts)
    return {row["check"]: row for row in rows.to_dicts()}


def count_ratio_checks(answers: Answers, since: datetime | None) -> Row:
    """Kafka's own ratio lines: how many, of them those equal to ours, undetermined, of deposed controllers;
    lists of partitions beside them, and those that name the same partitions as ours."""
    columns = ("is_equal", "is_stale", "listed_count", "only_kafka", "only_ours_count")
    is_alike = (col("only_kafka").list.len() == 0) & (col("only_ours_count") == 0)
    return (
        answers.rows("gold.imbalance_check", reached_since("checked_at", since), columns)
        .select(
            said=pl.len(),
            equal=col("is_equal").sum(),
            undecided=col("is_equal").null_count(),
            stale=col("is_stale").sum(),
            lists=col("listed_count").count(),
            lists_alike=is_alike.sum(),
        )
        .row(0, named=True)
    )


def count_elections(answers: Answers, since: datetime | None) -> Row:
    """Leaders that controllers gave partitions: how many, and of how many no line tells whether the
    leader was in the ISR."""
    is_chosen = column_equals("outcome", "done") & column_differs("kind", "isr_removal")
    asked = all_conditions(is_chosen, reached_since("elected_at", since))
    chosen = answers.rows("gold.leader_election", asked, ("is_clean", "leader"))
    is_undecided = col("is_clean").is_null() & (col("leader") >= 0)
    return chosen.select(chosen=pl.len(), undecided=is_undecided.sum()).row(0, named=True)


def count_event_orders(answers: Answers, since: datetime | None) -> Row:
    """Arrivals and departures of brokers and creations of topics that show two steps at least: how many, and of how
    many the steps stand in another order than Kafka makes them."""
    told = reached_since("began_at", since)
    orders = answers.rows("gold.controller_event", told, ("order_ok",))["order_ok"].drop_nulls()
    return {"said": len(orders), "other": int((~orders).sum())}


def odd_moves_since(answers: Answers, limit: int, since: datetime | None) -> list[Row]:
    """Illegal and refused moves in order of time, the illegal first."""
    order = ("verdict", "logged_at", "byte_offset", "file_id")
    is_odd = all_conditions(is_in("verdict", ODD), moved_since(since))
    pair = ("machine", "from_state", "to_state")
    moves = answers.rows("gold.transition_audit", is_odd, (*order, "normal", *pair))
    return moves.sort(order).head(limit).to_dicts()
