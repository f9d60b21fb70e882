"""Which logs of a node were seen when, at which level and with which gaps, and what they can answer."""

from datetime import timedelta

import polars as pl
from polars import col, element, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.wording.releases import release_names

NODE = ("cluster_id", "node_id")
HOUR = (*NODE, "hour_at")
LEVELS = ("INFO", "TRACE")  # the least verbose first
SAME = ("logs", "state_change_level", "mode", "is_controller", "gaps", "is_from_2_6")
LONGEST_GAP_HOURS = 24 * 366


def build(
    wording_seen: pl.DataFrame, log_gap: pl.DataFrame, term: pl.DataFrame, release_span: pl.DataFrame
) -> pl.DataFrame:
    """Rows: hours that show the same are one interval; intervals of a node follow one another without a hole.

    A quiet hour belongs to the interval before it; hours of a known gap stand by themselves, with the logs that have
    lines in them. Levels are what the lines show: an hour without lines of state-change.log has the level before it.
    """
    return (
        hours_of(wording_seen, log_gap)
        .pipe(with_level)
        .pipe(with_controller_mode, term)
        .pipe(with_release, release_span)
        .pipe(merge_equal_hours)
        .pipe(with_answerable_questions)
    )


def hours_of(wording_seen: pl.DataFrame, log_gap: pl.DataFrame) -> pl.DataFrame:
    """One row per hour of a node with lines, or with a part of a gap: from_at, until_at, logs, gaps, level_rank (place
    in LEVELS, null without lines of state-change.log)."""
    is_timed = col("node_id").is_not_null() & col("first_at").is_not_null()
    level_rank = when(col("log") == "state-change").then((col("level") == "TRACE").fill_null(value=False))
    seen = wording_seen.filter(is_timed).select(
        *(*NODE, "log"),
        hour_at=col("first_at").dt.truncate("1h"),
        from_at="first_at",
        until_at="last_at",
        level_rank=level_rank.cast(pl.Int64),
    )
    return (
        pl.concat([seen, gap_hours(log_gap)], how="diagonal")
        .group_by(*HOUR)
        .agg(
            col("from_at").min(),
            col("until_at").max(),
            col("level_rank").max(),
            logs=col("log").drop_nulls().unique().sort(),
            gaps=col("gap_kind").drop_nulls().unique().sort(),
        )
        .sort(*HOUR)
    )


@needs_rows_of("log_gap")
def gap_hours(log_gap: pl.DataFrame) -> pl.DataFrame:
    """The hours that a gap of a node touches, each with its part of the gap; of one without times there are none."""
    hour = timedelta(hours=1)
    last = pl.min_horizontal("end_at", col("begin_at") + LONGEST_GAP_HOURS * hour)
    hours = pl.datetime_ranges(col("begin_at").dt.truncate("1h"), last.dt.truncate("1h"), interval="1h")
    return (
        log_gap.filter(col("node_id").is_not_null())
        .select(
            *NODE,
            gap_kind="kind",
            begin_at=pl.coalesce("from_at", "until_at"),
            end_at=pl.coalesce("until_at", "from_at"),
        )
        .filter(col("begin_at") <= col("end_at"))
        .with_columns(hour_at=hours)
        .explode("hour_at")
        .select(
            *(*HOUR, "gap_kind"),
            from_at=pl.max_horizontal("begin_at", "hour_at"),
            until_at=pl.min_horizontal("end_at", col("hour_at") + hour),
        )
    )


def with_level(hours: pl.DataFrame) -> pl.DataFrame:
    """Adds state_change_level to hours that are sorted by HOUR."""
    rank = col("level_rank").forward_fill().over(NODE)
    names = dict(enumerate(LEVELS))
    return hours.with_columns(state_change_level=rank.replace_strict(names, return_dtype=pl.String))


def with_controller_mode(hours: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Adds mode and is_controller, by the terms of the node that touch the hour."""
    of_node = term.select("cluster_id", "mode", "first_seen_at", "last_seen_at", node_id="controller_id")
    touches = (col("first_seen_at") <= col("until_at")) & (col("last_seen_at") >= col("from_at"))
    modes = (
        hours.select(*HOUR, "from_at", "until_at")
        .join(of_node, on=NODE, how="inner")
        .filter(touches)
        .group_by(*HOUR)
        .agg(col("mode").max())
    )
    return hours.join(modes, on=HOUR, how="left").with_columns(is_controller=col("mode").is_not_null())


def with_release(hours: pl.DataFrame, release_span: pl.DataFrame) -> pl.DataFrame:
    """Adds is_from_2_6: every release that the node may have run then has moves of partitions at INFO (KAFKA-8470)."""
    modern = [one for one in release_names() if tuple(map(int, one.split("."))) >= (2, 6)]
    is_modern = col("releases").list.eval(element().is_in(modern)).list.all()
    spans = release_span.select(*NODE, "valid_from_at", "valid_until_at", is_from_2_6=is_modern)
    touches = (col("valid_from_at") <= col("until_at")) & (col("valid_until_at") > col("from_at"))
    known = (
        hours.select(*HOUR, "from_at", "until_at")
        .join(spans, on=NODE, how="inner")
        .filter(touches)
        .group_by(*HOUR)
        .agg(col("is_from_2_6").all())
    )
    return hours.join(known, on=HOUR, how="left").with_columns(col("is_from_2_6").fill_null(value=False))


def merge_equal_hours(hours: pl.DataFrame) -> pl.DataFrame:
    """Hours of a node that show the same in a row as one interval."""
    ordered = hours.sort(*HOUR)
    differs = pl.any_horizontal(col(name).ne_missing(col(name).shift(1).over(NODE)) for name in SAME)
    merged = (
        ordered.with_columns(island=differs.cast(pl.Int64).cum_sum().over(NODE))
        .group_by(*NODE, "island")
        .agg(col(SAME).first(), valid_from_at=col("from_at").min(), until_at=col("until_at").max())
        .sort(*NODE, "island")
    )
    following = col("valid_from_at").shift(-1).over(NODE)
    return merged.with_columns(valid_until_at=pl.coalesce(following, "until_at"))


def with_answerable_questions(rows: pl.DataFrame) -> pl.DataFrame:
    """Adds answers and unanswered: of a node that was no controller nothing was to be answered."""
    questions = read_fact_table("wording/questions.tsv")
    told = [
        when(is_question_of_mode(one) & is_question_answerable(one)).then(lit(one["question"]))
        for one in questions
    ]
    untold = [
        when(is_question_of_mode(one) & ~is_question_answerable(one)).then(
            lit(f"{one['question']}: {one['todo']}")
        )
        for one in questions
    ]
    return rows.with_columns(
        answers=pl.concat_list(told).list.drop_nulls(),
        unanswered=pl.concat_list(untold).list.drop_nulls(),
        is_complete=col("gaps").list.len() == 0,
        certainty=lit("inferred"),
    )


def is_question_of_mode(question: dict[str, str]) -> pl.Expr:
    return col("is_controller") & (col("mode") == question["mode"])


def is_question_answerable(question: dict[str, str]) -> pl.Expr:
    """True if all logs that the question needs were seen, at the level that it needs in the node's release."""
    has_logs = pl.all_horizontal(col("logs").list.contains(log) for log in question["logs"].split(","))
    is_at_trace = (col("state_change_level") == "TRACE").fill_null(value=False)
    is_enough = {"": lit(value=True), "TRACE": is_at_trace, "INFO": lit(value=True)}
    has_level = (
        when("is_from_2_6")
        .then(is_enough[question["level_from_2_6"]])
        .otherwise(is_enough[question["level"]])
    )
    return has_logs & has_level
