"""From which day on a run builds anew: what lies before it cannot differ from what is stored."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

import polars as pl
from polars import col

from jobs.incremental.at_hand import LOGS, of_each_log
from pipeline.gold.partition_timeline.watched import watched_from
from pipeline.model.brokers.balancing import DEFAULTS, NAMES, typed_setting_value
from pipeline.model.brokers.session_limits import default_seconds
from pipeline.model.brokers.silent_signals import without_signal
from pipeline.model.lines.acting import SEQ_BITS
from pipeline.model.partitions.partition_states import GRACE_SECONDS
from pipeline.model.terms.succession import (
    TERM,
    half_read_stretches,
    unseen_from,
    unseen_stretches,
    with_superseded,
)
from schemas.silver.log_gap import LINES_MISSING

LATE = timedelta(seconds=GRACE_SECONDS)  # how long a line still tells of a state that another one followed
ALL_SINCE = datetime(1, 1, 1, tzinfo=UTC)
AFFECTS = "affects_from"
REASONS = ("end_reason", "end_reason_at", "end_detail", "end_unknown_why")
# Columns of a term that decide which lines belong to it, when it begins, and how its moves are judged.
WATCHED = (
    *("cluster_id", "term_id", "mode", "controller_id", "controller_epoch", "elected_at", "first_seen_at"),
    *("file_id", "byte_offset", "replica_machine", "is_trace_seen", "is_isr_told", "are_moves_read"),
)


def begin_of_day(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def earliest_time(*times: datetime | None) -> datetime | None:
    """The first of the times that there are."""
    return min((one for one in times if one is not None), default=None)


def affected_from(now: pl.DataFrame, before: pl.DataFrame) -> datetime | None:
    """The earliest affects_from of rows that only one of two versions of a dimension has; None: none affects any.

    Both: the watched columns, and affects_from, from when on rows of other tables rest on that one.
    """
    names = now.columns
    both = pl.concat([now.select(names), before.select(names)]).group_by(names).agg(count=pl.len())
    return first_time(both.filter(col("count") == 1), AFFECTS)


def first_time(rows: pl.DataFrame, name: str) -> datetime | None:
    found = rows[name].min()
    return found if isinstance(found, datetime) else None


def dirty_at(
    segments: pl.DataFrame,
    terms: tuple[pl.DataFrame, pl.DataFrame],
    settings: tuple[pl.DataFrame, pl.DataFrame],
    wordings: tuple[pl.DataFrame, pl.DataFrame],
) -> datetime | None:
    """The earliest time of which a run tells anew; None: of none.

    segments: rows of bronze.source_file with status: new, old, or gone as others replace them. terms, settings,
    wordings: silver.term, silver.broker_setting and silver.wording_seen now and as they were.
    """
    of_terms = (
        affected_from(*map(one, terms))
        for one in (
            term_identities,
            superseded_term_ends,
            unseen_term_begins,
            void_term_begins,
            unproved_term_begins,
        )
    )
    of_all = earliest_time(
        affected_from(*map(held_values, settings)), first_watched(terms[0], wordings), first_terms(*terms)
    )
    begin = first_time(segments, "first_logged_at")
    of_all = of_all if of_all is None or begin is None else max(of_all, begin)
    new = first_time(segments.filter(col("status") == "new"), "first_logged_at")
    return earliest_time(new, earliest_overtaken_time(segments), *of_terms, of_all)


def begin_of_term() -> pl.Expr:
    return pl.min_horizontal("elected_at", "first_seen_at")


def term_identities(term: pl.DataFrame) -> pl.DataFrame:
    """Lines belong to a term, and its moves are judged, by what is known of it: from its begin on."""
    return term.select(*WATCHED, begin_of_term().alias(AFFECTS))


def superseded_term_ends(term: pl.DataFrame) -> pl.DataFrame:
    """What a controller did not find at its start rests on the last line of the one before: from its election on."""
    followed = with_superseded(term).filter(col("superseded_at").is_not_null())
    return followed.select(*TERM, "last_seen_at", col("superseded_at").alias(AFFECTS))


def unseen_term_begins(term: pl.DataFrame) -> pl.DataFrame:
    """Ratios are undetermined from the time on from which a term may be missing, leaders until one is stated again."""
    first = unseen_from(term).filter(col("unseen_at").is_not_null())
    each = pl.concat([unseen_stretches(term), half_read_stretches(term)])
    both = pl.concat(
        [first.select("cluster_id", "unseen_at"), each.select("cluster_id", unseen_at=col("from_at"))]
    ).unique()
    return both.with_columns(col("unseen_at").alias(AFFECTS))


def void_term_begins(term: pl.DataFrame) -> pl.DataFrame:
    """A KRaft controller may give up on the next day what it decided."""
    given_up = term.filter(col("void_from_at").is_not_null())
    return given_up.select(*TERM, "void_from_at", col("void_from_at").alias(AFFECTS))


def unproved_term_begins(term: pl.DataFrame) -> pl.DataFrame:
    """Logs of later days, or those of days that were missing, tell whether a KRaft term went on: from that day on."""
    since = term.filter(col("unproved_from_at").is_not_null())
    return since.select(*TERM, "unproved_from_at", col("unproved_from_at").alias(AFFECTS))


def missing_since(log_gap: pl.DataFrame) -> pl.DataFrame:
    """Verdicts are in doubt from the first time on from which lines of a node are missing."""
    at, is_of_partitions = pl.coalesce("from_at", "until_at"), (col("log") == LOGS[1]).fill_null(value=False)
    missing = log_gap.filter(col("kind").is_in(LINES_MISSING))
    of_node = ("cluster_id", "node_id", "is_of_partitions")
    first = missing.with_columns(is_of_partitions=is_of_partitions).group_by(of_node).agg(at=at.min())
    return first.with_columns(col("at").alias(AFFECTS))


def first_watched(term: pl.DataFrame, wordings: tuple[pl.DataFrame, pl.DataFrame]) -> datetime | None:
    """What logs of brokers may have told is missing in KRaft mode as soon as one broker has a state-change.log."""
    in_kraft = term.filter(col("mode") == "kraft").select("cluster_id").unique()
    watched = (
        watched_from(one).select("cluster_id").unique().join(in_kraft, on="cluster_id") for one in wordings
    )
    since = pl.lit(ALL_SINCE, pl.Datetime("us", "UTC")).alias(AFFECTS)
    return affected_from(*(one.with_columns(since) for one in watched))


def first_terms(now: pl.DataFrame, before: pl.DataFrame) -> datetime | None:
    """Until a line shows a controller in office what brokers print of partitions is taken for that of KRaft mode."""
    return ALL_SINCE if before.is_empty() and not now.is_empty() else None


def held_values(broker_setting: pl.DataFrame) -> pl.DataFrame:
    """What brokers print of leader balancing, each value where it begins to hold: the first one of a broker holds
    before it, too, and tells nothing new where it is Kafka's default."""
    of_setting = ("cluster_id", "node_id", "name")
    parts = [
        broker_setting.filter((col("name") == name) & col("node_id").is_not_null()).with_columns(
            number=typed_setting_value(key).cast(pl.Float64).fill_null(float(DEFAULTS[key])),
            default=pl.lit(float(DEFAULTS[key])),
        )
        for key, name in NAMES.items()
    ]
    lines = pl.concat(parts).sort("logged_at", "file_id", "byte_offset")
    told = lines.with_columns(before=col("number").shift(1).over(*of_setting))
    is_first = col("before").is_null()
    is_other = col("number") != pl.coalesce("before", "default")
    since = (
        pl.when(is_first).then(pl.lit(ALL_SINCE, broker_setting.schema["logged_at"])).otherwise("logged_at")
    )
    return told.filter(is_other).select(*of_setting, "number", since.alias(AFFECTS))


