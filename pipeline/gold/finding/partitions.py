"""Rules on leadership of brokers and on topics."""

from functools import reduce

import polars as pl
from polars import col, lit, when

from pipeline.gold.finding.wording import (
    NO_TERM,
    broker_name,
    decimals,
    facts,
    length,
    millis,
    plain,
    root,
    rule,
    words,
)
from pipeline.model.lines.evidence import LINE, known_lines
from pipeline.model.partitions.topic_lives import ASKED, ENDED, REMOVED

NOT_ENABLED = "; auto.leader.rebalance.enable=false: nothing moves leaders back"
WIPED = "wiped"  # how a deletion ends where another life of the metadata begins
DELETION = ("cluster_id", "topic", "deletion")
STEPS = {"blocked": ("deletion_blocked",), "queued": ASKED, "completed": ENDED}


def standing_imbalance(imbalance_breach: pl.DataFrame) -> pl.DataFrame:
    """A breach that outlasted the checks that a finding allows, while its broker was live and in the ISR of what it
    should lead; a warning while it stands."""
    is_decided = col("certainty") != "undetermined"
    is_disabled = col("why") == "auto_rebalance_disabled"
    severity = when(col("balanced_at").is_null()).then(lit("warning")).otherwise(lit("info"))
    return imbalance_breach.filter(col("is_standing") & is_decided).select(
        *("cluster_id", "certainty", "evidence"),
        *rule("standing_imbalance", severity, 2),
        entity=broker_name(),
        root_event=words("breach since {}", clock("breached_at")),
        **root("breach", "breached_at", "broker_id"),
        term_id=NO_TERM,
        valid_from_at="breached_at",
        valid_until_at="balanced_at",
        sentence=words(
            "{} leads too few: {} of its {} preferred partitions are led elsewhere, ratio {} over {}{}",
            *(broker_name(), "led_elsewhere_count", "preferred_count"),
            *(decimals(col("max_ratio"), 4), decimals(col("threshold_ratio"), 2)),
            when(is_disabled).then(lit(NOT_ENABLED)).otherwise(lit("")),
        ),
        facts=facts(
            broker_id="broker_id",
            led_elsewhere_count="led_elsewhere_count",
            preferred_count="preferred_count",
            imbalance_ratio=plain(col("max_ratio")),
            threshold_ratio=plain(col("threshold_ratio")),
            is_auto_rebalance_enabled=when(is_disabled).then(lit("false")),
        ),
    )


def clock(name: str) -> pl.Expr:
    """A time in UTC with as many digits of its second as it has: 2026-11-21 08:00:00.5."""
    text = col(name).dt.strftime("%Y-%m-%d %H:%M:%S%.f")
    return text.str.replace(r"(\.\d+?)0+$", "${1}")


def blocked_deletion(topic_event: pl.DataFrame, controller_term: pl.DataFrame) -> pl.DataFrame:
    """A topic's deletion was put off because a replica's broker was dead; a warning while it still stands. It ends too
    where somebody removes the topic from ZooKeeper meanwhile, or where another life of the metadata begins."""
    waited_ms = millis("completed_at") - millis("began_at")
    is_completed = col("completed_at").is_not_null()
    ended_by = {REMOVED: "was removed from ZooKeeper by somebody", WIPED: "ended with the cluster's metadata"}
    how = col("completed_step").replace_strict(ended_by, default="completed", return_dtype=pl.String)
    put_off = words(
        "deletion of topic {} was put off by a replica out of reach, {} after {}",
        *("topic", how, length(waited_ms)),
    )
    stuck = words("deletion of topic {} is stuck: a replica is out of reach", "topic")
    severity = when(is_completed).then(lit("info")).otherwise(lit("warning"))
    return (
        blocked_deletions(topic_event)
        .pipe(with_wipe, controller_term)
        .with_columns(began_at=pl.coalesce("queued_at", "blocked_at"))
        .select(
            "cluster_id",
            *rule("blocked_deletion", severity),
            entity=words("topic {}", "topic"),
            root_event=words("deletion {}", col("deletion") + 1),
            **root("deletion", "began_at"),
            term_id=NO_TERM,
            valid_from_at="began_at",
            valid_until_at="completed_at",
            sentence=when(is_completed).then(put_off).otherwise(stuck),
            facts=facts(topic="topic", lasted_ms=waited_ms),
            certainty=lit("proved"),
            evidence=known_lines(*([f"{step}_{name}" for name in LINE] for step in STEPS)),
        )
    )


def with_wipe(blocked: pl.DataFrame, controller_term: pl.DataFrame) -> pl.DataFrame:
    """completed_... by the first election of a later life, where no line ended it before."""
    first = (
        controller_term.filter((col("mode") == "zookeeper") & col("elected_at").is_not_null())
        .sort("elected_at")
        .unique(["cluster_id", "life"], keep="first", maintain_order=True)
        .filter(col("life") > col("life").min().over("cluster_id"))
    )
    line = col("lines").map.get("elected").list.first().struct
    lives = first.select(
        "cluster_id", wiped_at="elected_at", **{f"wiped_{name}": line.field(name) for name in LINE}
    )
    is_first = (col("wiped_at") < col("completed_at")).fill_null(value=True)
    is_wiped = col("wiped_at").is_not_null() & is_first
    found = blocked.sort("blocked_at").join_asof(
        lives.sort("wiped_at"),
        left_on="blocked_at",
        right_on="wiped_at",
        by="cluster_id",
        strategy="forward",
        check_sortedness=False,
    )
    ends = (
        when(is_wiped).then(f"wiped_{name}").otherwise(f"completed_{name}").alias(f"completed_{name}")
        for name in ("at", *LINE)
    )
    step = when(is_wiped).then(lit(WIPED)).otherwise("completed_step")
    return found.with_columns(*ends, completed_step=step)


def blocked_deletions(topic_event: pl.DataFrame) -> pl.DataFrame:
    """One row per DELETION that was put off: the first line that blocks it, the first one that queues it, and the one
    that completes it, with which it ends (<step>_at, <step>_step, <step>_file_id, <step>_byte_offset).

    Who has just deleted a topic, or starts, may still say that it does not retry it: after its end a deletion has to be
    asked for again. Source: TopicDeletionManager.resumeDeletions, up to 2.2.
    """
    topic = ("cluster_id", "topic")
    is_completed = col("step").is_in(ENDED).cast(pl.Int64)
    is_asked = col("step").is_in(ASKED).cum_sum().over(DELETION) > 0
    is_leftover = (col("step") == "deletion_blocked") & (col("deletion") > 0) & ~is_asked
    of_life = (
        topic_event.sort(*topic, "logged_at", "byte_offset", "file_id")
        .with_columns(deletion=is_completed.cum_sum().over(topic) - is_completed)
        .filter(~is_leftover)
    )
    firsts = (
        of_life.filter(col("step").is_in(said))
        .sort("logged_at", *LINE)
        .unique(DELETION, keep="first", maintain_order=True)
        .select(
            *DELETION,
            col("logged_at").alias(f"{step}_at"),
            *(col(name).alias(f"{step}_{name}") for name in ("step", *LINE)),
        )
        for step, said in STEPS.items()
    )
    return reduce(lambda found, one: found.join(one, on=DELETION, how="left"), firsts)
