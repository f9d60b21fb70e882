"""What became of a broker that was fenced: whether its process lived on, and when it served again."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.core.stretches import FAR
from pipeline.model.lines.evidence import LINE, known_lines

BROKER = ("cluster_id", "broker_id")
UNFENCED = "unfence_granted"
REGISTERED = ("registered", "registered_again")
AT_ONCE = timedelta(seconds=1)  # lines of one decision
# A controller that says nothing for so long may have gone on in a file that is not there.
STILL = timedelta(minutes=10)


@needs_rows_of("fenced")
def with_offset(fenced: pl.DataFrame, line: str, name: str, broker_event: pl.DataFrame) -> pl.DataFrame:
    """Where the registration stands in the metadata log with which that line unfenced the broker."""
    first, names = col(line).list.first().struct, [f"unfenced_{one}" for one in LINE]
    key = [*BROKER, *names]
    offsets = broker_event.filter(col("step") == UNFENCED).select(
        *BROKER, *(col(one).alias(f"unfenced_{one}") for one in LINE), col("registered_offset").alias(name)
    )
    places = (first.field(one).alias(f"unfenced_{one}") for one in LINE)
    return fenced.with_columns(places).join(offsets, on=key, how="left").drop(names)


@needs_rows_of("fenced")
def with_unfencing(
    fenced: pl.DataFrame, broker_session: pl.DataFrame, broker_event: pl.DataFrame
) -> pl.DataFrame:
    """back_at, back_epoch: when it was unfenced next, by the controller or by its own line, and the epoch of its
    registration then. That line stands at the end of lines."""
    unfenced = broker_session.filter(col("mode") == "kraft", col("joined_how") != "before_data").select(
        *BROKER, back_at="joined_at", back_epoch="broker_epoch", back_line=col("evidence").list.head(1)
    )
    is_own = (col("said_by") == "broker") & (col("step") == "running")
    running = broker_event.filter(is_own, col("broker_id").is_not_null()).select(
        *BROKER, running_at="logged_at", running_line=known_lines(LINE)
    )
    is_missed = (col("running_at") + AT_ONCE < pl.coalesce("back_at", FAR)).fill_null(value=False)
    found = fenced.sort("left_at")
    for rows, at in ((unfenced, "back_at"), (running, "running_at")):
        found = found.join_asof(
            rows.sort(at), left_on="left_at", right_on=at, by=BROKER, strategy="forward", coalesce=False,
            allow_exact_matches=False, check_sortedness=False,
        )  # fmt: skip
    return found.with_columns(
        back_at=when(is_missed).then("running_at").otherwise("back_at"),
        back_epoch=when(~is_missed).then("back_epoch"),
        back_line=when(is_missed).then("running_line").otherwise("back_line"),
    )


@needs_rows_of("fenced")
def with_watch(fenced: pl.DataFrame, controller_term: pl.DataFrame, data_end: pl.DataFrame) -> pl.DataFrame:
    """Fences with back_at only where no controller came in between of which no line was read, who may have unfenced it;
    is_watched: it was not unfenced, and a controller that was read says something until the end of the data."""
    terms = controller_term.filter(col("mode") == "kraft")
    unseen = terms.filter(col("elected_at").is_null()).select(
        "cluster_id", unseen_id="term_id", unseen_at="last_act_at", over_at=pl.coalesce("superseded_at", FAR)
    )
    key = [*BROKER, "left_at"]
    is_other = col("unseen_id") != col("left_term_id")
    is_between = (col("over_at") > col("left_at")) & (col("unseen_at") < pl.coalesce("back_at", FAR))
    doubted = fenced.join(unseen, on="cluster_id").filter(is_other, is_between).select(key).unique()
    heard = terms.group_by("cluster_id").agg(heard_at=col("last_act_at").max())
    is_sure = ~col("is_in_doubt").fill_null(value=False)
    is_heard = (col("until_at") - col("heard_at") < STILL).fill_null(value=False)
    return (
        fenced.join(doubted.with_columns(is_in_doubt=lit(value=True)), on=key, how="left")
        .join(heard, on="cluster_id", how="left")
        .join(data_end.select("cluster_id", "until_at"), on="cluster_id", how="left")
        .with_columns(back_at=when(is_sure).then("back_at"), is_watched=is_sure & is_heard)
    )


@needs_rows_of("fenced")
def with_process(fenced: pl.DataFrame, broker_event: pl.DataFrame) -> pl.DataFrame:
    """is_same_process: its registration is still that of before, or another process registered, at registered_at; null:
    no line tells. The line of that stands in process_line: of the same one the line that began its stay."""
    registered = (
        broker_event.filter(col("said_by") == "replay", col("step").is_in(REGISTERED))
        .sort("logged_at", *LINE)
        .select(
            *BROKER, back_epoch="broker_epoch", registered_at="logged_at", registered_line=known_lines(LINE)
        )
        .unique([*BROKER, "back_epoch"], keep="first", maintain_order=True)
    )
    # No line of 3.3 to 3.5 says the epoch.
    back_epoch = pl.coalesce("back_epoch", "back_offset")
    is_same = pl.coalesce(col("own_offset") == col("back_offset"), col("fenced_epoch") == back_epoch)
    is_new = col("registered_at").is_between("left_at", "back_at")
    is_another = (is_new & is_same.not_().fill_null(value=True)).fill_null(value=False)
    own_line = when(col("evidence").list.len() > 1).then(col("evidence").list.head(1))
    found = fenced.with_columns(back_epoch=back_epoch).join(
        registered, on=[*BROKER, "back_epoch"], how="left"
    )
    return found.with_columns(
        is_same_process=when(is_another).then(lit(value=False)).when(is_same).then(lit(value=True)),
        process_line=when(is_another).then("registered_line").when(is_same).then(own_line),
    )
