"""Lives of topics in KRaft mode: by the records that controllers replay, and by what they answer."""

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.span import Span
from pipeline.gold.topic_lifecycle.zookeeper_lives import TOPIC, VANISHED, WIPED
from pipeline.model.lines.evidence import LINE
from pipeline.model.terms.kraft_terms import kraft_terms, with_decided, with_holder

BORN, GONE, CREATE_ACCEPTED, DELETE_ACCEPTED = (
    *("topic_record", "remove_topic_record"),
    *("create_accepted", "delete_accepted"),
)
OWN = (*TOPIC, "topic_id")
ANSWERED_BEFORE = "1m"  # how long at most before its record a request is answered


def kraft_lines(
    topic_event: pl.DataFrame,
    controller_line: pl.DataFrame,
    term: pl.DataFrame,
    span: Span,
) -> pl.DataFrame:
    """Lines of KRaft controllers about topics in the span, with at, term_id, is_unseen, and is_decided: the
    controller in office prints it in its term. Others, and processes that start, print all of the log once more."""
    said = topic_event.filter(col("step").is_in([BORN, GONE, CREATE_ACCEPTED, DELETE_ACCEPTED]))
    later = said.filter(span.since("logged_at"))
    terms = kraft_terms(term)
    unseen = terms.select("cluster_id", "term_id", "is_unseen")
    return (
        later.with_columns(at="logged_at")
        .pipe(with_decided, controller_line, terms)
        .pipe(with_holder, terms)
        .join(unseen, on=["cluster_id", "term_id"], how="left")
        .with_columns(is_unseen=col("is_unseen").fill_null(value=True))
    )


@needs_rows_of("lines")
def new_topic_lives(lines: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Topics (OWN) of which no row is known: first_seen_at, created_at, created_how, requested_at, their opening line
    and its term. known: rows (OWN, topic_life) of gold.topic_lifecycle, and lives of ZooKeeper mode.

    Source: ReplicationControlManager.replay(TopicRecord), createTopics, from 2.8.
    """
    born = lines.filter(col("step") == BORN).join(known, on=OWN, how="anti")
    in_order = born.sort(~col("is_decided"), "at", *LINE)
    first = in_order.group_by(OWN, maintain_order=True).agg(
        first_seen_at=col("at").min(), at=col("at").first(), **{
            name: col(name).first() for name in (*LINE, "is_decided", "is_unseen", "term_id")
        },
    )  # fmt: skip
    is_decided = col("is_decided")
    unknown = when("is_unseen").then(lit("lines_missing")).otherwise(lit("listed"))
    base = known.group_by(TOPIC).agg(base=col("topic_life").max())
    number = col("base").fill_null(0) + pl.int_range(1, pl.len() + 1).over(TOPIC)
    return (
        first.rename({name: f"created_{name}" for name in LINE})
        .with_columns(created_at=when(is_decided).then("at"))
        .with_columns(created_how=when(is_decided).then(lit("created")).otherwise(unknown))
        .pipe(with_request, lines)
        .sort(*TOPIC, "first_seen_at", "topic_id")
        .join(base, on=TOPIC, how="left", maintain_order="left")
        .with_columns(topic_life=number.cast(pl.Int32), mode=lit("kraft"))
    )


def first_decided(lives: pl.DataFrame, lines: pl.DataFrame) -> pl.DataFrame:
    """Lives of KRaft mode of which so far only others than the controller in office printed the record, as it does."""
    born = lines.filter((col("step") == BORN) & col("is_decided")).sort("at", *LINE)
    names = ("created_at", "term_id", *(f"created_{name}" for name in LINE))
    first = born.unique(OWN, keep="first", maintain_order=True).select(
        *OWN, late_created_at="at", late_term_id="term_id", **{f"late_created_{name}": name for name in LINE}
    )
    is_late = (col("mode") == "kraft") & col("created_at").is_null() & col("late_created_at").is_not_null()
    found = lives.join(first, on=OWN, how="left").with_columns(is_late=is_late)
    late = found.filter("is_late").with_columns(
        *(col(f"late_{name}").alias(name) for name in names), created_how=lit("created")
    )
    asked = late.drop("requested_at").pipe(with_request, lines).select(found.columns)
    return pl.concat([found.filter(~col("is_late")), asked]).drop(
        "is_late", *(f"late_{name}" for name in names)
    )


def with_request(lives: pl.DataFrame, lines: pl.DataFrame) -> pl.DataFrame:
    """requested_at: the last answer before created_at that the topic will be created."""
    is_answer = (col("step") == CREATE_ACCEPTED) & col("is_decided")
    answers = lines.filter(is_answer).select(*TOPIC, requested_at="at").sort("requested_at")
    known = lives.filter(col("created_at").is_not_null()).sort("created_at")
    asked = known.join_asof(
        answers, left_on="created_at", right_on="requested_at", by=TOPIC, tolerance=ANSWERED_BEFORE,
        check_sortedness=False,
    )  # fmt: skip
    return pl.concat([asked, lives.filter(col("created_at").is_null())], how="diagonal")


def kraft_ends(lives: pl.DataFrame, lines: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """Lives with an id and without an end, with that of KRaft: their removal, a later life of the metadata, or another
    topic of the name, as a name has one topic at a time: ended_at, ended_how, ended_file_id, ended_byte_offset."""
    own = lives.select(*TOPIC, "topic_id", "topic_life", "first_seen_at", "mode")
    removed = earliest_topic_lines(lines.filter(col("step") == GONE), "removed")
    following = col("first_seen_at").shift(-1).over(TOPIC)
    ends = pl.min_horizontal("removed_at", "wiped_at", "followed_at")
    how = (
        when(col("ended_at") == col("removed_at")).then(lit("deleted"))
        .when(col("ended_at") == col("wiped_at")).then(lit(WIPED))
        .when(col("ended_at").is_not_null()).then(lit(VANISHED))
    )  # fmt: skip
    is_removed = col("ended_how") == "deleted"
    return (
        own.sort(*TOPIC, "topic_life")
        .with_columns(followed_at=when(col("mode") == "kraft").then(following))
        .join(removed, on=OWN, how="left")
        .pipe(with_wipe, term)
        .with_columns(ended_at=ends)
        .with_columns(ended_how=how)
        .filter(col("ended_at").is_not_null())
        .select(
            *TOPIC, "topic_life", "ended_at", "ended_how",
            ended_file_id=when(is_removed).then("removed_file_id"),
            ended_byte_offset=when(is_removed).then("removed_byte_offset"),
        )
    )  # fmt: skip


def earliest_topic_lines(lines: pl.DataFrame, what: str) -> pl.DataFrame:
    first = lines.sort("at", *LINE).unique(OWN, keep="first", maintain_order=True)
    return first.select(*OWN, **{f"{what}_{name}": name for name in ("at", *LINE)})


def with_wipe(lives: pl.DataFrame, term: pl.DataFrame) -> pl.DataFrame:
    """wiped_at: when a later life of the quorum's metadata began after a life of KRaft mode was seen first."""
    begun = (
        kraft_terms(term)
        .group_by("cluster_id", "life")
        .agg(wiped_at=col("from_at").min())
        .filter(col("life") > col("life").min().over("cluster_id"))
        .sort("wiped_at")
        .drop("life")
    )
    found = lives.sort("first_seen_at").join_asof(
        begun, left_on="first_seen_at", right_on="wiped_at", by="cluster_id", strategy="forward",
        allow_exact_matches=False, check_sortedness=False,
    )  # fmt: skip
    return found.with_columns(wiped_at=when(col("mode") == "kraft").then("wiped_at"))
