"""What the next start of a node says of the run before, and whether lines in between may be missing."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.evidence import LINE, evidence_line
from pipeline.model.lines.lost_segments import still_lost

NODE = ("cluster_id", "node_id")
RUN = (*NODE, "run_seq")
SERVER_LOGS = ("server", "mixed")
ONE_START = timedelta(seconds=60)  # a start is through with its first lines by then
LONG = timedelta(days=1)  # a quiet broker may write nothing for hours


def with_next_start(
    found: pl.DataFrame, said: pl.DataFrame, source_file: pl.DataFrame, lost_segment: pl.DataFrame
) -> pl.DataFrame:
    """Runs in their order with what the next start says: next_started_at, next_line, unclean_line (of directories that
    are not new), is_clean; and is_complete: no line between is missing."""
    own = said.select(*RUN, "file_id").unique().group_by(RUN).agg(files="file_id")
    following = [
        col(name).shift(-1).over(NODE).alias(f"next_{name}")
        for name in ("started_at", "start_line", "start_file", "unclean_lines", "unclean_at", "is_clean")
    ]
    is_same_file = pl.col("files").list.contains(pl.col("next_start_file"))
    return (
        found.join(directory_cleanness(said), on=RUN, how="left")
        .join(own, on=RUN, how="left")
        .sort(RUN)
        .with_columns(following)
        .pipe(with_continued, source_file)
        .pipe(with_lost_lines, still_lost(lost_segment, source_file))
        .with_columns(
            is_complete=(
                (is_same_file | col("is_continued")) & ~col("is_beside") & ~col("is_lost") & ~col("has_hole")
            ).fill_null(value=False)
        )
    )


def directory_cleanness(said: pl.DataFrame) -> pl.DataFrame:
    """(RUN, unclean_lines, unclean_at, is_clean): the first directory that a start finds unclean, one that an earlier
    line of the node names and that is not new; and whether it finds one that was shut down in order."""
    disks = said.filter(col("area") == "disk", col("log_dir").is_not_null())
    named = disks.group_by(*NODE, "log_dir").agg(first_seq=col("run_seq").min())
    new = disks.filter(col("step").is_in(["created", "empty"])).select(*RUN, "log_dir").unique()
    states = disks.filter(col("step").is_in(["clean", "unclean"])).join(named, on=[*NODE, "log_dir"])
    is_known = (col("step") == "unclean") & (col("first_seq") < col("run_seq"))
    unclean = (
        states.filter(is_known)
        .join(new, on=[*RUN, "log_dir"], how="anti")
        .sort("logged_at", *LINE)
        .group_by(RUN, maintain_order=True)
        .agg(unclean_lines=evidence_line().head(1), unclean_at=col("logged_at").first())
    )
    clean = states.group_by(RUN).agg(is_clean=(col("step") == "clean").any())
    return clean.join(unclean, on=RUN, how="left")


def with_continued(found: pl.DataFrame, source_file: pl.DataFrame) -> pl.DataFrame:
    """is_continued: the file of the next start began before it, or another file of the node's server.log goes on until
    the hour before it: logs roll by the hour, or later. has_hole: between the run and that start begins a file that
    none goes on to like that. is_beside: the run's own file goes on, and the start is in another one: two processes
    have one id."""
    files = (
        source_file.filter(col("log").is_in(SERVER_LOGS))
        .group_by("cluster_id", "file_id")
        .agg(
            node_id=col("node_id").drop_nulls().first(),
            first_at=col("first_logged_at").min(),
            last_at=col("last_logged_at").max(),
        )
    )
    start_at = col("next_started_at")
    began = files.select("cluster_id", next_start_file="file_id", began_at="first_at")
    is_hour_before = is_log_continued("last_at", "next_started_at")
    rolled = (
        found.filter(start_at.is_not_null())
        .select(*RUN, "next_started_at", "next_start_file")
        .join(files.drop_nulls("node_id"), on=NODE)
        .filter(col("file_id") != col("next_start_file"), col("first_at") < start_at, is_hour_before)
        .select(*RUN, is_rolled=lit(value=True))
        .unique()
    )
    own = found.select(*RUN, "next_started_at", "next_start_file", file_id="files").explode("file_id")
    beside = (
        own.join(files.drop("node_id"), on=["cluster_id", "file_id"])
        .filter(col("file_id") != col("next_start_file"), col("last_at") > start_at + ONE_START)
        .select(*RUN, is_beside=lit(value=True))
        .unique()
    )
    has_begun = start_at - col("began_at") > ONE_START
    return (
        found.join(began, on=["cluster_id", "next_start_file"], how="left")
        .join(rolled, on=RUN, how="left")
        .join(beside, on=RUN, how="left")
        .join(runs_with_hole(found, files), on=RUN, how="left")
        .sort(RUN)
        .with_columns(
            is_continued=has_begun | col("is_rolled").fill_null(value=False),
            is_beside=col("is_beside").fill_null(value=False),
            has_hole=col("has_hole").fill_null(value=False),
        )
    )


def is_log_continued(last_at: str, next_at: str) -> pl.Expr:
    """True if a log that ends there goes on to one that begins there, as it is rolled by the hour, or later."""
    return col(last_at).dt.truncate("1h") >= col(next_at).dt.truncate("1h") - pl.duration(hours=1)


def runs_with_hole(found: pl.DataFrame, files: pl.DataFrame) -> pl.DataFrame:
    """(RUN, has_hole) of runs after whose last line a file of the node begins that none goes on to; or in which one
    does after a day or more: what is said behind it may be said by another process."""
    reached_at = col("last_at").cum_max().shift(1).over(NODE)
    holes = (
        files.drop_nulls(("node_id", "first_at"))
        .sort(*NODE, "first_at", "file_id")
        .with_columns(reached_at=reached_at)
        .filter(~is_log_continued("reached_at", "first_at"))
        .select(*NODE, "reached_at", hole_at="first_at")
    )
    is_long = col("hole_at") - col("reached_at") > LONG
    since = when(is_long).then("first_line_at").otherwise("last_line_at")
    is_between = (col("hole_at") > since) & (col("hole_at") <= col("next_started_at"))
    between = (
        found.select(*RUN, "first_line_at", "last_line_at", "next_started_at")
        .join(holes, on=NODE)
        .filter(is_between)
    )
    return between.select(*RUN, has_hole=lit(value=True)).unique()


def with_lost_lines(found: pl.DataFrame, lost: pl.DataFrame) -> pl.DataFrame:
    """is_lost: of a server.log that may be the node's the warehouse has lost lines between what the run is known to
    have said last and the next start. lost: rows of still_lost."""
    of_log = lost.filter(col("log").is_in(SERVER_LOGS)).select(
        "cluster_id", "first_logged_at", "last_logged_at", lost_node="node_id"
    )
    is_own = (col("lost_node") == col("node_id")).fill_null(value=True)
    begins_before = (col("first_logged_at") <= col("next_started_at")).fill_null(value=True)
    ends_after = (col("last_logged_at") >= col("last_line_at")).fill_null(value=True)
    between = found.join(of_log, on="cluster_id").filter(is_own, begins_before, ends_after)
    lost_runs = between.select(*RUN, is_lost=lit(value=True)).unique()
    return found.join(lost_runs, on=RUN, how="left").with_columns(col("is_lost").fill_null(value=False))
