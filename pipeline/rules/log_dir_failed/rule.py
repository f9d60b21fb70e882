"""The rule log_dir_failed."""

from collections.abc import Mapping

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.exception_causes import with_exception_causes
from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.limits import OUTAGE
from pipeline.rules.shared.log_dirs import BROKER, NOTICED, group_log_dir_failures, named_partition_column
from pipeline.rules.shared.outage_causes import LOST_DIR
from pipeline.rules.shared.wording import (
    NO_TERM,
    broker_name,
    count_above_zero,
    counted_noun,
    duration_text,
    epoch_millis,
    facts_column,
    filled_text,
    root_columns,
    severity_column,
)

NAMED = 100  # partitions in the facts
# What people are told of a cause of exception_lines.tsv; of others the exception itself.
WHY = {
    "cause_disk_full": "the disk is full",
    "cause_disk_read_only": "its file system is read-only",
    "cause_disk_error": "the device fails",
    "cause_disk_denied": "Kafka may not read or write there",
    "cause_path_gone": "its files are not there",
    "cause_too_many_files": "too many open files; the disk itself is sound",
    "cause_map_failed": "too many memory maps; the disk itself is sound",
}
UNTOLD = "; the controller is not told: what it leads there serves nobody until the broker is stopped"
UP = "up"  # a line shows its process up, no more
IS_BOUND = (col("came_back") == UP).fill_null(value=False)
CAME_BACK = {
    "loaded": "back after {}",
    "empty": "back after {}, but empty: its replicas are copied anew",
    "left_out": "after {} the broker started without it",
    "started": "at a start {} later it did not fail again",
    UP: "its process was up again within {}",
}


@made_of_rows("lost_log_dirs")
def find(
    lost_log_dirs: pl.DataFrame,
    leader_election: pl.DataFrame,
    partition_outage: pl.DataFrame,
    outage_ms: int,
) -> pl.DataFrame:
    """A broker lost a log directory, or all of them and with them itself. A warning: what is left without a leader are
    outages, with a finding of their own. One finding for the directories that fail together and are back together.

    lost_log_dirs: of the view. A checkpoint that is not written, or a new directory, is no failure.
    """
    groups = group_log_dir_failures(lost_log_dirs)
    led = of_failures(groups, elections_for_failed_dirs(leader_election))
    unled = of_failures(groups, outages_of_failed_dirs(partition_outage, outage_ms))
    found = (
        with_exception_causes(groups)
        .join(led.rename({"partitions_found": "led"}), on="group", how="left")
        .join(unled.rename({"partitions_found": "leaderless"}), on="group", how="left")
        .with_columns(
            here=count_above_zero(col("partitions").list.len()),
            moving=count_above_zero(col("future_partitions").list.len()),
            lasted_ms=epoch_millis("back_at") - epoch_millis("failed_at"),
        )
    )
    return found.select(
        *("cluster_id", "evidence"),
        *severity_column("warning"),
        entity=broker_name(),
        root_event=filled_text("log directory failed at {}", col("failed_at").dt.epoch("s")),
        **root_columns(LOST_DIR, "failed_at", "broker_id"),
        term_id=NO_TERM,
        valid_from_at="failed_at",
        valid_until_at="back_at",
        sentence=log_dir_sentence(),
        facts=facts_column(
            broker_id="broker_id",
            log_dirs=when(col("log_dirs").list.len() > 0).then("log_dirs"),
            directory_ids=when(col("directory_ids").list.len() > 0).then("directory_ids"),
            exception_class="exception_class",
            exception_message="exception_message",
            replicas_count="here",
            partitions=when(col("here") > 0).then(col("partitions").list.head(NAMED)),
            moving_count="moving",
            led_count="led",
            leaderless_count="leaderless",
            is_at_start=when("is_at_start").then(lit(value=True)),
            is_halted=when("is_halted").then(lit(value=True)),
            is_controller_told=when("is_untold").then(lit(value=False)),
            came_back="came_back",
            lasted_ms=when(~IS_BOUND).then("lasted_ms"),
            at_most_ms=when(IS_BOUND).then("lasted_ms"),
        ),
        certainty=when(col("came_back").is_in(["started", UP]))
        .then(lit("inferred"))
        .otherwise(lit("proved")),
    )


def elections_for_failed_dirs(leader_election: pl.DataFrame) -> pl.DataFrame:
    """(BROKER, name, at): what a broker led when the controller took it from it for a failed directory."""
    is_of_disk = (col("trigger") == LOST_DIR) & (col("old_leader") >= 0)
    return leader_election.filter(is_of_disk).select(
        "cluster_id", named_partition_column(), broker_id="old_leader", at="elected_at"
    )