def earliest_overtaken_time(segments: pl.DataFrame) -> datetime | None:
    """The earliest time of segments that are gone, of all logs, and of LOGS those that stand behind a new one or one
    that is gone, or whose file has come to another place among those of its node and log."""
    own = of_each_log(segments).filter(col("log").is_in(LOGS))
    of_log = ("cluster_id", "node_id", "log")
    order = ("file_from_at", "file_id", "start_offset")
    is_behind = (col("status") != "old").cast(pl.Int32).cum_sum().shift(1, fill_value=0).over(*of_log) > 0
    stored = pl.when(col("status") != "new").then("first_logged_at").min().over("log", "file_id")
    moved = (col("file_from_at") < stored).fill_null(value=False)
    found = own.sort(*order).with_columns(is_behind=is_behind, is_moved=moved)
    begin = pl.when("is_moved").then("file_from_at").otherwise("first_logged_at")
    touched = found.filter(col("status") == "old", col("is_behind") | col("is_moved"))
    gone = segments.filter(col("status") == "gone")
    return earliest_time(first_time(touched.select(at=begin), "at"), first_time(gone, "first_logged_at"))


def judged_at(
    lines: pl.DataFrame,
    summaries: pl.DataFrame,
    terms: pl.DataFrame,
    gaps: tuple[pl.DataFrame, pl.DataFrame],
    releases: tuple[pl.DataFrame, pl.DataFrame],
) -> datetime | None:
    """The earliest time before the dirty day of which the lines from that day on change verdicts.

    lines: silver.controller_line from that day on; summaries: what the replay left before it, of the terms of these
    lines (state.replay_summary); gaps, releases: silver.log_gap and silver.release_span now and as they were.
    """
    of_dimensions = (
        affected_from(*map(missing_since, gaps)),
        affected_from(*map(session_defaults, releases)),
        affected_from(*map(silent_signals, releases)),
    )
    return earliest_time(traced_again(lines, summaries), begin_of_later_life(lines, terms), *of_dimensions)


def session_defaults(release_span: pl.DataFrame) -> pl.DataFrame:
    """How long a broker may have been silent rests on its release, where it lists no session time-out."""
    return default_seconds(release_span).rename({"told_at": AFFECTS})


def silent_signals(release_span: pl.DataFrame) -> pl.DataFrame:
    """Why a process stopped rests on whether its release prints signals."""
    return (
        without_signal(release_span)
        .filter("is_without_signal")
        .with_columns(col("valid_from_at").alias(AFFECTS))
    )


def traced_again(lines: pl.DataFrame, summaries: pl.DataFrame) -> datetime | None:
    """A term's verdicts change from its last line at TRACE on, where after others such a line follows again."""
    traced = lines.filter((col("level") == "TRACE") & (col("log") == "state-change")).select(TERM).unique()
    left = summaries.join(traced, on=TERM, how="semi").group_by(TERM)
    ends = left.agg(traced_seq=col("last_trace_seq").max(), end_seq=col("end_seq").max())
    at = pl.from_epoch(col("traced_seq") // (1 << SEQ_BITS), time_unit="ms").dt.replace_time_zone("UTC")
    return first_time(ends.filter(col("traced_seq") < col("end_seq")).select(at=at), "at")


def begin_of_later_life(lines: pl.DataFrame, terms: pl.DataFrame) -> datetime | None:
    """A controller that acts beside those of a later life of the cluster (a migration to KRaft) moves the end of the
    earlier one: from the begin of the later one's terms on."""
    lives = lines.select("cluster_id", going_on=life_of_term()).drop_nulls().unique()
    quorums = terms.filter(col("mode") == "kraft").join(lives, on="cluster_id")
    return first_time(quorums.filter(col("life") > col("going_on")).select(at=begin_of_term()), "at")


def life_of_term() -> pl.Expr:
    """The number in front of a term_id."""
    return col("term_id").str.split_exact("-", 1).struct.field("field_0").cast(pl.Int32, strict=False)


def earliest_changed_interval(
    rows: pl.DataFrame, before: pl.DataFrame, key: Sequence[str], watched: Sequence[str], start: datetime
) -> datetime | None:
    """The earliest begin (valid_from_at) before `start` of intervals of which rows and those before it say differently.

    rows: what a kernel gives from `start` on, and of each key the intervals before it from some interval_seq on.
    before: what is stored of the time before `start`.
    """
    at, number = col("valid_from_at"), col("interval_seq")
    earlier, stored = (one.filter(at < start) for one in (rows, before))
    told = earlier.group_by(key).agg(first_seq=number.min())
    same_time = stored.join(told, on=list(key)).filter(number >= col("first_seq"))
    now, then = (one.select(*key, *watched, at, at.alias(AFFECTS)) for one in (earlier, same_time))
    return affected_from(now, then)


def earliest_changed_reason(stored: pl.DataFrame, now: pl.DataFrame) -> datetime | None:
    """The earliest end (left_at) of sessions whose reason is another one than was stored: a next start is seen only
    now, or what the process said later."""
    key = ("cluster_id", "broker_id", "joined_at")
    reasons = (
        rows.select(*key, *REASONS, line_of_reason(), col("left_at").alias(AFFECTS)) for rows in (now, stored)
    )
    return affected_from(*reasons)


def line_of_reason() -> pl.Expr:
    return col("end_lines").list.first().struct.field("file_id")


def first_deposed_day(
    terms: pl.DataFrame, lines: pl.DataFrame, events: Iterable[str], since: datetime
) -> datetime | None:
    """Begin of the first day of the terms that have such lines from `since` on and had a successor before it."""
    saying = lines.filter(col("event").is_in(list(events)) & (col("ordered_at") >= since))
    deposed = with_superseded(terms).filter(col("superseded_at") < since)
    found = first_time(deposed.join(saying, on=TERM, how="semi").select(at=begin_of_term()), "at")
    return None if found is None else begin_of_day(found)