def outages_of_failed_dirs(partition_outage: pl.DataFrame, outage_ms: int) -> pl.DataFrame:
    """(BROKER, name, at): what it left without a leader, as long as a finding tells it."""
    lasted_ms = epoch_millis("ended_at") - epoch_millis("noticed_at")
    is_long = col("ended_at").is_null() | (lasted_ms >= outage_ms)
    is_of_disk = (col("root_event") == LOST_DIR) & (col("certainty") != "undetermined")
    return partition_outage.filter(is_of_disk & is_long).select(
        "cluster_id", named_partition_column(), broker_id="root_broker_id", at="noticed_at"
    )


def of_failures(groups: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """(group, partitions_found): how many partitions of the failure are among these; of those that lay there, where
    that is told."""
    begin, end = col("failed_at") - NOTICED, pl.coalesce("back_at", "at")
    is_there = (col("partitions").list.len() == 0) | col("partitions").list.contains(col("name"))
    return (
        groups.select("group", *BROKER, "failed_at", "back_at", "partitions")
        .join(told.with_columns(col("broker_id").cast(pl.Int32)), on=BROKER)
        .filter(col("at").is_between(begin, end), is_there)
        .group_by("group")
        .agg(partitions_found=col("name").n_unique())
    )


def log_dir_sentence() -> pl.Expr:
    """broker 3 lost log directory /b (the disk is full): 23 replicas there, of which 6 led; back after 34.5 s."""
    message = pl.concat_str(
        col("exception_class").str.extract(r"(\w+)$"), "exception_message", separator=": ", ignore_nulls=True
    )
    cause = pl.coalesce(col("cause").replace_strict(WHY, default=None, return_dtype=pl.String), message)
    why = when(col("exception_class").is_not_null()).then(filled_text(" ({})", cause)).otherwise(lit(""))
    return filled_text("{}{}{}{}", log_dir_failure_text(), why, log_dir_effect_text(), log_dir_ending_text())


def log_dir_failure_text() -> pl.Expr:
    paths, ids = (col(one).list.join(", ") for one in ("log_dirs", "directory_ids"))
    path = when(col("log_dirs").list.len() > 0).then(paths).when(col("directory_ids").list.len() > 0).then(
        filled_text("with id {}", ids)
    )  # fmt: skip
    one = when(path.is_null()).then(lit("a log directory")).otherwise(filled_text("log directory {}", path))
    dirs = when(col("dirs") == 1).then(one).otherwise(filled_text("{} log directories ({})", "dirs", path))
    is_process = col("is_halted") & (col("log_dirs").list.len() == 0)
    return (
        when(is_process).then(filled_text("{} halted: it could not read or write its disk", broker_name()))
        .when("is_at_start").then(filled_text("{} could not use {} when it started", broker_name(), dirs))
        .otherwise(filled_text("{} lost {}", broker_name(), dirs))
    )  # fmt: skip


def log_dir_effect_text() -> pl.Expr:
    is_counted = col("here") > 0
    led = (
        when(is_counted).then(filled_text("{} of them leading", "led"))
        .otherwise(filled_text("it led {} there", counted_noun("led", "partition")))
    )  # fmt: skip
    said: Mapping[str, pl.Expr] = {
        "here": filled_text("{} there", counted_noun("here", "replica")),
        "moving": filled_text("{} moving to it", "moving"),
        "led": led,
        "leaderless": filled_text("{} left without a leader", "leaderless"),
    }
    parts = pl.concat_list(*(when(col(one) > 0).then(text) for one, text in said.items())).list.drop_nulls()
    told = when(parts.list.len() > 0).then(filled_text(": {}", parts.list.join(", "))).otherwise(lit(""))
    of_dir = col("log_dirs").list.len() > 0
    then = (
        when(col("is_halted") & col("is_untold")).then(lit("; it could tell no controller, so the process ended"))
        .when(col("is_halted") & of_dir).then(lit("; the process halted"))
        .when(col("is_untold") & col("back_at").is_null()).then(lit(UNTOLD))
        .when("is_untold").then(lit("; the controller is not told and still counts on them"))
        .otherwise(lit(""))
    )  # fmt: skip
    return pl.concat_str(told, then)


def log_dir_ending_text() -> pl.Expr:
    lasted = duration_text(col("lasted_ms"))
    is_process = col("is_halted") & (col("log_dirs").list.len() == 0)
    again = when(is_process & col("back_at").is_not_null() & ~IS_BOUND).then(
        filled_text("; started again after {}", lasted)
    )
    back = [
        when(col("came_back") == came_back).then(filled_text("; " + text, lasted))
        for came_back, text in CAME_BACK.items()
    ]
    return pl.coalesce(again, *back, lit("; no line says that it is back"))


RULE = Rule(
    name="log_dir_failed",
    version=3,
    severities=("warning",),
    facts=(
        "broker_id",
        "log_dirs",
        "directory_ids",
        "exception_class",
        "exception_message",
        "replicas_count",
        "partitions",
        "moving_count",
        "led_count",
        "leaderless_count",
        "is_at_start",
        "is_halted",
        "is_controller_told",
        "came_back",
        "lasted_ms",
        "at_most_ms",
    ),
    find=find,
    limits=(OUTAGE,),
)
